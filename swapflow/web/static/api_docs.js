// Shows the API's description; nothing is fetched from another host.
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const shade = () => document.documentElement.classList.toggle("dark-mode", dark.matches); // a class of Swagger's sheet
dark.addEventListener("change", shade);
shade();

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
