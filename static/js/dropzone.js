// Drag and drop onto <label class="dropzone" data-dropzone> with a file input inside. data-dropzone-submit sends
// the form at once. The names show in [data-dropzone-names], if there is one.
function names(zone, files) {
  const place = zone.querySelector("[data-dropzone-names]");
  if (place) place.textContent = [...files].map((file) => file.name).join(", ");
}

function chosen(zone) {
  const input = zone.querySelector("input[type=file]");
  names(zone, input.files);
  if (zone.dataset.dropzoneSubmit !== undefined && input.files.length > 0) input.form.requestSubmit();
}

function zoneOf(event) {
  return event.target.closest?.("[data-dropzone]");
}

document.addEventListener("dragover", (event) => {
  // A file dropped beside the zone would make the browser leave the page.
  if (!event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  zoneOf(event)?.classList.add("dropzone--over");
});
document.addEventListener("dragleave", (event) => {
  const zone = zoneOf(event);
  if (zone && !zone.contains(event.relatedTarget)) zone.classList.remove("dropzone--over");
});
document.addEventListener("drop", (event) => {
  if (!event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  const zone = zoneOf(event);
  if (!zone) return;
  zone.classList.remove("dropzone--over");
  zone.querySelector("input[type=file]").files = event.dataTransfer.files;
  chosen(zone);
});
document.addEventListener("change", (event) => {
  const zone = zoneOf(event);
  if (zone && event.target.matches("input[type=file]")) chosen(zone);
});
