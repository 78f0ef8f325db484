// A field that finds nodes, tensors and lines of the program by what they are called.

import { element, clip } from "./elements.js";

const MOST_FOUND = 8; // results that are listed

export class Search {
  // `choose(id)` shows what was found.
  constructor(data, prefix, choose) {
    Object.assign(this, { data, choose, found: [], at: 0 });
    const list = `${prefix}found`;
    this.list = element("ul", { class: "gg-found", role: "listbox", id: list, "aria-label": "Found" });
    this.field = element("input", {
      type: "search", role: "combobox", placeholder: "Search nodes, tensors, lines", autocomplete: "off", spellcheck: "false",
      "aria-label": "Search", "aria-controls": list, "aria-expanded": "false", "aria-autocomplete": "list",
      oninput: () => this.look(), onkeydown: (event) => this.press(event),
    });
    this.root = element("div", { class: "gg-search", role: "search", hidden: "", onfocusout: (event) => this.leave(event) }, this.field, this.list);
  }

  open() {
    this.back = this.root.getRootNode().activeElement;
    this.root.hidden = false;
    this.field.value = "";
    this.look();
    this.field.focus();
  }

  close() {
    if (this.root.hidden) return;
    this.root.hidden = true;
    this.back?.focus({ preventScroll: true });
  }

  leave(event) {
    if (!this.root.contains(event.relatedTarget)) this.root.hidden = true;
  }

  // Everything that has a name, as {id, words, about}.
  get things() {
    const { nodes, leaves, tensors, outputs, lines } = this.data;
    return [
      ...[...leaves, ...tensors].map(({ id, name, shape, node }) => ({ id: id.includes(".") ? node : id, words: name, about: `${outputs.includes(id) ? "output" : node ? "tensor" : "leaf"} ${shape}` })),
      ...Object.entries(nodes).map(([id, { name, about }]) => ({ id, words: name, about: [id, ...about].join(" · ") })),
      ...lines.map(({ file, line, code, nodes: made }) => ({ id: made.at(-1), words: code, about: `${file}, line ${line}` })),
    ];
  }

  look() {
    const words = this.field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isMeant = (each) => words.every((word) => `${each.words} ${each.about}`.toLowerCase().includes(word));
    this.found = this.things.filter(isMeant).slice(0, MOST_FOUND);
    this.at = 0;
    this.list.replaceChildren(...this.found.map((each, at) => element("li",
      { role: "option", id: `${this.list.id}-${at}`, onpointerdown: (event) => event.preventDefault(), onclick: () => this.take(each) },
      element("strong", {}, clip(each.words, 60)), element("span", {}, clip(each.about, 60)))));
    if (!this.found.length) this.list.append(element("li", { class: "gg-empty" }, "nothing is called so"));
    this.field.setAttribute("aria-expanded", String(this.found.length > 0));
    this.mark();
  }

  mark() {
    [...this.list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === this.at)));
    this.field.setAttribute("aria-activedescendant", this.found.length ? `${this.list.id}-${this.at}` : "");
    this.list.children[this.at]?.scrollIntoView({ block: "nearest" });
  }

  press(event) {
    const acts = {
      ArrowDown: () => this.step(1), ArrowUp: () => this.step(-1),
      Enter: () => this.found.length && this.take(this.found[this.at]), Escape: () => this.close(),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    event.stopPropagation(); // Escape puts away this, and nothing else
    acts[event.key]();
  }

  step(by) {
    const count = this.found.length;
    if (count) this.at = (this.at + by + count) % count;
    this.mark();
  }

  take({ id }) {
    this.close();
    this.choose(id);
  }
}
