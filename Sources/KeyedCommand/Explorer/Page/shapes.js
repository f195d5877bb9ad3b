/*
Values as the tree shows them: a short text for each value, and its children. As in `keyed show`, the form of an
object depends on its fields and not on its class name, because subclasses are archived under names of their own.
*/

const previewLength = 120;

/** The children of a value: their `count`, and `at(position)`, which returns { node, holder, slot, label, tone }. */
class Shape {
  constructor(count, at) {
    this.count = count;
    this.at = at;
  }
  static none = new Shape(0, () => null);
}

class Shapes {
  constructor(model) { this.model = model; }

  /** Returns the roots of a document. */
  ofDocument(document) {
    const { archive } = document;
    if (archive && archive.top >= 0) {
      const top = this.#ofContainer(archive.top);
      if (top.count > 0) return top;
    }
    const root = { node: document.root, holder: document.holder, slot: 0, label: "", tone: "root" };
    return new Shape(1, () => root);
  }

  /** Returns the children of a value. */
  of(node) {
    const { model } = this;
    if (node < 0) return Shape.none;
    if (model.entry(node) === "o") return this.#ofObject(node);
    if (model.isContainer(node)) return this.#ofContainer(node);
    const data = model.kind(node) === Kind.data ? model.nested(node) : undefined;
    return data ? this.ofDocument(data) : Shape.none;
  }

