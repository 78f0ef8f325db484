// The log of a backward pass, read: what the state is after k events. No page, no drawing.

// A promise of the data of a page, which `html.py` has packed.
export function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}

// --- state ---------------------------------------------------------------------------------------

function blank() {
  return {
    node: {}, arrived: {}, grad: {}, into: {}, kept: {}, outof: {}, versions: {}, freed: new Set(),
    passed: new Map(), hooks: [], queue: [], done: 0, current: null, event: null, error: null,
    made: {}, making: null, hasTurned: false, given: {}, missed: 0, again: {}, computed: new Set(), ran: [],
  };
}

// The state after the first `count` events.
export function replay(data, count) {
  const state = blank();
  Object.assign(state.given, data.given);
  for (let k = 0; k < count; k++) advance(state, data, data.events[k]);
  return state;
}

// The state after one event more. By node, `into` has the gradients that are there, as far as hooks
// have changed them, `given` what its turn began with, `kept` what `retain_grad` keeps of them, and
// `outof` what its rule gave. By edge, `passed` has what went along it; by leaf, `grad` its `.grad`. In
// a player that begins with the forward pass, `made` has the values of the ops that have run, and
// `making` is the last, meanwhile. `again` says of nodes for which a checkpoint has computed something
// again: "held", then "gone"; `computed` has the memory that this was, and `ran` the nodes whose ops ran
// again for the current one. A cut stands for events that the page leaves out: those that it needs are
// in it, and `missed` counts the hooks among the others.
export function advance(state, data, event) {
  const { type, node } = event;
  state.event = event;
  state.making = type === "forward" ? node : null;
  if (type === "cut") {
    for (const each of event.events) advance(state, data, each);
    state.missed += event.hooks;
    state.event = event;
  } else if (type === "forward") {
    state.made[node] = event.value;
  } else if (type === "turn") {
    state.hasTurned = true;
  } else if (type === "ready" && givenOut(data, node)) {
    state.node[node] = "done"; // it does not run: what has arrived is the result
  } else if (type === "ready") {
    state.node[node] = "ready";
    state.queue.push(node);
    state.into[node] = state.given[node] ?? state.into[node];
  } else if (type === "buffer") {
    state.arrived[node] = event;
    (state.into[node] ??= [])[event.slot] = event.grad;
    const leaf = givenOut(data, node);
    if (leaf) state.grad[leaf.id] = event.grad;
    if (event.edge) state.passed.set(event.edge, sentAlong(state, event));
  } else if (type === "accumulate") {
    const leaf = tensorOf(data, event.tensor);
    if (leaf) begin(state, data, leaf.acc);
    if (leaf) state.passed.set(`e${leaf.acc.slice(1)}-0`, event.grad);
    state.grad[event.tensor] = event.grad;
  } else {
    begin(state, data, node);
    atNode(state, data, event);
  }
}

// By node, the gradients that backward was given: where the pass begins, they are there before any
// event, though the log has them with the first hook or rule.
export function givenTo(data) {
  const given = {};
  const fed = new Set();
  for (const event of data.events) {
    if (event.type === "buffer") fed.add(event.node);
    else if (isTurnsFirst(event) && !fed.has(event.node)) given[event.node] ??= event.before ?? event.grad_in;
  }
  return given;
}

// Whether an event says what gradients a turn has begun with, as the first of it does.
function isTurnsFirst({ type }) {
  return type === "pre_hook" || type === "apply";
}

// A leaf, or another tensor that the page knows, by its id.
export function tensorOf(data, id) {
  return [...data.leaves, ...data.tensors].find((each) => each.id === id);
}

// The leaf whose gradient ends at this node.
export function leafAt(data, node) {
  return data.leaves.find((each) => each.acc === node);
}

// The same, where the gradient was asked for, and is not added to `.grad`.
export function givenOut(data, node) {
  return data.wanted.includes(node) ? leafAt(data, node) : undefined;
}

// The versions of what a node saved: when it was saved, and when it was last read, as far as is known.
export function versionsOf(state, node, { name, version, now = version }) {
  return state.versions[`${node} ${name}`] ?? [version, now];
}

