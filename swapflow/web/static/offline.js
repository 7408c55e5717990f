// On a reviewer's pages: the choice to keep them on this device, how many reviews wait to be sent,
// and the sending of them. Every page works without this script.
"use strict";
(() => {
  const store = self.swapflowOffline, account = document.body.dataset.account;
  const strip = document.getElementById("strip");
  if (!strip || !account || !("indexedDB" in self)) return;
  const words = JSON.parse(strip.dataset.words);
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
  let sent = [], lost = false;

  function part(tag, text, more = {}) {
    const made = Object.assign(document.createElement(tag), more);
    made.textContent = text;
    return made;
  }
  async function show() {
    const waiting = await store.waitingOf(account);
    const refused = waiting.filter((one) => one.refused), queued = waiting.length - refused.length;
    const others = (await store.all()).length - waiting.length;
    const parts = [];
    if (queued) {
      parts.push(part("span", lost === "signed out" ? words.signedOut : lost ? words.offline : words.sending));
      parts.push(part("b", queued === 1 ? words.oneWaits : fill(words.waits, { count: queued }), { className: "badge warn" }));
      if (lost === "signed out") parts.push(part("a", words.signIn, { href: "/sign-in?next=/inbox" }));
    } else if (lost === "unreachable") parts.push(part("span", words.offline));
    for (const one of sent) {
      parts.push(part("span", fill(words.stored, { who: one.who })));
      parts.push(part("a", words.receipt, { href: one.receipt }));
    }
    if (others) parts.push(part("span", words.others));
    strip.classList.toggle("good", Boolean(sent.length) && !queued && !others);
    strip.replaceChildren(...parts);
    strip.hidden = !parts.length;
    showRefused(refused);
  }

  // The server has another text, or does not take this one: both are shown, and a person chooses.
  function showRefused(refused) {
    const place = document.getElementById("refused");
    place.replaceChildren(...refused.map((one) => {
      const made = part("section", "", { className: "card" });
      made.append(part("h2", fill(one.refused === "stored" ? words.another : words.refused, { who: one.who })));
      if (one.detail) made.append(part("p", one.detail));
      const texts = part("div", "", { className: "both" });
      for (const [title, rows] of [[words.here, one.mine], [words.there, one.stored]]) {
        if (!rows.length) continue;
        const column = part("div", "");
        column.append(part("h3", title));
        const list = part("dl", "", { className: "pairs" });
        for (const [name, text] of rows) list.append(part("dt", name), part("dd", text, { dir: "auto" }));
        column.append(list);
        texts.append(column);
      }
      made.append(texts);
      const acts = part("p", "", { className: "actions" });
      if (one.refused !== "closed")
        acts.append(part("a", words.open, { className: "button primary", href: `/tasks/${one.task}${one.refused === "stored" ? "?correct=1" : ""}` }));
      const away = part("button", one.refused === "stored" ? words.keepTheirs : words.discard, { type: "button" });
      away.addEventListener("click", async () => { await store.drop(account, one.task); localStorage.removeItem("review:" + one.task); show(); });
      acts.append(away);
      made.append(acts);
      return made;
    }));
  }

  async function send() {
    const before = await store.waitingOf(account);
    if (!before.some((one) => !one.refused)) { lost = false; await show(); return; }
    await show();
    const { state, stored } = await store.send(account);
    lost = state;
    for (const one of stored) localStorage.removeItem("review:" + one.task);
    sent = [...sent, ...stored];
    await show();
    for (const one of stored) document.dispatchEvent(new CustomEvent("review-sent", { detail: one }));
    if (state === "unreachable" || state === "later") askLater();
  }
  async function askLater() {
    try { await (await navigator.serviceWorker.ready).sync.register("swapflow-send"); } catch { /* not every browser can */ }
  }
  self.swapflowWaits = async (one) => {
    await store.put({ ...one, account, at: Date.now() });
    lost = "unreachable";
    await show();
    askLater();
  };
  self.swapflowWaitsNot = async (task) => { await store.drop(account, task); await show(); };
  self.swapflowKeeps = async () => (await store.read("keep"))?.account === account;

  // Keep on this device

  const box = document.getElementById("keep");
  async function showKeep() {
    if (!box) return;
    const keeping = await self.swapflowKeeps();
    document.getElementById("keep-on").hidden = keeping;
    document.getElementById("keep-off").hidden = !keeping;
    box.hidden = false;
  }
  async function turnOn() {
    await navigator.serviceWorker.register("/service-worker.js");
    await navigator.serviceWorker.ready;
    await store.write("keep", { account });
    navigator.storage?.persist?.();
    const assets = await caches.open(store.ASSETS);
    const files = [...document.querySelectorAll("link[rel=stylesheet], script[src]")].map((one) => one.href || one.src);
    await assets.addAll([...new Set(files)]);
    const page = await fetch(location.pathname);
    await store.keep(new Request(location.href), page);
    await showKeep();
  }
  async function turnOff() {
    await store.forgetKept();
    const known = await navigator.serviceWorker.getRegistration("/");
    await known?.unregister();
    await showKeep();
  }

  (async () => {
    await store.write("account", account);
    if ("serviceWorker" in navigator && isSecureContext) {
      document.getElementById("keep-button")?.addEventListener("click", turnOn);
      document.getElementById("forget-button")?.addEventListener("click", turnOff);
      await showKeep();
      if (await self.swapflowKeeps()) navigator.serviceWorker.ready.then((worker) => worker.active?.postMessage("look"));
    }
    await send();
  })();
  addEventListener("online", send);
  addEventListener("focus", send);
  // A connection that comes back without the browser's notice.
  setInterval(async () => { if ((await store.waitingOf(account)).some((one) => !one.refused)) send(); }, 15000);
})();
