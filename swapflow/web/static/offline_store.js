// What a reviewer's device holds for work without a connection: the pages that the reviewer chose
// to keep, and the reviews that wait to be sent. Pages and the service worker share this file.
"use strict";
self.swapflowOffline = (() => {
  const KEPT = "swapflow-kept-", ASSETS = "swapflow-assets";
  let opening = null;
  function database() {
    opening ??= new Promise((done, failed) => {
      const asked = indexedDB.open("swapflow", 1);
      asked.onupgradeneeded = () => {
        asked.result.createObjectStore("state");
        asked.result.createObjectStore("waiting", { keyPath: "key" });
      };
      asked.onsuccess = () => {
        asked.result.onversionchange = () => { asked.result.close(); opening = null; };
        done(asked.result);
      };
      asked.onerror = () => { opening = null; failed(asked.error); };
    });
    return opening;
  }
  async function within(store, mode, act) {
    const held = (await database()).transaction(store, mode);
    const asked = act(held.objectStore(store));
    return new Promise((done, failed) => {
      held.oncomplete = () => done(asked.result);
      held.onerror = held.onabort = () => failed(held.error);
    });
  }
  const read = (key) => within("state", "readonly", (store) => store.get(key));
  const write = (key, value) => within("state", "readwrite", (store) => store.put(value, key));

  // Reviews that wait: one for each task of an account, the last that was handed in.

  const keyOf = (account, task) => account + " " + task;
  const put = (one) => within("waiting", "readwrite", (store) => store.put({ ...one, key: keyOf(one.account, one.task) }));
  const drop = (account, task) => within("waiting", "readwrite", (store) => store.delete(keyOf(account, task)));
  const all = () => within("waiting", "readonly", (store) => store.getAll());
  const waitingOf = async (account) => (await all()).filter((one) => one.account === account);

  // Only one page or worker sends at a time; the server takes a repeated review as the same one.
  const alone = (act) => (self.navigator.locks ? self.navigator.locks.request("swapflow-send", act) : act());

  // Sends what waits for one account. Gives what became of it: "" (nothing waits any more),
  // "unreachable", "signed out", "later"; and the reviews that were stored.
  function send(account) {
    return alone(async () => {
      const stored = [];
      for (const one of await waitingOf(account)) {
        if (one.refused) continue;
        let answer, said = {};
        try {
          answer = await fetch(`/tasks/${encodeURIComponent(one.task)}/waiting`, {
            method: "POST",
            headers: { "Content-Type": "application/json", Accept: "application/json" },
            body: JSON.stringify({ account, fields: one.fields }),
          });
        } catch {
          return { state: "unreachable", stored };
        }
        if (answer.status === 401 || answer.status === 403) return { state: "signed out", stored };
        if (answer.status === 429 || answer.status >= 500) return { state: "later", stored };
        try { said = await answer.json(); } catch { return { state: "unreachable", stored }; }
        if (answer.ok) {
          // What was submitted anew meanwhile waits on.
          const now = (await waitingOf(account)).find((other) => other.task === one.task);
          if (now && now.at === one.at) await drop(account, one.task);
          stored.push({ ...one, receipt: said.receipt });
        } else {
          await put({ ...one, refused: said.refused || "closed", stored: said.stored || [], mine: said.mine || [], detail: said.detail || "" });
        }
      }
      return { state: "", stored };
    });
  }

  // Pages that are kept

  const ruleOf = (answer) => Object.fromEntries(
    (answer.headers.get("Swapflow-Keep") || "").split(";").map((part) => part.trim().split("=")));
  const isOver = (rule) => !rule.until || Date.parse(rule.until) < Date.now();
  async function keep(request, answer) {
    const rule = ruleOf(answer), keeping = await read("keep");
    if (!answer.ok || !keeping || keeping.account !== rule.account || isOver(rule)) return;
    const kept = await caches.open(KEPT + rule.account);
    // Without the question: a page is found again by its path.
    await kept.put(new URL(request.url).pathname, answer);
  }
  async function kept(path) {
    const account = await read("account"), keeping = await read("keep");
    if (!keeping || keeping.account !== account) return undefined;
    const cache = await caches.open(KEPT + account);
    const found = await cache.match(path);
    if (found && isOver(ruleOf(found))) { await cache.delete(path); return undefined; }
    return found;
  }
  // Deletes what is past its day, and what the office has taken back or closed.
  async function tidy(account, open) {
    for (const name of await caches.keys()) {
      if (!name.startsWith(KEPT)) continue;
      if (name !== KEPT + account) { await caches.delete(name); continue; }
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        const task = /^\/tasks\/([^/]+)/.exec(new URL(request.url).pathname)?.[1];
        const gone = task && !open.includes(decodeURIComponent(task));
        if (gone || isOver(ruleOf(await cache.match(request)))) await cache.delete(request);
      }
    }
  }
  async function forgetKept() {
    await write("keep", null);
    for (const name of await caches.keys()) if (name.startsWith("swapflow-")) await caches.delete(name);
  }
  async function forgetAll() {
    await forgetKept();
    await within("waiting", "readwrite", (store) => store.clear());
    await write("account", null);
  }
  return { ASSETS, all, drop, forgetAll, forgetKept, keep, kept, put, read, send, tidy, waitingOf, write };
})();
