// Brings the cited place into view, in the panel and on the passage's own page.
const TARGETS = ["[data-scroll-target]", ".mark:not(.mark--chunk)", ".cited", ".line--cited", ".mark", ".line--chunk"];

function reveal(root) {
  const target = TARGETS.map((selector) => root.querySelector(selector)).find(Boolean);
  target?.scrollIntoView({ block: "center", inline: "nearest" });
}

document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.target.id === "passage-panel") requestAnimationFrame(() => reveal(event.detail.target));
});
const page = document.querySelector("#main .passage");
if (page && !location.hash) reveal(page);
