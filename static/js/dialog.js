// <dialog> elements: [data-dialog-open="id"] opens, [data-dialog-close] and a click on the backdrop close.
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-dialog-open]");
  if (opener) document.getElementById(opener.dataset.dialogOpen)?.showModal();
  else if (event.target.closest("[data-dialog-close]")) event.target.closest("dialog").close();
  else if (event.target.matches("dialog.dialog[open]") && outside(event)) event.target.close();
});

function outside(event) {
  const box = event.target.getBoundingClientRect();
  return event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
}
