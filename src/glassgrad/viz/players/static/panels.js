// The panels beside the drawing. Each is a section that can be shut; painting fills their bodies.

import { element, rows, formula, textButton, clip, bytesText, refill, show } from "./elements.js";
import { faults } from "./stage.js";
import { describe, partsOf } from "./about.js";
import { givenOut, isMade, keeping, leafAt, nodeNow, phases, tensorOf, versionsOf } from "./log.js";

const MOST_ROWS = 40;
const MOST_HOOKS = 30;
const PARTS = ["value", "tangent", "gradient"];
const BAR = "\u0304"; // over a letter: its gradient
const RULE = "rule"; // the section of an explanation that has the rule in numbers

export class Panels {
  // `told`: {choose(node), toggleBreak(node), until(node), breaks, legend}.
  constructor(data, told) {
    Object.assign(this, { data, told });
    this.picker = element("select", { class: "gg-picker", "aria-label": "Show node", onchange: (event) => told.choose(event.target.value || null) });
    const parts = [["node", "Node"], ["queue", "Queue"], ["hooks", "Hooks fired"], ["tensors", "Tensors"]];
    this.bodies = {};
    const sections = parts.map(([key, title]) => {
      this.bodies[key] = element("div");
      return foldable(key, title, this.bodies[key]);
    });
    this.root = element("aside", { class: "gg-panel", "aria-label": "The step in detail" },
      ...sections, foldable("breaks", "Breakpoints", told.breaks), foldable("legend", "Legend", told.legend));
    this.bodies.node.before(this.picker); // which is never painted anew: it may be open
    this.titles = { node: sections[0].querySelector("h3") };
    this.hookSection = sections[2];
    this.learn();
  }

  // The nodes to choose from; again when a live session has grown.
  learn() {
    const { nodes } = this.data;
    const ids = Object.keys(nodes);
    refill(this.picker, [["", "follow the pass"], ...ids.map((id) => [id, `${id} ${nodes[id].name}`])]);
    this.registered = Object.values(nodes).reduce((sum, node) => sum + (node.hooks ?? []).length, 0);
    this.hookSection.hidden = !this.registered;
    this.readers = new Map(); // by leaf: which nodes saved it, and under which names
    for (const [id, node] of Object.entries(nodes)) {
      for (const saved of node.saved ?? []) {
        if (saved.of[0] === "t") this.readers.set(saved.of, [...(this.readers.get(saved.of) ?? []), [id, saved]]);
      }
    }
  }

  // `isOpen`: whether they are seen.
  paint(state, { at, chosen, node, points, isOpen }) {
    if (!isOpen) return;
    const thing = chosen && chosen !== node ? describe(this.data, state, chosen) : null;
    const shown = node ?? (thing ? null : nodeNow(state));
    this.picker.value = node ?? "";
    this.titles.node.textContent = thing ? `Chosen ${thing.kind}` : chosen ? "Chosen node" : "Current node";
    const parts = [...(thing ? this.thing(thing) : []), ...(shown ? this.node(state, shown, at, points) : [])];
    show(this.bodies.node, ...(parts.length ? parts : [
      element("p", { class: "gg-empty" }, "No node has begun. Click on one to look into it.")]));
    show(this.bodies.queue, this.queue(state));
    show(this.bodies.hooks, this.hooks(state));
    show(this.bodies.tensors, ...this.tensors(state));
  }

  words(array) {
    return array ? this.data.arrays[array] ?? "–" : "none";
  }

  thing(about) {
    const { kind, title } = about;
    return [element("p", { class: "gg-op" }, element("strong", {}, clip(title)), element("span", {}, kind)), ...partsOf(about)];
  }

  // What was chosen in short, for a card on the drawing: {title, kind, parts}; null of what is unknown.
  brief(state, { chosen, node, at }) {
    const thing = chosen === node ? null : describe(this.data, state, chosen);
    if (thing) return { ...thing, parts: partsOf(thing) };
    const about = this.data.nodes[node];
    if (!about) return null;
    const lines = element("p", { class: "gg-about" }, about.about.map((each) => clip(each, 120)).join(" · "));
    const parts = [lines, this.gradients(state, node, about), ...this.saved(state, node, about), ...this.formulas(state, node, at)];
    return { title: clip(about.name), kind: node, parts: parts.filter(Boolean) };
  }

