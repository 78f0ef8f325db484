// Elements of the page. Strings become text, never markup.

const SVG = "http://www.w3.org/2000/svg";
const MATH = "http://www.w3.org/1998/Math/MathML";

export function element(tag, attributes = {}, ...children) {
  return furnished(document.createElement(tag), attributes, children);
}

export function shape(tag, attributes = {}, ...children) {
  return furnished(document.createElementNS(SVG, tag), attributes, children);
}

function furnished(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((each) => each !== null && each !== undefined));
  return made;
}

const ICONS = {
  first: "M5 4h2v12H5zM16 4v12L8 10z",
  back: "M9.5 3.5L3 10l6.5 6.5 1.6-1.6L7.3 11H17V9H7.3l3.8-3.9z",
  play: "M6 4v12l9-6z",
  pause: "M5 4h3.5v12H5zM11.5 4H15v12h-3.5z",
  next: "M10.5 3.5L17 10l-6.5 6.5-1.6-1.6L12.7 11H3V9h9.7L8.9 5.1z",
  last: "M4 4v12l8-6zM13 4h2v12h-2z",
  less: "M4 9h12v2H4z",
  more: "M9 4h2v5h5v2h-5v5H9v-5H4V9h5z",
  find: "M8.5 3a5.5 5.5 0 1 0 3.4 9.8l4.2 4.2 1.4-1.4-4.2-4.2A5.5 5.5 0 0 0 8.5 3zm0 2a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7z",
  stop: "M3 4v12l7-6zM11 7l2-2h3l2 2v6l-2 2h-3l-2-2z",
};

export function icon(name) {
  return shape("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, shape("path", { d: ICONS[name] }));
}

// With a word beside the icon where there is room.
export function iconButton(name, label, key, act, word = null) {
  const title = key ? `${label} (${key})` : label;
  return element(
    "button",
    { type: "button", class: `gg-${name}`, "aria-label": label, title, onclick: act },
    icon(name), word && element("span", {}, word));
}

export function textButton(label, act, attributes = {}) {
  return element("button", { type: "button", class: "gg-small", onclick: act, ...attributes }, label);
}

// Gives a list other choices, as [value, label]; one that has them already stays as it is, for it
// may be open, and what is chosen stays chosen.
export function refill(select, choices) {
  const made = choices.map(([value, label]) => element("option", { value }, clip(label, 40)));
  const words = (list) => JSON.stringify([...list].map((each) => [each.value, each.text]));
  if (words(select.options) === words(made)) return;
  const { value } = select;
  select.replaceChildren(...made);
  if (made.some((each) => each.value === value)) select.value = value;
}

// Gives an element other children; those that are as they were stay, for to lay one out takes longer
// than to compare it. What a child does when it is clicked has to follow from what it shows.
export function show(parent, ...children) {
  const before = [...parent.childNodes];
  children.forEach((child, at) => {
    if (!before[at]) parent.append(child);
    else if (!before[at].isEqualNode(child)) before[at].replaceWith(child);
  });
  for (const rest of before.slice(children.length)) rest.remove();
}

// Painting makes elements anew. Call this before, and what it returns after: what had the focus in
// `root` has it still, or what stands in its place has it, so that the keys are heard on.
export function keepFocus(root) {
  const active = () => root.getRootNode().activeElement;
  const held = root.contains(active()) ? active() : null;
  const part = held?.closest(".gg-sec, .gg-log, .gg-card");
  const all = () => [...part.querySelectorAll("button, select, input, summary")];
  const at = part ? all().indexOf(held) : -1;
  return () => {
    const isLine = part?.matches(".gg-log");
    if (!held || (active() === held && !isLine)) return;
    const next = isLine ? part.querySelector(".here button") : part && all()[at];
    (next ?? root).focus({ preventScroll: true });
  };
}

// A name may hold ten thousand characters, or turn the direction of the text around it.
export function clip(text, longest = 60) {
  const safe = String(text).slice(0, longest + 1)
    .replace(/[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]/gu, "\ufffd");
  return safe.length <= longest ? safe : `${safe.slice(0, longest - 1)}…`;
}

export function bytesText(count) {
  let size = count;
  for (const unit of ["B", "kB", "MB", "GB"]) {
    if (size < 999.5) return `${Number(size.toPrecision(3))} ${unit}`;
    size /= 1000;
  }
  return `${Number(size.toPrecision(3))} TB`;
}

// Rows of a table; the first cell is a header. A cell is text or an element.
export function rows(list) {
  const table = element("table", { class: "gg-rows" });
  for (const [name, value, extra = ""] of list) {
    table.append(element("tr", { class: extra },
      element("th", { scope: "row" }, name), element("td", {}, value)));
  }
  return table;
}

// --- formulas --------------------------------------------------------------------------------------

const MATH_TAGS = new Set(("math semantics mrow mi mn mo mtext mspace ms mfrac msqrt mroot mstyle " +
  "msub msup msubsup munder mover munderover mtable mtr mtd mpadded mphantom menclose").split(" "));
const MATH_LOOKS = new Set(("display mathvariant stretchy fence separator form lspace rspace " +
  "accent accentunder movablelimits width height depth linethickness columnalign rowspacing " +
  "columnspacing notation displaystyle scriptlevel minsize maxsize symmetric largeop").split(" "));

// Formulas as MathML, built anew from the elements we know: whatever else is in the text is left
// out, so that nothing but formulas gets into the page.
export function formula(text) {
  const parsed = new DOMParser().parseFromString(`<r>${text}</r>`, "application/xml").documentElement;
  const found = parsed.localName === "r" && !parsed.querySelector("parsererror") ?
    [...parsed.children].filter((each) => each.localName === "math").map(rebuilt) : [];
  return element("span", {}, ...(found.length ? found : [element("code", {}, clip(text, 200))]));
}

function rebuilt(source) {
  const made = document.createElementNS(MATH, source.localName);
  for (const { name, value } of source.attributes) {
    if (MATH_LOOKS.has(name)) made.setAttribute(name, value);
  }
  for (const child of source.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) made.append(child.data);
    else if (MATH_TAGS.has(child.localName)) made.append(rebuilt(child));
  }
  return made;
}
