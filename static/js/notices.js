// Toasts: all can be dismissed; good news leaves by itself, errors stay until read.
const KEEP_MS = 6000;
const notices = document.getElementById("notices");

function watch(toast) {
  if (!toast.matches?.(".toast--success")) return;
  const leave = () => {
    if (toast.matches(":hover, :focus-within")) setTimeout(leave, KEEP_MS);
    else toast.remove();
  };
  setTimeout(leave, KEEP_MS);
}

if (notices) {
  document.addEventListener("click", (event) => {
    event.target.closest("[data-dismiss]")?.closest(".toast")?.remove();
  });
  new MutationObserver((changes) => {
    for (const change of changes) change.addedNodes.forEach(watch);
  }).observe(notices, { childList: true });
  notices.querySelectorAll(".toast").forEach(watch);
}
