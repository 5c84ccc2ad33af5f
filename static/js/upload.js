// The upload form: how much of the files is sent, and a limit on how many. Choosing or dropping files sends them at
// once (js/dropzone.js), so the button is only for browsers without scripts.
const form = document.querySelector("[data-upload]");

function start() {
  const input = form.querySelector("input[type=file]");
  const progress = form.querySelector("[data-upload-progress]");
  const names = form.querySelector("[data-dropzone-names]");
  form.querySelector("[data-upload-button]").hidden = true;

  form.addEventListener("htmx:beforeRequest", (event) => {
    const tooMany = input.files.length > Number(form.dataset.mostFiles);
    input.setCustomValidity(tooMany ? form.dataset.tooMany : "");
    if (tooMany) {
      event.preventDefault();
      input.reportValidity();
      input.setCustomValidity("");
      input.value = "";
    } else {
      progress.value = 0;
      progress.hidden = false;
    }
  });
  form.addEventListener("htmx:xhr:progress", (event) => {
    const { loaded, total, lengthComputable } = event.detail;
    if (!lengthComputable) return;
    // All sent, but not yet accepted: a bar without a value says "busy".
    if (loaded < total) progress.value = (100 * loaded) / total;
    else progress.removeAttribute("value");
  });
  form.addEventListener("htmx:afterRequest", () => {
    progress.hidden = true;
    input.value = "";
    names.textContent = "";
  });
}

if (form) start();