// How a saved tensor is: "held", "gone", or "absent", where it is yet to be computed again.
export function keeping(state, data, node, saved) {
  if (saved.again) return state.again[node] ?? "absent";
  return state.freed.has(node) || data.nodes[node].freed ? "gone" : "held";
}

function atNode(state, data, event) {
  const { type, node } = event;
  if (isTurnsFirst(event)) state.given[node] ??= event.before ?? event.grad_in;
  // A tensor keeps its gradient when its own hooks have run, and before those of the node.
  if (!data.hooked.includes(event.hook)) state.kept[node] ??= event.grad_in ?? event.before ?? state.into[node];
  if (type === "recompute") {
    state.ran = event.ran;
    for (const { for: holder, of } of event.made) {
      state.computed.add(of);
      if (holder) state.again[holder] = "held";
    }
  } else if (type === "apply") {
    state.into[node] = event.grad_in;
    state.outof[node] = event.grad_out;
    if (state.again[node]) state.again[node] = "gone";
  } else if (type === "pre_hook") {
    state.into[node] = event.after;
    state.hooks.push(event);
  } else if (type === "post_hook") {
    state.outof[node] = event.after;
    const leaf = leafAt(data, node); // its `.grad` is in the hook's hands
    if (leaf) [state.grad[leaf.id]] = event.after;
    state.hooks.push(event);
  } else if (type === "unpack") {
    state.versions[`${node} ${event.saved}`] = event.version;
  } else if (type === "free_saved") {
    state.freed.add(node);
  } else if (type === "error") {
    state.error = event;
  }
}

// The turn of a node begins.
export function begin(state, data, node) {
  if (state.current === node || node === undefined) return;
  if (state.current !== null) state.node[state.current] = "done";
  state.current = node;
  state.node[node] = "current";
  state.done += 1;
  state.ran = [];
  state.queue = state.queue.filter((each) => each !== node);
}

// What an edge carried: the part of its node's result, not the sum that it joined.
function sentAlong(state, event) {
  const [node, place] = event.edge.slice(1).split("-");
  return state.outof[`n${node}`]?.[Number(place)] ?? event.grad ?? null;
}

// --- places in the log ---------------------------------------------------------------------------

const ON_THE_WAY = ["ready", "buffer"]; // events that its gradients cause at other nodes
const BEFORE = ["forward", "turn"]; // events before any node of the backward pass begins

// The node that an event is about, as far as one is under way in it; undefined for others.
export function nodeUnderWay(data, event) {
  if (ON_THE_WAY.includes(event.type) || BEFORE.includes(event.type)) return undefined;
  if (event.type !== "accumulate") return event.node;
  return tensorOf(data, event.tensor)?.acc;
}

// For each event the node that begins with it, or null.
export function beginnings(data) {
  let current = null;
  return data.events.map((event) => {
    const node = nodeUnderWay(data, event) ?? current;
    const begins = node !== current;
    current = node;
    return begins ? node : null;
  });
}

// Whether the page begins with the forward pass.
export function hasForward(data) {
  return BEFORE.includes(data.events[0]?.type);
}

// Whether backward has begun, as far as that depends on what was before it.
export function hasBegun(state, data) {
  return !hasForward(data) || state.hasTurned;
}

// The node that is under way, or whose op is, in the forward pass.
export function nodeNow({ current, making }) {
  return making ?? current;
}

// The box of the picture where something happens: of a node, of an op of the forward pass, or that at
// which the pass begins.
export function placeNow(state, data) {
  const op = hasBegun(state, data) ? null : state.making ?? data.events[0].node;
  return op ? `o${op.slice(1)}` : state.current ?? data.outputs[0];
}

// Whether the value of an op is there.
export function isMade(state, data, node) {
  return !hasForward(data) || node in state.made;
}

// By node, after how many events its turn is over, as far as the log has it.
export function endings(data) {
  const ends = {};
  let current = null;
  data.events.forEach((event, k) => {
    current = nodeUnderWay(data, event) ?? current;
    if (current !== null) ends[current] = k + 1;
  });
  return ends;
}

