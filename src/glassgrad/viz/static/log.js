// The log of a backward pass, read: what the state is after k events. No page, no drawing.

// The state after the first `count` events.
export function replay(data, count) {
  const state = {
    node: {}, arrived: {}, grad: {}, into: {}, outof: {}, freed: new Set(), passed: new Set(),
    queue: [], current: null, event: count > 0 ? data.events[count - 1] : null,
  };
  for (let k = 0; k < count; k++) advance(state, data, data.events[k]);
  return state;
}

function advance(state, data, event) {
  const { type, node } = event;
  if (type === "ready") {
    state.node[node] = "ready";
    state.queue.push(node);
  } else if (type === "buffer") {
    state.arrived[node] = event;
    if (event.edge) state.passed.add(event.edge);
  } else if (type === "accumulate") {
    const leaf = data.leaves.find((each) => each.id === event.tensor);
    if (leaf) begin(state, leaf.acc);
    if (leaf) state.passed.add(`e${leaf.acc.slice(1)}-0`);
    state.grad[event.tensor] = event.grad;
  } else {
    begin(state, node);
    if (type === "apply") {
      state.into[node] = event.grad_in;
      state.outof[node] = event.grad_out;
    } else if (type === "pre_hook") {
      state.into[node] = event.after;
    } else if (type === "post_hook") {
      state.outof[node] = event.after;
    } else if (type === "free_saved") {
      state.freed.add(node);
    }
  }
}

function begin(state, node) {
  if (state.current === node) return;
  if (state.current !== null) state.node[state.current] = "done";
  state.current = node;
  state.node[node] = "current";
  state.queue = state.queue.filter((each) => each !== node);
}

// The steps at which a node has just run: what "node by node" stops at.
function nodeStops(data) {
  const stops = [0];
  data.events.forEach((event, k) => {
    if (event.type === "apply" || event.type === "accumulate") stops.push(k + 1);
  });
  if (stops.at(-1) !== data.events.length) stops.push(data.events.length);
  return stops;
}

// The arcs along which the event moves something.
function movingArcs(data, event) {
  if (!event) return [];
  if (event.type === "buffer") return event.edge ? [event.edge] : [];
  if (event.type === "accumulate") {
    const leaf = data.leaves.find((each) => each.id === event.tensor);
    return leaf ? [`e${leaf.acc.slice(1)}-0`] : [];
  }
  if (event.type !== "unpack") return [];
  const index = data.nodes[event.node].saved.findIndex((each) => each.name === event.saved);
  return [`d${event.node.slice(1)}-${index}`];
}
