// The drawing. It is laid out once, in Python; here only classes are toggled on it, so that going
// back is the same as going forward. Rings and signs are put round the boxes once, at the start.

import { element, shape, textButton, clip } from "./elements.js";
import { Forward } from "./forward.js";
import { flowStep, hasBegun, hasForward, isSpoiled, keeping, leafAt, movingArcs, placeNow, tensorOf, tieOf, versionsOf } from "./log.js";

const STATES = ["pending", "ready", "current", "done"];
const FLOWS = ["0", "1", "2", "3", "4", "5", "zero", "nan"];
const LONGEST = 34; // characters of a row in a box, as Python cuts it
const TURNS = { pending: "waits", ready: "ready", current: "runs now", done: "done" };

export class Stage {
  constructor(root, data) {
    Object.assign(this, { root, data, hot: false, badges: new Map() }); // as they were, while one says more
    this.frame = root.querySelector(".gg-stage");
    this.picture = this.frame.querySelector("svg");
    this.picture.setAttribute("role", "group"); // what is in it can be reached
    this.prefix = root.dataset.prefix;
    this.vertices = new Map();
    this.arcs = new Map();
    for (const group of root.querySelectorAll(".vertex")) addMarks(group);
    this.learn(this.frame);
    this.forward = hasForward(data) ? new Forward(data) : null;
    this.gradients = [...this.frame.querySelectorAll(".value.late")].map((row) =>
      [row.parentElement.id.slice(this.prefix.length), row]);
  }

  // Drawings are found by the ids of the log, in this player only: others may share the page.
  learn(part) {
    for (const group of part.querySelectorAll("g[id]")) {
      const id = group.id.slice(this.prefix.length);
      const node = this.data.nodes[id];
      if (node && !group.querySelector("title")) {
        group.prepend(shape("title", {}, [`${id} ${clip(node.name)}`, ...node.about].join("\n")));
      }
      if (group.dataset.of) {
        const [number, total] = words(group, ".badge-text").split("/");
        group.prepend(shape("title", {}, `use ${number} of ${total} of ${words(group, ".title")}`));
      }
      const known = group.classList.contains("arc") ? this.arcs : this.vertices;
      if (known === this.arcs) widen(group);
      else furnish(group, id, node);
      known.set(id, [...(known.get(id) ?? []), group]);
    }
  }

  forget(part) {
    for (const known of [this.vertices, this.arcs]) {
      for (const [id, groups] of known) known.set(id, groups.filter((each) => !part.contains(each)));
    }
  }

  // --- painting ---

  paint(state, { at, chosen, points, bounds }) {
    this.root.classList.toggle("gg-over", Boolean(state.error));
    this.root.classList.toggle("gg-whole", at === this.data.events.length);
    this.paintVertices(state, at);
    this.paintArcs(state, hasBegun(state, this.data) && at, bounds);
    this.forward?.paint(this, state);
    this.paintGradients(state);
    this.paintFaults(state);
    for (const [id, groups] of this.vertices) {
      const isChosen = chosen !== null && (id === chosen || id === this.data.place[chosen]);
      for (const group of groups) {
        group.classList.toggle("chosen", isChosen);
        group.classList.toggle("bp", points.has(id));
      }
    }
    for (const [id, groups] of this.arcs) {
      for (const group of groups) group.classList.toggle("chosen", id === chosen);
    }
  }

