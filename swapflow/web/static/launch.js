// The forecast follows the answers: 400 ms after a change, and while one is being calculated.
// Without this script the button "Update forecast" does the same.
"use strict";
(() => {
  const form = document.getElementById("questions");
  const part = document.getElementById("forecast");
  if (!form || !part) return;
  const card = part.closest(".fore");
  document.getElementById("look").hidden = true;
  let timer = 0, asked = 0;

  async function look() {
    const mine = ++asked;
    card.classList.add("old");
    try {
      const answer = await fetch(form.dataset.forecast, {
        method: "POST",
        body: new URLSearchParams(new FormData(form)),
        headers: { "X-Part": "forecast" },
      });
      if (mine !== asked) return; // a later change was asked about meanwhile
      if (answer.ok) {
        const read = new DOMParser().parseFromString(await answer.text(), "text/html");
        part.replaceChildren(...read.body.childNodes);
        const each = document.getElementById("each"), now = part.querySelector("[data-each]");
        if (each && now) each.textContent = now.textContent;
      }
    } catch {
      document.getElementById("look").hidden = false;
    }
    if (mine !== asked) return;
    card.classList.remove("old");
    if (part.querySelector("[data-again]")) later(700);
  }
  function later(wait) {
    clearTimeout(timer);
    timer = setTimeout(look, wait);
  }
  form.addEventListener("input", () => { card.classList.add("old"); later(400); });
  // Answers that were changed before this script had come.
  const early = [...form.elements].some((field) => field.type === "radio" || field.type === "checkbox"
    ? field.checked !== field.defaultChecked : (field.defaultValue ?? field.value) !== field.value);
  if (early) { card.classList.add("old"); later(0); }
  else if (part.querySelector("[data-again]")) later(300);
})();
