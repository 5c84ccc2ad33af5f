// Where the pages of a document stand above each other, in pixels, from their sizes in points.
const GAP = 32; // between pages
const MARGIN = 32; // beside a page that fits the width, in all
const WIDEST = 1000; // of such a page, which is no larger than
const LARGEST = 1.5; // its printed size
const PER_POINT = 96 / 72;

export class Layout {
  // `text` has the sizes as the server writes them: 595x842*3 842x595
  constructor(text) {
    this.sizes = text.split(" ").flatMap((run) => {
      const [width, height, count = 1] = run.split(/[x*]/).map(Number);
      return Array(count).fill({ width, height });
    });
  }

  get count() {
    return this.sizes.length;
  }

  // Lays out for a pane of that width; `zoom` is a percentage, 0 fits the width.
  measure(pane, zoom) {
    const room = Math.max(Math.min(pane - MARGIN, WIDEST), 50);
    this.widths = this.sizes.map(({ width }) => (
      zoom ? (width * PER_POINT * zoom) / 100 : Math.min(room, width * PER_POINT * LARGEST)
    ));
    this.tops = [0];
    this.widths.forEach((wide, index) => {
      const { width, height } = this.sizes[index];
      this.tops.push(this.tops[index] + (wide * height) / width + GAP);
    });
  }

  width(page) {
    return this.widths[page - 1];
  }

  height(page) {
    return this.tops[page] - this.tops[page - 1] - GAP;
  }

  top(page) {
    return this.tops[page - 1];
  }

  // What lies above a page, and below it.
  space(first, last) {
    return [this.tops[first - 1], this.tops.at(-1) - this.tops[last]];
  }

  percent(page) {
    return Math.round((this.width(page) / this.sizes[page - 1].width / PER_POINT) * 100);
  }

  pageAt(y) {
    const page = this.tops.findIndex((top) => top > y);
    return page < 1 ? this.count : page;
  }
}