  #child(holder, slot, label, tone) {
    return { node: this.model.target(this.model.childAt(holder, slot)), holder, slot, label, tone };
  }
  #entry(holder, slot) {
    const key = this.model.keyAt(holder, slot);
    const isString = key >= 0 && this.model.kind(key) === Kind.string;
    return this.#child(holder, slot, isString ? this.model.text(key) : `(${this.summary(key).text})`, "key");
  }
  #ofContainer(node) {
    const isDictionary = this.model.kind(node) === Kind.dictionary;
    return new Shape(this.model.counts[node], (slot) =>
      isDictionary ? this.#entry(node, slot) : this.#child(node, slot, `${slot}`, "index"));
  }

  /** Returns a collection's elements, then its other fields. For any other object, returns its fields. */
  #ofObject(node) {
    const { model } = this;
    const objects = this.#array(node, "NS.objects"), keys = this.#array(node, "NS.keys");
    const isPaired = objects >= 0 && keys >= 0 && model.counts[objects] === model.counts[keys];
    const skipped = new Set([model.slot(node, "$class")]);
    if (objects >= 0) skipped.add(model.slot(node, "NS.objects"));
    if (isPaired) skipped.add(model.slot(node, "NS.keys"));
    const fields = [];
    for (let slot = 0; slot < model.counts[node]; slot++) if (!skipped.has(slot)) fields.push(slot);
    const elements = objects < 0 ? 0 : model.counts[objects];
    return new Shape(elements + fields.length, (position) => {
      if (position >= elements) return this.#entry(node, fields[position - elements]);
      if (!isPaired) return this.#child(objects, position, `${position}`, "index");
      const key = model.target(model.childAt(keys, position));
      return this.#child(objects, position, this.keyText(key), "key");
    });
  }
  #array(node, key) {
    const found = this.model.field(node, key);
    return found >= 0 && this.model.kind(found) === Kind.array ? found : -1;
  }
  /** Returns the text of a key of an archived dictionary, or a summary of a key that is not a string. */
  keyText(node) { return this.model.plainText(node) ?? this.summary(node).text; }

  /**
   * Summarizes a value in one line. `type` names its type if the text alone is not clear, `text` is its content, and
   * `tone` is one of object, text, number, date, data, nil, problem.
   */
  summary(node) {
    const { model } = this;
    if (node < 0) return { type: "", text: "left out", tone: "problem" };
    const document = model.document(node);
    switch (model.entry(node)) {
    case "0": return { type: "", text: "nil", tone: "nil" };
    case "c": return { type: "class", text: this.#className(node), tone: "object" };
    case "m": return { type: "", text: document.archive.flaws[model.objectNumber(node)] ?? "malformed", tone: "problem" };
    case "o": return { type: model.className(node), ...this.#content(node) };
    default: return this.#plain(node);
    }
  }

  #className(node) {
    const number = this.model.document(node).archive.classes[this.model.objectNumber(node)];
    return number >= 0 ? this.model.classes[number].name : "unreadable";
  }

  #plain(node) {
    const { model } = this;
    const text = () => visible(shortened(model.text(node), previewLength));
    switch (model.kind(node)) {
    case Kind.null: return { type: "", text: "null", tone: "nil" };
    case Kind.boolean: return { type: "", text: ["false", "true", "‹boolean›"][model.values[node]], tone: "number" };
    case Kind.integer: case Kind.real: return { type: "", text: text(), tone: "number" };
    case Kind.date: return { type: "", text: text(), tone: "date" };
    case Kind.string: return { type: "", text: `“${text()}”`, tone: "text" };
    case Kind.uid: return { type: "UID", text: `${model.values[node]}`, tone: "object" };
    case Kind.data: return { type: "", text: this.#dataText(node), tone: "data" };
    case Kind.unreadable: return { type: "", text: "unreadable", tone: "problem" };
    case Kind.dictionary: {
      const fields = this.#firstFields(node);
      const count = counted(model.counts[node], "entry", "entries");
      return { type: "dictionary", text: fields ? `${count}: ${fields}` : count, tone: "object" };
    }
    default: return { type: kindNames[model.kind(node)], text: counted(model.counts[node], "element"), tone: "object" };
    }
  }

  #dataText(node) {
    const { model } = this;
    const inner = model.nested(node);
    const size = counted(model.counts[node], "byte");
    if (inner) return `${size}, ${inner.format} ${model.kindName(inner)}`;
    const content = model.content(node);
    if (!content) return size;
    const kind = contentKind(content.bytes);
    if (kind) return `${size}, ${kind.name}`;
    const text = asciiText(content.bytes);
    if (text !== undefined) return `${size}: “${text}”`;
    return `${size}: ${hexText(content.bytes.subarray(0, 12))}${content.bytes.length > 12 ? "…" : ""}`;
  }

  /** Returns the content of an object: a text, date, data, number of elements, or its first plain fields. */
  #content(node) {
    const { model } = this;
    const field = (key) => model.field(node, key);
    const text = field("NS.string");
    if (text >= 0 && model.kind(text) === Kind.string) return this.#plain(text);
    const time = field("NS.time");
    if (time >= 0 && model.number(time) !== undefined) {
      return { text: dateText(model.number(time)), tone: "date" };
    }
    const data = model.plainData(node);
    if (data >= 0) return { text: this.#dataText(data), tone: "data" };
    const uuid = field("NS.uuidbytes");
    if (uuid >= 0 && model.kind(uuid) === Kind.data) return { text: this.#uuidText(uuid), tone: "text" };
    const address = model.plainText(field("NS.relative"));
    if (address !== undefined) return { text: `“${visible(shortened(address, previewLength))}”`, tone: "text" };
    const objects = this.#array(node, "NS.objects");
    if (objects >= 0) {
      const keys = this.#array(node, "NS.keys");
      const isPaired = keys >= 0 && model.counts[keys] === model.counts[objects];
      const [one, many] = isPaired ? ["entry", "entries"] : ["element", "elements"];
      return { text: counted(model.counts[objects], one, many), tone: "object" };
    }
    return { text: this.#firstFields(node), tone: "object" };
  }

  #uuidText(node) {
    const content = this.model.content(node);
    if (!content || content.bytes.length !== 16) return this.#dataText(node);
    return hexText(content.bytes).replaceAll(" ", "").toUpperCase()
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }

  /** Returns the first fields with plain values, texts before others. */
  #firstFields(node) {
    const { model } = this;
    const texts = [], others = [];
    for (let slot = 0; slot < Math.min(model.counts[node], 32) && texts.length < 3; slot++) {
      const key = model.keyAt(node, slot);
      if (key < 0 || model.kind(key) !== Kind.string || model.text(key) === "$class") continue;
      const value = model.target(model.childAt(node, slot));
      if (model.isNil(value) || model.isContainer(value) || "dx".includes(model.kind(value))) continue;
      const { text, tone } = this.#plain(value);
      (tone === "text" ? texts : others).push(`${visible(shortened(model.text(key), 24))}: ${shortened(text, 32)}`);
    }
    return [...texts, ...others].slice(0, 3).join(", ");
  }
}

