// Memory that saved tensors hold: whose it is, and how much it is at each event.

// Which nodes hold a piece of memory, as [node, entry], and how large it is. A leaf lives on: it is
// not counted. Of those that a checkpoint keeps, `isKept`.
export function storages(data) {
  const found = new Map();
  const note = ({ of, bytes }) => {
    if (of[0] === "t") return undefined;
    const entry = found.get(of) ?? { bytes: 0, holders: [], isKept: false };
    entry.bytes = Math.max(entry.bytes, bytes); // there may be views of it, smaller ones
    found.set(of, entry);
    return entry;
  };
  for (const [id, node] of Object.entries(data.nodes)) {
    for (const saved of node.saved ?? []) note(saved)?.holders.push([id, saved]);
    knownPacked(node).forEach(note);
  }
  for (const { saved } of data.checkpoints ?? []) {
    for (const each of saved) Object.assign(note(each) ?? {}, { isKept: true });
  }
  for (const { made } of data.events) made?.forEach(note);
  return found;
}

// Bytes of the leaves that are saved, each once, or parts of it: a pass frees none of them.
export function leafBytes(data) {
  const found = {};
  for (const { saved = [] } of Object.values(data.nodes)) {
    for (const { of, bytes } of saved) if (of[0] === "t") found[of] = Math.max(found[of] ?? 0, bytes);
  }
  return Object.values(found).reduce((sum, bytes) => sum + bytes, 0);
}

// Bytes held by saved tensors before the first event, after it, after the second, …, by the rule of
// `tracing/held.py`: each piece of memory once, and no leaf's.
export function heldBytes(data) {
  const sizes = storages(data);
  const owners = new Map(); // by piece of memory
  const inside = {}; // by node, what the pass inside of a checkpoint takes
  let held = data.beyond ?? 0;
  const keep = (holder, saved) => {
    for (const { of } of saved) {
      if (of[0] === "t") continue;
      const mine = owners.get(of) ?? new Set();
      if (!mine.size) held += sizes.get(of).bytes;
      owners.set(of, mine.add(holder));
    }
  };
  const drop = (holder) => {
    for (const [of, mine] of owners) if (mine.delete(holder) && !mine.size) held -= sizes.get(of).bytes;
  };
  const keepAll = (id) => {
    const node = data.nodes[id];
    if (!node.freed) keep(id, [...(node.saved ?? []).filter(({ again }) => !again), ...knownPacked(node)]);
  };
  const begin = () => {
    Object.keys(data.nodes).forEach(keepAll);
    for (const { id, saved } of data.checkpoints ?? []) keep(id, saved);
  };
  const ends = {}; // by node, the checkpoints that end with it
  const step = ({ type, node, made = [], bytes, until, checkpoint, pass }) => {
    if (type === "forward" && data.nodes[node]) keepAll(node);
    if (type === "turn") begin(); // also what no op of the picture has saved
    if (type === "free_saved") drop(node);
    if (type === "recompute") {
      drop(`for ${checkpoint}`); // its arguments, which the checkpoint around it has computed
      for (const each of made) keep(`for ${each.for}`, [each]);
      if (until) ends[until] = [...(ends[until] ?? []), checkpoint];
      if (pass) held += inside[node] = bytes;
    }
    if (type === "apply") {
      drop(`for ${node}`);
      (ends[node] ?? []).forEach(drop);
      held -= inside[node] ?? 0;
      delete inside[node];
    }
  };
  if (!hasForward(data)) begin();
  const series = [held];
  for (const event of data.events) {
    (event.events ?? [event]).forEach(step);
    held = event.held ?? held; // of a cut, which tells of all nodes
    series.push(held);
  }
  return series;
}

// What pack hooks made of what a node saved, as far as its size is known.
function knownPacked({ packed = [] }) {
  return packed.filter(({ of }) => of);
}

// Whether, after so many events, nodes keep what pack hooks made, of a size that nobody can tell.
export function hidesBytes(data, at) {
  const freed = new Set();
  for (const event of data.events.slice(0, at)) {
    for (const { type, node } of event.events ?? [event]) if (type === "free_saved") freed.add(node);
  }
  return Object.entries(data.nodes).some(([id, { packed = [], freed: isGone }]) => !isGone && !freed.has(id) && packed.some(({ of }) => !of));
}
