// The reader's choice of light, dark or the system's; the server reads the cookie, so no page flashes.
const YEAR = 365 * 24 * 3600;
const root = document.documentElement;

function choose(theme) {
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `theme=${theme}; Path=/; Max-Age=${YEAR}; SameSite=Lax${secure}`;
  show();
}

function show() {
  const current = root.dataset.theme ?? "system";
  for (const button of document.querySelectorAll("[data-theme-choice]")) {
    button.setAttribute("aria-pressed", String(button.dataset.themeChoice === current));
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-theme-choice]");
  if (button) choose(button.dataset.themeChoice);
});
show();
