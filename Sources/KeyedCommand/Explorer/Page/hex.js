/*
The bytes of the file, sixteen per row, with the selected value highlighted. A click on a byte selects the innermost
value that contains it.
*/

class HexView {
  /** Creates the view. It calls `choose(space, byte)` when a byte is selected. */
  constructor({ element, status, spaces }, model, choose) {
    Object.assign(this, { element, status, model, choose });
    this.space = 0;
    this.cursor = -1;
    this.children = [];
    this.list = new Rows(element, (index) => this.#render(index));
    element.addEventListener("click", (event) => this.#click(event));
    element.addEventListener("keydown", (event) => this.#key(event));
    this.#offerSpaces(spaces);
    this.#reset();
    this.#say();
  }

  #offerSpaces(select) {
    this.spaces = select;
    const { spaces } = this.model.json;
    select.hidden = spaces.length < 2;
    spaces.forEach(({ name }, index) => select.append(make("option", { value: index }, name)));
    select.addEventListener("change", () => { this.#turn(Number(select.value)); this.mark(this.space, -1, 0); });
  }
  #turn(space) {
    if (space === this.space) return;
    this.space = space;
    this.spaces.value = String(space);
    this.cursor = -1;
    this.#reset();
  }
  #reset() {
    this.bytes = this.model.bytes(this.space) ?? new Uint8Array();
    this.digits = Math.max(hexNumber(Math.max(this.bytes.length - 1, 0)).length, 4);
    this.list.reset(Math.ceil(this.bytes.length / 16));
  }

  /** Highlights the bytes of a value and, more faintly, those of its children in a binary property list. */
  showNode(node) {
    const { model } = this;
    const document = model.document(node);
    this.#turn(document.space);
    const children = [];
    if (model.isContainer(node) && document.format === "binary") {
      const count = Math.min(model.childCount(node), 2000);
      for (let slot = 0; slot < count; slot++) {
        const child = model.childAt(node, slot);
        if (child >= 0) children.push([model.starts[child], model.end(child)]);
      }
    }
    this.mark(document.space, model.starts[node], model.lengths[node], children);
  }
  /** Highlights a range and, more faintly, the ranges of `children`. A negative `start` highlights nothing. */
  mark(space, start, length, children = []) {
    this.#turn(space);
    this.children = children;
    this.start = start;
    this.end = start + length;
    if (start >= 0 && !(this.cursor >= start && this.cursor < this.end)) this.cursor = start;
    if (start >= 0 && this.bytes.length) this.list.show(Math.floor(Math.min(this.cursor, this.bytes.length - 1) / 16));
    else this.list.refresh();
    this.#say();
  }
  showByte(byte) {
    this.cursor = byte;
    this.list.show(Math.floor(byte / 16));
    this.#say();
  }

  /** Writes the status: the byte at the cursor, or the size of the space if there is no such byte. */
  #say() {
    this.status.textContent = this.cursor >= 0 && this.cursor < this.bytes.length ? this.#byteText() : this.#sizeText();
  }
  #sizeText() {
    const { size, base64 } = this.model.json.spaces[this.space];
    if (base64 === null) return `${counted(size, "byte")}, left out of this page`;
    if (this.bytes.length < size) return `the first ${counted(this.bytes.length, "byte")} of ${size.toLocaleString("en")}`;
    return counted(size, "byte");
  }
  #byteText() {
    const node = this.model.nodeAt(this.space, this.cursor);
    const part = node < 0 ? this.model.partAt(this.space, this.cursor) : "";
    const byte = this.bytes[this.cursor];
    return `byte ${this.cursor} (0x${hexNumber(this.cursor)}) is ${hexNumber(byte, 2)}, ${byte}` + (part ? `: ${part}` : "");
  }

  // MARK: Rows

  #class(byte) {
    if (byte === this.cursor) return "cursor";
    if (byte >= this.start && byte < this.end) return "lit";
    return this.children.some(([start, end]) => byte >= start && byte < end) ? "near" : "";
  }
  #render(index) {
    const row = make("div.row.hexrow", { role: "option", "aria-selected": "false" });
    const start = index * 16, end = Math.min(start + 16, this.bytes.length);
    row.append(make("span.offset", {}, hexNumber(start, this.digits)));
    row.append(this.#cells("span.hexes", start, end, (byte) => hexNumber(byte, 2), " "));
    row.append(this.#cells("span.letters", start, end, (byte) => byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·", ""));
    return row;
  }
  /** Creates the cells of a row, grouped into runs with the same highlight. */
  #cells(name, start, end, text, separator) {
    const cells = make(name);
    for (let byte = start; byte < end;) {
      const light = this.#class(byte);
      const run = [];
      for (; byte < end && this.#class(byte) === light; byte++) run.push(text(this.bytes[byte]));
      cells.append(light ? make(`span.${light}`, {}, run.join(separator)) : run.join(separator));
      if (byte < end) cells.append(separator);
    }
    return cells;
  }

  // MARK: Selection

  #click(event) {
    const cells = event.target.closest(".hexes, .letters");
    if (!cells) return;
    const row = cells.closest(".row");
    const start = parseInt(row.querySelector(".offset").textContent, 16);
    const letters = cells.textContent.length;
    const box = cells.getBoundingClientRect();
    const letter = Math.floor((event.clientX - box.left) / (box.width / letters));
    const place = Math.floor(letter / (cells.classList.contains("hexes") ? 3 : 1));
    const byte = start + place;
    if (place >= 0 && byte < this.bytes.length) this.#go(byte);
  }
  #go(byte) {
    this.cursor = byte;
    this.choose(this.space, byte);
    this.showByte(byte);
  }
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const page = 16 * (this.list.visibleCount - 1);
    const move = {
      ArrowLeft: -1, ArrowRight: 1, ArrowUp: -16, ArrowDown: 16, PageUp: -page, PageDown: page,
      Home: -Infinity, End: Infinity,
    }[event.key];
    if (move === undefined || !this.bytes.length) return;
    event.preventDefault();
    this.#go(Math.min(Math.max(this.cursor + move, 0), this.bytes.length - 1));
  }
}