  // --- one node ---

  node(state, id, at, points) {
    const node = this.data.nodes[id];
    if (!node) return [];
    const bad = faults(state, this.data)[id];
    const isSet = points.has(id);
    return [
      element("p", { class: "gg-op" }, element("strong", {}, clip(node.op)), element("span", {}, id),
        bad ? element("span", { class: "gg-bad" }, bad.badge) : null, this.hasNumbers(state, id, at) ? this.verdict(id) : null),
      element("p", { class: "gg-about" }, node.about.map((each) => clip(each, 120)).join(" · ")),
      this.phaseStrip(id, at),
      this.gradients(state, id, node),
      ...this.saved(state, id, node),
      ...this.formulas(state, id, at),
      element("div", { class: "gg-acts", "data-node": id },
        textButton(isSet ? "Remove breakpoint" : "Break here", () => this.told.toggleBreak(id), { "aria-pressed": String(isSet), title: "b" }),
        textButton("Run to here", () => this.told.until(id))),
      this.explanation(id, this.hasNumbers(state, id, at)),
    ].filter(Boolean);
  }

  phaseStrip(id, at) {
    const found = phases(this.data, id, at);
    if (found.length < 2) return null;
    return element("ol", { class: "gg-phases", "aria-label": "Phases of its turn" },
      ...found.map(({ name, done, here }) => element("li",
        { class: here ? "here" : done ? "past" : "", "aria-current": here ? "step" : null }, name)));
  }

  gradients(state, id, node) {
    const into = state.into[id];
    const list = Array.from(into ?? [], (array, slot) => [
      into.length > 1 ? `gradient in ${slot + 1}` : "gradient in", this.words(array)]);
    const buffer = state.arrived[id];
    const hasBegun = ["current", "done"].includes(state.node[id]);
    if (buffer && !hasBegun) list.push(["arrived", `${buffer.have} of ${buffer.need}`]);
    const out = state.outof[id];
    node.edges.forEach((to, index) => {
      if (!out) return;
      const name = leafAt(this.data, to)?.name ?? this.data.nodes[to]?.name ?? to;
      if (to) list.push([`→ ${clip(name, 40)}`, this.words(out[index])]);
      else list.push(["→ nobody", out[index] ? this.words(out[index]) : "not needed"]);
    });
    return list.length ? rows(list) : null;
  }

  saved(state, id, node) {
    if (!node.saved?.length) return [];
    const list = node.saved.map((entry) => {
      const [then, now] = versionsOf(state, id, entry);
      const stale = then !== now;
      const version = stale ? `saved at v${then}, now v${now}: stale` : `v${then}`;
      const where = entry.of[0] === "t" ? `leaf ${clip(this.nameOf(entry.of), 24)}` : entry.of;
      const [letter] = this.letters(id).find(([, words]) => words.endsWith(`, saved as ${entry.name}`)) ?? [];
      const word = entry.whose ? clip(entry.name, 24) : "";
      const how = keeping(state, this.data, id, entry);
      const end = how === "absent" ? "computed again when it is asked for" : how === "held" ? entry.again && "computed again" : entry.of[0] === "t" ? "let go" : "freed";
      const about = [letter && `${letter} in the rule`, word, entry.shape, bytesText(entry.bytes), where, version, end].filter(Boolean).join(" · ");
      return [clip(entry.whose || entry.name, 24), about, stale ? "gg-bad" : how === "gone" ? "gg-gone" : ""];
    });
    return [element("h4", {}, "Saved"), rows(list)];
  }

  nameOf(id) {
    return tensorOf(this.data, id)?.name ?? id;
  }

  // --- what it means ---

  verdict(id) {
    const ok = this.data.explain[id]?.ok;
    if (ok === undefined || ok === null) return null;
    return ok ? element("span", { class: "gg-right" }, "✓ rule checked") :
      element("span", { class: "gg-bad" }, "✗ rule is wrong");
  }

  // What each letter of the rule stands for.
  letters(id) {
    return this.data.explain[id]?.letters ?? [];
  }

