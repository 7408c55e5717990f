// A typed review is never lost: what is typed is kept here and on the server, whatever happens
// to the connection, the session or the tab. Without this script the form works all the same.
"use strict";
(() => {
  const stored = document.getElementById("receipt");
  if (stored) {
    localStorage.removeItem("review:" + stored.dataset.stored);
    return;
  }
  const form = document.getElementById("review");
  if (!form) return;
  const address = form.dataset.draft;
  const key = "review:" + form.dataset.task;
  const state = document.getElementById("status");
  const versionField = form.elements.version;
  const submits = [...form.querySelectorAll("button[name=then]")];
  let version = Number(form.dataset.version);
  let timer = 0, dirty = false, saving = null, opened = false, leaving = false, going = false, waiting = null, typedAt = 0;
  let unreachable = false, queued = false; // the last save met no server; what is submitted waits on this device
  // What was sent and not answered, because the connection or the page went: the server may hold it all
  // the same, and it is this device's own text then, not one that was changed elsewhere.
  let unanswered = [];
  const isOwn = (body) => unanswered.includes(spread(body));
  let signedIn = 0; // counts what shows a session: refusals sent before it mean nothing any more
  const $ = (id) => document.getElementById(id);
  // The page brings the sentences in its reader's language.
  const words = JSON.parse(form.dataset.words);
  const put = (text, values) => text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
  const say = (text) => { if (state.textContent !== text) state.textContent = text; };

  // Fields of the page, which nobody typed; another page's are no change.
  const APART = new Set(["version", "then", "revision", "act"]);
  const typed = (body) => Object.entries(body).filter(([name, value]) => value && !APART.has(name));
  const read = () => Object.fromEntries(typed(Object.fromEntries(new FormData(form))));
  function fill(body) {
    for (const field of form.elements) {
      if (!field.name || APART.has(field.name)) continue;
      if (field.type === "radio") field.checked = body[field.name] === field.value;
      else field.value = body[field.name] || "";
      if (field.value && field.tagName === "TEXTAREA") field.closest("details")?.setAttribute("open", "");
    }
    count();
  }
  // What the page brought, and what was typed or chosen since it came: also before this script ran.
  function brought() {
    const sent = {}, early = {};
    for (const field of form.elements) {
      if (!field.name || field.type === "hidden" || field.defaultValue === undefined) continue;
      const box = field.type === "radio";
      if (box ? field.defaultChecked : field.defaultValue) sent[field.name] = field.defaultValue;
      if (box ? field.checked && !field.defaultChecked : field.value !== field.defaultValue) early[field.name] = field.value;
    }
    return { sent, early };
  }
  const spread = (body) => JSON.stringify(typed(body).sort());
  const keep = () => {
    try { localStorage.setItem(key, JSON.stringify({ version, body: read(), unanswered })); } catch { /* full or forbidden */ }
  };
  const forget = () => { try { localStorage.removeItem(key); } catch { /* forbidden */ } };
  const spelled = (body) => typed(body).map(([n, t]) => label(n) + ": " + t).join("\n\n");
  function label(name) {
    const field = form.querySelector(`[name="${CSS.escape(name)}"]`);
    return field?.closest("fieldset")?.querySelector("legend")?.firstChild?.textContent.trim()
      || field?.labels?.[0]?.textContent.trim() || field?.getAttribute("aria-label") || name;
  }

  // How many criteria are marked

  const chip = $("marked");
  function count() {
    if (!chip) return;
    const rows = [...form.querySelectorAll("fieldset[data-weight]")];
    const done = rows.filter((row) => row.querySelector("input[name^=c]:checked")).length;
    chip.textContent = put(words.marked, { done, all: rows.length });
  }

  // Saving

  async function begin() {
    if (opened || !form.dataset.open) return;
    opened = true;
    try { await fetch(form.dataset.open, { method: "POST" }); } catch { opened = false; }
  }
  function changed() {
    count();
    if (!address) return;
    dirty = true;
    going = false;
    keep();
    clearTimeout(timer);
    timer = setTimeout(save, 1000);
    if (queued) { queued = false; self.swapflowWaitsNot?.(form.dataset.task); }
    begin();
  }
  // Resolves to true when the server holds everything that is typed.
  async function save() {
    clearTimeout(timer);
    if (!address) return true;
    if (saving) { await saving; if (!dirty) return true; }
    saving = send();
    const done = await saving;
    saving = null;
    return done;
  }
  async function send() {
    const body = read();
    const since = signedIn;
    dirty = false;
    unanswered = [...unanswered.filter((one) => one !== spread(body)), spread(body)].slice(-5);
    keep();
    let answer;
    try {
      answer = await fetch(address, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json" },
        body: JSON.stringify({ version, body }),
      });
    } catch {
      dirty = true;
      unreachable = true;
      keep();
      if (!queued) say(words.offline);
      return false;
    }
    unreachable = false;
    if (answer.ok) {
      signedIn += 1;
      const kept = await answer.json();
      version = kept.version;
      versionField.value = version;
      unanswered = [];
      // The page that comes next may have been made before this was stored: it goes by what is kept.
      if (dirty || going) keep(); else forget();
      if (!dirty) say(put(words.saved, kept));
      return !dirty;
    }
    dirty = true;
    keep();
    // Refused to the session that has ended; the person has signed in again meanwhile.
    if (answer.status === 401 && since !== signedIn) return send();
    if (answer.status === 401) { say(words.signedOut); signIn(); return false; }
    if (answer.status === 403) { say(words.otherWay); signIn(); return false; }
    if (answer.status === 409) {
      const news = await answer.json();
      if (news.closed) {
        dirty = false;
        say(news.closed === "scored" ? words.handedIn : words.closed);
        return true; // the server says what became of it
      }
      if (isOwn(news.body)) { version = news.version; versionField.value = version; return send(); }
      choose(news);
      return false;
    }
    say(answer.status === 422 ? words.tooLong : words.notSaved);
    return false;
  }

  // Changed elsewhere

  function choose(news) {
    const both = $("both");
    if (both.open) return;
    $("both-mine").textContent = spelled(read());
    $("both-theirs").textContent = spelled(news.body);
    say(words.choose);
    const go = (body) => {
      version = news.version;
      versionField.value = version;
      unanswered = [];
      if (body) { fill(body); dirty = false; forget(); say(words.stored); } else { dirty = true; save(); }
      both.close();
    };
    $("keep-mine").onclick = () => go(null);
    $("take-theirs").onclick = () => go(news.body);
    both.showModal();
  }

  // Signed out: sign in here and go on

  // Never under somebody's hands: what is being typed must not end up in the dialog.
  function signIn(since = signedIn) {
    if (since !== signedIn) return;
    const again = $("again");
    const typing = document.activeElement?.matches("textarea, input:not([type=radio])");
    if (typing && Date.now() - typedAt < 2000) { setTimeout(() => signIn(since), 500); return; }
    if (!again.open) { again.showModal(); $("again-title").focus(); }
  }
  async function post(path, fields) {
    const answer = await fetch(path, {
      method: "POST", headers: { Accept: "application/json" }, body: new URLSearchParams(fields),
    });
    if (answer.ok) return null;
    try { return (await answer.json()).detail || words.failed; } catch { return words.failed; }
  }
  async function attempt(path, fields, then) {
    let trouble;
    try { trouble = await post(path, fields); } catch { trouble = words.noConnection; }
    $("again-problem").hidden = !trouble;
    $("again-problem").textContent = trouble || "";
    if (!trouble) then();
  }
  $("again").addEventListener("close", () => { waiting = null; });
  // Back from a tab in which somebody may have signed in.
  addEventListener("focus", async () => {
    if (!$("again").open || !await save() || !$("again").open) return;
    const button = waiting;
    $("again").close();
    if (button) hand(button);
  });
  $("again-mail").addEventListener("submit", (event) => {
    event.preventDefault();
    attempt("/sign-in/link", { email: $("again-email").value, next: location.pathname }, () => {
      $("again-code").hidden = false;
      $("again-number").focus();
    });
  });
  $("again-code").addEventListener("submit", (event) => {
    event.preventDefault();
    attempt("/sign-in/code", { email: $("again-email").value, code: $("again-number").value, next: location.pathname }, async () => {
      const button = waiting;
      signedIn += 1;
      $("again").close();
      if (await save() && button) hand(button);
    });
  });

  // Handing in

  const isSubmit = (button) => button.value === "next" || button.value === "stay";
  function hand(button) {
    if (leaving) return;
    leaving = true;
    const which = document.createElement("input");
    which.type = "hidden";
    which.name = "then";
    which.value = button.value;
    form.append(which);
    submits.forEach((b) => { b.disabled = true; });
    form.submit();
  }
  // A form that is sent without a connection would be gone from the page.
  async function connected() {
    try { await fetch("/health/live", { cache: "no-store" }); unreachable = false; } catch { unreachable = true; say(words.noConnection); }
    return !unreachable;
  }
  // Without a connection the review waits on this device, and is sent by itself.
  async function wait(button) {
    const rows = [...form.querySelectorAll("fieldset[data-weight]")];
    const open = rows.find((row) => !row.querySelector("input[name^=c]:checked"));
    if (open) { say(words.incomplete); open.querySelector("input").focus(); return; }
    const revision = form.elements.revision.value;
    await self.swapflowWaits({ task: form.dataset.task, who: form.dataset.who, fields: { ...read(), revision } });
    queued = true;
    dirty = false;
    say(words.waits);
    if (button.value === "next" && await self.swapflowKeeps()) { leaving = true; location.assign("/inbox"); }
  }
  document.addEventListener("review-sent", (event) => {
    if (event.detail.task !== form.dataset.task) return;
    leaving = true;
    location.assign(event.detail.receipt);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (leaving) return;
    const pressed = event.submitter || submits[0]; // a second press must not take it from the first
    waiting = pressed;
    say(words.saving);
    if (dirty || saving ? await save() : await connected()) hand(pressed);
    else if (unreachable && self.swapflowWaits && isSubmit(pressed)) { waiting = null; await wait(pressed); }
    else if (!$("again").open) waiting = null;
    // Otherwise the text stays here, and the status line says why.
  });
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    leaving = going = false;
    submits.forEach((b) => { b.disabled = false; });
  });
  addEventListener("beforeunload", (event) => {
    going = true;
    if (dirty && !leaving) { save(); event.preventDefault(); }
  });
  addEventListener("online", () => { if (dirty) save(); });
  setInterval(() => { if (dirty && !saving && !document.querySelector("dialog[open]")) save(); }, 15000);
  form.addEventListener("input", () => { typedAt = Date.now(); changed(); });
  form.addEventListener("change", changed);
  form.addEventListener("focusout", () => { if (dirty) save(); });

  // What an earlier visit could not send

  if (address) {
    let left = null;
    try { left = JSON.parse(localStorage.getItem(key) || "null"); } catch { forget(); }
    unanswered = left?.unanswered || [];
    if (left && left.version > version) { version = left.version; versionField.value = version; }
    const { sent, early } = brought();
    const mine = { ...(left ? left.body : sent), ...early };
    if (spread(mine) === spread(sent)) forget();
    else {
      fill(mine);
      if (!left || left.version === version || isOwn(sent)) changed();
      else choose({ version, body: sent });
    }
    say(version ? state.textContent : words.nothing);
  }
  count();
  document.querySelector("[aria-invalid=true]")?.querySelector?.("input")?.focus();

  // Keys

  const rows = [...form.querySelectorAll("fieldset[data-weight]")];
  const row = () => document.activeElement?.closest?.("fieldset[data-weight]");
  function move(step) {
    const here = rows.indexOf(row());
    const next = rows[Math.max(0, Math.min(rows.length - 1, here + step))];
    (next?.querySelector("input:checked") || next?.querySelector("input"))?.focus();
  }
  function pick(choice) {
    const inputs = [...(row()?.querySelectorAll("input[name^=c]") || [])];
    const wanted = inputs.find((i) => i.value === choice)
      || (choice === "na" ? null : inputs.filter((i) => i.value !== "na")[Number(choice) - 1]);
    if (!wanted) return;
    wanted.checked = true;
    wanted.focus();
    changed();
  }
  addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (!document.querySelector("dialog[open]") && submits[0]) form.requestSubmit(submits[0]);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (document.body.dataset.keys === "off") return;
    const target = event.target;
    if (target.matches("textarea, select, input:not([type=radio])")) return;
    if (event.key === "?") { $("keys").showModal(); return; }
    if (event.key === "j" || event.key === "k") { move(event.key === "j" ? 1 : -1); return; }
    if (!row()) return;
    if (/^[1-9]$/.test(event.key)) pick(event.key);
    else if (event.key === "n" || event.key === "0") pick(event.key === "0" && row().querySelector("input[value=\"0\"]") ? "0" : "na");
  });
})();
