// The sidebar as a drawer on narrow screens, where CSS gives it position: fixed.
const sidebar = document.getElementById("sidebar");
const narrow = () => getComputedStyle(sidebar).position === "fixed";
let opener = null;

function others() {
  return [...document.querySelectorAll("#main, .topbar")];
}

function setOpen(isOpen) {
  sidebar.classList.toggle("sidebar--open", isOpen);
  for (const element of others()) element.inert = isOpen;
  for (const button of document.querySelectorAll("[data-drawer-open]")) {
    button.setAttribute("aria-expanded", String(isOpen));
  }
}

function show(button) {
  opener = button;
  setOpen(true);
  sidebar.querySelector("a, button, summary").focus();
}

function hide() {
  if (!sidebar.classList.contains("sidebar--open")) return;
  setOpen(false);
  opener?.focus();
}

if (sidebar) {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-drawer-open]");
    if (button) show(button);
    else if (event.target.closest("[data-drawer-close]")) hide();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
  window.addEventListener("resize", () => {
    if (!narrow()) hide();
  });
}
