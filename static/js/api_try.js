// Tries a route of the API from its reference page and shows the answer as text, also while it streams.
"use strict";

function inputs(form, place) {
  return [...form.querySelectorAll(`[data-in="${place}"]`)];
}

function address(form) {
  let path = form.dataset.path;
  for (const input of inputs(form, "path")) {
    path = path.replace(`{${input.name}}`, encodeURIComponent(input.value.trim()));
  }
  const query = new URLSearchParams();
  for (const input of inputs(form, "query")) if (input.value) query.append(input.name, input.value);
  return query.size ? `${path}?${query}` : path;
}

function request(form, key) {
  const headers = { Authorization: `Bearer ${key}` };
  const [file] = inputs(form, "file");
  const [body] = inputs(form, "body");
  if (file) {
    const data = new FormData();
    data.append("purpose", "assistants");
    data.append("file", file.files[0]);
    return { method: form.dataset.method, headers, body: data };
  }
  if (body) headers["Content-Type"] = "application/json";
  return { method: form.dataset.method, headers, body: body?.value };
}

function readable(text, type) {
  if (!type.startsWith("application/json")) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

async function show(response, output) {
  const type = response.headers.get("Content-Type") ?? "";
  const head = `${response.status} ${response.headers.get("X-Request-Id") ?? ""}\n\n`;
  if (type.startsWith("application/octet-stream")) {
    output.textContent = `${head}${(await response.arrayBuffer()).byteLength} B`;
    return;
  }
  let text = "";
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += part.value;
    output.textContent = head + text;
  }
  output.textContent = head + readable(text, type);
}

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-try]");
  if (!form) return;
  event.preventDefault();
  const output = form.querySelector(".api-answer");
  const key = document.getElementById("api-key").value.trim();
  output.hidden = false;
  output.textContent = key ? form.dataset.sending : form.dataset.noKey;
  if (!key) return;
  try {
    // Without the cookie: the page shows what a program would get.
    await show(await fetch(address(form), { ...request(form, key), credentials: "omit" }), output);
  } catch (error) {
    console.warn(error);
    output.textContent = form.dataset.failed;
  }
});