  // The rule in symbols (value, tangent, and what backward computes), and in these numbers once it
  // has run; of a node of a paused pass that waits, in those that have arrived.
  formulas(state, id, at) {
    const { formulas = [], rows: about = [] } = this.data.explain[id] ?? {};
    if (!formulas.length) return [];
    const isKnown = this.hasNumbers(state, id, at);
    const numbers = isKnown ? about.filter(([part]) => part === RULE) : [];
    const letters = this.letters(id).filter(([letter]) => isKnown || !letter.normalize("NFD").includes(BAR));
    return [element("h4", {}, "Rule"), element("dl", { class: "gg-math" },
      ...formulas.flatMap((each, at) => [element("dt", {}, PARTS[at] ?? ""), element("dd", {}, formula(each))])),
    numbers.length ? rows(numbers.map(([, key, text]) => [clip(key, 40), clip(key === RULE ? text : `= ${text}`, 400), badRow(text)])) : null,
    letters.length ? rows(letters.map(([letter, words]) => [clip(letter, 12), clip(words, 400)])) : null,
    this.notation()];
  }

  // What x̄ and ẋ are, for whoever asks; open as long as it was left so.
  notation() {
    return element("details", { class: "gg-notation", ...(this.isNotationOpen ? { open: "" } : {}), ontoggle: (event) => { this.isNotationOpen = event.target.open; } },
      element("summary", {}, "What are x\u0304 and x\u0307?"), element("p", {}, this.data.notation ?? ""));
  }

  // Whether the numbers of its rule are there: once it has run, or where a paused pass waits.
  hasNumbers(state, id, at) {
    return Boolean(state.outof[id]) || (this.told.isLive && at === this.data.events.length);
  }

  explanation(id, hasNumbers) {
    const about = this.data.explain[id];
    if (!about) return null;
    const table = [];
    let section = "";
    const list = hasNumbers ? (about.rows ?? []).filter(([part]) => part !== RULE || !about.formulas?.length) : [];
    for (const [title, key, text] of list) {
      if (title !== section) table.push([title, "", "gg-part"]);
      section = title;
      table.push([clip(key, 40), clip(text, 400), badRow(text)]);
    }
    return element("details", { class: "gg-explain", ...(this.isExplained ? { open: "" } : {}), ontoggle: (event) => { this.isExplained = event.target.open; } },
      element("summary", {}, "Explain"), element("p", {}, clip(about.words ?? "", 400)), rows(table));
  }

  // --- everything else ---

  queue(state) {
    const called = Object.values(this.data.nodes).map((node) => node.name);
    const name = (id) => {
      const words = this.data.nodes[id]?.name ?? id;
      return clip(words, 40) + (called.indexOf(words) === called.lastIndexOf(words) ? "" : ` ${id}`);
    };
    const chips = state.queue.map((id) => element("li", { class: "gg-ready" }, name(id)));
    for (const [id, { have, need }] of Object.entries(state.arrived)) {
      if (have < need) chips.push(element("li", {}, `${name(id)}: ${have} of ${need} arrived`));
    }
    if (!chips.length) chips.push(element("li", { class: "gg-empty" }, "empty"));
    return element("ul", { class: "gg-queue" }, ...chips);
  }

  hooks(state) {
    const names = {};
    for (const node of Object.values(this.data.nodes)) {
      for (const hook of node.hooks ?? []) names[hook.id] = hook.name || hook.id;
    }
    const fired = state.hooks.slice(-MOST_HOOKS);
    if (!fired.length) {
      const count = this.registered === 1 ? "1 is" : `${this.registered} are`;
      return element("p", { class: "gg-empty" }, `none yet; ${count} registered`);
    }
    const first = state.missed + state.hooks.length - fired.length + 1;
    return element("ol", { class: "gg-hooks", start: first, "aria-label": "Hooks in the order in which they ran" },
      ...fired.map((event) => this.hook(event, names[event.hook], event === state.event)));
  }

  hook(event, name, fresh) {
    const [before, after] = [event.before, event.after].map((arrays) => arrays.map((each) => this.words(each)).join(", "));
    const kept = JSON.stringify(event.before) === JSON.stringify(event.after);
    const where = clip(this.data.nodes[event.node]?.name ?? event.node, 32);
    const when = event.type === "pre_hook" ? "before" : "after";
    return element("li", { class: fresh ? "gg-fresh" : "" },
      element("div", {}, element("strong", {}, clip(name ?? event.hook, 32)), ` ${when} ${where}`),
      element("code", {}, kept ? `${before} unchanged` : `${before} → ${after}`));
  }

