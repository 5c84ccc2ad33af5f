// Copies an answer (text made by the server, with or without references), a code block, or a link to a place.
const SHOWN_MS = 2000;

async function write(text) {
  // Safari only lets a click copy something fetched later if the promise itself is handed over.
  if (navigator.clipboard?.write && window.ClipboardItem) {
    const blob = text.then((value) => new Blob([value], { type: "text/plain" }));
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  } else {
    copyBySelection(await text); // plain HTTP on a local network has no clipboard API
  }
}

function copyBySelection(text) {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "visually-hidden";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("The browser refused to copy.");
}

async function fetchText(url) {
  const response = await fetch(url, { headers: { Accept: "text/plain" } });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response.text();
}

function textOf(button) {
  const code = button.closest(".code")?.querySelector("pre code");
  if (code) return Promise.resolve(code.textContent);
  if (button.href) return Promise.resolve(button.href);
  const base = button.closest("[data-export-base]").dataset.exportBase;
  return fetchText(`${base}${button.dataset.copyTurn}/export.txt${button.dataset.copyQuery ?? ""}`);
}

function flash(button, name) {
  button.dataset[name] = "";
  const announcer = document.getElementById("announcer");
  const label = button.querySelector(name === "copied" ? ".copied-label" : ".failed-label");
  if (announcer && label) announcer.textContent = label.textContent;
  setTimeout(() => delete button.dataset[name], SHOWN_MS);
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy-turn], .code [data-copy], [data-copy-link]");
  if (!button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  try {
    await write(textOf(button));
    flash(button, "copied");
  } catch (error) {
    console.warn(error);
    flash(button, "copyFailed");
  }
});
