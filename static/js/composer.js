// The question box: grows, sends on Enter, makes one client id a question, and never loses what was typed.
// Tells others with `citeweb:asked`.
const form = document.getElementById("ask");
const conversation = document.getElementById("conversation");
let unconfirmed = null; // the text that was sent and has not come back as a turn or an error

function clientId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  // Plain HTTP on a local network has no randomUUID: the same 122 random bits by hand.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function start() {
  const input = form.elements.question;
  const submit = form.querySelector("[type=submit]");
  const draftKey = `draft:${conversation.dataset.conversation}`;
  const running = () => conversation.querySelector('.turn__status[data-state="running"]');
  const turns = () => conversation.querySelectorAll(".turn").length;
  const errors = () => document.querySelectorAll("#notices .toast--error").length;
  let seen = { turns: turns(), errors: errors() };

  function refresh() {
    submit.disabled = input.value.trim() === "";
    conversation.classList.toggle("conversation--running", running() !== null);
    conversation.classList.toggle("conversation--empty", turns() === 0);
    if (!CSS.supports("field-sizing", "content")) {
      input.style.blockSize = "auto";
      input.style.blockSize = `${input.scrollHeight}px`;
    }
  }

  function write(text) {
    input.value = text;
    sessionStorage.setItem(draftKey, text);
    refresh();
  }

  input.addEventListener("input", () => write(input.value));
  input.addEventListener("keydown", (event) => {
    // isComposing: Enter that only picks a word in an input method must not send.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });

  // On the way down, so before hx-ws reads the fields.
  document.addEventListener("submit", (event) => {
    if (event.target !== form) return;
    if (input.value.trim() === "" || running()) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    form.elements.client_id.value = clientId();
  }, true);

  form.addEventListener("htmx:wsConfigSend", () => {
    unconfirmed = input.value;
    seen = { turns: turns(), errors: errors() };
    write("");
    document.dispatchEvent(new CustomEvent("citeweb:asked"));
  });

  conversation.addEventListener("htmx:wsAfterMessage", () => {
    if (turns() > seen.turns) unconfirmed = null;
    else if (errors() > seen.errors && unconfirmed !== null) {
      if (input.value === "") write(unconfirmed);
      unconfirmed = null;
    }
    refresh();
  });

  conversation.addEventListener("click", (event) => {
    const suggestion = event.target.closest("[data-suggestion]");
    if (suggestion) {
      write(suggestion.textContent.trim());
      form.requestSubmit();
    } else if (event.target.closest("[data-stop]")) {
      running()?.querySelector("[data-stop-turn]")?.click();
    }
  });

  write(input.value || sessionStorage.getItem(draftKey) || "");
  if (matchMedia("(pointer: fine)").matches) input.focus();
}

if (form && conversation) start();