  tensors(state) {
    const { leaves, tensors } = this.data;
    if (!leaves.length && !tensors.length) return [element("p", { class: "gg-empty" }, "none")];
    const list = [...leaves, ...tensors].slice(0, MOST_ROWS).map((each) => this.tensor(state, each));
    const more = leaves.length + tensors.length - MOST_ROWS;
    if (more > 0) list.push(element("p", { class: "gg-empty" }, `and ${more.toLocaleString("en")} more`));
    return list;
  }

  // The version of a leaf as far as the log tells: when it was saved, and when it was last read.
  versionOf(state, tensor) {
    const known = tensor.version === undefined ? [] : [tensor.version];
    for (const [id, saved] of this.readers.get(tensor.id) ?? []) {
      known.push(saved.version, saved.now ?? 0, ...(state.versions[`${id} ${saved.name}`] ?? []));
    }
    return known.length ? Math.max(...known) : null;
  }

  tensor(state, tensor) {
    const isGivenOut = Boolean(tensor.acc && givenOut(this.data, tensor.acc));
    const grad = state.grad[tensor.id] ?? (isGivenOut ? undefined : tensor.grad); // it had one before the pass
    const fresh = isGivenOut ? state.event?.type === "buffer" && state.event.node === tensor.acc :
      state.event?.type === "accumulate" && state.event.tensor === tensor.id;
    const given = (tensor.retains ? state.kept : state.into)[tensor.node]?.[tensor.slot];
    const version = this.versionOf(state, tensor);
    const isThere = tensor.acc || isMade(state, this.data, tensor.node);
    const list = [["value", !isThere ? "not computed yet" : tensor.array ? this.words(tensor.array) : tensor.shape, isThere ? "" : "gg-none"]];
    if (tensor.acc) list.push([isGivenOut ? "gradient" : ".grad", grad ? this.words(grad) : "none yet", fresh ? "gg-fresh" : grad ? "" : "gg-none"]);
    else list.push([tensor.retains ? ".grad" : "gradient", given ? this.words(given) : "none yet", given ? "" : "gg-none"]);
    return element("div", { class: "gg-tensor" },
      element("p", {}, element("strong", {}, clip(tensor.name, 40)),
        element("span", {}, `${tensor.shape} ${clip(tensor.dtype, 16)}`),
        version === null ? null : element("span", { class: "gg-version" }, `v${version}`)),
      rows(list));
  }
}

// Whether a row of an explanation says that the rule is wrong, as a class.
function badRow(text) {
  return /^✗|^WRONG|but the rule says/.test(text) ? "gg-bad" : "";
}

function foldable(key, title, body) {
  return element("details", { class: `gg-sec gg-sec-${key}`, open: "" },
    element("summary", {}, element("h3", {}, title)), body);
}

// --- the program ---------------------------------------------------------------------------------

// The lines that made the nodes, as far as they are known. A click goes to a line's node.
export class Source {
  constructor(data, choose) {
    Object.assign(this, { data, choose });
    this.list = element("div", { class: "gg-lines" });
    this.root = element("section", { class: "gg-source", tabindex: "0", "aria-label": "Source lines" }, this.list);
    this.learn();
  }

  learn() {
    this.items = new Map();
    let file = null;
    const made = [];
    for (const line of this.data.lines) {
      if (line.file !== file) made.push(element("p", { class: "gg-file" }, clip(line.file || "elsewhere", 60)));
      file = line.file;
      const item = element("button", { type: "button", class: "gg-line", onclick: () => this.choose(line.nodes.at(-1)) },
        element("span", { class: "gg-number" }, String(line.line || "")), element("code", {}, clip(line.code, 160)));
      for (const node of line.nodes) this.items.set(node, item);
      made.push(item);
    }
    this.list.replaceChildren(...made);
    this.root.hidden = !this.data.lines.length;
  }

  paint(shown) {
    this.shown = shown;
    const here = this.items.get(shown);
    for (const item of new Set(this.items.values())) {
      item.classList.toggle("here", item === here);
      if (item === here) item.setAttribute("aria-current", "true");
      else item.removeAttribute("aria-current");
    }
  }

  follow() {
    const here = this.items.get(this.shown);
    if (here) this.root.scrollTop = here.offsetTop - this.root.clientHeight / 3;
  }
}