  paintVertices(state, at) {
    const { data } = this;
    const states = {};
    const rank = ["pending", "done", "ready", "current"];
    for (const [node, place] of Object.entries(data.place)) {
      const mine = state.node[node] ?? "pending";
      if (node !== place && this.vertices.has(node)) states[node] = mine; // in an opened fold
      // One vertex may stand for several nodes: it is as far as the one that is under way.
      if (rank.indexOf(mine) >= rank.indexOf(states[place] ?? "pending")) states[place] = mine;
    }
    for (const output of data.outputs) states[output] ??= at ? "done" : "current";
    for (const leaf of data.leaves) states[leaf.id] ??= leaf.id in state.grad ? "done" : "pending";
    for (const [id, name] of Object.entries(states)) {
      for (const group of this.vertices.get(id) ?? []) {
        for (const each of STATES) group.classList.toggle(each, each === name);
        group.setAttribute("aria-label", `${group.dataset.name}, ${TURNS[name]}`);
      }
    }
    for (const [storage, { holders, isKept }] of data.storages) {
      const now = holders.map(([node, saved]) => keeping(state, data, node, saved));
      for (const group of this.vertices.get(storage) ?? []) {
        group.classList.toggle("freed", now.every((each) => each === "gone"));
        const isAbsent = !isKept && !state.computed.has(storage) && now.every((each) => each === "absent");
        group.classList.toggle("absent", isAbsent);
        if (!isKept && holders.every(([, { again }]) => again)) group.querySelector(".badge-text").textContent = isAbsent ? "NOT KEPT" : "RECOMPUTED";
      }
    }
    // A paused pass does not stop there: so it is seen as long as the node is the current one.
    const again = new Set((data.isLive ? state.ran : state.event?.ran ?? []).map((node) => data.place[node]));
    for (const [id, groups] of this.vertices) {
      for (const group of groups) group.classList.toggle("again", again.has(id));
    }
    for (const [id, groups] of this.vertices) {
      for (const group of this.data.nodes[id] ? groups : []) {
        group.classList.toggle("freed", state.freed.has(id) || Boolean(data.nodes[id].freed));
      }
    }
  }

  // The gradient in a box is the one that is there now; Python has left room for each.
  paintGradients(state) {
    const { arrays, boxed } = this.data;
    for (const [id, row] of this.gradients) {
      const array = id in this.data.nodes ? state.into[id]?.[0] : state.grad[id];
      row.textContent = array ? clip(boxed[array] ?? arrays[array], LONGEST) : "…";
    }
  }

  paintArcs(state, at, bounds) {
    const moving = new Set(movingArcs(this.data, state.event));
    for (const [id, groups] of this.arcs) {
      const carried = id[0] === "r" && at ? this.given(id, state) : state.passed.get(id);
      const step = this.hot && bounds ? flowStep(this.data.norms[carried], bounds) : null;
      for (const group of groups) {
        group.classList.toggle("done", state.passed.has(id) || (id[0] === "r" && at > 0));
        group.classList.toggle("moving", moving.has(id));
        for (const each of FLOWS) group.classList.toggle(`flow-${each}`, each === step);
      }
    }
  }

  // What backward was given at an output.
  given(arc, state) {
    const output = tensorOf(this.data, `t${arc.slice(1)}`);
    return output && state.given[output.node]?.[output.slot];
  }

  // --- what is wrong ---

  paintFaults(state) {
    for (const old of this.root.querySelectorAll(".fault")) old.remove();
    for (const group of this.root.querySelectorAll(".vertex.bad, .arc.bad")) group.classList.remove("bad");
    for (const [badge, text] of this.badges) badge.textContent = text;
    this.badges.clear();
    const { data } = this;
    for (const [node, words] of Object.entries(faults(state, data))) {
      for (const group of this.vertices.get(data.place[node]) ?? []) {
        group.classList.add("bad");
        group.append(pill(group, words.badge));
      }
      for (const note of words.notes.values()) {
        for (const group of this.vertices.get(note) ?? []) this.markNote(group, words.badge);
      }
      const marked = []; // from the last: it lies on top of those before it
      for (const arc of words.arcs.toReversed()) {
        for (const group of this.arcs.get(arc) ?? []) {
          group.classList.add("bad");
          if (!words.notes.has(arc)) this.markOnLine(group, words.badge, marked);
        }
      }
    }
  }

  // The badge of the box of what was saved says that it is stale, as in a drawing.
  markNote(group, words) {
    const badge = group.querySelector(".badge-text");
    group.classList.add("bad");
    if (!this.badges.has(badge)) this.badges.set(badge, badge.textContent);
    badge.textContent = words;
  }

  // The badge on the middle of a tie, unless that of its neighbour (`a*a` has two) stands there.
  markOnLine(group, words, marked) {
    const line = group.querySelector(".tie");
    if (!line) return; // on the edge itself the pill of its node says it
    const { x, y } = line.getPointAtLength(line.getTotalLength() / 2);
    if (marked.some((each) => Math.abs(each.x - x) < 48 && Math.abs(each.y - y) < 14)) return;
    marked.push({ x, y });
    group.append(shape("text", { class: "fault", x, y: y + 3.5 }, words));
  }

