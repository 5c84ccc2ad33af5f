// The text view: brings the place one came for into view, and more lines when an end comes near.
const NEAR = 200; // pixels from an end

class Lines {
  constructor(section) {
    this.section = section;
    this.pane = section.querySelector(".reader__pane");
    this.lines = section.querySelector(".lines");
    this.show(section.dataset.reveal);
    this.pane.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.lines.addEventListener("htmx:beforeSwap", ({ target }) => {
      // What comes above must not push away what one reads; not every browser sees to that.
      if (target.dataset.more === "before") this.fromEnd = this.pane.scrollHeight - this.pane.scrollTop;
    });
    this.lines.addEventListener("htmx:afterSwap", () => {
      if (this.fromEnd) this.pane.scrollTop = this.pane.scrollHeight - this.fromEnd;
      this.fromEnd = 0;
    });
    section.addEventListener("reader:go", ({ detail }) => this.go(detail));
  }

  scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.pane;
    if (scrollTop < NEAR) this.more("before");
    if (scrollHeight - scrollTop - clientHeight < NEAR) this.more("after");
  }

  more(where) {
    const link = this.lines.querySelector(`[data-more="${where}"]:not(.htmx-request)`);
    if (link) htmx.trigger(link, "near");
  }

  go({ selector, address }) {
    if (this.show(selector)) {
      this.section.dispatchEvent(new CustomEvent("reader:there", { bubbles: true, detail: { selector } }));
    } else if (address) {
      htmx.ajax("GET", address, { source: this.section, target: this.section });
    }
  }

  show(selector) {
    const place = selector && this.lines.querySelector(selector);
    if (!place) return false;
    const [box, pane] = [place.getBoundingClientRect(), this.pane.getBoundingClientRect()];
    this.pane.scrollTop += box.top - pane.top - pane.height / 4;
    return true;
  }
}

document.addEventListener("reader:start", ({ target }) => {
  if (target.querySelector(".lines")) new Lines(target);
});
