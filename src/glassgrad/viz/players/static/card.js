// A card on the drawing that says what was chosen is: in a lesson, where the panels are shut.

import { clip, element, textButton } from "./elements.js";

export class Card {
  constructor(panels, close) {
    Object.assign(this, { panels, close });
    this.root = element("section", { class: "gg-card", hidden: "", "aria-label": "What was chosen" });
  }

  paint(state, view) {
    const about = view.chosen && !view.isOpen ? this.panels.brief(state, view) : null;
    this.root.hidden = !about;
    if (!about) return;
    this.root.replaceChildren(
      element("header", {}, element("h3", {}, clip(about.title)), element("span", {}, about.kind), textButton("Close", this.close)),
      ...about.parts);
  }

  // It does not lie on what it tells of.
  keepClear(box, frame) {
    if (this.root.hidden || !box) return;
    const [of, whole] = [box, frame].map((each) => each.getBoundingClientRect());
    this.root.classList.toggle("gg-left", of.left + of.right > whole.left + whole.right);
  }
}