  // The box of the node that is under way, and that of the leaf whose `.grad` it fills.
  boxesNow(state) {
    const id = placeNow(state, this.data);
    return [this.boxOf(id), this.boxOf(leafAt(this.data, id)?.id)];
  }

  // The box, or the arrow, of something that is called so in the log.
  boxOf(id) {
    const [group] = this.vertices.get(id) ?? this.vertices.get(this.data.place[id]) ?? this.arcs.get(id) ?? [];
    return group;
  }

  // What can be walked through: each box once, as the gradient comes to them.
  get ids() {
    const seen = (id) => this.vertices.get(id)?.some((each) => this.frame.contains(each));
    return [...this.data.outputs, ...Object.keys(this.data.nodes).toReversed(), ...this.data.storages.keys(), ...this.data.leaves.map((each) => each.id)].filter(seen);
  }

  // --- clicks ---

  // What was clicked, and how the log calls it: {group, id}. A stub stands for its leaf.
  hit(target) {
    const group = target.closest(".vertex[id], .arc[id]");
    return group && { group, id: (group.dataset.of ?? group.id).slice(this.prefix.length) };
  }

  // The node that a thing of the drawing stands for, or null: a leaf may stand for where it ends.
  nodeOf(id) {
    if (this.data.nodes[id]) return id;
    return Object.keys(this.data.place).find((each) => this.data.place[each] === id) ?? null;
  }

  // A leaf that is drawn as stubs: a click on one lights them all.
  lightUses(group) {
    const leaf = group?.dataset.of ?? group?.id;
    const uses = [...this.frame.querySelectorAll(".vertex")].filter((each) => each.dataset.of === leaf);
    for (const each of this.frame.querySelectorAll(".vertex")) {
      each.classList.toggle("lit", uses.length > 0 && (uses.includes(each) || each.id === leaf));
    }
  }

  // What is in a folded box: a drawing that Python made, or the names of its nodes.
  fold(id, choose, close) {
    const { title, count, members } = this.data.folds[id];
    const drawing = this.root.querySelector(`template[data-fold="${id}"]`);
    const body = drawing ? drawing.content.cloneNode(true) : element("ul", { class: "gg-members" },
      ...members.map((node) => element("li", {},
        textButton(`${node} ${clip(this.data.nodes[node]?.name ?? "")}`, () => choose(node)))));
    if (!drawing && members.length < count) {
      body.append(element("li", { class: "gg-empty" }, `and ${(count - members.length).toLocaleString("en")} more`));
    }
    const words = `${count.toLocaleString("en")} nodes in this box`;
    const card = element("section", { class: "gg-fold", "aria-label": `Inside ${clip(title)}` },
      element("header", {}, element("h3", {}, clip(title)), element("span", {}, words),
        textButton("Close", close)),
      element("div", { class: "gg-inside", tabindex: "0" }, body));
    for (const group of card.querySelectorAll(".vertex")) addMarks(group);
    return card;
  }
}

// Nodes on which something is wrong, each with a badge, the arcs that it is about, and by those
// of them that lead to what was saved the box that shows it.
export function faults(state, data) {
  return (state.faults ??= findFaults(state, data));
}

function findFaults(state, data) {
  const found = {};
  const add = (node, badge, arcs, note) => {
    const { arcs: before = [], notes = new Map() } = found[node] ?? {};
    if (note) notes.set(arcs[0], note);
    found[node] = { badge, arcs: [...new Set([...before, ...arcs])], notes };
  };
  for (const [id, node] of Object.entries(data.nodes)) {
    for (const saved of node.saved ?? []) {
      const [then, now] = versionsOf(state, id, saved);
      const note = data.storages.has(saved.of) && saved.of; // the box of a leaf says LEAF: its tie tells
      if (then !== now) add(id, `v${now}≠v${then}`, [tieOf(data, id, saved.name)], note);
    }
    const norms = (arrays) => (arrays ?? []).map((each) => data.norms[each]).filter(isSpoiled);
    const [made, given] = [norms(state.outof[id]), norms(state.into[id])];
    if (made.includes("nan") && !given.includes("nan")) add(id, "NaN", []);
    else if (made.length && !given.length) add(id, "inf", []);
  }
  const { error } = state;
  if (error?.node) {
    const tie = error.saved ? [tieOf(data, error.node, error.saved)] : [];
    const edge = state.arrived[error.node]?.edge;
    add(error.node, found[error.node]?.badge ?? "error", edge ? [...tie, edge] : tie);
  }
  return found;
}

