/*
Elements and text. Values of the file enter the page as text nodes and attribute values. `looks.js` also turns
values into images and colors. No code parses a value as HTML or turns it into a link.
*/

/**
 * Creates an element. `name` may include classes, as in "span.key". In `options`, `on` has listeners and `style` has
 * style properties. All other options are attributes. Children are elements or texts.
 */
function make(name, options = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  return fill(element, options, children);
}

/** Creates an SVG element. */
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

/** Replaces the children of an element. The new children are elements, texts, or lists of them. */
function refill(element, ...children) {
  element.replaceChildren();
  fill(element, {}, children);
}

// Invisible characters, and characters that change the order of the surrounding text.
const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc]/g;

/** Returns a text with invisible and bidirectional control characters shown as symbols or codes. */
function visible(text) {
  return text.replace(hidden, (character) => {
    const code = character.charCodeAt(0);
    if (code === 0x0a) return "↵";
    if (code === 0x09) return "⇥";
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** Does the same as `visible`, but keeps line breaks and replaces tabs with spaces. */
function visibleLines(text) {
  return text.replace(/\r\n?/g, "\n").split("\n").map((line) => visible(line.replaceAll("\t", "    "))).join("\n");
}

/** Escapes a key for use between quotes in a path, in the syntax of `keyed`. */
function escapedForPath(name) {
  return name.replace(/["\\]/g, "\\$&").replace(hidden, (character) => {
    const code = character.charCodeAt(0);
    const short = { 9: "\\t", 10: "\\n", 13: "\\r" }[code];
    return short ?? `\\u{${code.toString(16).toUpperCase()}}`;
  });
}

/** Returns the original key for a text that `escapedForPath` returned. */
function unescapedForPath(text) {
  return text.replace(/\\(?:u\{([0-9a-f]+)\}|(.))/gi, (escape, code, character) => {
    if (!code) return { t: "\t", n: "\n", r: "\r" }[character] ?? character;
    const scalar = parseInt(code, 16);
    return scalar <= 0x10ffff ? String.fromCodePoint(scalar) : escape;
  });
}

/** Truncates a long text without splitting a surrogate pair. */
function shortened(text, length) {
  if (text.length <= length) return text;
  const isPair = /[\ud800-\udbff]/.test(text[length - 1]);
  return text.slice(0, length - (isPair ? 1 : 0)) + "…";
}

/** Returns the words of a class name as separate parts, with an optional line break (`<wbr>`) between them. */
function breakable(name) {
  return name.split(/(?<=[a-z0-9._])(?=[A-Z])/).flatMap((word, index) => index ? [make("wbr"), word] : [word]);
}

function counted(number, one, many = one + "s") {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
const hexNumber = (number, digits = 0) => number.toString(16).padStart(digits, "0");

/** Announces a text to screen readers. */
function announce(text) { document.querySelector("#live").textContent = text; }

/** Returns whether an input field has the keyboard focus. */
const isTyping = (event) => /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