const secondsTo2001 = 978307200;

/** Formats seconds since the beginning of 2001 as a date in UTC. */
function dateText(seconds) {
  const date = new Date((seconds + secondsTo2001) * 1000);
  return Number.isNaN(date.getTime()) ? `${seconds} s` : date.toISOString().replace(".000Z", "Z");
}

/**
 * Returns the beginning of data as text, or undefined if it is not at least four bytes of printable ASCII. A NUL at the
 * end of the data is ignored.
 */
function asciiText(bytes) {
  const end = bytes[bytes.length - 1] === 0 ? bytes.length - 1 : bytes.length;
  const start = bytes.subarray(0, Math.min(end, previewLength));
  if (start.length < 4 || start.some((byte) => byte < 0x20 || byte > 0x7e)) return undefined;
  return `${String.fromCharCode(...start)}${end > start.length ? "…" : ""}`;
}
const hexText = (bytes) => Array.from(bytes, (byte) => hexNumber(byte, 2)).join(" ");

const magics = [
  { name: "PNG image", type: "image/png", start: [0x89, 0x50, 0x4e, 0x47] },
  { name: "JPEG image", type: "image/jpeg", start: [0xff, 0xd8, 0xff] },
  { name: "GIF image", type: "image/gif", start: [0x47, 0x49, 0x46, 0x38] },
  { name: "WebP image", type: "image/webp", start: [0x52, 0x49, 0x46, 0x46], and: [8, [0x57, 0x45, 0x42, 0x50]] },
  { name: "TIFF image", start: [0x49, 0x49, 0x2a, 0] }, { name: "TIFF image", start: [0x4d, 0x4d, 0, 0x2a] },
  { name: "PDF", start: [0x25, 0x50, 0x44, 0x46] }, { name: "ZIP", start: [0x50, 0x4b, 3, 4] },
  { name: "gzip", start: [0x1f, 0x8b] }, { name: "RTF", start: [0x7b, 0x5c, 0x72, 0x74, 0x66] },
  { name: "SQLite database", start: [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65] },
  { name: "typedstream", start: [3, 0x0b, 0x73, 0x74, 0x72, 0x65, 0x61, 0x6d] },
  { name: "typedstream", start: [4, 0x0b, 0x73, 0x74, 0x72, 0x65, 0x61, 0x6d] },
  { name: "typedstream", start: [3, 0x0b, 0x74, 0x79, 0x70, 0x65, 0x64, 0x73] },
  { name: "typedstream", start: [4, 0x0b, 0x74, 0x79, 0x70, 0x65, 0x64, 0x73] },
  { name: "NIBArchive", start: [0x4e, 0x49, 0x42, 0x41] }, { name: "bookmark", start: [0x62, 0x6f, 0x6f, 0x6b] },
];
const startsWith = (bytes, start, at = 0) => start.every((byte, index) => bytes[at + index] === byte);

/** Recognizes bytes by their signature. Returns a name, and a MIME type for images that browsers can show. */
function contentKind(bytes) {
  return magics.find(({ start, and }) => startsWith(bytes, start) && (!and || startsWith(bytes, and[1], and[0])));
}
