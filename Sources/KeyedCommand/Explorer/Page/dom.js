/*
Elements and text. Each value of the file comes into the page as the text of a node or of a label: nothing here,
and nothing that uses it, parses a text as HTML or makes a link of it.
*/

/**
 * An element. `name` may have classes, as in "span.key". Of `options`, `on` has listeners, `style` properties and
 * `data` nothing but names that the page chose; the rest are attributes. Children are elements or texts.
 */
function make(name, options = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  return fill(element, options, children);
}

/** An element of a drawing. */
function draw(name, options = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  return fill(element, options, children);
}

function fill(element, { on = {}, style = {}, ...attributes }, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener);
  for (const [name, value] of Object.entries(style)) element.style.setProperty(name, value);
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

/** Replaces what an element has. Children are elements, texts, or lists of them. */
function refill(element, ...children) {
  element.replaceChildren();
  fill(element, {}, children);
}

// What a reader would not see, or what changes the order of the text around it.
const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** A text in which everything can be seen: control characters, and those of writing direction, by their codes. */
function visible(text) {
  return text.replace(hidden, (character) => {
    const code = character.charCodeAt(0);
    if (code === 0x0a) return "↵";
    if (code === 0x09) return "⇥";
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** A text of several lines: as `visible`, but lines stay lines. */
function visibleLines(text) {
  return text.replace(/\r\n?/g, "\n").split("\n").map((line) => visible(line.replaceAll("\t", "    "))).join("\n");
}

/** A key between quotes in a path, escaped as `keyed` reads it. */
function escapedForPath(name) {
  return name.replace(/["\\]/g, "\\$&").replace(hidden, (character) => {
    const code = character.charCodeAt(0);
    const short = { 9: "\\t", 10: "\\n", 13: "\\r" }[code];
    return short ?? `\\u{${code.toString(16).toUpperCase()}}`;
  });
}

/** The beginning of a long text. A pair of surrogates is not cut. */
function shortened(text, length) {
  if (text.length <= length) return text;
  const isPair = /[\ud800-\udbff]/.test(text[length - 1]);
  return text.slice(0, length - (isPair ? 1 : 0)) + "…";
}

function counted(number, one, many = one + "s") {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
const hexNumber = (number, digits = 0) => number.toString(16).padStart(digits, "0");

/** Says something to those who hear the page. */
function announce(text) { document.querySelector("#live").textContent = text; }

/** Whether the file's note or a field has the keyboard. */
const isTyping = (event) => /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
