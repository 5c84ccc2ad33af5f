// What the arriving frames need around htmx's own swaps: no doubled turn, no lost focus or click in the block that
// is still being written, one spoken sentence when an answer changes state, and the address of a new conversation.
const conversation = document.getElementById("conversation");
const turns = document.getElementById("turns");
const announcer = document.getElementById("announcer");
let pressed = null; // the citation whose chip is under a pointer that is down
let focused = null; // the citation whose chip had the focus before its block was replaced
let spoken = "";

const chipIn = (root, citation) => root.querySelector(`.chip[data-citation="${CSS.escape(citation)}"]`);

// After a reconnect the server may send a turn that is here already: the newer one wins.
function dropDoubled(fragment) {
  for (const turn of fragment.querySelectorAll(".turn")) document.getElementById(turn.id)?.remove();
}

function keepFocus(target) {
  const active = document.activeElement;
  focused = target.contains(active) && active.matches(".chip") ? active.dataset.citation : null;
}

function restoreFocus() {
  if (focused === null) return;
  if (document.activeElement === document.body) chipIn(turns, focused)?.focus({ preventScroll: true });
  focused = null;
}

function announce() {
  const text = turns.querySelector(".turn:last-child .turn__status")?.dataset.announce ?? "";
  if (text === spoken) return;
  spoken = text;
  announcer.textContent = text;
}

function takeAddress() {
  const { address } = conversation.dataset;
  if (turns.children.length > 0 && location.pathname !== address) history.replaceState(history.state, "", address);
  const current = document.querySelector("#conversation-list [aria-current] .nav-link__text");
  if (!current) return;
  const title = current.textContent.trim();
  const whole = `${title} · ${conversation.dataset.product}`;
  if (document.title === whole) return;
  document.title = whole;
  for (const place of document.querySelectorAll("[data-conversation-title]")) place.textContent = title;
}

if (conversation && turns) {
  spoken = turns.querySelector(".turn:last-child .turn__status")?.dataset.announce ?? "";
  document.addEventListener("htmx:oobBeforeSwap", (event) => {
    if (event.detail.target === turns) dropDoubled(event.detail.fragment);
    keepFocus(event.detail.target);
  });
  document.addEventListener("htmx:oobErrorNoTarget", (event) => {
    // A turn that began in another tab: its place is the end of the list.
    const turn = event.detail.content;
    if (!turn.matches?.(".turn")) return;
    turns.append(turn);
    htmx.process(turn);
  });
  conversation.addEventListener("htmx:wsAfterMessage", () => {
    restoreFocus();
    announce();
    takeAddress();
  });
  turns.addEventListener("pointerdown", (event) => {
    const chip = event.target.closest(".answer__open .chip");
    pressed = chip ? { chip, citation: chip.dataset.citation } : null;
  });
  turns.addEventListener("pointerup", (event) => {
    // The chip was replaced between press and release, so the browser makes no click: make it.
    const chip = event.target.closest(".chip");
    if (pressed && !pressed.chip.isConnected && chip?.dataset.citation === pressed.citation) chip.click();
    pressed = null;
  });
}
