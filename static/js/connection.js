// Shows, discreetly, whether the socket is up, and keeps the pauses between attempts short.
const sign = document.getElementById("connection");
const RETRIED_CODES = [1006, 1011, 1012, 1013]; // the close codes after which hx-ws tries again
const LONGEST_PAUSE_MS = 8000;
let leaving = false;

function show(state) {
  if (sign && sign.dataset.state !== state) sign.dataset.state = state;
}

// hx-ws would wait up to a minute; half of each pause is random so that a restart isn't met by everybody at once.
htmx.config.wsReconnectDelay = (attempt) => Math.min(LONGEST_PAUSE_MS, 500 * 2 ** attempt) * (0.5 + Math.random() / 2);

window.addEventListener("pagehide", () => { leaving = true; });
document.addEventListener("htmx:wsOpen", () => show("open"));
document.addEventListener("htmx:wsClose", (event) => {
  if (leaving) return;
  show(RETRIED_CODES.includes(event.detail.event.code) ? "reconnecting" : "closed");
});
