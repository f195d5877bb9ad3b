/*
A virtual list: only the visible rows are in the page, so a million rows scroll as fast as ten.
*/

const rowHeight = 24;
// Browsers limit the height of a box to about ten million pixels. In a longer list, scrolling by one pixel moves the
// rows by several.
const tallest = 8_000_000;

class Rows {
  /** Creates the list in the scrolling `element`. `render(index)` returns the element of a row. */
  constructor(element, render) {
    this.element = element;
    this.render = render;
    this.count = 0;
    this.filler = make("div.filler", { "aria-hidden": "true" });
    this.window = make("div.window", { role: "presentation" });
    element.replaceChildren(this.filler, this.window);
    element.addEventListener("scroll", () => this.#ask(), { passive: true });
    new ResizeObserver(() => this.#ask()).observe(element);
  }
  #isAsked = false;

  /** Updates the list after the rows have changed. */
  reset(count) {
    this.count = count;
    this.filler.style.height = `${Math.min(count * rowHeight, tallest)}px`;
    this.refresh();
  }

  #ask() {
    if (this.#isAsked) return;
    this.#isAsked = true;
    requestAnimationFrame(() => { this.#isAsked = false; this.refresh(); });
  }

  /** The number of rows that fit into the view. */
  get visibleCount() { return Math.max(Math.floor(this.element.clientHeight / rowHeight), 1); }
  get #scale() {
    const range = Math.min(this.count * rowHeight, tallest) - this.element.clientHeight;
    const full = this.count * rowHeight - this.element.clientHeight;
    return range > 0 && full > range ? full / range : 1;
  }

  /** Renders the visible rows. */
  refresh() {
    const top = this.element.scrollTop, scale = this.#scale;
    const first = Math.max(Math.floor(top * scale / rowHeight) - 4, 0);
    const last = Math.min(first + this.visibleCount + 10, this.count);
    const rows = [];
    for (let index = first; index < last; index++) rows.push(this.render(index));
    const place = scale === 1 ? first * rowHeight : top - (top * scale - first * rowHeight);
    this.window.style.transform = `translateY(${place}px)`;
    this.window.replaceChildren(...rows);
  }

  /** Scrolls a row into view: by as little as possible if it is near, otherwise to the middle. */
  show(index) {
    const height = this.element.clientHeight, scale = this.#scale;
    const top = index * rowHeight, now = this.element.scrollTop * scale;
    if (top < now || top + rowHeight > now + height) {
      const isNear = Math.abs(top - now) < height + 4 * rowHeight;
      const wanted = !isNear ? top - height / 2 : top < now ? top : top + rowHeight - height;
      this.element.scrollTop = Math.max(wanted, 0) / scale;
    }
    this.refresh();
  }
}
