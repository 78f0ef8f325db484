// Bytes held by saved tensors over the steps of the log until now, with a cursor. A click goes there.

import { element, shape, bytesText } from "./elements.js";
import { heldBytes, hidesBytes, leafBytes } from "./held.js";

const HEIGHT = 44;
const COUNTED = "Each piece of memory counts once, until the last node that saved it has run. A leaf keeps its memory: no pass frees it.";

export class Timeline {
  constructor(data, go) {
    this.words = element("p", { class: "gg-memory", title: COUNTED });
    this.picture = element("div", { class: "gg-chart", role: "img", onclick: (event) => this.click(event) });
    this.root = element("section", { class: "gg-time", "aria-label": "Memory timeline" }, this.words, this.picture);
    this.go = go;
    this.learn(data);
  }

  learn(data) {
    this.held = heldBytes(data);
    this.all = heldBytes({ ...data, events: [] })[0]; // of the graph, as long as nothing has run
    this.kept = leafBytes(data);
    this.hides = (at) => hidesBytes(data, at);
    this.root.hidden = !(this.kept || this.held.some(Boolean) || this.hides(0));
    this.root.classList.toggle("gg-rises", data.events.some(({ type }) => type === "recompute"));
    this.curve = shape("path", { class: "gg-curve" });
    this.area = shape("path", { class: "gg-area" });
    this.cursor = shape("path", { class: "gg-cursor" });
    this.picture.replaceChildren(shape("svg",
      { viewBox: `0 0 ${Math.max(1, this.last)} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      this.area, this.curve, this.cursor));
  }

  get last() {
    return this.held.length - 1;
  }

  // As far as the pass has come.
  paint(at) {
    const known = this.held.slice(0, at + 1);
    const held = known.at(-1);
    const top = known.reduce((most, each) => Math.max(most, each), this.all);
    this.draw(known, top);
    const isHiding = this.hides(at);
    const share = (isHiding ? "at least " : "") + `${bytesText(held)} of ${bytesText(top)}`;
    const besides = [
      ...(isHiding ? ["what hooks have packed cannot be counted"] : []),
      ...(this.kept ? [`leaves keep theirs, ${bytesText(this.kept)}`] : []),
    ];
    const leaves = besides.join("; ");
    this.words.replaceChildren("Saved tensors hold ", element("strong", {}, share), leaves);
    this.picture.setAttribute("aria-label",
      `Bytes held by saved tensors over ${this.last} events: ${known[0]} before the first, ` +
      (at < this.last ? `${held} at event ${at}.` : `${held} after the last.`) +
      (leaves && ` Besides, ${leaves}.`));
  }

  // Steps of a staircase: what is held after k events holds until the next.
  draw(held, top) {
    const y = (bytes) => (4 + (HEIGHT - 8) * (1 - bytes / (top || 1))).toFixed(1);
    const end = Math.max(held.length - 1, this.last ? 0 : 1);
    let line = `M0 ${y(held[0])}`;
    for (let k = 1; k < held.length; k++) {
      if (held[k] !== held[k - 1]) line += `H${k}V${y(held[k])}`;
    }
    line += `H${end}`;
    this.curve.setAttribute("d", line);
    this.area.setAttribute("d", `${line}V${HEIGHT}H0z`);
    this.cursor.setAttribute("d", `M${held.length - 1} 0V${HEIGHT}`);
  }

  click(event) {
    const box = this.picture.getBoundingClientRect();
    this.go(Math.round(((event.clientX - box.left) / box.width) * this.last));
  }
}
