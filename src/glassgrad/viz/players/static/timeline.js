// Bytes held by saved tensors over the steps of the log, with a cursor. A click goes there.

import { element, shape, bytesText } from "./elements.js";
import { heldBytes, leafBytes } from "./log.js";

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
    this.top = Math.max(...this.held);
    this.kept = leafBytes(data);
    this.root.hidden = !(this.top || this.kept);
    this.root.classList.toggle("gg-rises", data.events.some(({ type }) => type === "recompute"));
    this.draw();
  }

  // Steps of a staircase: what is held after k events holds until the next.
  draw() {
    const last = Math.max(1, this.held.length - 1);
    const y = (bytes) => 4 + (HEIGHT - 8) * (1 - bytes / (this.top || 1));
    let line = `M0 ${y(this.held[0]).toFixed(1)}`;
    for (let k = 1; k < this.held.length; k++) {
      if (this.held[k] !== this.held[k - 1]) line += `H${k}V${y(this.held[k]).toFixed(1)}`;
    }
    line += `H${last}`;
    this.cursor = shape("path", { class: "gg-cursor" });
    this.picture.replaceChildren(shape("svg",
      { viewBox: `0 0 ${last} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      shape("path", { class: "gg-area", d: `${line}V${HEIGHT}H0z` }),
      shape("path", { class: "gg-curve", d: line }), this.cursor));
  }

  paint(at) {
    const held = this.held[at] ?? 0;
    this.cursor.setAttribute("d", `M${at} 0V${HEIGHT}`);
    const share = `${bytesText(held)} of ${bytesText(this.top)}`;
    const leaves = this.kept ? `leaves keep theirs, ${bytesText(this.kept)}` : "";
    this.words.replaceChildren("Saved tensors hold ", element("strong", {}, share), leaves);
    const last = this.held.length - 1;
    this.picture.setAttribute("aria-label",
      `Bytes held by saved tensors over ${last} events: ${this.held[0]} before the first, ` +
      `${held} at event ${at}, ${this.held[last]} after the last.` +
      (leaves && ` Besides, ${leaves}.`));
  }

  click(event) {
    const box = this.picture.getBoundingClientRect();
    this.go(Math.round(((event.clientX - box.left) / box.width) * (this.held.length - 1)));
  }
}
