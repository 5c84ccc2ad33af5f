// Starts each reader that comes into the page, and its controls: zoom, the page number, keys, the address of the place.
// Loaded last: the other reader scripts wait for "reader:start".
const STEPS = [50, 75, 100, 125, 150, 200, 300]; // percent, as in sources/reader_state.py
const EDITABLE = "input, textarea, select, [contenteditable]";
const KEYS = {
  n: "[data-key=n]", p: "[data-key=p]", "+": '[data-zoom-by="1"]', "=": '[data-zoom-by="1"]', "-": '[data-zoom-by="-1"]',
  0: '[data-zoom-to="0"]', g: '[data-hit-by="1"]', G: '[data-hit-by="-1"]',
};

function start() {
  for (const section of document.querySelectorAll("[data-reader]:not([data-started])")) {
    section.dataset.started = "";
    section.dispatchEvent(new CustomEvent("reader:start", { bubbles: true }));
  }
}

function zoomOf(control, section) {
  if (control.dataset.zoomTo) return Number(control.dataset.zoomTo);
  const percent = Number(section.querySelector("[data-zoom-shown]").textContent);
  if (control.dataset.zoomBy > 0) return STEPS.find((step) => step > percent) ?? STEPS.at(-1);
  return STEPS.findLast((step) => step < percent) ?? STEPS[0];
}

// Before htmx, which would ask the server for what can be done here.
document.addEventListener("click", (event) => {
  const control = event.target.closest?.("[data-zoom-by], [data-zoom-to]");
  const section = control?.closest(".reader--live");
  if (!section) return;
  event.preventDefault();
  event.stopPropagation();
  const detail = { zoom: zoomOf(control, section) };
  section.dispatchEvent(new CustomEvent("reader:zoom", { bubbles: true, detail }));
}, true);

document.addEventListener("reader:sized", ({ target, detail }) => {
  target.querySelector("[data-zoom-shown]").textContent = detail.percent;
  const fit = target.querySelector('[data-zoom-to="0"]');
  if (detail.zoom) fit.removeAttribute("aria-current");
  else fit.setAttribute("aria-current", "true");
});

document.addEventListener("reader:page", ({ target, detail }) => {
  const input = target.querySelector("[data-page-input]");
  if (input && input !== document.activeElement) input.value = detail.page;
  const link = document.querySelector("[data-copy-place]");
  if (!link) return;
  // On the document's own page the address is that of the page one reads.
  for (const [address, set] of [[link.href, (url) => { link.href = url; }], [location.href, (url) => history.replaceState(history.state, "", url)]]) {
    const url = new URL(address);
    for (const name of ["mark", "hit", "line"]) url.searchParams.delete(name);
    url.searchParams.set("page", detail.page);
    set(url);
  }
});

// Keys count where the reader has the focus, so that nobody who dictates or types is surprised.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest(EDITABLE)) return;
  const root = event.target === document.body
    ? document.querySelector(".page--reader")
    : event.target.closest(".page--reader, #passage");
  if (!root) return;
  if (event.key === "/") {
    event.preventDefault();
    root.querySelector("[type=search]")?.focus();
    return;
  }
  const arrows = event.target.closest(".steps") && { ArrowRight: "n", ArrowLeft: "p" }[event.key];
  const mirrored = arrows && document.dir === "rtl" ? { n: "p", p: "n" }[arrows] : arrows;
  const control = root.querySelector(KEYS[mirrored ?? event.key] ?? "none");
  if (!control) return;
  event.preventDefault();
  // htmx takes up a new panel's links a moment after it shows them; until then a link would leave the page.
  htmx.process(control);
  control.click();
});

document.addEventListener("htmx:responseError", ({ detail }) => {
  const error = detail.target.closest?.("[data-reader]")?.querySelector("[data-reader-error]");
  if (error) error.hidden = false;
});
document.addEventListener("htmx:afterSettle", start);
start();
