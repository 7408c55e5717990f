// The bar: "/" goes to its search, Escape and a press beside an open menu close it. Without it the
// menus open and close by their own summary.
(() => {
  "use strict";
  const menus = () => [...document.querySelectorAll(".bar details.menu")];
  // A page's own search stands nearer than the bar's; either may be left off at this width.
  const search = () => ["q", "find"].map((id) => document.getElementById(id)).find((field) => field && field.offsetParent);

  // Where a strip is moved sideways, what is open is in its visible part; the page itself keeps still.
  document.querySelectorAll(".places, .tabs").forEach((strip) => {
    const here = strip.querySelector("[aria-current]");
    if (!here || strip.scrollWidth <= strip.clientWidth) return;
    const own = strip.getBoundingClientRect();
    const its = here.getBoundingClientRect();
    strip.scrollLeft += its.left + its.width / 2 - own.left - own.width / 2;
  });

  document.addEventListener("click", (event) => {
    menus().forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; });
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      const open = menus().find((menu) => menu.open);
      if (open) { open.open = false; open.querySelector("summary").focus(); }
      return;
    }
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.body.dataset.keys === "off" || event.defaultPrevented) return;
    if (event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]")) return;
    const find = search();
    if (!find) return;
    event.preventDefault();
    find.focus();
    find.select();
  });
})();
