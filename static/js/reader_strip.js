// The strip of small pages: all have one height, so that those out of view can be left out.
const AT_ONCE = 40;
const AROUND = 10;

class Strip {
  constructor(section, strip) {
    this.section = section;
    this.strip = strip;
    this.list = strip.querySelector(".strip__list");
    [this.before, this.after] = strip.querySelectorAll("[data-strip-space]");
    this.total = Number(strip.dataset.pages);
    this.height = this.list.firstElementChild.getBoundingClientRect().height;
    this.layout();
    this.list.addEventListener("htmx:afterSwap", () => this.layout());
    strip.addEventListener("scroll", () => this.scrolled(), { passive: true });
    section.addEventListener("reader:page", ({ detail }) => this.follow(detail.page));
    this.follow(Number(section.dataset.page));
  }

  number(item) {
    return Number(item.firstElementChild.dataset.gotoPage);
  }

  layout() {
    this.first = this.number(this.list.firstElementChild);
    this.last = this.number(this.list.lastElementChild);
    this.before.style.blockSize = `${(this.first - 1) * this.height}px`;
    this.after.style.blockSize = `${(this.total - this.last) * this.height}px`;
    this.mark();
  }

  mark() {
    for (const link of this.list.querySelectorAll("[data-goto-page]")) {
      if (Number(link.dataset.gotoPage) === this.page) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  follow(page) {
    this.page = page;
    this.mark();
    const top = (page - 1) * this.height;
    const { scrollTop, clientHeight } = this.strip;
    if (top < scrollTop || top + this.height > scrollTop + clientHeight) {
      this.strip.scrollTop = top - clientHeight / 2 + this.height / 2;
    }
  }

  scrolled() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.fill(), 100);
  }

  async fill() {
    const from = Math.floor(this.strip.scrollTop / this.height) + 1;
    const to = Math.min(this.total, Math.ceil((this.strip.scrollTop + this.strip.clientHeight) / this.height));
    if (from >= this.first && to <= this.last) return;
    const first = Math.max(1, from - AROUND);
    const url = new URL(this.section.dataset.address, location);
    const wanted = { part: "strip", first, last: first + AT_ONCE - 1 };
    for (const [name, value] of Object.entries(wanted)) url.searchParams.set(name, value);
    await htmx.ajax("GET", url.pathname + url.search, { source: this.list, target: this.list });
  }
}

document.addEventListener("reader:start", ({ target }) => {
  const strip = target.querySelector("[data-strip]");
  if (strip) new Strip(target, strip);
});
