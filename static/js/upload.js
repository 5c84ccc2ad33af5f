// The upload form: sends many files in several requests, so that the first are read while the others travel, shows how
// much is sent, and limits how many. Choosing or dropping files sends them at once (js/dropzone.js), so the button is
// only for browsers without scripts.
const form = document.querySelector("[data-upload]");

function start() {
  const input = form.querySelector("input[type=file]");
  const progress = form.querySelector("[data-upload-progress]");
  const names = form.querySelector("[data-dropzone-names]");
  const atOnce = Number(form.dataset.filesAtOnce);
  let files = [];
  let sent = 0;
  form.querySelector("[data-upload-button]").hidden = true;

  function chosen() {
    const tooMany = input.files.length > Number(form.dataset.mostFiles);
    input.setCustomValidity(tooMany ? form.dataset.tooMany : "");
    if (tooMany) input.reportValidity();
    input.setCustomValidity("");
    files = tooMany ? [] : [...input.files];
    sent = 0;
    return !tooMany;
  }

  function ended() {
    files = [];
    progress.hidden = true;
    input.value = "";
    names.textContent = "";
  }

  // Filters and searches bubble here from nowhere; requests of the form itself only.
  form.addEventListener("htmx:configRequest", (event) => {
    if (event.target !== form) return;
    if (files.length === 0 && !chosen()) {
      event.preventDefault();
      return ended();
    }
    const data = event.detail.formData;
    data.delete(input.name);
    for (const file of files.slice(sent, sent + atOnce)) data.append(input.name, file);
    if (sent === 0) progress.value = 0;
    progress.hidden = false;
  });
  form.addEventListener("htmx:xhr:progress", (event) => {
    const { loaded, total, lengthComputable } = event.detail;
    if (!lengthComputable || total === 0) return;
    const part = Math.min(atOnce, files.length - sent) * (loaded / total);
    // All sent, but not yet accepted: a bar without a value says "busy".
    if (sent + part < files.length) progress.value = (100 * (sent + part)) / files.length;
    else progress.removeAttribute("value");
  });
  form.addEventListener("htmx:afterRequest", (event) => {
    if (event.target !== form) return;
    sent += atOnce;
    if (!event.detail.successful || sent >= files.length) return ended();
    form.requestSubmit();
  });
}

if (form) start();
