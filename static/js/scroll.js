// Follows the growing answer only while the reader is at the bottom; else offers the way there.
const NEAR = 80; // pixels from the bottom that still count as "at the bottom"
const scroller = document.getElementById("conversation-scroll");
const jump = document.getElementById("jump");
let following = true;

const distance = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;

function update() {
  jump.hidden = distance() < NEAR;
}

function follow() {
  if (following) scroller.scrollTop = scroller.scrollHeight;
  update();
}

if (scroller && jump) {
  let last = scroller.scrollTop;
  scroller.addEventListener("scroll", () => {
    // Growth of the content also moves the distance; only a move up by the reader ends the following.
    if (distance() < NEAR) following = true;
    else if (scroller.scrollTop < last - 1) following = false;
    last = scroller.scrollTop;
    update();
  }, { passive: true });
  jump.addEventListener("click", () => {
    following = true;
    follow();
    document.querySelector("#ask textarea")?.focus();
  });
  document.addEventListener("citeweb:panel", ({ detail: { element, top } }) => {
    if (!scroller.contains(element)) return;
    following = false; // the reader is checking this place
    scroller.scrollTop += element.getBoundingClientRect().top - top;
    update();
  });
  document.addEventListener("citeweb:asked", () => { following = true; });
  new ResizeObserver(follow).observe(document.getElementById("turns"));
  new ResizeObserver(follow).observe(scroller);
  follow();
}
