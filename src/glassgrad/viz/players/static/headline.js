// What is said of a step: a sentence, the line of the program, and a note below. A screen reader is
// told of each step once.

import { clip, element, textButton } from "./elements.js";
import { recordedAt } from "./log.js";
import { lessonWords, lineOf } from "./modes.js";

export class Headline {
  constructor(data) {
    this.data = data;
    this.kind = element("span", { class: "gg-kind" });
    this.number = element("span", { class: "gg-step" });
    this.said = element("p", { class: "gg-said", "aria-live": "polite" });
    this.line = element("p", { class: "gg-from" });
    this.note = element("p", { class: "gg-note", role: "status" });
    this.inside = element("p", { class: "gg-inner" });
    this.root = element("section", { class: "gg-now", "aria-label": "This step" },
      element("div", {}, this.kind, this.number), this.said, this.line, this.inside, this.note);
  }

  // `shown`: the node that the line is of; `open`: opens a pass inside. Returns the sentence.
  paint(state, { at, isDebug, hasFailed, open }, shown) {
    this.inside.replaceChildren(...(open ? [textButton("Open the pass inside", open)] : []));
    const { data } = this;
    const last = recordedAt(data, data.events.length);
    const words = !isDebug ? lessonWords(data, state, at) : at ? data.said[at - 1] : data.begin;
    this.kind.textContent = state.event ? state.event.type.replace("_", " ") : "start";
    this.number.textContent = at ? `event ${recordedAt(data, at)} of ${last}` : `${last} events`;
    this.root.classList.toggle("gg-failed", hasFailed);
    if (this.said.textContent !== words) this.said.textContent = words;
    const again = state.event?.type === "recompute" && data.checkpoints.find(({ id }) => id === state.event.checkpoint)?.line;
    const line = again || lineOf(data, shown ?? data.tensors.find((each) => data.outputs.includes(each.id))?.node);
    const where = line ? [line.file, line.line && `line ${line.line}`].filter(Boolean).join(", ") : "";
    this.line.replaceChildren(...(where ? [element("span", {}, clip(where, 60))] : []), ...(line ? [element("code", {}, clip(line.code, 160))] : []));
    return words;
  }

  // `ended`: why a pass cannot be moved any more; `back`: what leads to now, where one looks back.
  paintNote(note, { ended, last, back }) {
    if (ended) {
      this.note.replaceChildren([note, ended, "What has happened can be replayed here."].filter(Boolean).join(" "));
    } else if (back) {
      this.note.replaceChildren(`Looking back: the pass itself stands after event ${recordedAt(this.data, last)}. `, textButton("Back to now", back));
    } else {
      this.note.replaceChildren(note);
    }
  }

  // Whether each sentence is to be read out: not while they run past, and not where the slider does.
  announce(isTold) {
    this.said.setAttribute("aria-live", isTold ? "polite" : "off");
  }
}
