"use strict";
// Keys on the board at a desk, and what is ticked; every act is the page's own form without them.
(() => {
  const form = document.getElementById("outcomes");
  if (!form) return;
  const rows = [...form.querySelectorAll("tr.cand")];
  const off = document.getElementById("keys-off");
  const KEPT = "decide-keys-off";
  let at = -1;

  const never = document.body.dataset.keys === "off";
  const quiet = () => never || localStorage.getItem(KEPT) === "yes";
  const told = () => off.setAttribute("aria-pressed", quiet() ? "true" : "false");
  off.hidden = never;
  told();
  off.addEventListener("click", () => {
    localStorage.setItem(KEPT, quiet() ? "no" : "yes");
    told();
  });

  const ticked = form.querySelector(".ticked");
  const usual = ticked.textContent;
  const count = () => {
    const boxes = [...form.querySelectorAll("input[name=tick]:checked")];
    const names = boxes.map((box) => box.closest("tr").querySelector(".nm a").textContent);
    ticked.textContent = boxes.length
      ? `${boxes.length} ${ticked.dataset.some}: ${names.join(", ")}. ${usual}` : usual;
  };
  form.addEventListener("change", count);
  count();

  const move = (to) => {
    if (!rows.length) return;
    if (at >= 0) rows[at].classList.remove("here");
    at = Math.min(Math.max(to, 0), rows.length - 1);
    rows[at].classList.add("here");
    const target = rows[at].querySelector("input[name=tick]");
    target.focus({ preventScroll: true });
    rows[at].scrollIntoView({ block: "nearest" });
  };
  const start = rows.findIndex((row) => `#${row.id}` === location.hash);
  if (start >= 0) move(start);

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input:not([type=checkbox]), textarea, select");
    if (quiet() || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[at];
    const press = (style) => {
      const fitting = [...row.querySelectorAll(`button[data-key="${style}"]`)];
      // With several lines: the first, and again for the next.
      const now = fitting.findIndex((one) => one.getAttribute("aria-pressed") === "true");
      const button = fitting[(now + 1) % fitting.length];
      if (button) button.click();
    };
    if (event.key === "j") move(at + 1);
    else if (event.key === "k") move(at < 0 ? 0 : at - 1);
    else if (row && event.key === "x") { row.querySelector("input[name=tick]").click(); }
    else if (row && event.key === "i") press("in");
    else if (row && event.key === "w") press("waitlist");
    else if (row && event.key === "o") press("out");
    else return;
    event.preventDefault();
  });
})();
