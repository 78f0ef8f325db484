// The list of events, in sentences, round the one that is shown. A click on one goes there.

import { element } from "./elements.js";

const WINDOW = 60; // lines on each side of the current one, or a few less

export class EventLog {
  constructor(data, go) {
    Object.assign(this, { data, go });
    this.root = element("ol", { class: "gg-log", "aria-label": "Events" });
  }

  paint(at) {
    const near = at - (at % (WINDOW / 3)); // so that most steps find their lines there
    this.fill(Math.max(0, near - WINDOW), Math.min(this.data.events.length, near + WINDOW));
    for (const line of this.root.children) {
      const step = Number(line.dataset.step);
      line.className = step < at ? "past" : step === at ? "here" : "";
      if (step === at) line.setAttribute("aria-current", "step");
      else line.removeAttribute("aria-current");
    }
  }

  fill(from, to) {
    const { said } = this.data;
    if (said === this.said && from === this.from && to === this.to) return;
    Object.assign(this, { said, from, to });
    this.root.replaceChildren(...said.slice(from, to).map((words, at) => element("li", { "data-step": from + at + 1 },
      element("button", { type: "button", tabindex: -1, onclick: () => this.go(from + at + 1) }, words))));
  }

  follow() {
    const here = this.root.querySelector(".here");
    this.root.scrollTop = here ? here.offsetTop - this.root.offsetTop - this.root.clientHeight / 3 : 0;
  }
}
