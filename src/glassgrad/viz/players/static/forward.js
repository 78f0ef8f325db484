// The forward half of a picture that has both directions face to face: values fill its boxes, op by
// op, and what a rule will need is saved below. It is all there in the drawing; here it appears.

const OF_AN_OP = ["pending", "current", "done"];

export class Forward {
  constructor(data) {
    this.data = data;
    this.ops = data.events.filter(({ type }) => type === "forward").map(({ node }) => node);
    this.holders = new Map(); // by saved storage that is no leaf's
    for (const node of this.ops) {
      for (const { of, again } of data.nodes[node]?.saved ?? []) {
        if (of[0] !== "t" && !again) this.holders.set(of, [...(this.holders.get(of) ?? []), node]); // a leaf is there
      }
    }
  }

  paint(stage, state) {
    const { data } = this;
    const isMade = (node) => node in state.made;
    const each = (known, id, act) => { for (const group of known.get(id) ?? []) act(group.classList); };
    for (const node of this.ops) {
      const rank = node.slice(1);
      const name = !isMade(node) ? "pending" : state.making === node ? "current" : "done";
      each(stage.vertices, `o${rank}`, (list) => {
        for (const one of OF_AN_OP) list.toggle(one, one === name);
        list.toggle("unmade", !isMade(node));
      });
      (data.nodes[node]?.edges ?? []).forEach((_, at) => each(stage.arcs, `we${rank}-${at}`, (list) => {
        list.toggle("done", isMade(node));
        list.toggle("moving", state.making === node);
      }));
      (data.nodes[node]?.saved ?? []).forEach((_, at) => {
        for (const arc of [`d${rank}-${at}`, `wd${rank}-${at}`]) each(stage.arcs, arc, (list) => list.toggle("unmade", !isMade(node)));
      });
    }
    for (const [storage, holders] of this.holders) {
      each(stage.vertices, storage, (list) => list.toggle("unmade", !holders.some(isMade)));
    }
    for (const { id, node } of data.tensors) this.paintOutput(stage, state, { id, node, each, isMade });
    for (const { id } of data.leaves) {
      each(stage.vertices, id, (list) => list.toggle("given", !state.hasTurned));
    }
  }

  // The loss is there with the op that computes it; backward begins at it.
  paintOutput(stage, state, { id, node, each, isMade }) {
    if (!this.data.outputs.includes(id)) return;
    const isNow = state.event?.type === "turn";
    each(stage.arcs, `wr${id.slice(1)}`, (list) => list.toggle("done", isMade(node)));
    each(stage.vertices, id, (list) => {
      list.toggle("unmade", !isMade(node));
      if (state.hasTurned && !isNow) return;
      for (const one of OF_AN_OP) list.toggle(one, one === (isNow ? "current" : "pending"));
    });
  }
}
