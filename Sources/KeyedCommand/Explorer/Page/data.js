"use strict";
/*
The data of the page, and data derived from it.

The element `#data` holds one JSON object. All values of all property lists in the file are in one table of
columns: value n has entry n in each column.

  version      1
  command      the name and version of the program that wrote the page
  file         name, size in bytes, sha256
  limits       the name of the limits of the run
  redacted     whether texts, numbers, dates and bytes were replaced
  left         descriptions of omitted contents
  spaces       the blocks of bytes to which ranges refer: name, size, base64 (null: omitted).
               Space 0 is the file. Space 1 holds bytes that the file contains only in encoded form: data decoded
               from base64 or hexadecimal text, and text converted to UTF-8
  documents    the file's property list first, then those nested in its data (see below)
  classes      name, chain (from the class up; null: not given), hints (or null)
  texts        the texts of strings, numbers and dates, without duplicates
  children     the numbers of the values in all containers; -1 for an omitted value
  nodes        the columns:
    kinds      a string with a letter for each value, see `Kind`
    starts     the first byte of the value, in the space of its document
    lengths    the number of bytes of the value in that space
    values     string, integer, real or date: the index of its text in `texts`
               boolean: 0 or 1, or 2 if redacted
               UID: its number
               data: the offset of its content (-1: omitted), in the space of the document if its format stores
               data unencoded, otherwise in space 1; a value v below -1 means offset -2 - v in space 1
               container: the index of its first child in `children`
    counts     container: the number of elements or entries; string or data: its length in bytes

The children of a dictionary are its keys, then its values.

A document has:
  format       "binary", "XML", "OpenStep", "JSON", or an imported format: "typedstream", "NIBArchive", "bplist15",
               "bplist16", "bplist17"
  space, base, size   the location of its bytes; `starts` in `nodes` are relative to the space, not to `base`
  first, count the number of its first value, and the number of its values
  root         the root value
  holder       the data that contains the document; -1 for the file itself
  leniencies, problems   the leniencies used and the unreadable parts, as texts
  facts        pairs of texts for the report
  table        the offset table of a binary document: at, width, count, references (the width of each)
  archive      null, or for a keyed archive:
    archiver   the class that wrote it; empty for an imported format, which does not name it
    top        the dictionary of the roots
    objects    the array of the objects; a UID is an index into it
    entries    a letter for each object: 0 nil, v plain value, o object, c class, m malformed
    classes    for each object, and each class description, an index into `classes`; otherwise -1
    flaws      for each malformed object, by its number: the defect
    allow      names: the smallest list of allowed classes; code: that list, written in Swift
*/

const Kind = {
  null: "n", boolean: "b", integer: "i", real: "r", date: "t", data: "d", string: "s", uid: "u",
  array: "a", set: "e", dictionary: "o", unreadable: "x",
};
/** The formats of property lists; the others are imported. */
const listFormats = new Set(["binary", "XML", "OpenStep", "JSON"]);
/** The formats that store data unencoded. */
const inPlaceFormats = new Set(["binary", "typedstream", "NIBArchive", "bplist15", "bplist16", "bplist17"]);
const kindNames = Object.fromEntries(Object.entries(Kind).map(([name, letter]) => [letter, name]));

/**
 * The values of the file. A value is identified by its number; -1 is an omitted value. A slot is the position of an
 * element or entry in its container.
 */
class Model {
  constructor(json) {
    this.json = json;
    this.file = json.file;
    this.documents = json.documents;
    this.classes = json.classes;
    this.texts = json.texts;
    this.kinds = json.nodes.kinds;
    this.count = this.kinds.length;
    this.starts = Uint32Array.from(json.nodes.starts);
    this.lengths = Uint32Array.from(json.nodes.lengths);
    this.values = Float64Array.from(json.nodes.values);
    this.counts = Uint32Array.from(json.nodes.counts);
    this.children = Int32Array.from(json.children);
    this.#bytes = json.spaces.map(() => null);
    this.#nested = new Map();
    this.documents.forEach((document, number) => {
      if (document.holder >= 0) this.#nested.set(document.holder, number);
    });
    this.#numberObjects();
  }

