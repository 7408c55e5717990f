// Moves an interview to a day: by dragging its card, or by keys. Both press the same button that the
// page has for an hour that fits; without this file that button and the form do it.
(() => {
  "use strict";
  const board = document.querySelector("[data-schedule]");
  if (!board) return;
  const said = JSON.parse(board.dataset.said); // in the reader's language
  const status = board.querySelector("[role=status]");
  const cards = new Map([...document.querySelectorAll("[data-pull]")].map((card) => [card.dataset.pull, card]));
  const hours = (card) => JSON.parse(card.dataset.free);
  const cells = [...board.querySelectorAll("td[data-day]")];
  let held = null;
  let chosen = -1;

  function show(card, hour) {
    const days = card ? hours(card).map(([at]) => at.slice(0, 10)) : [];
    for (const cell of cells) {
      cell.classList.toggle("fits", days.includes(cell.dataset.day));
      cell.classList.toggle("here", Boolean(hour) && hour[0].startsWith(cell.dataset.day));
    }
  }

  function set(card, hour) {
    const form = card.querySelector("form");
    const button = document.createElement("button");
    button.name = "fit";
    button.value = hour[0];
    button.formNoValidate = true;
    button.hidden = true;
    form.append(button);
    form.requestSubmit(button);
  }

  // By pointer
  function pick(card) { held = card; card.classList.add("held"); show(card); }
  function drop() { if (held) held.classList.remove("held"); held = null; show(null); }
  for (const card of cards.values()) {
    if (!hours(card).length) continue;
    card.draggable = true;
    card.addEventListener("dragstart", (event) => {
      if (event.target.closest("input")) return;
      event.dataTransfer.setData("text/plain", card.dataset.pull);
      event.dataTransfer.effectAllowed = "move";
      pick(card);
    });
    card.addEventListener("dragend", drop);
  }
  for (const entry of board.querySelectorAll("a[data-of]")) {
    const card = cards.get(entry.dataset.of);
    if (!card) continue;
    entry.addEventListener("dragstart", (event) => {
      event.dataTransfer.setData("text/plain", entry.dataset.of);
      pick(card);
    });
    entry.addEventListener("dragend", drop);
  }
  for (const cell of cells) {
    const hour = () => held && hours(held).find(([at]) => at.startsWith(cell.dataset.day));
    cell.addEventListener("dragover", (event) => {
      const fits = hour();
      if (!fits) return;
      event.preventDefault();
      show(held, fits);
      status.textContent = fits[1];
    });
    cell.addEventListener("drop", (event) => {
      const fits = hour();
      if (!fits) return;
      event.preventDefault();
      set(held, fits);
    });
  }

  // By keys
  function end(words) { chosen = -1; drop(); status.textContent = words; }
  for (const card of cards.values()) {
    const grip = card.querySelector(".grip");
    if (!grip) continue;
    grip.hidden = false;
    grip.addEventListener("click", () => {
      const free = hours(card);
      if (held === card && chosen >= 0) { set(card, free[chosen]); return; }
      if (!free.length) { status.textContent = said.none; return; }
      pick(card);
      chosen = 0;
      show(card, free[0]);
      status.textContent = `${free[0][1]}. ${said.choose}`;
    });
    grip.addEventListener("keydown", (event) => {
      if (held !== card || chosen < 0) return;
      const free = hours(card);
      const towards = document.documentElement.dir === "rtl" ? -1 : 1;
      const step = { ArrowRight: towards, ArrowDown: 1, ArrowLeft: -towards, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") { end(said.over); return; }
      if (!step) return;
      event.preventDefault();
      chosen = (chosen + step + free.length) % free.length;
      show(card, free[chosen]);
      status.textContent = free[chosen][1];
    });
    grip.addEventListener("blur", () => { if (held === card && chosen >= 0) end(""); });
  }
  const hint = board.querySelector(".drag");
  if (hint && cells.length) hint.hidden = false;
})();
