/*
The report: facts about the file, and a note by the user. The note is lost unless the user saves the page with the
button in the report.
*/

class Report {
  constructor(element, model, shapes, go) { Object.assign(this, { element, model, shapes, go }); }

  show() {
    if (this.isMade) return;
    this.isMade = true;
    const { json, file } = this.model;
    refill(this.element, make("h2", {}, "Report"),
      this.#list([["file", visible(file.name)], ["size", counted(file.size, "byte")], ["SHA-256", make("code", {}, file.sha256)],
        ["page by", `${json.command}, limits ${json.limits}${json.redacted ? ", values redacted" : ""}`]]),
      json.left.length ? make("section.warning", {}, make("h3", {}, "Left out of this page"), this.#lines(json.left)) : "",
      this.model.documents.map((document, number) => this.#document(document, number)),
      this.#unreached(), this.#note());
  }
  #list(facts) { return make("dl.facts", {}, facts.map(([name, value]) => [make("dt", {}, name), make("dd", {}, make("bdi", {}, value))])); }
  #lines(texts) { return make("ul", {}, texts.slice(0, 200).map((text) => make("li", {}, make("bdi", {}, visible(shortened(text, 500)))))); }

  #document(document, number) {
    if (number > 200) return "";
    const kind = this.model.kindName(document);
    const title = number ? `Nested ${kind} ${number}` : kind[0].toUpperCase() + kind.slice(1);
    const facts = [["format", document.format], ...document.facts.map(([name, text]) => [name, visible(shortened(text, 300))])];
    if (document.holder >= 0) {
      facts.unshift(["in", make("button.link", { type: "button", on: { click: () => this.go(document.holder) } }, visible(shortened(this.model.path(document.holder) || "data", 160)))]);
    }
    if (document.archive) {
      if (document.archive.archiver) facts.push(["archiver", visible(shortened(document.archive.archiver, 200))]);
      facts.push(["objects", document.archive.entries.length.toLocaleString("en")]);
    }
    facts.push(["values", document.count.toLocaleString("en")]);
    facts.push(["leniencies used", document.leniencies.join(", ") || "none"]);
    return make("section", {}, make("h3", {}, title), this.#list(facts),
      document.problems.length ? [make("h4", {}, `Unreadable parts (${document.problems.length})`), this.#lines(document.problems)] : make("p.note", {}, "All of it is readable."),
      document.archive?.allow.code.length ? this.#allow(document.archive.allow) : "");
  }
  #allow({ names, code }) {
    const check = `keyed check ${this.model.documents.length > 1 ? "FILE" : shellWord(this.model.file.name)} --allow ${shellWord(names.join(","))}`;
    const block = (text, label) => make("pre", { tabindex: "0", "aria-label": label }, visibleLines(shortened(text, 20_000)));
    return [make("h4", {}, "The smallest list of allowed classes"), names.length ? block(check, "command") : "", block(code.join("\n"), "Swift code")];
  }
  #unreached() {
    const nodes = this.model.unreached;
    if (!nodes.length) return "";
    return make("section", {}, make("h3", {}, `Values unreachable from the roots (${nodes.length.toLocaleString("en")})`),
      make("ul.plain", {}, nodes.slice(0, 100).map((node) => {
        const { type, text } = this.shapes.summary(node);
        return make("li", {}, make("button.link", { type: "button", on: { click: () => this.go(node) } },
          make("bdi", {}, `${this.#numberText(node)} ${visible(shortened(`${type} ${text}`, 120))}`)));
      })), nodes.length > 100 ? make("p.note", {}, `and ${counted(nodes.length - 100, "more", "more")}, at the end of the tree`) : "");
  }

  #numberText(node) {
    const number = this.model.objectNumber(node);
    return number < 0 ? `#${node}` : `@${number}`;
  }

  // MARK: The note

  #note() {
    const field = make("textarea", { id: "note", rows: 8, "aria-describedby": "note-help" });
    field.value = JSON.parse(document.querySelector("#notes").textContent).text;
    this.note = field;
    return make("section", {}, make("h3", {}, make("label", { for: "note" }, "Note")), field,
      make("p.note", { id: "note-help" }, "The note exists only in this window until you save the page with it."),
      make("p.tools", {}, make("button", { type: "button", id: "save", on: { click: () => this.save() } }, "Save the page with the note"),
        make("button", { type: "button", on: { click: () => print() } }, "Print the tree")));
  }

  /**
   * Returns the original page with the note. The hashes in its content security policy stay valid, because its script
   * and style are unchanged.
   */
  saved() {
    const copy = document.documentElement.cloneNode(true);
    copy.removeAttribute("data-theme");
    copy.querySelector("#app").replaceChildren();
    copy.querySelector("#print").replaceChildren();
    // The HTML parser moves white space after the body into the body.
    const body = copy.querySelector("body");
    while (body.lastChild.nodeType === Node.TEXT_NODE) body.lastChild.remove();
    body.append("\n");
    const text = JSON.stringify({ text: this.note?.value ?? "" }).replaceAll("<", "\\u003c");
    copy.querySelector("#notes").textContent = text;
    return `<!DOCTYPE html>\n${copy.outerHTML}\n`;
  }
  save() {
    const address = URL.createObjectURL(new Blob([this.saved()], { type: "text/html" }));
    const name = `${this.model.file.name.replace(/^.*[/\\]/, "").replace(/[^A-Za-z0-9._-]/g, "_").slice(0, 100) || "file"}.html`;
    make("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    announce("The page is saved.");
  }
}

/** Returns a word for a command line, quoted if necessary. */
function shellWord(text) {
  return /^[A-Za-z0-9_./,:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
