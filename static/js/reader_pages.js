// Drawn pages: only those near the ones in view are there, empty space stands for the others, so that a thousand
// pages scroll like ten. "reader:go" { page, selector } and "reader:zoom" { zoom } on the section ask for a place and
// a size; "reader:page" { page }, "reader:sized" { zoom, percent } and "reader:there" { selector } tell what has become.
import { Layout } from "./page_layout.js";

const AROUND = 1; // pages kept ready on each side of those in view
const MOST = 12; // pages in the document at once, if not more are in view
const SETTLED_MS = 150; // after a long way the page that one stops at is wanted, not those passed by
const KEPT = "reader-zoom";

class Pages {
  constructor(section) {
    this.section = section;
    this.pane = section.querySelector(".reader__pane");
    this.list = section.querySelector(".reader__pages");
    this.spaces = section.querySelectorAll("[data-space]");
    this.layout = new Layout(section.dataset.sizes);
    this.zoom = Number(section.dataset.zoom) || Number(sessionStorage.getItem(KEPT)) || 0;
    section.classList.add("reader--live");
    this.arrange();
    this.show(section.dataset.reveal, Number(section.dataset.page));
    this.pane.addEventListener("scroll", () => this.scrolled(), { passive: true });
    // While pages change hands the space is short for a moment, and the browser scrolls back to what is left.
    this.list.addEventListener("htmx:beforeSwap", () => { this.top = this.pane.scrollTop; });
    this.list.addEventListener("htmx:afterSwap", () => this.swapped());
    section.addEventListener("reader:go", ({ detail }) => this.go(detail));
    section.addEventListener("reader:zoom", ({ detail }) => this.setZoom(detail.zoom));
    new ResizeObserver(() => this.keepPlace(() => this.arrange())).observe(this.pane);
  }

  tell(name, detail) {
    this.section.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));
  }

  arrange() {
    const { layout, list } = this;
    layout.measure(this.pane.clientWidth, this.zoom);
    for (const figure of list.children) {
      const page = Number(figure.dataset.page);
      // Not on the figure, which has an id: htmx would carry the style over to the next one, which the policy forbids.
      const { style } = figure.firstElementChild;
      style.inlineSize = `${layout.width(page)}px`;
      style.blockSize = `${layout.height(page)}px`;
      figure.querySelector("img").sizes = `${Math.round(layout.width(page))}px`;
    }
    this.first = Number(list.firstElementChild.dataset.page);
    this.last = Number(list.lastElementChild.dataset.page);
    layout.space(this.first, this.last).forEach((size, index) => { this.spaces[index].style.blockSize = `${size}px`; });
    this.tell("reader:sized", { zoom: this.zoom, percent: layout.percent(this.current()) });
  }

  current() {
    return this.layout.pageAt(this.pane.scrollTop + this.pane.clientHeight / 3);
  }

  scrolled() {
    const page = this.current();
    if (page !== this.told) this.tell("reader:page", { page });
    this.told = page;
    this.fill(false);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.fill(true), SETTLED_MS);
  }

  // Resolves when the pages in view are there.
  async fill(settled) {
    while (this.loading) await this.loading; // htmx drops a request of an element that has one under way
    const { scrollTop, clientHeight } = this.pane;
    const first = Math.max(1, this.layout.pageAt(scrollTop) - AROUND);
    const last = Math.min(this.layout.count, this.layout.pageAt(scrollTop + clientHeight) + AROUND);
    this.most = Math.max(MOST, last - first + 3);
    const near = first <= this.last + 1 && last >= this.first - 1;
    if ((first >= this.first && last <= this.last) || (!near && !settled) || !this.section.isConnected) return;
    let wanted = [first, last];
    if (near) wanted = last > this.last ? [this.last + 1, last, "beforeend"] : [first, this.first - 1, "afterbegin"];
    this.loading = this.load(...wanted).finally(() => { this.loading = null; });
    if (await this.loading) await this.fill(settled);
  }

  // Tells whether anything came: the right may have been taken away, or the server be gone.
  async load(first, last, swap) {
    const url = new URL(this.section.dataset.address, location);
    for (const [name, value] of Object.entries({ part: "pages", first, last })) url.searchParams.set(name, value);
    const before = `${this.first}-${this.last}`;
    this.swap = swap;
    await htmx.ajax("GET", url.pathname + url.search, { source: this.list, target: this.list, swap });
    return `${this.first}-${this.last}` !== before;
  }

  swapped() {
    const { list } = this;
    while (list.childElementCount > this.most) {
      (this.swap === "beforeend" ? list.firstElementChild : list.lastElementChild).remove();
    }
    this.arrange();
    this.pane.scrollTop = this.top;
  }

  async go(place) {
    this.going = place;
    this.pane.scrollTop = this.layout.top(place.page);
    await this.fill(true);
    if (this.going !== place) return; // one went on meanwhile
    this.show(place.selector, place.page);
    this.tell("reader:there", { selector: place.selector });
  }

  // Brings the first line of a marked place to the upper part of the view, or else the beginning of a page.
  show(selector, page) {
    const place = selector && this.list.querySelector(selector);
    if (place) {
      const [box, pane] = [place.getBoundingClientRect(), this.pane.getBoundingClientRect()];
      this.pane.scrollTop += box.top - pane.top - pane.height / 4;
      this.pane.scrollLeft += box.left + box.width / 2 - pane.left - pane.width / 2;
    } else {
      this.pane.scrollTop = this.layout.top(page);
    }
  }

  setZoom(zoom) {
    this.zoom = zoom;
    this.keepPlace(() => this.arrange());
    sessionStorage.setItem(KEPT, zoom);
  }

  // What one reads stays in view while everything changes its size.
  keepPlace(change) {
    const { pane, layout } = this;
    const [y, x] = [pane.scrollTop + pane.clientHeight / 3, pane.scrollLeft + pane.clientWidth / 2];
    const page = layout.pageAt(y);
    const part = (y - layout.top(page)) / layout.height(page);
    const width = pane.scrollWidth;
    change();
    pane.scrollTop = layout.top(page) + part * layout.height(page) - pane.clientHeight / 3;
    pane.scrollLeft = (x / width) * pane.scrollWidth - pane.clientWidth / 2;
  }
}

document.addEventListener("reader:start", ({ target }) => {
  if (target.dataset.sizes && target.querySelector(".reader__pages")) new Pages(target);
});
