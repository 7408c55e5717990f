// Serves what a reviewer chose to keep on this device while there is no connection, and sends the
// reviews that wait once there is one. Without that choice it hands every request through.
"use strict";
importScripts("/static/offline_store.js");
const { swapflowOffline: store } = self;
const PAGES = /^\/(inbox|tasks\/[^/]+(\/(receipt|files\/\d+))?)$/;

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    // Without the cookie, so that it names nobody.
    const answer = await fetch("/offline", { credentials: "omit" });
    if (answer.ok) await (await caches.open(store.ASSETS)).put("/offline", answer);
    await self.skipWaiting();
  })());
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event, url = new URL(request.url);
  if (url.origin !== self.location.origin) return;
  if (request.method === "POST" && url.pathname === "/sign-out") event.waitUntil(store.forgetAll());
  if (request.method !== "GET") return;
  if (url.pathname.startsWith("/static/")) event.respondWith(asset(request, url));
  else if (PAGES.test(url.pathname)) event.respondWith(page(event, request, url));
  else if (request.mode === "navigate") event.respondWith(fetch(request).catch(without));
});

const without = async () => (await caches.match("/offline")) || Response.error();

async function page(event, request, url) {
  let answer;
  try {
    answer = await fetch(request);
  } catch (error) {
    const kept = await store.kept(url.pathname);
    if (kept) return kept;
    if (request.mode !== "navigate") throw error;
    return without();
  }
  const copy = answer.clone();
  event.waitUntil(after(request, copy));
  return answer;
}

async function after(request, answer) {
  if (answer.ok) { await store.keep(request, answer); return; }
  // Taken back, erased, or signed out: what is kept of it goes.
  if (await store.read("keep")) await look();
}

// Asks what may still be kept; a session that has ended keeps nothing.
async function look() {
  const asked = { headers: { Accept: "application/json" }, redirect: "manual" };
  const answer = await fetch("/inbox/kept", asked).catch(() => null);
  if (!answer) return;
  if (answer.type === "opaqueredirect" || answer.status === 401 || answer.status === 403) { await store.forgetKept(); return; }
  if (!answer.ok) return;
  const said = await answer.json();
  await store.tidy(said.account, said.open);
}

async function asset(request, url) {
  const cache = await caches.open(store.ASSETS);
  // An address with a version never changes what it holds.
  const known = url.search && (await cache.match(request));
  if (known) return known;
  try {
    const answer = await fetch(request);
    if (answer.ok && (await store.read("keep"))) await cache.put(request, answer.clone());
    return answer;
  } catch (error) {
    const old = await cache.match(request);
    if (old) return old;
    throw error;
  }
}

async function sendAll() {
  const account = await store.read("account");
  if (!account) return;
  const { state } = await store.send(account);
  // The browser asks again later when this fails.
  if (state === "unreachable" || state === "later") throw new Error(state);
}
self.addEventListener("sync", (event) => { if (event.tag === "swapflow-send") event.waitUntil(sendAll()); });
self.addEventListener("message", (event) => { if (event.data === "look") event.waitUntil(look()); });
