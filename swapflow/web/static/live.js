// Keeps a page of a program as it is now: what comes in is shown without a reload.
(() => {
  "use strict";
  const live = document.getElementById("live");
  if (!live) return;

  // Nobody's words are replaced under their hands, nor what they press, nor a form that came back
  // with a message.
  function busyTyping() {
    if (document.querySelector('main [aria-invalid="true"], main [role="alert"]')) return true;
    if (live.contains(document.activeElement) && document.activeElement.matches("input, select, textarea, button, summary")) return true;
    if (live.querySelector(":active")) return true;
    return [...live.querySelectorAll("input, textarea")].some((field) =>
      ["checkbox", "radio"].includes(field.type) ? field.checked !== field.defaultChecked : field.value !== field.defaultValue);
  }

  // Where the Tab key has come to is found again by its link, or else by its place in the order.
  const stops = (part) => [...part.querySelectorAll("a[href], button, summary, [tabindex]")];
  const link = (stop) => stop?.getAttribute("href");

  function take(fresh) {
    for (const part of document.querySelectorAll("[data-live]")) {
      const other = fresh.getElementById(part.id);
      if (!other || (part === live && busyTyping())) continue;
      const open = [...part.querySelectorAll("details")].map((one) => one.open);
      const here = stops(part).indexOf(document.activeElement);
      const href = link(document.activeElement);
      part.replaceChildren(...other.childNodes);
      part.querySelectorAll("details").forEach((one, i) => { one.open = open[i] || one.open; });
      const now = stops(part);
      if (here >= 0) (href ? now.find((stop) => link(stop) === href) : now[here])?.focus({ preventScroll: true });
    }
    document.dispatchEvent(new Event("live:taken"));
  }

  let busy = false;
  let again = false;
  let tries = 0;
  async function refresh() {
    if (busy) { again = true; return; }
    if (document.hidden) return;
    busy = true;
    try {
      const answer = await fetch(live.dataset.source, { headers: { Accept: "text/html" } });
      if (answer.ok && !answer.redirected) {
        const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
        // The numbers are counted a moment after an event: look again until they include it.
        const behind = Number(fresh.getElementById("live")?.dataset.seq) < Number(live.dataset.seq);
        take(fresh);
        tries = behind ? tries + 1 : 0;
        if (behind && tries < 20) setTimeout(refresh, 1500);
      }
    } catch { /* the next event or the next poll tries again */ } finally { busy = false; }
    if (again) { again = false; setTimeout(refresh, 1000); }
  }

  document.addEventListener("visibilitychange", refresh);
  let polling = 0;
  const poll = () => { polling = polling || setInterval(refresh, 10000); };
  if (!window.EventSource || !live.dataset.stream) { poll(); return; }
  const stream = new EventSource(live.dataset.stream);
  stream.addEventListener("changed", (event) => {
    if (event.data !== live.dataset.seq) { live.dataset.seq = event.data; tries = 0; refresh(); }
  });
  stream.addEventListener("open", () => { clearInterval(polling); polling = 0; });
  stream.addEventListener("error", poll);
})();
