// The bar: "/" goes to its search, Escape and a press beside an open menu close it. Without it the
// menus open and close by their own summary.
(() => {
  "use strict";
  const menus = () => [...document.querySelectorAll(".bar details.menu")];
  const find = document.getElementById("find");

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
    // A table's own search stands nearer, and a phone has the search of the bar nowhere.
    if (document.getElementById("q") || !find || !find.offsetParent) return;
    event.preventDefault();
    find.focus();
    find.select();
  });
})();
