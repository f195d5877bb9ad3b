/*
The tree: rows of values that can be expanded and collapsed. An object appears at each of its references, but cannot
be expanded below itself. "Open all" expands each object once.
*/

// The maximum number of rows after "Open all".
const mostOpened = 200_000;

class Tree {
  /** Creates the tree. It calls `choose(row)` when a row is selected. */
  constructor(element, model, shapes, looks, choose) {
    this.model = model;
    this.shapes = shapes;
    this.looks = looks;
    this.choose = choose;
    this.list = new Rows(element, (index) => this.#render(index));
    this.element = element;
    this.rows = [];
    this.current = -1;
    element.addEventListener("keydown", (event) => this.#key(event));
    element.addEventListener("click", (event) => this.#click(event));
    element.addEventListener("dblclick", (event) => {
      // Each click on the triangle has toggled the row already.
      if (this.current >= 0 && !event.target.closest(".twist")) this.toggle(this.current);
    });
  }

  /** Shows the roots with their objects, and then a row that groups the unreachable objects. */
  showRoots() {
    const roots = this.shapes.ofDocument(this.model.documents[0]);
    this.rows = this.#below(roots, null);
    const { unreached } = this.model;
    if (unreached.length) this.rows.push(this.#groupRow(unreached));
    this.current = -1;
    // Expands a few levels, as far as they fit on a screen.
    for (let index = 0; index < this.rows.length && this.rows.length < 30; index++) {
      if (this.rows[index].depth < 3 && this.rows[index].node >= 0) this.#open(index);
    }
    this.list.reset(this.rows.length);
  }
  /** Shows the objects of all archives as a table. For a file without archives, shows all values. */
  showAll() {
    const { model } = this;
    const isPlain = model.documents.every(({ archive }) => !archive);
    const rows = [];
    for (let node = 0; node < model.count; node++) {
      if (!isPlain && model.objectNumber(node) < 0) continue;
      rows.push(this.#row({ node, holder: -1, slot: -1, label: this.#numberText(node), tone: "index" }, null));
    }
    this.#replace(rows);
  }
  /** Shows the property list itself, without following references. */
  showRaw() {
    const { root } = this.model.documents[0];
    this.#replace([this.#row({ node: root, holder: -1, slot: -1, label: "", tone: "root", isRaw: true }, null)]);
    this.#open(0);
    this.list.reset(this.rows.length);
  }
  /** Shows the results of a search. */
  showFound(items) {
    for (const item of items) Object.assign(item, { parent: null, depth: 1, isOpen: false, isRaw: false });
    this.#replace(items);
  }

  #replace(rows) {
    this.rows = rows;
    this.current = -1;
    this.element.scrollTop = 0;
    this.list.reset(rows.length);
  }
  #numberText(node) {
    const number = this.model.objectNumber(node);
    return number < 0 ? `#${node}` : `@${number}`;
  }

  // MARK: Rows

  #row(child, parent) {
    return { ...child, parent, depth: parent ? parent.depth + 1 : 1, isOpen: false,
      isRaw: child.isRaw ?? parent?.isRaw ?? false };
  }
  #groupRow(nodes) {
    const items = new Shape(nodes.length, (index) => (
      { node: nodes[index], holder: -1, slot: -1, label: this.#numberText(nodes[index]), tone: "index" }));
    const row = this.#row({ node: -1, holder: -1, slot: -1, label: "", tone: "group" }, null);
    return { ...row, items, text: `${counted(nodes.length, "value")} unreachable from the roots` };
  }
  #shape(row) {
    if (row.items) return row.items;
    if (row.isRaw) return this.#rawShape(row.node);
    return row.isCycle ? Shape.none : this.shapes.of(row.node);
  }
  #rawShape(node) {
    const { model } = this;
    if (node < 0 || !model.isContainer(node)) return Shape.none;
    const isDictionary = model.kind(node) === Kind.dictionary;
    return new Shape(model.counts[node], (slot) => {
      const label = isDictionary ? this.shapes.keyText(model.keyAt(node, slot)) : `${slot}`;
      return { node: model.childAt(node, slot), holder: node, slot, label, tone: isDictionary ? "key" : "index" };
    });
  }
  #below(shape, parent) {
    const rows = [];
    for (let position = 0; position < shape.count; position++) {
      const row = this.#row(shape.at(position), parent);
      if (row.node >= 0 && this.model.objectNumber(row.node) >= 0) {
        for (let outer = parent; outer && !row.isCycle; outer = outer.parent) row.isCycle = outer.node === row.node;
      }
      row.setSize = shape.count;
      row.position = position + 1;
      rows.push(row);
    }
    return rows;
  }

  #open(index) {
    const row = this.rows[index];
    if (row.isOpen) return;
    const rows = this.#below(this.#shape(row), row);
    if (!rows.length) return;
    row.isOpen = true;
    this.rows = [...this.rows.slice(0, index + 1), ...rows, ...this.rows.slice(index + 1)];
    if (this.current > index) this.current += rows.length;
  }
  #close(index) {
    const row = this.rows[index];
    row.isOpen = false;
    let end = index + 1;
    while (end < this.rows.length && this.rows[end].depth > row.depth) end++;
    this.rows.splice(index + 1, end - index - 1);
    if (this.current > index) this.current = Math.max(this.current - (end - index - 1), index);
  }
  toggle(index) {
    if (this.rows[index].isOpen) this.#close(index); else this.#open(index);
    this.list.reset(this.rows.length);
  }

  /** Expands all rows, each object once. */
  openAll() {
    const isOpened = new Set();
    const opened = [];
    const waiting = this.rows.filter(({ depth }) => depth === 1).reverse();
    while (waiting.length && opened.length < mostOpened) {
      const row = waiting.pop();
      opened.push(row);
      row.isOpen = false;
      if (row.node >= 0 && isOpened.has(row.node)) continue;
      const rows = this.#below(this.#shape(row), row);
      if (!rows.length) continue;
      if (row.node >= 0) isOpened.add(row.node);
      row.isOpen = true;
      for (let index = rows.length - 1; index >= 0; index--) waiting.push(rows[index]);
    }
    if (waiting.length) {
      // Rows beyond the maximum were dropped. They include the children of the last row if it was just expanded.
      opened[opened.length - 1].isOpen = false;
      announce(`Only the first ${counted(opened.length, "row")} are shown.`);
    }
    this.rows = opened;
    this.current = -1;
    this.list.reset(this.rows.length);
    return opened.length;
  }
  closeAll() {
    this.rows = this.rows.filter(({ depth }) => depth === 1);
    for (const row of this.rows) row.isOpen = false;
    this.current = -1;
    this.list.reset(this.rows.length);
  }

  /** Selects the row of a value. If there is none, expands the shortest path to the value from the roots. */
  mark(node, occurrence) {
    const isIt = (row) => row.node === node && (!occurrence || (row.holder === occurrence.holder && row.slot === occurrence.slot));
    if (this.current >= 0 && isIt(this.rows[this.current])) return;
    let index = this.rows.findIndex(isIt);
    if (index < 0) index = this.rows.findIndex((row) => row.node === node);
    if (index < 0) index = this.#reveal(node);
    this.current = index;
    if (index >= 0) this.list.show(index); else this.list.refresh();
  }
  #reveal(node) {
    const { holders } = this.model.ways;
    const way = new Set();
    for (let step = node, turn = 0; step >= 0 && turn < 4096; turn++) {
      way.add(step);
      step = holders[step];
    }
    let index = 0;
    for (; index < this.rows.length; index++) {
      const row = this.rows[index];
      if (row.node === node) break;
      if (way.has(row.node) && !row.isOpen) this.#open(index);
    }
    this.list.reset(this.rows.length);
    return index < this.rows.length ? index : -1;
  }

  // MARK: Elements

  #render(index) {
    const row = this.rows[index];
    const isOpenable = !row.isCycle && this.#shape(row).count > 0;
    const isCurrent = index === this.current;
    const element = make("div.row", {
      role: "treeitem", id: `row-${index}`, "aria-level": row.depth, "aria-selected": `${isCurrent}`,
      "aria-setsize": row.setSize, "aria-posinset": row.position,
      "aria-expanded": isOpenable ? `${row.isOpen}` : undefined, style: { "--depth": Math.min(row.depth - 1, 40) },
    }, make("span.twist", { "aria-hidden": "true" }, isOpenable ? (row.isOpen ? "▾" : "▸") : ""));
    element.rowIndex = index;
    if (isCurrent) {
      element.classList.add("current");
      this.element.setAttribute("aria-activedescendant", element.id);
    }
    element.append(...this.#parts(row));
    return element;
  }
  #parts(row) {
    if (row.text) return [make("span.note", {}, row.text)];
    const { type, text, tone } = this.shapes.summary(row.node);
    const parts = [];
    if (row.label !== "" || row.tone === "key") {
      const label = row.label === "" ? "“”" : visible(shortened(row.label, previewLength));
      parts.push(make(`bdi.label.${row.tone}`, {}, label));
    }
    const color = type ? this.looks.color(row.node) : null;
    if (color) parts.push(make("span.dot", { "aria-hidden": "true", style: { background: this.looks.css(color) } }));
    if (type) parts.push(make("bdi.type", {}, visible(shortened(type, previewLength))));
    parts.push(make(`bdi.value.${tone}`, {}, text));
    if (row.isCycle) parts.push(make("span.badge", { title: "The object is above: a cycle" }, "↺ cycle"));
    const number = row.node < 0 || row.isRaw ? -1 : this.model.objectNumber(row.node);
    if (number > 0 && row.label !== `@${number}`) parts.push(make("span.number", {}, `@${number}`));
    if (row.isFound) {
      const occurrence = row.holder < 0 ? null : row;
      parts.push(make("bdi.path", {}, visible(shortened(this.model.path(row.node, occurrence), 160))));
    }
    return parts;
  }

  // MARK: Selection

  #click(event) {
    const index = event.target.closest(".row")?.rowIndex;
    if (index === undefined) return;
    if (event.target.closest(".twist")) this.toggle(index);
    this.#go(index);
  }
  #go(index) {
    if (index < 0 || index >= this.rows.length) return;
    this.current = index;
    this.list.show(index);
    if (this.rows[index].node >= 0) this.choose(this.rows[index]);
  }
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const row = this.rows[this.current];
    const page = this.list.visibleCount - 1;
    const moves = {
      ArrowDown: () => this.#go(Math.min(this.current + 1, this.rows.length - 1)),
      ArrowUp: () => this.#go(Math.max(this.current - 1, 0)),
      PageDown: () => this.#go(Math.min(this.current + page, this.rows.length - 1)),
      PageUp: () => this.#go(Math.max(this.current - page, 0)),
      Home: () => this.#go(0),
      End: () => this.#go(this.rows.length - 1),
      ArrowRight: () => {
        if (!row) return;
        if (!row.isOpen) this.toggle(this.current); else this.#go(this.current + 1);
      },
      ArrowLeft: () => {
        if (!row) return;
        if (row.isOpen) this.toggle(this.current);
        else if (row.parent) this.#go(this.rows.indexOf(row.parent));
      },
      Enter: () => { if (row) this.toggle(this.current); },
      "*": () => this.openAll(),
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    moves[event.key]();
  }
}
