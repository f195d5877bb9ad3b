/*
The graph around a value, with its referrers on the left and its references on the right. An arrow that is part of a
cycle is dashed.
*/

const mostNeighbors = 14;

class Graph {
  constructor(element, model, shapes, inspector, go) { Object.assign(this, { element, model, shapes, inspector, go }); }

  /**
   * The number of each value's strongly connected component: values with the same number refer to each other, directly
   * or indirectly. Tarjan's algorithm without recursion. Linear.
   */
  get groups() { return this.#groups ??= this.#findGroups(); }
  #groups;
  #findGroups() {
    const { model } = this;
    const { starts, targets } = this.#edges();
    const groups = new Int32Array(model.count).fill(-1), low = new Int32Array(model.count), met = new Int32Array(model.count);
    const next = starts.slice(0, model.count), open = [], stack = [];
    let clock = 0, group = 0;
    for (let root = 0; root < model.count; root++) {
      if (met[root]) continue;
      stack.push(root);
      while (stack.length) {
        const node = stack[stack.length - 1];
        if (!met[node]) { met[node] = low[node] = ++clock; open.push(node); }
        let child = -1;
        while (next[node] < starts[node + 1]) {
          const target = targets[next[node]++];
          if (!met[target]) { child = target; break; }
          if (groups[target] < 0) low[node] = Math.min(low[node], met[target]);
        }
        if (child >= 0) { stack.push(child); continue; }
        stack.pop();
        if (stack.length) { const outer = stack[stack.length - 1]; low[outer] = Math.min(low[outer], low[node]); }
        if (low[node] !== met[node]) continue;
        for (let member = -1; member !== node;) { member = open.pop(); groups[member] = group; }
        group++;
      }
    }
    return groups;
  }
  #edges() {
    const { model } = this;
    const { first, holders } = model.referrers;
    const starts = new Uint32Array(model.count + 1);
    for (const holder of holders) starts[holder + 1]++;
    for (let node = 0; node < model.count; node++) starts[node + 1] += starts[node];
    const targets = new Int32Array(holders.length), next = starts.slice();
    for (let node = 0; node < model.count; node++) {
      for (let index = first[node]; index < first[node + 1]; index++) targets[next[holders[index]]++] = node;
    }
    return { starts, targets };
  }

  show(node) {
    const { model } = this;
    if (node < 0) node = model.start;
    const before = this.#before(node), after = this.#after(node);
    const height = Math.max(before.shown.length, after.shown.length, 3) * 44 + 60;
    const middle = height / 2, isCycle = (other) => this.groups[other] === this.groups[node];
    const column = (items, x) => items.map((item, index) => ({ ...item, x, y: middle + (index - (items.length - 1) / 2) * 44 }));
    const left = column(before.shown, 150), right = column(after.shown, 850);
    const arrow = (item, isTo) => {
      const [x1, y1, x2, y2] = isTo ? [item.x + 140, item.y, 372, middle] : [628, middle, item.x - 148, item.y];
      const bend = (x1 + x2) / 2;
      return draw(`path.arrow${isCycle(item.node) ? ".cycle" : ""}`, { d: `M${x1} ${y1} C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`, "marker-end": "url(#tip)" });
    };
    const size = this.groups.reduce((sum, group) => sum + (group === this.groups[node] ? 1 : 0), 0);
    const hasCycle = size > 1 || after.isSelf;
    refill(this.element, make("h2", {}, "The graph around ", this.#name(node)),
      make("p.note", {}, this.#sentence(before, after, hasCycle, size)),
      draw("svg.graph", { viewBox: `0 0 1000 ${height}`, role: "group", "aria-label": "Values that refer to this one, and values that it refers to" },
        draw("defs", {}, draw("marker", { id: "tip", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" }, draw("path.tip", { d: "M0 0 L8 4 L0 8 z" }))),
        left.map((item) => arrow(item, true)), right.map((item) => arrow(item, false)),
        left.map((item) => this.#box(item, isCycle(item.node))), right.map((item) => this.#box(item, isCycle(item.node))),
        this.#box({ node, x: 500, y: middle, label: "" }, hasCycle, true)));
  }
  #name(node) {
    const { type, text } = this.shapes.summary(node);
    return make("bdi", {}, visible(shortened(type || text, 80)));
  }
  #sentence(before, after, hasCycle, size) {
    const more = ({ count, shown }) => count > shown.length ? ` (${shown.length} drawn)` : "";
    const cycle = hasCycle ? ` It is part of a cycle${size > 1 ? ` of ${counted(size, "value")}` : ""}, drawn dashed.` : "";
    return `${counted(before.count, "reference")} to it${more(before)}, ${counted(after.count, "reference")} from it${more(after)}.${cycle}`;
  }

  /** Returns the number of references to a value, and the containers of the first of them, with labels. */
  #before(node) {
    const { first, holders, slots } = this.model.referrers;
    const count = first[node + 1] - first[node];
    const shown = [];
    for (let index = first[node]; index < first[node] + Math.min(count, mostNeighbors); index++) {
      const holder = holders[index], slot = slots[index];
      const owner = this.inspector.owner(holder);
      shown.push({ node: owner, label: slot < 0 ? "as a key" : this.model.kind(holder) === Kind.dictionary ? this.shapes.keyText(this.model.keyAt(holder, slot)) : `${slot}` });
    }
    return { count, shown };
  }
  /**
   * Returns the number of references of a value, whether one is to itself, and those that are drawn: containers before
   * scalars. Linear.
   */
  #after(node) {
    const shape = this.shapes.of(node);
    const containers = [], scalars = [];
    let count = 0, isSelf = false;
    for (let position = 0; position < shape.count; position++) {
      const child = shape.at(position);
      if (this.model.isNil(child.node)) continue;
      count++;
      if (child.node === node) isSelf = true;
      const items = this.model.isContainer(child.node) ? containers : scalars;
      if (items.length < mostNeighbors) items.push(child);
    }
    return { count, isSelf, shown: [...containers, ...scalars].slice(0, mostNeighbors) };
  }

  #box({ node, x, y, label }, isCycle, isMiddle = false) {
    const { type, text, tone } = this.shapes.summary(node);
    const number = this.model.objectNumber(node);
    const go = () => this.go(node);
    const title = type || (tone === "text" ? text : kindNames[this.model.kind(node)]);
    const detail = type ? text : tone === "text" ? "" : text;
    const width = isMiddle ? 256 : 280;
    const name = visible(shortened(label, 14));
    return draw(`g.node${isCycle ? ".cycle" : ""}${isMiddle ? ".middle" : ""}`, { tabindex: "0", role: "button", "aria-label": visible(shortened(`${label} ${title} ${detail}`.trim(), 120)),
      on: { click: go, keydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); go(); } } } },
      draw("rect", { x: x - width / 2, y: y - 18, width, height: 36, rx: 6 }),
      draw("text", { x: x - width / 2 + 10, y: y - 3 }, name ? [draw("tspan.key", {}, `${name} `), " "] : "", visible(shortened(title, (number > 0 ? 26 : 32) - name.length)),
        number > 0 ? draw("tspan.faint", {}, `  @${number}`) : ""),
      draw("text.faint", { x: x - width / 2 + 10, y: y + 12 }, visible(shortened(detail, isMiddle ? 34 : 38))));
  }
}
