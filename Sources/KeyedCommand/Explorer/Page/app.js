/*
The page as a whole: its parts, the selected value and the address. The fragment of the address contains the view and
the value, so that links and the back and forward buttons restore them:

  #explore/n12        value 12; n12.5.3: value 12, selected in slot 3 of value 5
  #explore/b0:1f4     byte 0x1f4 of space 0
  #explore/@12        object 12 of the file's archive
  #classes, #graph/n12, #dates, #looks, #sizes/n12, #report
*/

const views = [["explore", "Explore"], ["classes", "Classes"], ["graph", "Graph"], ["dates", "Dates"], ["looks", "Visuals"], ["sizes", "Sizes"], ["report", "Report"]];
// The maximum number of printed lines of the tree.
const mostPrinted = 20_000;

class App {
  constructor(json) {
    this.model = new Model(json);
    this.shapes = new Shapes(this.model);
    this.node = -1;
    this.occurrence = null;
    this.view = "explore";
    this.#build(document.querySelector("#app"));
    this.#listen();
    this.tree.showRoots();
    this.#apply();
    // Prepare the data for the first selection and the first search after the page is visible.
    setTimeout(() => { this.inspector.prepare(); this.search.prepare(); }, 50);
  }

  // MARK: Parts

  #build(app) {
    const { model } = this;
    this.panels = Object.fromEntries(views.map(([name]) => [name, make(`section.panel.${name}`, { id: `panel-${name}`, role: "tabpanel", "aria-labelledby": `tab-${name}`, tabindex: name === "explore" ? undefined : "0", hidden: true })]));
    const treeBox = make("div.scroller", { id: "tree", role: "tree", tabindex: "0", "aria-label": "Values" });
    const inspectorBox = make("div.scroller", { id: "inspector", role: "region", tabindex: "0", "aria-label": "Selected value" });
    const hexBox = make("div.scroller", { id: "hex", role: "listbox", tabindex: "0", "aria-label": "Bytes", "aria-describedby": "hex-status" });
    const status = make("p.status", { id: "hex-status" });
    const spaces = make("select", { "aria-label": "Block of bytes" });
    this.panels.explore.append(
      make("div.pane", {}, this.#treeTools(), treeBox),
      make("div.pane", {}, inspectorBox),
      make("div.pane", {}, make("p.tools", {}, make("span", {}, "Bytes"), spaces, status), hexBox));
    app.append(this.#header(), this.#tabs(), this.#warning(), make("main", {}, Object.values(this.panels)),
      this.#help(), make("div.hidden", { id: "live", role: "status", "aria-live": "polite" }));

    this.looks = new Looks(model, this.shapes, (node) => this.choose(node, null, "explore"));
    this.inspector = new Inspector(inspectorBox, model, this.shapes, this.looks, (node, occurrence) => this.choose(node, occurrence));
    this.tree = new Tree(treeBox, model, this.shapes, this.looks, (row) => this.#chooseRow(row));
    this.hex = new HexView({ element: hexBox, status, spaces }, model, (space, byte) => this.#chooseByte(space, byte));
    this.search = new Search(model, this.shapes);
    const { classes, graph, dates, sizes, report } = this.panels;
    const explore = (node) => this.choose(node, null, "explore");
    this.charts = {
      classes: new ClassChart(classes, model, this.shapes, (name) => this.#searchFor(name, "class")),
      graph: new Graph(graph, model, this.shapes, this.inspector, (node) => this.choose(node)),
      dates: new DateChart(dates, model, this.shapes, explore),
      sizes: new SizeChart(sizes, model, this.shapes, (node) => this.choose(node)),
      report: new Report(report, model, this.shapes, explore),
    };
    this.inspector.charts = this.charts;
    // The note field must exist even if the report is never opened.
    this.charts.report.show();
  }

  #header() {
    const { file, documents } = this.model;
    const [outer] = documents;
    const facts = [this.model.kindName(outer), outer.format, counted(file.size, "byte"),
      outer.archive ? counted(Math.max(outer.archive.entries.length - 1, 0), "object") : counted(outer.count, "value"),
      documents.length > 1 ? `${counted(documents.length - 1, "property list", "property lists")} inside` : ""].filter(Boolean);
    this.query = make("input", { type: "search", id: "query", placeholder: "Search  ( / )", "aria-label": "Search", autocomplete: "off", spellcheck: "false" });
    this.scope = make("select", { id: "scope", "aria-label": "Search in" }, ["all", "key", "value", "class", "path", "hex"].map((name) => make("option", { value: name }, name)));
    const theme = make("button", { type: "button", title: "Light or dark", "aria-label": "Light or dark", on: { click: () => this.#turnTheme() } }, "◐");
    const help = make("button", { type: "button", title: "Keys ( ? )", "aria-label": "Keys", on: { click: () => this.helpBox.showModal() } }, "?");
    return make("header", {}, make("div.name", {}, make("h1", {}, make("bdi", {}, visible(shortened(file.name.replace(/^.*\//, ""), 120)))), make("p", {}, facts.join(" · "))),
      make("div.search", { role: "search" }, this.query, this.scope), theme, help);
  }
  #turnTheme() {
    const root = document.documentElement;
    const isDark = (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    root.dataset.theme = isDark ? "light" : "dark";
  }

  #tabs() {
    this.tabs = Object.fromEntries(views.map(([name, title]) => [name, make("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, on: { click: () => this.choose(this.node, this.occurrence, name) } }, title)]));
    const move = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const names = views.map(([name]) => name);
      const name = names[(names.indexOf(this.view) + step + names.length) % names.length];
      this.choose(this.node, this.occurrence, name);
      this.tabs[name].focus();
    };
    return make("nav", { "aria-label": "Views" }, make("div.tabs", { role: "tablist", on: { keydown: move } }, Object.values(this.tabs)));
  }
  #warning() {
    const { json, documents } = this.model;
    const problems = documents.reduce((sum, document) => sum + document.problems.length, 0);
    const texts = [];
    if (json.left.length) texts.push(`Left out of this page: ${json.left.slice(0, 3).join("; ")}${json.left.length > 3 ? "; more in the report" : ""}.`);
    if (problems) texts.push(`${counted(problems, "part")} of the file could not be read; see the report.`);
    if (json.redacted) texts.push("Values are redacted.");
    return texts.length ? make("p.warning", { role: "note" }, texts.join(" ")) : "";
  }

  #treeTools() {
    const button = (text, title, action, mode) => make("button", { type: "button", title, "aria-pressed": mode ? "false" : undefined, on: { click: () => { if (mode) this.#setMode(mode); else action(); } } }, text);
    this.modes = {
      roots: button("Tree", "The values reachable from the roots", null, "roots"),
      all: button("Objects", "The table of all objects", null, "all"),
      raw: button("Raw", "The property list as it is in the file", null, "raw"),
    };
    this.modes.roots.setAttribute("aria-pressed", "true");
    this.found = make("span.status", { id: "found", role: "status" });
    return make("p.tools", {}, Object.values(this.modes), button("Open all", "Open all rows ( * )", () => this.tree.openAll()),
      button("Close all", "Close all rows", () => this.tree.closeAll()), this.found);
  }
  #setMode(mode) {
    this.mode = mode;
    this.query.value = "";
    this.found.textContent = "";
    for (const [name, button] of Object.entries(this.modes)) button.setAttribute("aria-pressed", `${name === mode}`);
    if (mode === "roots") this.tree.showRoots();
    if (mode === "all") this.tree.showAll();
    if (mode === "raw") this.tree.showRaw();
    if (this.node >= 0 && mode === "roots") this.tree.mark(this.node, this.occurrence);
  }

  #help() {
    const keys = [["/", "search"], ["Esc", "leave the search"], ["↑ ↓ Page Home End", "move in the tree, or in the bytes"], ["→ ←", "open, or go to the next row; close, or go to the parent"],
      ["*", "open all"], ["Alt ← Alt →", "back and forward"], ["1 – 7", "the views"], ["Tab", "to the next part"], ["?", "this list"]];
    this.helpBox = make("dialog", { "aria-label": "Keys" }, make("h2", {}, "Keys"),
      make("dl.facts", {}, keys.map(([key, text]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, text)])),
      make("form", { method: "dialog" }, make("button", {}, "Close")));
    return this.helpBox;
  }

  // MARK: Selection

  /** Selects a value and shows it in a view, by default the current one. */
  choose(node, occurrence = null, view = this.view) {
    this.byte = null;
    this.node = node;
    this.occurrence = occurrence && occurrence.holder >= 0 && this.model.objectNumber(node) < 0 ? { holder: occurrence.holder, slot: occurrence.slot } : null;
    this.#show(view);
    if (view === "explore" && node >= 0) this.tree.mark(node, this.occurrence);
    this.#writeAddress();
  }
  #chooseRow(row) {
    this.byte = row.byte !== undefined ? { space: row.space, byte: row.byte } : null;
    this.node = row.node;
    this.occurrence = row.holder >= 0 && this.model.objectNumber(row.node) < 0 ? { holder: row.holder, slot: row.slot } : null;
    this.#show("explore");
    this.#writeAddress();
  }
  #chooseByte(space, byte) {
    this.byte = { space, byte };
    const node = this.model.nodeAt(space, byte);
    if (node !== this.node) this.occurrence = null;
    this.node = node;
    this.#show("explore");
    if (node >= 0) this.tree.mark(node, this.occurrence);
    this.#writeAddress();
  }

  #show(view) {
    this.view = view;
    for (const [name] of views) {
      this.panels[name].hidden = name !== view;
      this.tabs[name].setAttribute("aria-selected", `${name === view}`);
      this.tabs[name].tabIndex = name === view ? 0 : -1;
    }
    if (view === "looks") this.looks.show(this.panels.looks);
    else if (view !== "explore") this.charts[view].show(this.node);
    if (view !== "explore") return;
    this.inspector.show(this.node, this.occurrence);
    if (this.node >= 0) this.hex.showNode(this.node); else this.hex.mark(this.byte?.space ?? this.hex.space, -1, 0);
    if (this.byte) this.hex.showByte(this.byte.byte);
  }

  // MARK: The address

  get #address() {
    const { node, occurrence, byte, view } = this;
    if (byte && view === "explore") return `#explore/b${byte.space}:${hexNumber(byte.byte)}`;
    if (node < 0) return `#${view}`;
    return `#${view}/n${node}${occurrence ? `.${occurrence.holder}.${occurrence.slot}` : ""}`;
  }
  // Delayed, because browsers limit address changes to about twenty per second.
  #writeAddress() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (location.hash !== this.#address) history.pushState(null, "", this.#address);
    }, 150);
  }
  #apply() {
    clearTimeout(this.timer);
    const match = /^#(?:([a-z]+)\/?)?(?:n(\d+)(?:\.(\d+)\.(-?\d+))?|b(\d+):([0-9a-f]+)|@(\d+))?$/.exec(location.hash);
    const [, name, node, holder, slot, space, byte, object] = match ?? [];
    const view = views.some(([known]) => known === name) ? name : "explore";
    const { archive } = this.model.documents[0];
    const within = (number) => number !== undefined && Number(number) < this.model.count ? Number(number) : -1;
    this.byte = null;
    this.occurrence = null;
    this.node = within(node);
    if (object !== undefined && archive && Number(object) < archive.entries.length) this.node = this.model.childAt(archive.objects, Number(object));
    if (byte !== undefined && this.model.bytes(Number(space))?.length > parseInt(byte, 16)) {
      this.byte = { space: Number(space), byte: parseInt(byte, 16) };
      this.node = this.model.nodeAt(this.byte.space, this.byte.byte);
    } else if (this.node >= 0 && within(holder) >= 0 && this.model.isContainer(Number(holder))) {
      const isThere = Number(slot) >= 0 && Number(slot) < this.model.counts[Number(holder)];
      if (isThere) this.occurrence = { holder: Number(holder), slot: Number(slot) };
    }
    this.#show(view);
    if (view === "explore" && this.node >= 0) this.tree.mark(this.node, this.occurrence);
  }

  // MARK: Search and keys

  #searchFor(text, scope) {
    this.query.value = text;
    this.scope.value = scope;
    this.choose(this.node, this.occurrence, "explore");
    this.#find();
  }
  #find() {
    const query = this.query.value.trim();
    if (!query) return this.#setMode(this.mode ?? "roots");
    if (this.view !== "explore") this.choose(this.node, this.occurrence, "explore");
    const start = performance.now();
    const { items, endsEarly, problem } = this.search.find(query, this.scope.value);
    this.tree.showFound(items);
    this.searchTime = performance.now() - start;
    this.found.textContent = problem ?? (items.length ? `${endsEarly ? "at least " : ""}${counted(items.length, "match", "matches")}` : "nothing found");
  }
  #listen() {
    addEventListener("popstate", () => this.#apply());
    let timer = 0;
    this.query.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => this.#find(), 100); });
    this.scope.addEventListener("change", () => this.#find());
    this.query.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { this.query.value = ""; this.#find(); this.tree.element.focus(); }
      if (event.key === "Enter" || event.key === "ArrowDown") { event.preventDefault(); this.tree.element.focus(); }
    });
    document.addEventListener("keydown", (event) => {
      if (isTyping(event) || event.altKey || event.ctrlKey || event.metaKey) return;
      const view = views[Number(event.key) - 1];
      if (view && /^[1-9]$/.test(event.key)) this.choose(this.node, this.occurrence, view[0]);
      else if (event.key === "/") { event.preventDefault(); this.query.focus(); this.query.select(); }
      else if (event.key === "?") this.helpBox.showModal();
    });
    addEventListener("beforeprint", () => { document.querySelector("#print").textContent = this.printed(); });
    addEventListener("afterprint", () => { document.querySelector("#print").textContent = ""; });
  }

  // MARK: Printing

  /** Returns the tree as text, with each object once. */
  printed() {
    const { model, shapes } = this;
    const { file, documents } = model;
    const lines = [`${visible(file.name)}`, `${counted(file.size, "byte")}, SHA-256 ${file.sha256}`, ""];
    const isShown = new Set();
    const waiting = [];
    const push = (shape, depth) => { for (let position = Math.min(shape.count, mostPrinted) - 1; position >= 0; position--) waiting.push({ ...shape.at(position), depth }); };
    push(shapes.ofDocument(documents[0]), 0);
    while (waiting.length && lines.length < mostPrinted) {
      const { node, label, depth } = waiting.pop();
      const number = node < 0 ? -1 : model.objectNumber(node);
      const { type, text } = shapes.summary(node);
      const isAgain = number > 0 && isShown.has(node) && shapes.of(node).count > 0;
      const value = isAgain ? `→ @${number}` : `${visible(shortened(type, previewLength))}${type ? " " : ""}${text}${number > 0 ? ` @${number}` : ""}`;
      lines.push(`${"  ".repeat(Math.min(depth, 30))}${label !== "" ? `${visible(shortened(label, previewLength))}: ` : ""}${value}`);
      if (isAgain || node < 0) continue;
      isShown.add(node);
      push(shapes.of(node), depth + 1);
    }
    if (waiting.length) lines.push("", `Only the first ${counted(lines.length, "line")} are printed.`);
    const note = this.charts.report.note?.value;
    if (note) lines.push("", "Note:", visibleLines(note));
    return lines.join("\n");
  }
}

const app = new App(JSON.parse(document.querySelector("#data").textContent));