// --- rings and signs -----------------------------------------------------------------------------

// Left, top, width and height of a box. Python writes them where they are not those of a rect.
export function boxOf(group) {
  if (group.dataset.box) return group.dataset.box.split(" ").map(Number);
  const rect = group.querySelector("rect.box");
  return ["x", "y", "width", "height"].map((name) => Number(rect?.getAttribute(name)));
}

function words(group, part) {
  return group.querySelector(part).textContent;
}

// A box has a name that can be read out, and can have the focus.
function furnish(group, id, node) {
  const name = node ? `${node.name}, ${id}` : group.querySelector("title")?.textContent.split("\n")[0] ?? id;
  group.dataset.name = clip(name, 120);
  for (const [key, value] of Object.entries({ role: "button", tabindex: "-1", "aria-label": group.dataset.name })) group.setAttribute(key, value);
}

// A line is too thin to be hit. An arrow's head grows with its line, and its point stays where it is.
function widen(arc) {
  const line = arc.querySelector(".line, .tie");
  if (line) arc.prepend(shape("path", { class: "reach", d: line.getAttribute("d") }));
  const head = arc.querySelector(".tip");
  if (!head) return; // a tie
  // Its corners are written there: to ask for a place makes the browser lay the page out, for each.
  const [x, y] = head.getAttribute("d").split("L")[1].split(" ");
  head.style.transformOrigin = `${x}px ${y}px`;
}

function addMarks(group) {
  const [x, y, width, height] = boxOf(group);
  // Under the box, and so under the pills of its hooks.
  group.prepend(shape("rect",
    { class: "ring", x: x - 4, y: y - 4, width: width + 8, height: height + 8, rx: 10 }));
  group.append(
    // A little outside of the corner, beside the pill of a hook.
    shape("g", { class: "sign", transform: `translate(${x - 5} ${y - 3})` },
      shape("circle", { r: 9 }),
      shape("path", { class: "tick", d: "M-4 0l3 3l5 -6" }),
      shape("path", { class: "play", d: "M-2.5 -4l6.5 4l-6.5 4z" }),
      shape("path", { class: "redo", d: "M2.9 -3.2a4.3 4.3 0 1 0 1.3 3.6M4.4 -5v3.4h-3.4" })),
    // An octagon with two bars: pause here.
    shape("g", { class: "stop", transform: `translate(${x + width} ${y})` },
      shape("path", { d: "M-4 -9.5h8l5.5 5.5v8l-5.5 5.5h-8l-5.5 -5.5v-8z" }),
      shape("path", { class: "bars", d: "M-2.5 -4v8M2.5 -4v8" })));
}

function pill(group, words) {
  const [x, y, width, height] = boxOf(group);
  const wide = 12 + 6.5 * words.length;
  const at = `translate(${x + width - wide + 8} ${y + height - 7})`;
  return shape("g", { class: "fault", transform: at },
    shape("rect", { width: wide, height: 16, rx: 8 }),
    shape("text", { x: wide / 2, y: 11.5 }, words));
}

// The ramp of the heat mode, and what it says: its ends are the least and the most until now.
export function heatLegend(bounds) {
  const swatches = FLOWS.slice(0, 6).map((step) => shape("g", { class: `flow-${step}` },
    shape("path", { class: "line", d: `M${24 * Number(step)} 7h20` })));
  const odd = [["zero", 168, "zero"], ["nan", 240, "NaN"]].map(([step, x, words]) =>
    shape("g", { class: `flow-${step}` }, shape("path", { class: "line", d: `M${x} 7h22` }),
      shape("text", { x: x + 28, y: 11 }, words)));
  const number = (log) => (log < -3 || log > 4 ? (10 ** log).toExponential(1) : String(Number((10 ** log).toPrecision(2))));
  const range = bounds ? bounds.map(number).join(" to ") : "nothing yet";
  return element("div", { class: "gg-heat" },
    element("span", {}, "‖gradient‖ so far"), shape("svg", { class: "gg", width: 310, height: 14, "aria-hidden": "true" }, ...swatches, ...odd),
    element("span", {}, `${range}, logarithmic; dotted: zero; red dashes: nan or inf`));
}
