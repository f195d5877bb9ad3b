/*
Search. All distinct texts are lowercased and joined into one long string, which the browser searches quickly. A
second pass finds the values that have one of the matching texts.
*/

const mostFound = 100_000;
const mostBytesFound = 10_000;

class Search {
  constructor(model, shapes) {
    this.model = model;
    this.shapes = shapes;
  }

  /** All texts joined, with the start of each. Built once, in linear time. */
  get #texts() { return this.#joined ??= this.#join(this.model.texts); }
  #joined;
  #join(texts) {
    const starts = new Float64Array(texts.length + 1);
    const lowered = texts.map((text) => text.toLowerCase());
    lowered.forEach((text, index) => { starts[index + 1] = starts[index] + text.length + 1; });
    return { all: lowered.join("\u0000"), starts };
  }
  /** Returns, for each text, whether it contains `query`. */
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
  /** Builds the joined text before the first search. */
  prepare() { return this.#texts.all.length; }

  /**
   * Returns the results as `items` for the tree, whether the search ended early, and a `problem` if the query is
   * invalid. `scope` is all, key, value, class, path or hex.
   */
  find(query, scope) {
    if (scope === "hex") return this.#bytes(query);
    const items = scope === "path" ? this.#byPath(query) : this.#byText(query, scope);
    return { items, endsEarly: items.length >= mostFound };
  }

  /** Finds values by their texts, keys or classes. */
  #byText(query, scope) {
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
    return items;
  }
  #hasText(node, isFound) { return "sirt".includes(this.model.kinds[node]) && isFound[this.model.values[node]] === 1; }
  /** Returns whether a value is used only as a key. A value without referrers is a root or unreachable. */
  #isKeyOnly(node) {
    const { first, slots } = this.model.referrers;
    if (first[node] === first[node + 1]) return false;
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
   * Finds values by a path or the end of one: `items[0]`, `@12.name`. The steps are matched backwards from each
   * value, so no path is built for values that do not match.
   */
  #byPath(query) {
    const { model } = this;
    const parts = query.toLowerCase().match(/"(?:[^"\\]|\\.)*"|\[\d*\]?|@\d*|!|[^.[\]!@"]+/g) ?? [];
    const steps = parts.map((text, index) => this.#step(text, index === parts.length - 1));
    const { order, holders } = model.ways;
    const items = [];
    // An object is found by its number even if no path from the roots leads to it.
    const candidates = steps.length === 1 && query[0] === "@" ? Array(model.count).keys() : order;
    for (const node of candidates) {
      let place = node, index = steps.length - 1;
      while (index >= 0 && place >= 0 && steps[index](place)) {
        // A step such as `@12` is the first of a path and starts at the root of the object's property list.
        place = parts[index][0] === "@" ? model.document(place).root : holders[place];
        index--;
      }
      if (index < 0 && steps.length) items.push(this.#item(node, -1, -1));
      if (items.length >= mostFound) break;
    }
    return items;
  }
  /** Returns a function that tests whether a step leads to a value. The last step may match partially. */
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
    const wanted = text[0] === '"' ? unescapedForPath(text.slice(1, -1)) : text;
    const isFound = this.#matching(wanted);
    // Only the last step may match a part of a key.
    if (!isLast) model.texts.forEach((known, index) => { if (isFound[index] && known.toLowerCase() !== wanted) isFound[index] = 0; });
    return (node) => {
      if (!isIn(node, Kind.dictionary) || slots[node] < 0) return false;
      const key = model.keyAt(holders[node], slots[node]);
      return key >= 0 && model.kinds[key] === Kind.string && isFound[model.values[key]] === 1;
    };
  }

  /** Finds bytes, given in hexadecimal, in all spaces. */
  #bytes(query) {
    const digits = query.replace(/0x|[\s:,]/gi, "");
    if (!/^([0-9a-f]{2})+$/i.test(digits)) return { items: [], problem: "Expected pairs of hexadecimal digits, such as 62 70 6c." };
    const wanted = digits.match(/../g).map((pair) => parseInt(pair, 16));
    const places = [];
    this.model.json.spaces.forEach((_, space) => {
      const bytes = this.model.bytes(space);
      for (let place = bytes?.indexOf(wanted[0]) ?? -1; place >= 0 && places.length < mostBytesFound; place = bytes.indexOf(wanted[0], place + 1)) {
        if (startsWith(bytes, wanted, place)) places.push({ space, place });
      }
    });
    return { items: places.map(({ space, place }) => this.#place(space, place)), endsEarly: places.length >= mostBytesFound };
  }
  #place(space, place) {
    const { model } = this;
    const node = model.nodeAt(space, place);
    const where = `0x${hexNumber(place, 4)}`;
    return { node, holder: -1, slot: -1, label: where, tone: "index", byte: place, space, isFound: node >= 0,
      text: node < 0 ? `${where}: ${model.partAt(space, place)}` : undefined };
  }
}