// Where a step of this granularity may end, counted in events.
//   node    after each node's turn         hook    also before and after each hook
//   micro   after every event
export function stops(data, granularity) {
  const last = data.events.length;
  if (granularity === "micro") return Array.from({ length: last + 1 }, (_, k) => k);
  const places = new Set([0, last]);
  data.events.forEach(({ type }, k) => {
    if (BEFORE.includes(type)) places.add(k + 1);
    if (type === "recompute" && !data.isLive) places.add(k + 1);
    if (type === "cut") places.add(k).add(k + 1);
  });
  const isHook = (event) => event?.type === "pre_hook" || event?.type === "post_hook";
  let turns = 0;
  beginnings(data).forEach((node, k) => {
    if (node !== null && turns++) places.add(k);
    if (granularity === "hook" && isHook(data.events[k])) places.add(k).add(k + 1);
  });
  return [...places].sort((a, b) => a - b);
}

const PHASES = {
  pre_hook: "pre-hooks", recompute: "recompute", unpack: "unpack", apply: "apply", post_hook: "post-hooks",
  accumulate: "accumulate", free_saved: "free", buffer: "hand on", error: "error",
};

// The phases of a node's turn as the log has them, and which of them the first `count` events hold. That
// it fails is told when it has.
export function phases(data, node, count) {
  const found = [{ name: "pop", done: false, here: false }];
  const first = data.events.findIndex((event) => nodeUnderWay(data, event) === node);
  for (let k = first; k >= 0 && k < data.events.length; k++) {
    const event = data.events[k];
    const owner = nodeUnderWay(data, event);
    if ((owner !== undefined && owner !== node) || (event.type === "error" && k >= count)) break;
    if (event.type === "ready" || event.type === "cut") continue;
    const name = PHASES[event.type] ?? event.type;
    if (found.at(-1).name !== name) found.push({ name, done: false, here: false });
    const phase = found.at(-1);
    phase.done ||= k < count;
    phase.here ||= k === count - 1;
  }
  found[0].done = first >= 0 && first < count;
  return found;
}

// The number in the record of the event that a step of the page ends with.
export function recordedAt(data, step) {
  const cut = data.events.findIndex(({ type }) => type === "cut");
  return cut >= 0 && step > cut ? step + data.events[cut].left - 1 : step;
}

// The arcs along which the event moves something.
export function movingArcs(data, event) {
  if (event?.type === "buffer") return event.edge ? [event.edge] : [];
  if (event?.type === "accumulate") {
    const leaf = tensorOf(data, event.tensor);
    return leaf ? [`e${leaf.acc.slice(1)}-0`] : [];
  }
  return event?.type === "unpack" ? [tieOf(data, event.node, event.saved)] : [];
}

// The tie from a node to what it saved under a name.
export function tieOf(data, node, name) {
  const index = (data.nodes[node]?.saved ?? []).findIndex((each) => each.name === name);
  return `d${node.slice(1)}-${index}`;
}

// --- what a trace says in figures ----------------------------------------------------------------

// The smallest and the largest finite norm > 0 that an arrow has carried until now, as log₁₀.
export function flowBounds(data, state) {
  const logs = [];
  const given = state.event ? data.tensors.map(({ id, node, slot }) => data.outputs.includes(id) && state.given[node]?.[slot]) : [];
  for (const array of [...state.passed.values(), ...given]) {
    const norm = data.norms[array];
    if (norm > 0) logs.push(Math.log10(norm));
  }
  return logs.length ? [Math.min(...logs), Math.max(...logs)] : null;
}

// Whether a norm is that of an array with a "nan" or an "inf" in it.
export function isSpoiled(norm) {
  return typeof norm === "string";
}

// "0" to "5" by log₁₀ of the norm, "zero" or "nan": as `viz/results.py` has it.
export function flowStep(norm, bounds) {
  if (norm === undefined || norm === null) return null;
  if (isSpoiled(norm)) return "nan";
  if (norm === 0) return "zero";
  const [low, high] = bounds;
  const share = high > low ? (Math.log10(norm) - low) / (high - low) : 1;
  return String(Math.max(0, Math.min(5, Math.trunc(share * 6))));
}
