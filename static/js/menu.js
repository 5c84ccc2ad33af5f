// Menus are <details class="menu">: a click elsewhere, Escape, or leaving with Tab closes them.
const open = () => document.querySelector("details.menu[open]");

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  const menu = open();
  if (event.key !== "Escape" || !menu) return;
  // The panel and the drawer listen for Escape too; one press closes one thing.
  event.stopImmediatePropagation();
  menu.open = false;
  menu.querySelector("summary").focus();
}, true);

document.addEventListener("focusin", (event) => {
  const menu = open();
  if (menu && !menu.contains(event.target)) menu.open = false;
});
