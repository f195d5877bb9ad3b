/*
The selected value: its content, location, class, fields and referrers.
*/

const shortText = 2_000, mostListed = 200;

class Inspector {
  /** Creates the inspector. It calls `go(node, occurrence)` to select another value. */
  constructor(element, model, shapes, looks, go) {
    Object.assign(this, { element, model, shapes, looks, go });
  }

  show(node, occurrence) {
    const { element } = this;
    element.scrollTop = 0;
    if (node < 0) return refill(element, this.glanceParts ?? make("p.note", {}, "Choose a value in the tree, or a byte of the file."));
    element.replaceChildren(...[
      this.#title(node), this.#path(node, occurrence), this.#facts(node), this.#chain(node), this.looks.forValue(node),
      this.#text(node), this.#fields(node), this.#referrers(node),
    ].filter(Boolean));
  }

  /** Prepares the summary of the file, shown while no value is selected. Linear; takes a moment for a large file. */
  prepare() {
    if (this.glanceParts) return;
    this.glanceParts = this.#glance();
    if (!this.element.querySelector("h2")) refill(this.element, this.glanceParts);
  }
  #glance() {
    const { documents, unreached } = this.model;
    const [outer] = documents;
    const all = this.charts.classes.census().sort((a, b) => b.count - a.count);
    const census = all.filter(({ isClass }) => isClass);
    const dates = this.charts.dates.dates();
    const day = ({ time }) => new Date(time).toISOString().slice(0, 10);
    const facts = [["what", `${this.model.kindName(outer)}, ${outer.format}`], ...outer.facts];
    if (outer.archive?.archiver) facts.push(["archiver", visible(shortened(outer.archive.archiver, 100))]);
    if (documents.length > 1) facts.push(["nested", counted(documents.length - 1, "property list")]);
    if (dates.length) facts.push(["dates", `${counted(dates.length, "date")}, ${day(dates[0])} to ${day(dates[dates.length - 1])}`]);
    if (!outer.archive) facts.push(["values", all.slice(0, 6).map(({ name, count }) => `${count.toLocaleString("en")} ${name.replace(/[()]/g, "")}`).join(", ")]);
    if (unreached.length) facts.push(["unreached", `${counted(unreached.length, "value")} unreachable from the roots`]);
    facts.push(["leniencies", outer.leniencies.join(", ") || "none"]);
    const rows = census.slice(0, 12).map(({ name, count, bytes }) => make("tr", {}, make("th", { scope: "row" }, make("bdi.type", {}, breakable(visible(shortened(name, 100))))),
      make("td.count", {}, counted(count, "object")), make("td.count", {}, counted(bytes, "byte"))));
    return [make("h2", {}, "At a glance"), this.#list(facts),
      rows.length ? make("section", {}, make("h3", {}, `Classes (${census.length})`), make("table", {}, make("tbody", {}, rows))) : "",
      make("p.note", {}, "Choose a value in the tree, or a byte of the file, to see what it is.")].filter(Boolean);
  }

  #title(node) {
    const { type, text, tone } = this.shapes.summary(node);
    const name = type || (this.model.objectNumber(node) >= 0 ? "plain value" : kindNames[this.model.kind(node)]);
    // Texts and fields have sections of their own below.
    const isBelow = tone === "text" || tone === "object" && this.model.entry(node) === "o";
    return make("h2", {}, make("bdi.type", {}, visible(shortened(name, 400))), isBelow ? "" : [" ", make(`bdi.value.${tone}`, {}, text)]);
  }

  #path(node, occurrence) {
    const path = this.model.path(node, occurrence);
    const none = this.model.ways.isMet[node] ? "(the whole file)" : "(unreachable from the roots)";
    const shown = path === "" ? none : visible(shortened(path, shortText));
    const row = make("p.pathline", {}, make("code", { id: "path" }, make("bdi", {}, shown)));
    if (path !== "" && navigator.clipboard) {
      const copy = () => navigator.clipboard.writeText(path).then(() => announce("The path is copied."), () => {});
      row.append(make("button", { type: "button", title: "Copy the path for keyed get", on: { click: copy } }, "Copy path"));
    }
    return row;
  }

  #facts(node) {
    const { model } = this;
    const document = model.document(node);
    const number = model.objectNumber(node);
    const facts = [];
    if (number >= 0) facts.push(["object", `${number} of ${document.archive.entries.length}`]);
    const start = model.starts[node], space = model.json.spaces[document.space];
    if (model.lengths[node]) {
      facts.push(["bytes", `${start} to ${model.end(node) - 1} (0x${hexNumber(start)}), ${model.lengths[node].toLocaleString("en")} in all`]);
    }
    if (document.space !== 0) facts.push(["in", space.name]);
    if (document.holder >= 0) facts.push(["nested in", this.#link(document.holder, this.model.path(document.holder) || "data")]);
    if ("sd".includes(model.kind(node))) facts.push(["length", counted(model.counts[node], "byte")]);
    if (this.model.sizes[node] > model.lengths[node]) facts.push(["including contents", counted(model.sizes[node], "byte")]);
    if (!model.ways.isMet[node]) facts.push(["reachable", "from no root"]);
    return this.#list(facts);
  }
  #list(facts) {
    return make("dl", {}, facts.map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
  }

  #chain(node) {
    const found = this.model.classOf(node);
    if (!found) return null;
    const names = found.chain ?? [found.name];
    const parts = names.slice(0, 40).flatMap((name, index) => [
      index ? make("span.arrow", { "aria-label": "inherits from" }, " ‹ ") : "", make("bdi", {}, visible(shortened(name, 400)))]);
    const hints = found.hints ? [make("dt", {}, "hints"), make("dd", {}, visible(shortened(found.hints.join(", "), 400)))] : [];
    return make("dl", {}, make("dt", {}, "class"), make("dd.chain", {}, parts), hints);
  }

  /** Shows the text of a string; a long text is truncated. */
  #text(node) {
    const { model } = this;
    const text = model.plainText(node) ?? model.plainText(model.field(node, "NS.relative"));
    if (text === undefined) return this.#dump(node);
    const block = make("pre.text", { tabindex: "0", "aria-label": "text" }, make("bdi", {}, visibleLines(shortened(text, shortText))));
    const section = make("section", {}, make("h3", {}, "Text"), block);
    if (text.length > shortText) {
      const all = () => { block.replaceChildren(make("bdi", {}, visibleLines(text))); button.remove(); };
      const button = make("button", { type: "button", on: { click: all } }, `Show all ${text.length.toLocaleString("en")} characters`);
      section.append(button);
    }
    return section;
  }
  /** Shows the first bytes of data, if they are readable text. */
  #dump(node) {
    const data = this.model.plainData(node);
    const content = data >= 0 ? this.model.content(data) : null;
    if (!content || !content.bytes.length || content.bytes.length > 1 << 20) return null;
    const head = content.bytes.subarray(0, shortText);
    if (!head.every((byte) => byte === 9 || byte === 10 || byte === 13 || (byte >= 32 && byte < 127))) return null;
    const text = String.fromCharCode(...head);
    return make("section", {}, make("h3", {}, "As text"), make("pre.text", { tabindex: "0", "aria-label": "data as text" }, visibleLines(text)));
  }

  // MARK: Neighbors

  #link(node, text, occurrence) {
    return make("button.link", { type: "button", on: { click: () => this.go(node, occurrence) } }, make("bdi", {}, visible(shortened(text, 160))));
  }
  #valueLink(node, occurrence) {
    const { type, text, tone } = this.shapes.summary(node);
    if (node < 0) return make("span.note", {}, text);
    return make("button.link", { type: "button", on: { click: () => this.go(node, occurrence) } },
      type ? make("bdi.type", {}, visible(shortened(type, 160))) : "", type ? " " : "", make(`bdi.value.${tone}`, {}, text));
  }

  #fields(node) {
    const shape = this.shapes.of(node);
    if (!shape.count) return null;
    const rows = [];
    for (let position = 0; position < Math.min(shape.count, mostListed); position++) {
      const child = shape.at(position);
      rows.push(make("tr", {}, make("th", { scope: "row" }, make("bdi", {}, visible(shortened(child.label, previewLength)))),
        make("td", {}, this.#valueLink(child.node, child))));
    }
    return make("section", {}, make("h3", {}, `Fields (${shape.count.toLocaleString("en")})`),
      make("table", {}, make("tbody", {}, rows)), this.#rest(shape.count, ", in the tree"));
  }
  #rest(count, ending) {
    return count > mostListed ? make("p.note", {}, `and ${counted(count - mostListed, "more", "more")}${ending}`) : "";
  }

  #referrers(node) {
    const { first, holders, slots } = this.model.referrers;
    const count = first[node + 1] - first[node];
    const rows = [];
    for (let index = first[node]; index < Math.min(first[node + 1], first[node] + mostListed); index++) {
      const holder = holders[index], slot = slots[index];
      rows.push(make("li", {}, this.#valueLink(this.owner(holder)), " ",
        make("bdi.label", {}, visible(shortened(this.#place(holder, slot), 160)))));
    }
    if (!count) return null;
    return make("section", {}, make("h3", {}, `Referenced by (${count.toLocaleString("en")})`), make("ul.plain", {}, rows), this.#rest(count, ""));
  }
  #place(holder, slot) {
    const owner = this.owner(holder);
    const text = slot < 0 ? "as a key" : this.model.kind(holder) === Kind.dictionary
      ? this.model.stepText(this.model.keyAt(holder, slot)) : `[${slot}]`;
    if (owner === holder) return text;
    const { holders, slots } = this.model.ways;
    return holders[holder] === owner ? `${this.model.stepText(this.model.keyAt(owner, slots[holder]))}${text}` : text;
  }
  /** Returns the object of which a container is a field, or the container itself. */
  owner(node) {
    const { holders } = this.model.ways;
    const holder = holders[node];
    if (this.model.objectNumber(node) >= 0 || holder < 0 || this.model.entry(holder) !== "o") return node;
    return holder;
  }
}
