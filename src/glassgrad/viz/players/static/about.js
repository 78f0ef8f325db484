// What a thing of the drawing is and what there is of it now: a leaf, an output, a saved tensor, or
// an arrow. Nodes are told of by the panels.

import { bytesText, clip, element, rows } from "./elements.js";
import { isMade, keeping, leafAt, tensorOf, versionsOf } from "./log.js";

// {kind, title, what, rows} of what has this id in the drawing, or null.
export function describe(data, state, id) {
  const tensor = tensorOf(data, id);
  if (tensor) return aboutTensor(data, state, tensor);
  if (/^s\d/.test(id)) return aboutSaved(data, state, id);
  if (/^d\d/.test(id)) return aboutTie(data, state, id);
  return /^[er]\d/.test(id) ? aboutArrow(data, state, id) : null;
}

export function partsOf({ what, rows: list }) {
  return [element("p", { class: "gg-about" }, what),
    rows(list.filter(([, value]) => value).map(([name, value]) => [name, clip(value, 200)]))];
}

function aboutTensor(data, state, { id, name, shape, dtype, array, acc, node, slot, retains }) {
  const isOutput = data.outputs.includes(id);
  const grad = acc ? state.grad[id] : (retains ? state.kept : state.into)[node]?.[slot];
  const keepers = holders(data, id).map(([holder, saved]) => `${nameOf(data, holder)} as ${saved.name}`);
  return {
    kind: isOutput ? "output" : acc ? "leaf" : "tensor",
    title: name,
    what: acc ? "a tensor of yours: a gradient is wanted here" : isOutput ? "backward starts here" : "keeps its gradient",
    rows: [["shape", `${shape} ${dtype}`], ["value", acc || isMade(state, data, node) ? data.arrays[array] : "not computed yet"],
      [acc && !data.wanted.includes(acc) || retains ? ".grad" : "gradient", withNorm(data, grad) ?? "none yet"],
      ["held by", keepers.join(", ")]],
  };
}

function aboutSaved(data, state, id) {
  const found = holders(data, id);
  if (!found.length) return null;
  const [[, first]] = found;
  const keepers = found.map(([holder, saved]) => {
    const isGone = keeping(state, data, holder, saved) === "gone";
    return `${nameOf(data, holder)} as ${saved.name}${isGone ? " (let go)" : ""}`;
  });
  const all = (how) => found.every(([holder, saved]) => keeping(state, data, holder, saved) === how);
  const isKept = data.storages.get(id)?.isKept;
  const isAbsent = all("absent") && !isKept;
  return {
    kind: "saved tensor",
    title: first.label ?? first.name,
    what: isAbsent ? "not kept: a checkpoint computes it again when it is asked for" :
      all("gone") ? "was kept for the backward pass; free now" :
      isKept ? "an argument of a checkpoint: kept, to compute the rest again" :
      found.some(([, saved]) => saved.again) ? "computed again; it waits for its node" : "kept for the backward pass",
    rows: [["shape", [first.shape, bytesText(first.bytes)].filter(Boolean).join(", ")], ["value", data.arrays[first.array]],
      ["version", versionWords(state, found[0])], ["held by", keepers.join(", ")]],
  };
}

function aboutTie(data, state, id) {
  const [node, at] = placeOf(id);
  const saved = data.nodes[node]?.saved[at];
  if (!saved) return null;
  return {
    kind: "tie",
    title: `${nameOf(data, node)} keeps ${tensorOf(data, saved.of)?.name ?? saved.label ?? saved.name}`,
    what: `saved as ${saved.name}, for its rule`,
    rows: [["shape", [saved.shape, bytesText(saved.bytes)].filter(Boolean).join(", ")],
      ["value", data.arrays[saved.array ?? tensorOf(data, saved.of)?.array]], ["version", versionWords(state, [node, saved])]],
  };
}

function aboutArrow(data, state, id) {
  const [node, at] = placeOf(id);
  const output = id[0] === "r" ? tensorOf(data, `t${id.slice(1)}`) : null;
  if (!output && !data.nodes[node]) return null;
  const to = data.nodes[node]?.edges[at];
  const target = output ? nameOf(data, output.node) : to ? nameOf(data, to) : leafAt(data, node)?.name;
  const carried = output ? state.event && state.given[output.node]?.[output.slot] : state.passed.get(id);
  return {
    kind: "arrow",
    title: `${output ? output.name : nameOf(data, node)} → ${target ?? "nowhere"}`,
    what: output ? "what backward was given" : carried ? "this gradient went along it" : "nothing has gone along it yet",
    rows: [["gradient", withNorm(data, carried) ?? "none yet"]],
  };
}

// Who saved it: [node, entry].
function holders(data, id) {
  return Object.entries(data.nodes).flatMap(([node, { saved = [] }]) =>
    saved.filter((each) => each.of === id).map((each) => [node, each]));
}

function versionWords(state, [node, saved]) {
  const [then, now] = versionsOf(state, node, saved);
  return then === now ? `v${then}` : `saved at v${then}, now v${now}: stale`;
}

function withNorm(data, array) {
  if (!array) return null;
  const norm = data.norms[array];
  const isLong = typeof norm === "number" && data.arrays[array]?.startsWith("[");
  return `${data.arrays[array] ?? "–"}${isLong ? `, ‖·‖ ${Number(norm.toPrecision(3))}` : ""}`;
}

function nameOf(data, node) {
  return data.nodes[node]?.name ?? node;
}

// "d6-0" is of node n6, its first.
function placeOf(id) {
  const [node, at] = id.slice(1).split("-");
  return [`n${node}`, Number(at)];
}
