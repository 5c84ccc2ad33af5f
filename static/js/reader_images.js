// The pictures of pages: says until when one is awaited, and asks again when the server was busy.
const AGAIN_MS = 3000;
const ATTEMPTS = 4;

function drawn(image) {
  image.parentElement.classList.add("page-image--drawn");
}

async function failed(image) {
  // The picture's own error says nothing; the answer's status does.
  const response = await fetch(image.currentSrc || image.src);
  const attempts = Number(image.dataset.attempts ?? 1);
  if ((response.ok || response.status === 503) && attempts < ATTEMPTS) {
    image.dataset.attempts = attempts + 1;
    // Set anew, also to what it is, the address is asked again.
    setTimeout(() => image.setAttribute("srcset", image.getAttribute("srcset")), response.ok ? 0 : AGAIN_MS);
    return;
  }
  drawn(image);
  image.parentElement.querySelector(".page-image__failed").hidden = false;
}

const isPicture = (element) => element.matches?.(".page-image__picture");
document.addEventListener("load", ({ target }) => { if (isPicture(target)) drawn(target); }, true);
document.addEventListener("error", ({ target }) => { if (isPicture(target)) failed(target); }, true);
for (const image of document.querySelectorAll(".page-image__picture")) if (image.complete && image.naturalWidth) drawn(image);
