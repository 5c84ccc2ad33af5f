// The passage panel: beside the answer on wide screens, a sheet over it on narrow ones (CSS: position fixed).
// A chip loads into #passage-panel through htmx; this opens, closes, and takes care of focus and of the Back button.
const panel = document.getElementById("passage");
const content = document.getElementById("passage-panel");
let opener = null; // { element, citation, key }

const isOpen = () => panel.classList.contains("panel--open");
const isSheet = () => getComputedStyle(panel).position === "fixed";
const keyOf = (element) => element.getAttribute("hx-get") ?? element.getAttribute("href");
const loads = (event) => event.detail.target === content;

function mark() {
  const current = isOpen() ? opener?.key : null;
  for (const element of document.querySelectorAll(".chip, .reference")) {
    const on = current != null && keyOf(element) === current;
    element.classList.toggle(element.matches(".chip") ? "chip--current" : "reference--current", on);
    if (on) element.setAttribute("aria-pressed", "true");
    else element.removeAttribute("aria-pressed");
  }
}

function setSheet(on) {
  for (const sibling of document.querySelectorAll("#main, #sidebar, .topbar")) sibling.inert = on;
  panel.toggleAttribute("aria-modal", on);
  if (on) panel.setAttribute("role", "dialog");
  else panel.removeAttribute("role");
}

// The centre gets narrower or wider; js/scroll.js keeps `element` where it was, `top` pixels down the window.
function tellLayout(element, top) {
  document.dispatchEvent(new CustomEvent("citeweb:panel", { detail: { element, top } }));
}

function open(element) {
  const wasOpen = isOpen();
  const { top } = element.getBoundingClientRect();
  opener = { element, citation: element.dataset.citation, key: keyOf(element) };
  panel.classList.add("panel--open");
  panel.querySelector("[data-panel-page]").href = opener.key;
  setState("loading");
  if (isSheet()) setSheet(true);
  // On a phone the Back button closes the sheet instead of leaving the conversation.
  if (isSheet() && !wasOpen) history.pushState({ passage: true }, "");
  mark();
  tellLayout(element, top);
}

// After a step to another citation of the answer, its chip is the one to mark and to come back to.
function follow(citation) {
  const chip = citation && opener && document.querySelector(`.chip[data-citation="${CSS.escape(citation)}"]`);
  if (!chip || opener.citation === citation || keyOf(chip) === opener.key) return;
  opener = { element: chip, citation, key: keyOf(chip) };
  panel.querySelector("[data-panel-page]").href = opener.key;
  chip.scrollIntoView({ block: "nearest" });
  mark();
}

function setState(state) {
  panel.dataset.state = state;
  content.setAttribute("aria-busy", String(state === "loading"));
  if (state === "error") panel.querySelector(".panel__error").focus();
}

// A passage may take a moment to come: who has begun to write meanwhile goes on writing.
function isTypingElsewhere() {
  const at = document.activeElement;
  return Boolean(at?.matches("textarea, input")) && !panel.contains(at);
}

function shut() {
  if (!isOpen()) return;
  const { element, citation } = opener;
  const { top } = element.getBoundingClientRect();
  panel.classList.remove("panel--open");
  setSheet(false);
  mark();
  if (element.isConnected) tellLayout(element, top);
  const again = element.isConnected
    ? element
    : document.querySelector(`.chip[data-citation="${CSS.escape(citation ?? "")}"]`);
  again?.focus({ preventScroll: true });
}

function close() {
  if (history.state?.passage) history.back(); // popstate shuts it
  else shut();
}

function start() {
  document.addEventListener("htmx:confirm", (event) => {
    // A web source is a page of somebody else: it opens in a tab and learns nothing of ours.
    if (event.detail.target !== content || !/^https?:/i.test(event.detail.path)) return;
    event.preventDefault();
    window.open(event.detail.path, "_blank", "noopener,noreferrer");
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (!loads(event)) return;
    const element = event.detail.elt;
    if (isOpen() && element.matches(".chip--current")) {
      event.preventDefault();
      close();
    } else if (!panel.contains(element)) open(element);
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (loads(event)) follow(content.querySelector("[data-citation]")?.dataset.citation);
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (!loads(event)) return;
    setState("ready");
    if (!isTypingElsewhere()) content.focus({ preventScroll: true });
  });
  for (const failure of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
    document.addEventListener(failure, (event) => {
      if (loads(event)) setState("error");
    });
  }
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-panel-close]")) close();
    // The dimmed page behind a sheet is the body itself, because its children are inert.
    else if (isOpen() && isSheet() && event.target === document.body) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && isOpen() && !document.querySelector("dialog[open]")) close();
  });
  window.addEventListener("popstate", shut);
  window.addEventListener("resize", () => {
    if (isOpen()) setSheet(isSheet());
  });
  document.addEventListener("htmx:wsAfterMessage", () => {
    if (isOpen()) mark();
  });
}

if (panel && content) start();
