// The list of events, in sentences, round the one that is shown. A click on one goes there.

import { element } from "./elements.js";
import { recordedAt } from "./log.js";

const WINDOW = 60; // lines on each side of the current one

export class EventLog {
  constructor(data, go) {
    Object.assign(this, { data, go });
    this.root = element("ol", { class: "gg-log", "aria-label": "Events" });
  }

  paint(at) {
    const { said, events } = this.data;
    const lines = [];
    for (let k = Math.max(0, at - 1 - WINDOW); k < Math.min(events.length, at + WINDOW); k++) {
      const where = k < at - 1 ? "past" : k === at - 1 ? "here" : "";
      lines.push(element("li", { "data-step": recordedAt(this.data, k + 1), class: where, "aria-current": where === "here" ? "step" : null },
        element("button", { type: "button", tabindex: -1, onclick: () => this.go(k + 1) }, said[k])));
    }
    this.root.replaceChildren(...lines);
  }

  follow() {
    const here = this.root.querySelector(".here");
    this.root.scrollTop = here ? here.offsetTop - this.root.offsetTop - this.root.clientHeight / 3 : 0;
  }
}
