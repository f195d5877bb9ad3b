/*
A list of which only the rows in view are in the page. A million rows scroll as ten do.
*/

const rowHeight = 24;
// Browsers do not lay out boxes higher than some ten million pixels; beyond that a pixel scrolls more than itself.
const tallest = 8_000_000;

class Rows {
  /** `render(index)` makes the element of a row; `element` is what scrolls. */
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

  /** The rows have changed. */
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

  /** How many rows fit in view. */
  get visibleCount() { return Math.max(Math.floor(this.element.clientHeight / rowHeight), 1); }
  get #scale() {
    const range = Math.min(this.count * rowHeight, tallest) - this.element.clientHeight;
    const full = this.count * rowHeight - this.element.clientHeight;
    return range > 0 && full > range ? full / range : 1;
  }

  /** Makes the rows in view. */
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

  /** Scrolls as little as needed to show a row; or puts it into the middle where it was far away. */
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
