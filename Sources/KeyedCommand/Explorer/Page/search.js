/*
Search: the text of each value, key and class once, lowered and joined to one long text per field, in which the
browser finds a text quickly; then the values that have one of the texts found.
*/

const mostFound = 100_000;

class Search {
  constructor(model, shapes) {
    this.model = model;
    this.shapes = shapes;
  }

  /** All texts in one, with the place of each. Linear, once. */
  get #texts() { return this.#joined ??= this.#join(this.model.texts); }
  #joined;
  #join(texts) {
    const starts = new Float64Array(texts.length + 1);
    const lowered = texts.map((text) => text.toLowerCase());
    lowered.forEach((text, index) => { starts[index + 1] = starts[index] + text.length + 1; });
    return { all: lowered.join("\u0000"), starts };
  }
  /** Which texts have `query` in them. */
  #matching(query) {
    const { all, starts } = this.#texts;
    const isFound = new Uint8Array(this.model.texts.length);
    let index = 0;
    for (let place = all.indexOf(query); place >= 0; place = all.indexOf(query, starts[index])) {
      let high = isFound.length;
      while (high - index > 1) {
        const middle = (index + high) >> 1;
        if (starts[middle] <= place) index = middle; else high = middle;
      }
      isFound[index++] = 1;
      if (index >= isFound.length) break;
    }
    return isFound;
  }
  /** Makes what a search needs, before the first. */
  prepare() { return this.#texts.all.length; }

  /**
   * What is found: `items` for the tree, or `bytes` with the places of bytes. `scope` is all, key, value, class,
   * path or hex.
   */
  find(query, scope) {
    if (scope === "hex") return this.#bytes(query);
    if (scope === "path") return { items: this.#byPath(query) };
    const lowered = query.toLowerCase();
    const isFound = this.#matching(lowered);
    const { model } = this;
    const inClasses = model.classes.map(({ name }) => name.toLowerCase().includes(lowered));
    const items = [];
    for (let node = 0; node < model.count && items.length < mostFound; node++) {
      if (scope !== "class" && scope !== "key" && this.#hasText(node, isFound) && !this.#isKeyOnly(node)) {
        items.push(this.#item(node, -1, -1));
      } else if (scope !== "key" && scope !== "value" && this.#hasClass(node, inClasses)) {
        items.push(this.#item(node, -1, -1));
      }
      if (scope !== "class" && scope !== "value" && model.kind(node) === Kind.dictionary) this.#addKeys(node, isFound, items);
    }
    return { items };
  }
  #hasText(node, isFound) { return "sirt".includes(this.model.kinds[node]) && isFound[this.model.values[node]] === 1; }
  /** Whether a string is a key, or part of the archive's own table, and nothing else. */
  #isKeyOnly(node) {
    const { first, slots } = this.model.referrers;
    if (first[node] === first[node + 1]) return true;
    for (let index = first[node]; index < first[node + 1]; index++) if (slots[index] >= 0) return false;
    return true;
  }
  #hasClass(node, inClasses) {
    const { model } = this;
    const number = model.objectNumber(node);
    if (number < 0) return false;
    const { archive } = model.document(node);
    return archive.entries[number] === "o" && inClasses[archive.classes[number]];
  }
  #addKeys(node, isFound, items) {
    const { model } = this;
    if (model.entry(node) === "c") return;
    for (let slot = 0; slot < model.counts[node] && items.length < mostFound; slot++) {
      const key = model.keyAt(node, slot);
      if (key < 0 || model.kinds[key] !== Kind.string || !isFound[model.values[key]]) continue;
      if (model.text(key) !== "$class") items.push(this.#item(model.target(model.childAt(node, slot)), node, slot));
    }
  }
  #item(node, holder, slot) {
    const label = holder < 0 ? "" : this.model.text(this.model.keyAt(holder, slot));
    return { node, holder, slot, label, tone: holder < 0 ? "index" : "key", isFound: true };
  }

  /**
   * Values by a path or the end of one: `root.items[0]`, `@12.name`. Each step is compared with the step that leads
   * to a value, so that no path is made for those that are not found.
   */
  #byPath(query) {
    const { model } = this;
    const parts = query.toLowerCase().match(/"(?:[^"\\]|\\.)*"|\[\d*\]?|@\d*|!|[^.[\]!@"]+/g) ?? [];
    const steps = parts.map((text, index) => this.#step(text, index === parts.length - 1));
    const { order, holders } = model.ways;
    const items = [];
    for (const node of order) {
      let place = node, index = steps.length - 1;
      while (index >= 0 && place >= 0 && steps[index](place)) {
        place = holders[place];
        index--;
      }
      if (index < 0 && steps.length) items.push(this.#item(node, -1, -1));
      if (items.length >= mostFound) break;
    }
    return items;
  }
  /** Whether a step of a path leads to a value; of the last step, whether it begins or holds what is looked for. */
  #step(text, isLast) {
    const { model } = this;
    const { holders, slots } = model.ways;
    if (text[0] === "@") {
      const wanted = Number(text.slice(1));
      return text.length < 2 ? (node) => model.objectNumber(node) > 0 : (node) => model.objectNumber(node) === wanted;
    }
    const isIn = (node, ...kinds) => holders[node] >= 0 && kinds.includes(model.kinds[holders[node]]);
    if (text === "!") return (node) => isIn(node, Kind.data);
    if (text[0] === "[") return (node) => isIn(node, Kind.array, Kind.set) && `[${slots[node]}]`.startsWith(text);
    const wanted = text.replace(/^"|"$/g, "");
    const isFound = this.#matching(wanted);
    if (!isLast) model.texts.forEach((known, index) => { if (isFound[index] && known.toLowerCase() !== wanted) isFound[index] = 0; });
    return (node) => {
      if (!isIn(node, Kind.dictionary) || slots[node] < 0) return false;
      const key = model.keyAt(holders[node], slots[node]);
      return key >= 0 && model.kinds[key] === Kind.string && isFound[model.values[key]] === 1;
    };
  }

  /** The places of bytes, given in hexadecimal, in the file and what was decoded out of it. */
  #bytes(query) {
    const digits = query.replace(/0x|[\s:,]/gi, "");
    if (!/^([0-9a-f]{2})+$/i.test(digits)) return { items: [], problem: "Give pairs of hexadecimal digits, as in 62 70 6c." };
    const wanted = digits.match(/../g).map((pair) => parseInt(pair, 16));
    const places = [];
    this.model.json.spaces.forEach((_, space) => {
      const bytes = this.model.bytes(space);
      for (let place = bytes?.indexOf(wanted[0]) ?? -1; place >= 0 && places.length < 10_000; place = bytes.indexOf(wanted[0], place + 1)) {
        if (startsWith(bytes, wanted, place)) places.push({ space, place });
      }
    });
    return { items: places.map(({ space, place }) => this.#place(space, place)) };
  }
  #place(space, place) {
    const { model } = this;
    const node = model.nodeAt(space, place);
    const where = `0x${hexNumber(place, 4)}`;
    return { node, holder: -1, slot: -1, label: where, tone: "index", byte: place, space, isFound: node >= 0,
      text: node < 0 ? `${where}: ${model.partAt(space, place)}` : undefined };
  }
}
