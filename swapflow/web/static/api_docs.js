// Shows the API's description; nothing is fetched from another host.
document.addEventListener("DOMContentLoaded", () => {
  const place = document.getElementById("swagger");
  window.SwaggerUIBundle({
    url: place.dataset.openapi,
    domNode: place,
    validatorUrl: null,
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: -1,
  });
});
