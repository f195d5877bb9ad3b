/*
Values with a visual form: images, colors, attributed text, points and rectangles.
*/

const mostImageBytes = 8 << 20;

class Looks {
  /** Creates the view. It calls `go(node)` to select a value. */
  constructor(model, shapes, go) { Object.assign(this, { model, shapes, go }); }

  /** Returns the picture of a value, or null. */
  forValue(node) {
    const parts = [this.#image(node), this.#color(node), this.#attributed(node), this.#rectangles([node], false)].filter(Boolean);
    return parts.length ? make("section.look", {}, parts) : null;
  }

  /** Shows all values of the file that have a visual form. */
  show(element) {
    const { model } = this;
    const found = { images: [], colors: [], texts: [], boxes: [] };
    for (let node = 0; node < model.count; node++) {
      if (model.kind(node) === Kind.data) {
        if (this.#imageType(node)) found.images.push(node);
      } else if (model.entry(node) === "o") {
        if (this.color(node)) found.colors.push(node);
        if (this.#isAttributed(node)) found.texts.push(node);
      }
      if (this.#box(node)) found.boxes.push(node);
    }
    const section = (title, nodes, most, body) => nodes.length
      ? make("section", {}, make("h3", {}, `${title} (${nodes.length.toLocaleString("en")})`), body(nodes.slice(0, most)),
        nodes.length > most ? make("p.note", {}, `and ${counted(nodes.length - most, "more", "more")}`) : "") : "";
    const each = (draw) => (nodes) => make("div.gallery", {}, nodes.map((node) => make("figure", {}, draw(node),
      make("figcaption", {}, make("button.link", { type: "button", on: { click: () => this.go(node) } }, make("bdi", {}, this.#caption(node)))))));
    const isEmpty = Object.values(found).every((nodes) => !nodes.length);
    refill(element, make("h2", {}, "Visuals"),
      isEmpty ? make("p.note", {}, "No images, colors, attributed texts or rectangles were recognized in the file.") : "",
      section("Images", found.images, 200, each((node) => this.#image(node))),
      section("Colors", found.colors, 500, each((node) => this.#swatch(this.color(node)))),
      section("Attributed texts", found.texts, 100, each((node) => this.#attributed(node))),
      section("Points and rectangles", found.boxes, 2000, (nodes) => this.#rectangles(nodes, true)));
  }
  #caption(node) {
    const number = this.model.objectNumber(node);
    return visible(shortened(number > 0 ? `@${number} ${this.model.className(node)}` : this.model.path(node) || "root", 40));
  }

  // MARK: Images

  #imageType(node) {
    const content = this.model.content(node);
    return content && content.bytes.length <= mostImageBytes ? contentKind(content.bytes)?.type : undefined;
  }
  /** Returns an image with a data URL, which the content security policy permits only for images. */
  #image(node) {
    const data = this.model.plainData(node);
    const type = data >= 0 ? this.#imageType(data) : undefined;
    if (!type) return null;
    const image = make("img.thumbnail", { alt: `${contentKind(this.model.content(data).bytes).name}, ${counted(this.model.counts[data], "byte")}`, loading: "lazy" });
    const fail = () => image.replaceWith(make("p.note", {}, "The image cannot be shown."));
    image.addEventListener("error", fail);
    image.src = `data:${type};base64,${base64(this.model.content(data).bytes)}`;
    return image;
  }

  // MARK: Colors

  /** Returns the numbers in a field: a number, or ASCII numbers in data or a string. */
  #numbers(node, key) {
    const field = this.model.field(node, key);
    if (field < 0) return [];
    const number = this.model.number(field);
    if (number !== undefined) return [number];
    const data = this.model.plainData(field);
    const content = data >= 0 && this.model.kind(data) === Kind.data ? this.model.content(data) : null;
    const text = content ? String.fromCharCode(...content.bytes.subarray(0, 200)) : this.model.plainText(field) ?? "";
    return text.replaceAll("\u0000", "").trim().split(/\s+/).filter(Boolean).map(Number).filter((number) => Number.isFinite(number));
  }
  /**
   * Returns the color of an object as red, green, blue and alpha from 0 to 1, with its name if it has one. Returns null
   * for other values.
   */
  color(node) {
    const { model } = this;
    if (model.entry(node) !== "o") return null;
    const first = (...keys) => keys.map((key) => this.#numbers(node, key)).find((numbers) => numbers.length) ?? [];
    const name = model.plainText(model.field(node, "NSColorName")) ?? model.plainText(model.field(node, "UISystemColorName"));
    const has = (key) => model.slot(node, key) >= 0;
    if (has("UIRed") || has("UIRed-Double")) {
      const part = (key) => first(`${key}-Double`, key)[0] ?? 0;
      return this.#clamped(part("UIRed"), part("UIGreen"), part("UIBlue"), first("UIAlpha-Double", "UIAlpha")[0] ?? 1, name);
    }
    if (has("UIWhite")) {
      const [white] = first("UIWhite-Double", "UIWhite");
      return this.#clamped(white ?? 0, white ?? 0, white ?? 0, first("UIAlpha-Double", "UIAlpha")[0] ?? 1, name);
    }
    const rgb = has("NSRGB") ? first("NSRGB") : [];
    if (rgb.length >= 3) return this.#clamped(rgb[0], rgb[1], rgb[2], rgb[3] ?? 1, name);
    const white = has("NSWhite") ? first("NSWhite") : [];
    if (white.length) return this.#clamped(white[0], white[0], white[0], white[1] ?? 1, name);
    const inks = has("NSCMYK") ? first("NSCMYK") : [];
    if (inks.length >= 4) {
      const [cyan, magenta, yellow, black, alpha = 1] = inks;
      return this.#clamped((1 - cyan) * (1 - black), (1 - magenta) * (1 - black), (1 - yellow) * (1 - black), alpha, name);
    }
    if (!has("NSColorName")) return null;
    const inner = model.field(node, "NSColor");
    const fallback = inner >= 0 && inner !== node && model.slot(inner, "NSColorName") < 0 ? this.color(inner) : null;
    return fallback ? { ...fallback, name } : null;
  }
  #clamped(red, green, blue, alpha, name) {
    const part = (number) => Math.min(Math.max(number, 0), 1);
    return { red: part(red), green: part(green), blue: part(blue), alpha: part(alpha), name };
  }
  /** Returns a color in CSS syntax. */
  css({ red, green, blue, alpha }) {
    return `rgb(${[red, green, blue].map((part) => Math.round(part * 255)).join(" ")} / ${alpha})`;
  }
  #swatch(color) {
    const hex = `#${[color.red, color.green, color.blue].map((part) => hexNumber(Math.round(part * 255), 2)).join("")}`;
    const text = [hex, color.alpha < 1 ? `${Math.round(color.alpha * 100)} %` : "", color.name ? visible(shortened(color.name, 60)) : ""].filter(Boolean).join(", ");
    return make("div.color", {}, make("span.swatch", { "aria-hidden": "true" }, make("span", { style: { background: this.css(color) } })), make("bdi", {}, text));
  }
  #color(node) {
    const color = this.color(node);
    return color ? this.#swatch(color) : null;
  }

  // MARK: Attributed text

  #isAttributed(node) {
    return this.model.plainText(this.model.field(node, "NSString")) !== undefined && this.model.slot(node, "NSAttributes") >= 0;
  }
  /** Returns the runs of an attributed string: texts and the dictionaries of their attributes. */
  #runs(node) {
    const { model } = this;
    const text = shortened(model.plainText(model.field(node, "NSString")), 20_000);
    const attributes = model.field(node, "NSAttributes"), info = model.field(node, "NSAttributeInfo");
    const data = info >= 0 ? model.plainData(info) : -1;
    const content = data >= 0 ? model.content(data) : null;
    if (!content) return [{ text, attributes }];
    const list = model.field(attributes, "NS.objects");
    const runs = [];
    let place = 0, index = 0;
    const number = () => {
      let result = 0, shift = 1;
      while (index < content.bytes.length) {
        const byte = content.bytes[index++];
        result += (byte & 127) * shift;
        shift *= 128;
        if (byte < 128 || shift > 2 ** 49) break;
      }
      return result;
    };
    while (index < content.bytes.length && place < text.length && runs.length < 2000) {
      const length = number(), attribute = number();
      const found = list >= 0 && attribute < model.childCount(list) ? model.target(model.childAt(list, attribute)) : -1;
      runs.push({ text: text.slice(place, place + length), attributes: found });
      place += length;
    }
    if (place < text.length) runs.push({ text: text.slice(place), attributes: -1 });
    return runs;
  }
  #attributed(node) {
    if (!this.#isAttributed(node)) return null;
    return make("p.attributed", {}, this.#runs(node).map(({ text, attributes }, index) => {
      const title = this.#attributeNames(attributes);
      return make(`span.run.run${index % 2}`, { title, style: this.#style(attributes) }, make("bdi", {}, visibleLines(text)));
    }));
  }
  #entries(attributes) {
    const { count, at } = attributes >= 0 ? this.shapes.of(attributes) : { count: 0 };
    return Array.from({ length: Math.min(count, 50) }, (_, position) => at(position));
  }
  #attributeNames(attributes) {
    const names = this.#entries(attributes).map(({ label, node }) => {
      const { type, text } = this.shapes.summary(node);
      return `${visible(shortened(label, 60))}: ${visible(shortened(`${type} ${text}`, 100))}`;
    });
    return names.length ? names.join("\n") : "no attributes";
  }
  /** Returns the style of a run. Names from the file are only compared with known names and never enter the style. */
  #style(attributes) {
    const style = {};
    for (const { label, node } of this.#entries(attributes)) {
      if (label === "NSColor" || label === "NSBackgroundColor") {
        const color = this.color(node);
        if (color) style[label === "NSColor" ? "--ink" : "background"] = this.css(color);
      }
      if (label === "NSFont") {
        const name = this.model.plainText(this.model.field(node, "NSName")) ?? "";
        if (/bold|heavy|black|semibold/i.test(name)) style["font-weight"] = "bold";
        if (/italic|oblique/i.test(name)) style["font-style"] = "italic";
      }
      if (label === "NSUnderline" && this.model.number(node)) style["text-decoration"] = "underline";
    }
    return style;
  }

  // MARK: Points and rectangles

  /** Parses a rectangle `{{x, y}, {w, h}}` or a point `{x, y}`; returns null for other text. */
  #box(node) {
    const text = this.model.kind(node) === Kind.string ? this.model.text(node) : undefined;
    if (text === undefined || text.length > 200 || text[0] !== "{") return null;
    const number = "\\s*(-?[0-9.]+(?:e[-+]?[0-9]+)?)\\s*";
    const pair = `\\{${number},${number}\\}`;
    const rectangle = new RegExp(`^\\{\\s*${pair}\\s*,\\s*${pair}\\s*\\}$`, "i").exec(text);
    const point = new RegExp(`^${pair}$`, "i").exec(text);
    const numbers = (rectangle ?? point)?.slice(1).map(Number);
    if (!numbers?.every((number) => Number.isFinite(number) && Math.abs(number) < 1e9)) return null;
    const [x, y, width = 0, height = 0] = numbers;
    return { x, y, width: Math.max(width, 0), height: Math.max(height, 0), isPoint: !rectangle, text };
  }
  /** Draws points and rectangles to scale in one drawing; y grows downwards. */
  #rectangles(nodes, isAll) {
    const { model } = this;
    const inner = (node) => ["NS.rectval", "NS.pointval", "NS.sizeval"].map((key) => model.field(node, key)).find((found) => found >= 0) ?? node;
    const boxes = nodes.map((node) => ({ node, box: this.#box(model.entry(node) === "o" ? inner(node) : node) })).filter(({ box }) => box);
    if (!boxes.length) return null;
    const most = (values) => values.reduce((most, value) => Math.max(most, value), -Infinity);
    const [left, top] = [-most(boxes.map(({ box }) => -box.x)), -most(boxes.map(({ box }) => -box.y))].map((value) => Math.min(value, 0));
    const [right, bottom] = [most(boxes.map(({ box }) => box.x + box.width)), most(boxes.map(({ box }) => box.y + box.height))].map((value) => Math.max(value, 1));
    const [height, limit] = isAll ? [360, 900] : [90, 300];
    const scale = Math.min((limit - 16) / (right - left), (height - 16) / (bottom - top));
    const place = ({ x, y }) => [8 + (x - left) * scale, 8 + (y - top) * scale];
    return draw("svg.rectangles", { viewBox: `0 0 ${limit} ${height}`, role: "img", "aria-label": counted(boxes.length, "point or rectangle", "points and rectangles") },
      boxes.map(({ node, box }) => {
        const [x, y] = place(box);
        const shape = box.isPoint ? draw("circle", { cx: x, cy: y, r: 3 })
          : draw("rect", { x, y, width: Math.max(box.width * scale, 1), height: Math.max(box.height * scale, 1) });
        shape.append(draw("title", {}, box.text));
        shape.addEventListener("click", () => this.go(node));
        return shape;
      }));
  }
}

function base64(bytes) {
  if (bytes.toBase64) return bytes.toBase64();
  let text = "";
  for (let start = 0; start < bytes.length; start += 0x8000) text += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return btoa(text);
}
