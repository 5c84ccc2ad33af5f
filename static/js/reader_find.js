// From hit to hit of a search in the document, and from page to page, without asking for the whole reader again.
function go(link, detail) {
  link.closest("[data-reader]").dispatchEvent(new CustomEvent("reader:go", { bubbles: true, detail }));
}

function goToHit(link) {
  const section = link.closest("[data-reader]");
  const number = Number(link.dataset.gotoHit);
  for (const other of section.querySelectorAll("[data-goto-hit]")) {
    if (other === link) other.setAttribute("aria-current", "true");
    else other.removeAttribute("aria-current");
  }
  link.scrollIntoView({ block: "nearest" });
  const count = section.querySelector("[data-found-current]");
  if (count) count.textContent = number;
  section.dataset.hit = number;
  go(link, { page: Number(link.dataset.page), selector: `[data-hit="${number}"]`, address: link.href });
}

// The hit before or after the current one, if the list holds it; the server has the others.
function step(link) {
  const section = link.closest("[data-reader]");
  const current = section.querySelector('[data-goto-hit][aria-current="true"]');
  const total = Number(section.querySelector("[data-found]").dataset.found);
  const next = current && Number(current.dataset.gotoHit) + Number(link.dataset.hitBy);
  const wanted = current && (((next - 1 + total) % total) + 1);
  const hit = wanted && section.querySelector(`[data-goto-hit="${wanted}"]`);
  if (hit) goToHit(hit);
  else htmx.ajax("GET", current ? addressOf(link, wanted) : link.href, { source: section, target: section });
}

function addressOf(link, number) {
  const url = new URL(link.href);
  url.searchParams.set("hit", number);
  return url.pathname + url.search;
}

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target.closest?.("[data-goto-hit], [data-hit-by], [data-goto-page]");
  if (!link) return;
  event.preventDefault();
  if (link.dataset.gotoHit) goToHit(link);
  else if (link.dataset.hitBy) step(link);
  else go(link, { page: Number(link.dataset.gotoPage), address: link.href });
});

document.addEventListener("reader:there", ({ target, detail }) => {
  if (!detail.selector?.startsWith("[data-hit")) return;
  for (const mark of target.querySelectorAll(".reader__pane .hit--current")) mark.classList.remove("hit--current");
  for (const mark of target.querySelectorAll(`.reader__pane ${detail.selector}`)) mark.classList.add("hit--current");
});

// Enter in a search that was done already goes on to its next hit.
document.addEventListener("submit", (event) => {
  const form = event.target.closest(".reader__search");
  const next = form?.closest("[data-reader]").querySelector('[data-hit-by="1"]');
  if (!next || form.q.value !== form.q.defaultValue) return;
  event.preventDefault();
  event.stopPropagation();
  step(next);
}, true);

document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-jump]");
  if (!form?.closest(".reader--live")) return; // the text view asks the server
  event.preventDefault();
  event.stopPropagation();
  const input = form.querySelector("[data-page-input]");
  const pages = Number(form.dataset.pages);
  const page = Math.min(Math.max(Math.round(Number(input.value)) || 1, 1), pages);
  input.value = page;
  go(form, { page });
}, true);
