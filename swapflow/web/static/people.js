// Applicants and reviewers: keys, and one of them shown beside the table. Without it every row is
// a link to a page of its own, ticks and buttons are a plain form.
(() => {
  "use strict";
  const beside = document.getElementById("beside");
  const wide = matchMedia("(min-width: 1180px)");
  const rows = () => [...document.querySelectorAll("tr[data-number]")];
  const link = (row) => row.querySelector(".nm a");
  let current = null;
  let asked = 0; // only the answer to the latest question is shown
  let shown = ""; // the number of the person in the panel
  const typed = new Map(); // by number: what was typed and not sent, until the page is left

  function page(html) { return new DOMParser().parseFromString(html, "text/html"); }

  const chosen = (control) => [...control.options].filter((one) => one.selected).map((one) => one.value);

  // What is in a control, where that is not what the page came with. A confirmation is typed anew.
  function edited(control) {
    if (!control.name || control.name === "confirm" || /^(hidden|submit|button|file)$/.test(control.type)) return null;
    if (control.options) {
      const other = [...control.options].some((one) => one.selected !== one.defaultSelected);
      // A list without a choice of its own shows its first line.
      const first = !control.multiple && control.selectedIndex === 0 && !control.querySelector("[selected]");
      return other && !first ? chosen(control) : null;
    }
    if (/^(checkbox|radio)$/.test(control.type)) return control.checked === control.defaultChecked ? null : control.checked;
    return control.value === control.defaultValue ? null : control.value;
  }

  // How to find a control again in the panel when it comes anew. What a form is about tells apart
  // forms that do the same; what each page makes anew does not.
  function place(control) {
    const form = control.form;
    const about = [...form.querySelectorAll('[type="hidden"]')].filter((one) => !/^(act|revision)$/.test(one.name)).map((one) => [one.name, one.value]);
    const choice = /^(checkbox|radio)$/.test(control.type) ? control.value : "";
    return JSON.stringify([form.getAttribute("action"), about, control.name, choice]);
  }
  const controls = () => [...beside.querySelectorAll("input, select, textarea")].filter((one) => one.form);

  // A panel that is renewed or left keeps what was typed in its other forms.
  function keep() {
    const found = controls().filter((one) => !one.form.dataset.sending).map((one) => [place(one), edited(one)]);
    typed.set(shown, new Map(found.filter(([, value]) => value !== null)));
  }

  function restore() {
    const kept = typed.get(shown);
    if (!kept || !kept.size) return;
    controls().forEach((one) => {
      const value = kept.get(place(one));
      if (value === undefined) return;
      if (one.options) [...one.options].forEach((option) => { option.selected = value.includes(option.value); });
      else if (typeof value === "boolean") one.checked = value;
      else one.value = value;
      for (let fold = one.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
      one.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }

  // The panel of a whole page, with the page's notice above it.
  function show(doc, row) {
    const panel = doc.getElementById("panel") || doc.getElementById("main");
    if (!panel) return;
    const focused = controls().find((one) => one === document.activeElement && !one.form.dataset.sending);
    const there = focused && place(focused);
    const caret = focused && typeof focused.selectionStart === "number" ? [focused.selectionStart, focused.selectionEnd] : null;
    const same = row && row.dataset.number === shown;
    keep();
    shown = row ? row.dataset.number : "";
    const told = doc.getElementById("told");
    if (told) panel.prepend(told);
    const name = panel.querySelector("h1"); // the table's page has its own
    if (name) {
      const second = document.createElement("h2");
      second.className = "h1";
      second.append(...name.childNodes);
      name.replaceWith(second);
    }
    panel.querySelectorAll(".all, .turns").forEach((one) => one.remove());
    if (panel.id === "main") panel.removeAttribute("id");
    beside.replaceChildren(document.importNode(panel, true));
    const hint = document.createElement("p");
    hint.className = "keys small faint";
    hint.textContent = beside.dataset.hint;
    if (document.body.dataset.keys !== "off") beside.append(hint);
    restore();
    const again = same && there && controls().find((one) => place(one) === there);
    if (again) {
      again.focus({ preventScroll: true });
      if (caret) again.setSelectionRange(...caret);
    }
    const problem = beside.querySelector('[aria-invalid="true"], [role="alert"]');
    if (problem) problem.scrollIntoView({ block: "center" });
    if (row) mark(row);
  }

  function mark(row) {
    rows().forEach((one) => {
      one.classList.toggle("on", one === row);
      if (one === row) link(one).setAttribute("aria-current", "true");
      else link(one).removeAttribute("aria-current");
    });
    current = row;
  }

  async function open(row) {
    mark(row);
    if (!wide.matches) return;
    const mine = ++asked;
    const answer = await fetch(link(row).href, { headers: { Accept: "text/html" } });
    const text = await answer.text();
    if (mine === asked) show(page(text), row);
  }

  // A row after an act: the same page of the table again, and its row taken from it.
  async function refresh(row) {
    if (!row) return;
    const answer = await fetch(location.href);
    const fresh = page(await answer.text()).querySelector(`tr[data-number="${row.dataset.number}"]`);
    if (!fresh || !row.isConnected) return;
    const tick = row.querySelector("[name=a]");
    const ticked = tick && tick.checked;
    fresh.className = row.className;
    const focused = row.contains(document.activeElement);
    row.replaceWith(fresh);
    if (ticked) fresh.querySelector("[name=a]").checked = true;
    // Who went on to another row meanwhile stays there.
    if (row === current) mark(fresh);
    if (focused) link(fresh).focus({ preventScroll: true });
  }

  if (beside) {
    document.addEventListener("click", (event) => {
      const name = event.target.closest && event.target.closest(".nm a");
      if (!name || !wide.matches || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      open(name.closest("tr"));
    });
    beside.addEventListener("submit", async (event) => {
      const form = event.target;
      // A file is no page: the browser itself stores it.
      if (form.method !== "post" || form.dataset.sending || "file" in form.dataset) return;
      event.preventDefault();
      form.dataset.sending = "1";
      const body = new URLSearchParams(new FormData(form, event.submitter));
      const action = (event.submitter && event.submitter.getAttribute("formaction")) || form.getAttribute("action");
      const mine = ++asked, row = current;
      try {
        const answer = await fetch(action, { method: "POST", body });
        const type = answer.headers.get("content-type") || "";
        // A page that is about something else than this person is opened as such.
        const doc = page(await answer.text());
        if (!type.startsWith("text/html") || !doc.getElementById("panel")) { location.assign(answer.url); return; }
        if (mine === asked) show(doc, row);
        refresh(row);
      } catch {
        delete form.dataset.sending;
        form.submit();
      }
    });
    if (wide.matches && rows().length) {
      const first = rows()[0];
      open(first);
    }
  }

  // Ticks

  const bulk = document.querySelector(".bulk");
  const boxes = () => [...document.querySelectorAll("#ticked [name=a]")];
  let last = null;
  function count() {
    if (!bulk) return;
    const ticked = boxes().filter((box) => box.checked);
    bulk.hidden = !ticked.length;
    document.getElementById("ticked-count").textContent = bulk.dataset.one.replace("#", ticked.length);
    boxes().forEach((box) => box.closest("tr").classList.toggle("sel", box.checked));
  }
  if (bulk) {
    document.getElementById("ticked").addEventListener("click", (event) => {
      if (event.target.name !== "a") return;
      const all = boxes();
      if (event.shiftKey && last) {
        const ends = [all.indexOf(last), all.indexOf(event.target)].sort((a, b) => a - b);
        all.slice(ends[0], ends[1] + 1).forEach((box) => { if (!box.disabled) box.checked = event.target.checked; });
      }
      last = event.target;
      count();
    });
    count();
  }

  // Keys; single letters never fire in a field, nor where they are switched off under the account.
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.body.dataset.keys === "off") return;
    const field = event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");
    if (event.key === "Escape" && field) { field.blur(); return; }
    if (field) return;
    const search = document.getElementById("q");
    // Where the bar's own search is the one that is seen, its script goes there.
    if (event.key === "/" && search && search.offsetParent) { event.preventDefault(); search.focus(); search.select(); return; }
    const turn = { j: 1, k: -1 }[event.key];
    if (turn && !beside) {
      const next = document.querySelector(turn > 0 ? 'a[rel="next"]' : 'a[rel="prev"]');
      if (next) next.click();
      return;
    }
    if (turn) {
      const all = rows();
      const next = all[current ? all.indexOf(current) + turn : 0];
      if (next) { link(next).focus({ preventScroll: true }); next.scrollIntoView({ block: "nearest" }); open(next); }
    }
    if (event.key === "x" && current) {
      const box = current.querySelector("[name=a]");
      if (box && !box.disabled) { box.checked = !box.checked; count(); }
    }
    if (event.key === "Enter" && current && event.target === document.body) link(current).click();
  });
})();
