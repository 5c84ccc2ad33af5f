// Choosing rows of a list, [data-selection]: all of a page with [data-select-all], a range with Shift, and how many in
// [data-selected]. The list is replaced under htmx, so all listens on the document. Without this the boxes still work.
let last = null;

const boxesOf = (list) => [...list.querySelectorAll("input[name=document]")];

function told(list) {
  const boxes = boxesOf(list);
  const count = boxes.filter((box) => box.checked).length;
  const all = list.querySelector("[data-select-all]");
  if (all) {
    all.checked = count > 0 && count === boxes.length;
    all.indeterminate = count > 0 && count < boxes.length;
  }
  const place = list.querySelector("[data-selected]");
  if (place && count > 0) {
    const shown = String(count);
    place.textContent = count === 1 ? list.dataset.selectedOne : list.dataset.selectedMany.replace("{}", shown);
  }
}

function range(list, box) {
  const boxes = boxesOf(list);
  const [from, to] = [boxes.indexOf(last), boxes.indexOf(box)].sort((a, b) => a - b);
  if (from < 0) return;
  for (const between of boxes.slice(from, to + 1)) between.checked = box.checked;
}

document.addEventListener("click", (event) => {
  const list = event.target.closest?.("[data-selection]");
  if (!list || !event.target.matches("input[name=document]")) return;
  if (event.shiftKey && last) range(list, event.target);
  last = event.target;
  told(list);
});
document.addEventListener("change", (event) => {
  const list = event.target.closest?.("[data-selection]");
  if (!list) return;
  if (event.target.matches("[data-select-all]")) {
    for (const box of boxesOf(list)) box.checked = event.target.checked;
  }
  told(list);
});

function prepare() {
  for (const list of document.querySelectorAll("[data-selection]")) {
    const all = list.querySelector("[data-select-all]");
    if (all) all.hidden = false;
    told(list);
  }
}
document.addEventListener("htmx:afterSettle", prepare);
prepare();
