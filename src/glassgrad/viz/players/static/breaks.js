// Breakpoints: where a run stops by itself. In a recorded player they are looked for in the log; in
// a live one Python keeps them, and this is only the form and the list.

import { element, textButton, clip, refill } from "./elements.js";
import { advance, beginnings, isSpoiled, replay, tensorOf } from "./log.js";

const KINDS = [
  ["node", "node"], ["op", "op"], ["tensor", "tensor"], ["scope", "scope"], ["hook", "hook"],
  ["nan", "nan or inf"], ["norm", "‖gradient‖ >"],
];

// The first place after `at` at which one of the points says to pause: {at, point}, or null.
export function nextStop(data, points, at) {
  const state = replay(data, at);
  const begins = beginnings(data);
  for (let k = at + 1; k <= data.events.length; k++) {
    advance(state, data, data.events[k - 1]);
    const here = { k, node: begins[k] ?? null, from: state.current, state };
    const point = points.find((each) => isMet(each, data, here));
    if (point) return { at: k, point };
  }
  return null;
}

function isMet(point, data, { k, node, from, state }) {
  const { what, value } = point;
  if (what === "nan") return spoils(data, data.events[k - 1]);
  if (what === "hook") return data.events[k]?.hook === value;
  if (node === null) return false;
  if (what === "node") return node === value;
  if (what === "op") return isCalled(data.nodes[node].op, value);
  if (what === "tensor") return node === arrivalOf(data, value);
  if (what === "scope") return isInside(data.nodes[node], value) && !isInside(data.nodes[from], value);
  return (state.into[node] ?? []).some((each) => data.norms[each] > value);
}

function isCalled(op, name) {
  return op === name || op.replace(/Backward\d*$/, "") === name;
}

function isInside(node, path) {
  return `.${(node?.scope ?? []).join(".")}.`.includes(`.${path}.`);
}

// The node where the gradient of a tensor arrives.
function arrivalOf(data, id) {
  const tensor = tensorOf(data, id);
  return tensor?.acc ?? tensor?.node;
}

// Whether nan or inf came out of finite numbers.
function spoils(data, event) {
  const bad = (arrays) => (arrays ?? []).some((each) => isSpoiled(data.norms[each]));
  if (event.type === "apply") return bad(event.grad_out) && !bad(event.grad_in);
  return bad(event.after) && !bad(event.before);
}

// --- the form and the list -----------------------------------------------------------------------

export class Breaks {
  // `told`: {add(what, value), remove(point), run()}.
  constructor(data, told) {
    Object.assign(this, { data, told, points: [] });
    this.what = element("select", { "aria-label": "What to stop at", onchange: () => this.offer() },
      ...KINDS.map(([value, label]) => element("option", { value }, label)));
    this.slot = element("span", { class: "gg-slot" });
    this.list = element("ul", { class: "gg-points" });
    this.root = element("div", {},
      element("form", { class: "gg-form", onsubmit: (event) => this.submit(event) },
        this.what, this.slot, element("button", { type: "submit", class: "gg-small" }, "Add")),
      this.list);
    this.offer();
    this.show([]);
  }

  submit(event) {
    event.preventDefault();
    const what = this.what.value;
    const field = this.slot.firstElementChild;
    if (what === "norm" && !(field.value > 0)) return;
    if (what !== "nan" && !field.value) return;
    this.told.add(what, what === "norm" ? Number(field.value) : what === "nan" ? true : field.value);
  }

  // The field for what was chosen: the names that the trace knows.
  offer() {
    const what = this.what.value;
    if (what === "nan") return this.slot.replaceChildren();
    if (what === "norm") {
      return this.slot.replaceChildren(element("input",
        { type: "number", min: "0", step: "any", value: "1", "aria-label": "Norm" }));
    }
    this.slot.replaceChildren(element("select", { "aria-label": `Which ${what}` }));
    return this.learn();
  }

  // What there is to choose from; again when a live session has grown, or has new names.
  learn() {
    const field = this.slot.querySelector("select");
    if (field) refill(field, this.choices(this.what.value));
  }

  choices(what) {
    const { nodes, leaves, tensors } = this.data;
    if (what === "node") return Object.entries(nodes).map(([id, node]) => [id, `${id} ${node.name}`]);
    if (what === "tensor") {
      return [...leaves, ...tensors].map((each) => [each.id, `${each.name} (${each.id})`]);
    }
    if (what === "op") return once(Object.values(nodes).map((node) => node.op));
    if (what === "scope") {
      return once(Object.values(nodes).flatMap(({ scope = [] }) =>
        scope.map((_, depth) => scope.slice(0, depth + 1).join("."))));
    }
    return Object.values(nodes).flatMap((node) =>
      (node.hooks ?? []).map((hook) => [hook.id, `${hook.id} ${hook.name ?? ""} at ${node.name}`]));
  }

  // How a breakpoint is called in the list.
  words(what, value) {
    if (what === "nan") return "nan or inf";
    if (what === "norm") return `‖gradient‖ > ${value}`;
    const label = this.choices(what).find(([each]) => each === value)?.[1] ?? value;
    return `${what} ${clip(label, 48)}`;
  }

  show(points) {
    this.points = points;
    const items = points.map((point) => element("li", {}, element("span", {}, clip(point.words, 80)),
      textButton("Remove", () => this.told.remove(point), { "aria-label": `Remove breakpoint: ${clip(point.words, 80)}` })));
    this.list.replaceChildren(...items);
    if (!items.length) this.list.append(element("li", { class: "gg-empty" }, "none: choose a node and press b"));
  }

  // The vertices that wear the mark.
  marked(place) {
    const ids = this.points.flatMap(({ what, value, node }) => {
      if (node) return [node];
      if (what === "node") return [value];
      return what === "tensor" ? [value, arrivalOf(this.data, value)] : [];
    });
    return new Set(ids.flatMap((id) => [id, place[id]]));
  }
}

function once(names) {
  return [...new Set(names)].map((name) => [name, name]);
}
