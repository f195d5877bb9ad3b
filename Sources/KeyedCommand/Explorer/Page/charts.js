/*
Charts of the whole file: classes, dates and sizes.
*/

/** A bar chart of classes, by the number or the size of their objects. */
class ClassChart {
  constructor(element, model, shapes, find) { Object.assign(this, { element, model, shapes, find }); }

  /** Returns the numbers of objects and bytes of each class. Plain values and containers are counted by kind. */
  census() {
    const { model } = this;
    const found = new Map();
    const { sizes } = model;
    for (let node = 0; node < model.count; node++) {
      const name = model.entry(node) === "o" ? model.className(node)
        : model.entry(node) === "c" ? "(descriptions of classes)" : `(${kindNames[model.kind(node)]})`;
      const sum = found.get(name) ?? { name, count: 0, bytes: 0, below: 0, isClass: model.entry(node) === "o" };
      sum.count++;
      sum.bytes += model.lengths[node];
      sum.below += sizes[node];
      found.set(name, sum);
    }
    return [...found.values()];
  }

  show() {
    this.all ??= this.census();
    const by = this.by ?? "count";
    const isShown = ({ isClass }) => isClass || this.isWhole;
    const hasClasses = this.all.some(({ isClass }) => isClass);
    if (!hasClasses) this.isWhole = true;
    const rows = this.all.filter(isShown).sort((a, b) => b[by] - a[by]);
    const most = rows.reduce((most, row) => Math.max(most, row[by]), 1);
    const choose = (name) => () => { this.by = name; this.show(); };
    const button = (name, text) => make("button", { type: "button", "aria-pressed": `${by === name}`, on: { click: choose(name) } }, text);
    const whole = make("input", { type: "checkbox", checked: this.isWhole, on: { change: (event) => { this.isWhole = event.target.checked; this.show(); } } });
    refill(this.element, 
      make("h2", {}, hasClasses ? `Classes (${this.all.filter(({ isClass }) => isClass).length})` : "Kinds of values"),
      make("p.tools", { role: "group", "aria-label": "Order" }, button("count", "By count"), button("bytes", "By own bytes"), button("below", "Including contents"),
        hasClasses ? make("label", {}, whole, " plain values and containers too") : ""),
      make("table.bars", {}, make("thead", {}, make("tr", {}, ["class", "objects", "own bytes", "including contents", ""].map((text) => make("th", { scope: "col" }, text || make("span.hidden", {}, "share"))))),
        make("tbody", {}, rows.slice(0, 1000).map((row) => this.#row(row, by, most)))),
      rows.length > 1000 ? make("p.note", {}, `and ${counted(rows.length - 1000, "more row")}`) : "",
      make("p.note", {}, "The contents of an object are the values whose shortest path from the roots goes through it. If objects of one class contain each other, their common contents are counted several times."));
  }
  #row(row, by, most) {
    const name = make("bdi", {}, visible(shortened(row.name, 200)));
    const cell = row.isClass
      ? make("button.link", { type: "button", title: "Show the objects", on: { click: () => this.find(row.name) } }, name) : name;
    return make("tr", {}, make("th", { scope: "row" }, cell), ...["count", "bytes", "below"].map((key) => make("td.count", {}, row[key].toLocaleString("en"))),
      make("td.bar", {}, make("span", { "aria-hidden": "true", style: { width: `${Math.max(row[by] / most * 100, 0.3)}%` } })));
  }
}

const mostDates = 2000;
// JavaScript's dates extend to this many milliseconds before and after the beginning of 1970.
const mostMilliseconds = 8.64e15;

/** All dates, on a timeline and in a list. */
class DateChart {
  constructor(element, model, shapes, go) { Object.assign(this, { element, model, shapes, go }); }

  dates() {
    const { model } = this;
    const found = [];
    for (let node = 0; node < model.count; node++) {
      if (model.kind(node) === Kind.date) {
        const time = Date.parse(model.text(node));
        if (!Number.isNaN(time)) found.push({ node, time });
      } else if (model.entry(node) === "o") {
        const seconds = model.number(model.field(node, "NS.time"));
        if (seconds !== undefined && Number.isFinite(seconds)) found.push({ node, time: (seconds + secondsTo2001) * 1000 });
      }
    }
    return found.filter(({ time }) => Math.abs(time) <= mostMilliseconds).sort((a, b) => a.time - b.time);
  }

  show() {
    this.all ??= this.dates();
    const { all } = this;
    if (!all.length) return refill(this.element, make("h2", {}, "Dates"), make("p.note", {}, "There are no dates in the file."));
    const shown = all.slice(0, mostDates);
    refill(this.element, make("h2", {}, `Dates (${all.length.toLocaleString("en")})`), this.#line(all),
      make("table.dates", {}, make("thead", {}, make("tr", {}, ["date, UTC", "where"].map((text) => make("th", { scope: "col" }, text)))),
        make("tbody", {}, shown.map(({ node, time }) => make("tr", {},
          make("td", {}, make("button.link", { type: "button", on: { click: () => this.go(node) } }, new Date(time).toISOString().replace(".000Z", "Z"))),
          make("td", {}, make("bdi.path", {}, visible(shortened(this.#place(node), 200)))))))),
      shown.length < all.length ? make("p.note", {}, `and ${counted(all.length - shown.length, "later date")}`) : "");
  }
  /** Returns the path of a date. For an object, also returns the first field that leads to it. */
  #place(node) {
    const { holders, slots } = this.model.ways;
    const path = this.model.path(node);
    if (this.model.objectNumber(node) < 0 || holders[node] < 0) return path;
    const holder = holders[node];
    const step = this.model.kind(holder) === Kind.dictionary && slots[node] >= 0
      ? `.${this.model.stepText(this.model.keyAt(holder, slots[node]))}` : `[${slots[node]}]`;
    return `${path}, ${this.model.path(holder)}${step}`;
  }

  /** Draws a timeline with one bar for each interval. */
  #line(all) {
    const width = 1000, height = 160, base = 120, columns = 120;
    let [from, to] = [all[0].time, all[all.length - 1].time];
    if (from === to) [from, to] = [Math.max(from - 43_200_000, -mostMilliseconds), Math.min(to + 43_200_000, mostMilliseconds)];
    const place = (time) => 20 + (time - from) / (to - from) * (width - 40);
    const stacks = new Map();
    for (const item of all) {
      const column = Math.min(Math.floor((item.time - from) / (to - from) * columns), columns - 1);
      const stack = stacks.get(column) ?? { first: item, count: 0 };
      stack.count++;
      stacks.set(column, stack);
    }
    const most = Math.max(...[...stacks.values()].map(({ count }) => count));
    const bars = [...stacks.entries()].map(([column, { first, count }]) => {
      const size = Math.max(count / most * 96, 6);
      const label = `${counted(count, "date")} from ${new Date(first.time).toISOString()}`;
      return draw("rect.mark", { x: 20 + column * (width - 40) / columns, y: base - size, width: (width - 40) / columns - 1, height: size,
        on: { click: () => this.go(first.node) } }, draw("title", {}, label));
    });
    const ticks = ticksBetween(from, to).map(({ time, text }) => [
      draw("line.axis", { x1: place(time), x2: place(time), y1: base, y2: base + 6 }),
      draw("text.axis", { x: place(time), y: base + 24, "text-anchor": "middle" }, text)]);
    return draw("svg.timeline", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Timeline of ${counted(all.length, "date")} from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}; the table below lists ${all.length > mostDates ? "the earliest" : "them"}` },
      draw("line.axis", { x1: 20, x2: width - 20, y1: base, y2: base }), bars, ticks);
  }
}

/** Returns two to nine points in time at regular intervals; fewer if the times are less than two seconds apart. */
function ticksBetween(from, to) {
  const minute = 60_000, hour = 60 * minute, day = 24 * hour;
  const steps = [...[1, 2, 5, 10, 30].map((count) => count * 1000), ...[1, 2, 5, 10, 30].map((count) => count * minute),
    ...[1, 3, 6, 12].map((count) => count * hour), ...[1, 2, 7, 14, 30, 91, 182, 365.25].map((count) => count * day)];
  for (let years = 2; years < 1e6; years *= years.toString()[0] === "2" ? 2.5 : 2) steps.push(years * 365.25 * day);
  const step = steps.find((step) => (to - from) / step <= 8) ?? (to - from) / 4;
  // Years have different lengths, so ticks in years are at the beginnings of calendar years.
  const years = step < 365 * day ? 0 : Math.round(step / (365.25 * day));
  const after = (time) => years ? new Date(0).setUTCFullYear(new Date(time).getUTCFullYear() + years, 0, 1) : time + step;
  const firstYear = Math.ceil(new Date(from).getUTCFullYear() / years) * years;
  let time = years ? new Date(0).setUTCFullYear(firstYear, 0, 1) : Math.ceil(from / step) * step;
  // The first year can begin before JavaScript's dates do.
  if (!(time >= from)) time = new Date(0).setUTCFullYear(firstYear + years, 0, 1);
  const ticks = [];
  for (; time <= to && ticks.length < 12; time = after(time)) {
    const text = new Date(time).toISOString();
    const length = step < 60_000 ? 19 : step < day ? 16 : step < 365 * day ? 10 : 4;
    ticks.push({ time, text: text[0] === "+" || text[0] === "-" ? text.slice(0, 7) : text.slice(0, length).replace("T", " ") });
  }
  return ticks;
}

const mostParts = 50;

/** A treemap of sizes: the selected value and everything below it, as boxes in proportion to their bytes. */
class SizeChart {
  constructor(element, model, shapes, go) { Object.assign(this, { element, model, shapes, go }); }

  show(node) {
    const { model } = this;
    const { sizes, holders } = model.ways && { sizes: model.sizes, holders: model.ways.holders };
    if (node < 0) node = model.start;
    const parts = this.#parts(node);
    const own = Math.max(sizes[node] - parts.reduce((sum, { size }) => sum + size, 0), 0);
    const up = holders[node] >= 0
      ? make("button", { type: "button", on: { click: () => this.go(holders[node]) } }, "Up") : "";
    const { type, text } = this.shapes.summary(node);
    const title = make("bdi", {}, visible(shortened(type ? `${type} ${text}` : text, 120)));
    if (own > 0 && parts.length) parts.push({ node: -1, label: "itself", size: own });
    parts.sort((a, b) => b.size - a.size);
    refill(this.element, make("h2", {}, "Sizes"), make("p.tools", {}, up, title, ` ${counted(sizes[node], "byte")}`),
      parts.length ? this.#map(parts.slice(0, 400), node) : make("p.note", {}, "No other value is counted inside this value."),
      make("p.note", {}, `Each value is counted once, inside its parent on the shortest path from the roots.${parts.length ? " Choose a box to look into it." : ""}`),
      this.#list(parts.slice(0, mostParts)),
      parts.length > mostParts ? make("p.note", {}, `and ${counted(parts.length - mostParts, "smaller part")}`) : "");
  }
  /** Returns the values first reached through a value. */
  #parts(node) {
    const { model } = this;
    if (!this.firsts) this.#collect();
    const parts = [];
    for (let child = this.firsts[node]; child >= 0; child = this.nexts[child]) {
      if (model.sizes[child] > 0) parts.push({ node: child, label: this.#label(child), size: model.sizes[child] });
    }
    return parts;
  }
  /** Builds linked lists of the values first reached through each value. */
  #collect() {
    const { holders, order } = this.model.ways;
    this.firsts = new Int32Array(this.model.count).fill(-1);
    this.nexts = new Int32Array(this.model.count).fill(-1);
    for (const node of order) {
      if (holders[node] < 0) continue;
      this.nexts[node] = this.firsts[holders[node]];
      this.firsts[holders[node]] = node;
    }
  }
  #label(node) {
    const { holders, slots } = this.model.ways;
    const holder = holders[node], slot = slots[node];
    if (slot < 0) return `key “${shortened(this.shapes.keyText(node), 40)}”`;
    if (this.model.kind(holder) === Kind.dictionary) return this.shapes.keyText(this.model.keyAt(holder, slot));
    const { type } = this.shapes.summary(node);
    return this.model.kind(holder) === Kind.data ? "the property list in it" : `${slot}${type ? ` ${type}` : ""}`;
  }

  #map(parts, node) {
    const width = 1000, height = 420;
    const boxes = packed(parts, { x: 0, y: 0, width, height });
    return draw("svg.sizes", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Boxes in proportion to sizes; the list below has the largest ones" },
      boxes.map(({ part, x, y, width, height }, index) => {
        const room = Math.floor(width / 8) - 1;
        const label = visible(shortened(part.label, Math.max(room - 1, 1)));
        return draw(`g.box.tone${index % 6}`, { on: { click: () => { if (part.node >= 0) this.go(part.node); } } },
          draw("rect", { x: x + 1, y: y + 1, width: Math.max(width - 2, 0.5), height: Math.max(height - 2, 0.5) }),
          draw("title", {}, `${visible(shortened(part.label, 120))}: ${counted(part.size, "byte")}`),
          room > 3 && height > 18 ? draw("text", { x: x + 6, y: y + 16 }, label) : "",
          room > 6 && height > 36 ? draw("text.faint", { x: x + 6, y: y + 32 }, shortened(part.size.toLocaleString("en"), room)) : "");
      }));
  }
  #list(parts) {
    return make("table", {}, make("tbody", {}, parts.map((part) => make("tr", {},
      make("th", { scope: "row" }, part.node < 0 ? part.label : make("button.link", { type: "button", on: { click: () => this.go(part.node) } },
        make("bdi", {}, visible(shortened(part.label, 80))))), make("td.count", {}, counted(part.size, "byte"))))));
  }
}

/**
 * Returns boxes that fill `box` in proportion to the sizes of the parts. The parts must be sorted, largest first, so
 * that the boxes are nearly square (squarified treemap).
 */
function packed(parts, box) {
  const boxes = [];
  let rest = parts, sum = parts.reduce((sum, { size }) => sum + size, 0);
  let { x, y, width, height } = box;
  while (rest.length && sum > 0) {
    const isWide = width >= height, side = isWide ? height : width, area = width * height / sum;
    let count = 0, row = 0, best = Infinity;
    while (count < rest.length) {
      const next = row + rest[count].size;
      const depth = next * area / side;
      const worst = Math.max(depth / (rest[count].size * area / depth), (rest[0].size * area / depth) / depth);
      if (worst > best) break;
      [best, row] = [worst, next];
      count++;
    }
    const depth = row * area / side;
    let place = 0;
    for (const part of rest.slice(0, count)) {
      const length = part.size / row * side;
      boxes.push(isWide ? { part, x, y: y + place, width: depth, height: length } : { part, x: x + place, y, width: length, height: depth });
      place += length;
    }
    if (isWide) { x += depth; width -= depth; } else { y += depth; height -= depth; }
    rest = rest.slice(count);
    sum -= row;
  }
  return boxes;
}