  #bytes;
  #nested;

  // MARK: Values

  kind(node) { return this.kinds[node]; }
  isContainer(node) { return "aeo".includes(this.kinds[node]); }
  end(node) { return this.starts[node] + this.lengths[node]; }

  /** Returns the index of a value's document. Logarithmic. */
  documentNumber(node) {
    let low = 0, high = this.documents.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.documents[middle].first <= node) low = middle; else high = middle;
    }
    return low;
  }
  document(node) { return this.documents[this.documentNumber(node)]; }
  /** Returns the document nested in data, or undefined. */
  nested(node) { return this.documents[this.#nested.get(node)]; }

  /** Returns the text of a string, integer, real or date. */
  text(node) { return this.texts[this.values[node]]; }
  isText(node, text) { return this.kinds[node] === Kind.string && this.text(node) === text; }

  childCount(node) { return this.isContainer(node) ? this.counts[node] : 0; }
  keyAt(node, slot) { return this.children[this.values[node] + slot]; }
  childAt(node, slot) {
    const shift = this.kinds[node] === Kind.dictionary ? this.counts[node] : 0;
    return this.children[this.values[node] + shift + slot];
  }
  /** Returns the slot of a key in a dictionary, or -1. Linear. */
  slot(node, key) {
    if (node < 0 || this.kinds[node] !== Kind.dictionary) return -1;
    for (let slot = 0; slot < this.counts[node]; slot++) {
      const found = this.keyAt(node, slot);
      if (found >= 0 && this.isText(found, key)) return slot;
    }
    return -1;
  }
  /** Returns the value of a key, or -1. Follows a reference. */
  field(node, key) {
    const slot = this.slot(node, key);
    return slot < 0 ? -1 : this.target(this.childAt(node, slot));
  }

  /** Returns the bytes of a space, or null if they were omitted. */
  bytes(space) {
    const source = this.json.spaces[space];
    if (!source || source.base64 === null) return null;
    this.#bytes[space] ??= bytesFromBase64(source.base64);
    return this.#bytes[space];
  }
  /** Returns the content of data as its space, start offset and bytes, or null if the content was omitted. */
  content(node) {
    const value = this.values[node];
    if (value === -1) return null;
    const document = this.document(node);
    const space = value >= 0 && inPlaceFormats.has(document.format) ? document.space : 1;
    const bytes = this.bytes(space);
    if (!bytes) return null;
    const start = value < 0 ? -value - 2 : value;
    return { space, start, bytes: bytes.subarray(start, start + this.counts[node]) };
  }

  // MARK: Archives

  #numberObjects() {
    /** For each value that is an object of an archive: its number plus one; otherwise 0. */
    this.objectNumbers = new Uint32Array(this.count);
    for (const { archive } of this.documents) {
      if (!archive || archive.objects < 0) continue;
      for (let slot = 0; slot < archive.entries.length; slot++) {
        const node = this.childAt(archive.objects, slot);
        // A value may be in the object table more than once.
        if (node >= 0 && !this.objectNumbers[node]) this.objectNumbers[node] = slot + 1;
      }
    }
  }
  /** Returns the number of an object in its archive, or -1. */
  objectNumber(node) { return this.objectNumbers[node] - 1; }
  /** Returns the letter of an object in `entries`, or undefined for other values. */
  entry(node) {
    const number = this.objectNumber(node);
    return number < 0 ? undefined : this.document(node).archive.entries[number];
  }
  /** Returns the class of an object, or undefined. */
  classOf(node) {
    const number = this.objectNumber(node);
    if (number < 0) return undefined;
    const archive = this.document(node).archive;
    return archive.entries[number] === "o" ? this.classes[archive.classes[number]] : undefined;
  }
  className(node) { return this.classOf(node)?.name ?? ""; }
  isKind(node, ...names) {
    const found = this.classOf(node);
    return !!found && names.some((name) => found.name === name || found.chain?.includes(name));
  }
  /** Returns the target of a reference, -1 for a dangling reference, or any other value itself. */
  target(node) {
    if (node < 0 || this.kinds[node] !== Kind.uid) return node;
    const archive = this.document(node).archive;
    if (!archive) return node;
    const number = this.values[node];
    return number < archive.entries.length ? this.childAt(archive.objects, number) : -1;
  }
  /** The value that a view shows first: the first root of the file's archive, or the root of the property list. */
  get start() {
    const { archive, root } = this.documents[0];
    const first = archive && archive.top >= 0 && this.counts[archive.top] ? this.target(this.childAt(archive.top, 0)) : -1;
    return first >= 0 ? first : root;
  }
  isNil(node) { return node < 0 || this.kinds[node] === Kind.null || this.entry(node) === "0"; }
  /** Returns the text of a string or of a string object, such as an NSMutableString, or undefined. */
  plainText(node) {
    if (node < 0) return undefined;
    if (this.kinds[node] === Kind.string) return this.text(node);
    const inner = this.field(node, "NS.string");
    return inner >= 0 && this.kinds[inner] === Kind.string ? this.text(inner) : undefined;
  }
  /** Returns "keyed archive", "archive" for an imported format, or "property list". */
  kindName({ archive, format }) {
    if (!archive) return "property list";
    return listFormats.has(format) ? "keyed archive" : "archive";
  }
  /** Returns the value that holds the bytes: data itself, or the data in a data object; -1 for other values. */
  plainData(node) {
    if (node < 0 || this.kinds[node] === Kind.data) return node;
    for (const key of ["NS.data", "NS.bytes"]) {
      const inner = this.field(node, key);
      if (inner >= 0 && this.kinds[inner] === Kind.data) return inner;
    }
    return -1;
  }
  /** Returns a value as a JavaScript number, or undefined for other kinds. */
  number(node) {
    if (node < 0) return undefined;
    if (this.kinds[node] === Kind.boolean) return this.values[node] < 2 ? this.values[node] : undefined;
    if (this.kinds[node] !== Kind.integer && this.kinds[node] !== Kind.real) return undefined;
    const number = Number(this.text(node));
    return Number.isNaN(number) ? undefined : number;
  }

  // MARK: The graph

  /**
   * The containers that refer to each value, with references followed. For value n, the containers are in `holders` and
   * the slots in `slots`, at the indices from `first[n]` up to but not including `first[n + 1]`. If the value is a key,
   * its slot is stored as `~slot`, which is negative. The object table of an archive and the class references of
   * objects are excluded. Linear.
   */
  get referrers() { return this.#referrers ??= this.#countReferrers(); }
  #referrers;

  /** Calls `visit` with the target and the slot of each child of a container. The slot of a key is `~slot`. */
  forEachChild(node, visit) {
    const { archive } = this.document(node);
    if (archive && node === archive.objects) return;
    const isDictionary = this.kinds[node] === Kind.dictionary;
    const skipped = archive && this.entry(node) === "o" ? this.slot(node, "$class") : -1;
    for (let slot = 0; slot < this.counts[node]; slot++) {
      if (isDictionary) visit(this.keyAt(node, slot), ~slot);
      if (slot === skipped) continue;
      visit(this.target(this.childAt(node, slot)), slot);
    }
  }
  #countReferrers() {
    const first = new Uint32Array(this.count + 1);
    this.#forEachEdge((target) => { first[target + 1]++; });
    for (let node = 0; node < this.count; node++) first[node + 1] += first[node];
    const holders = new Int32Array(first[this.count]), slots = new Int32Array(holders.length);
    const next = first.slice();
    this.#forEachEdge((target, holder, slot) => {
      holders[next[target]] = holder;
      slots[next[target]++] = slot;
    });
    return { first, holders, slots };
  }
  #forEachEdge(visit) {
    for (let node = 0; node < this.count; node++) {
      if (!this.isContainer(node)) continue;
      this.forEachChild(node, (target, slot) => { if (target >= 0) visit(target, node, slot); });
    }
  }

  /**
   * The shortest path to each value from the root of the file. `holders` has the previous container, or the data that
   * contains the value's document, or -1 for the root. `slots` has the slot in that container, as `~slot` for a key.
   * `isMet` is 1 for each reachable value. `order` has the reachable values, nearest first. Linear.
   */
  get ways() { return this.#ways ??= this.#findWays(); }
  #ways;
  #findWays() {
    const holders = new Int32Array(this.count).fill(-1);
    const slots = new Int32Array(this.count).fill(-1);
    const isMet = new Uint8Array(this.count);
    const order = [];
    const meet = (node, holder, slot) => {
      if (node < 0 || isMet[node]) return;
      isMet[node] = 1;
      holders[node] = holder;
      slots[node] = slot;
      order.push(node);
    };
    meet(this.documents[0].root, -1, -1);
    for (let next = 0; next < order.length; next++) {
      const node = order[next];
      const inner = this.kinds[node] === Kind.data ? this.nested(node) : undefined;
      if (inner) meet(inner.root, node, 0);
      if (this.isContainer(node)) this.forEachChild(node, (child, slot) => meet(child, node, slot));
    }
    return { holders, slots, isMet, order };
  }

  /**
   * The unreachable objects of archives and the unreachable values of other binary documents. In the latter, UIDs and
   * booleans are excluded, because Apple's writer leaves unused copies of them behind. Nulls and unreadable values are
   * excluded too.
   */
  get unreached() {
    if (this.#unreached) return this.#unreached;
    this.#unreached = [];
    const { isMet } = this.ways;
    for (const { archive, first, count, format } of this.documents) {
      for (let node = first; !archive && format === "binary" && node < first + count; node++) {
        if (!isMet[node] && !"ubnx".includes(this.kinds[node])) this.#unreached.push(node);
      }
      for (let slot = 0; archive && slot < archive.entries.length; slot++) {
        const node = this.childAt(archive.objects, slot);
        if (node >= 0 && !isMet[node] && "ovm".includes(archive.entries[slot])) this.#unreached.push(node);
      }
    }
    return this.#unreached;
  }
  #unreached;

  /**
   * The size of each value in bytes, including the values first reached through it. Each byte counts for the innermost
   * reachable value around it. In text, an archived object therefore counts for the value that refers to it, not for
   * the object table. Linear.
   */
  get sizes() { return this.#sizes ??= this.#findSizes(); }
  #findSizes() {
    const { holders, isMet, order } = this.ways;
    const sizes = Float64Array.from(this.lengths);
    for (let space = 0; space < this.json.spaces.length; space++) {
      const { nodes, outer } = this.#nodesInOrder(space);
      /** The place of the innermost reachable value around each place, or -1. */
      const around = Int32Array.from(outer);
      for (let place = 0; place < nodes.length; place++) {
        if (around[place] >= 0 && !isMet[nodes[around[place]]]) around[place] = around[around[place]];
        if (around[place] < 0 || !isMet[nodes[place]]) continue;
        const [node, holder] = [nodes[place], nodes[around[place]]];
        sizes[holder] -= Math.min(this.end(node), this.end(holder)) - this.starts[node];
      }
    }
    for (let index = order.length - 1; index >= 0; index--) {
      const node = order[index], holder = holders[node];
      // Ranges overlap in damaged files.
      sizes[node] = Math.max(sizes[node], 0);
      // The size of data includes a nested document that it holds in encoded form.
      if (holder >= 0 && this.document(node).space === this.document(holder).space) sizes[holder] += sizes[node];
    }
    return sizes;
  }
  #sizes;

  // MARK: Bytes

  /** Returns the innermost value whose range contains a byte, or -1. Logarithmic, plus linear in the depth. */
  nodeAt(space, byte) {
    const { nodes, outer } = this.#nodesInOrder(space);
    let low = 0, high = nodes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.starts[nodes[middle]] <= byte) low = middle + 1; else high = middle;
    }
    let place = low - 1;
    while (place >= 0 && byte >= this.end(nodes[place])) place = outer[place];
    return place < 0 ? -1 : nodes[place];
  }
  #inOrder = [];
  /**
   * Returns the values in a space, sorted by their starts. `outer` has the place of the innermost earlier value whose
   * range contains the start, or -1.
   */
  #nodesInOrder(space) {
    if (this.#inOrder[space]) return this.#inOrder[space];
    const found = [];
    for (const document of this.documents) {
      if (document.space !== space) continue;
      for (let node = document.first; node < document.first + document.count; node++) {
        if (this.lengths[node] > 0) found.push(node);
      }
    }
    // If two values start at one offset, the inner one is last.
    found.sort((a, b) => this.starts[a] - this.starts[b] || this.lengths[b] - this.lengths[a]);
    const nodes = Int32Array.from(found), outer = new Int32Array(nodes.length).fill(-1);
    for (let place = 1; place < nodes.length; place++) {
      let before = place - 1;
      while (before >= 0 && this.end(nodes[before]) <= this.starts[nodes[place]]) before = outer[before];
      outer[place] = before;
    }
    return this.#inOrder[space] = { nodes, outer };
  }
  /** Describes the purpose of a byte that is not part of a value. */
  partAt(space, byte) {
    const holds = (document) => document.space === space && byte >= document.base
      && byte < document.base + document.size;
    const document = this.documents.findLast(holds);
    if (!document) return "outside the property list";
    const { table } = document;
    if (!table) return inPlaceFormats.has(document.format) ? "unused" : "markup";
    const place = byte - document.base;
    if (place < 8) return "header";
    if (place >= document.size - 32) return "trailer";
    if (place < table.at || place >= table.at + table.count * table.width) return "unused";
    return `offset table, object ${Math.floor((place - table.at) / table.width)}`;
  }

  // MARK: Paths

  /** Returns the path of a value for `keyed get`. `occurrence` has the container and slot where it was selected. */
  path(node, occurrence = null) {
    const steps = [];
    const { holders, slots } = this.ways;
    let holder = occurrence ? occurrence.holder : holders[node], slot = occurrence ? occurrence.slot : slots[node];
    for (let turn = 0; turn < 4096; turn++) {
      const number = this.objectNumber(node);
      if (number > 0 && (this.entry(node) !== "c" || holder < 0)) {
        steps.push(`@${number}`);
        const outer = this.document(node).holder;
        if (outer < 0) break;
        steps.push("!");
        [node, holder, slot] = [outer, holders[outer], slots[outer]];
        continue;
      }
      if (holder < 0) {
        const { archive } = this.document(node);
        if (archive && node === archive.objects) steps.push("$objects");
        break;
      }
      if (this.kinds[holder] === Kind.data) steps.push("!");
      else if (slot < 0) steps.push(`(key ${~slot})`);
      else if (this.kinds[holder] === Kind.dictionary) steps.push(this.stepText(this.keyAt(holder, slot)));
      else steps.push(`[${slot}]`);
      [node, holder, slot] = [holder, holders[holder], slots[holder]];
    }
    return steps.reverse().reduce((path, step) => {
      const isJoined = path === "" || path.endsWith("!") || "[!".includes(step[0]);
      return path + (isJoined ? "" : ".") + step;
    }, "");
  }
  /** Returns a key as a step of a path, quoted if it would otherwise be parsed differently. */
  stepText(key) {
    const name = key >= 0 && this.kinds[key] === Kind.string ? this.text(key) : "";
    const isPlain = name !== "" && !/^[0-9]+$|^-$|^[@/: ]| $|["\\.[\]!]/.test(name) && visible(name) === name;
    return isPlain ? name : `"${escapedForPath(name)}"`;
  }
}

function bytesFromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}
