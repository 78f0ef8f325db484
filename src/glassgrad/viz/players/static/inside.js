// The pass that a checkpoint has run inside of this one: a player of its own, in this one's place.

import { textButton } from "./elements.js";

export class Inside {
  // `mount`: makes a player of an element.
  constructor(player, mount) {
    Object.assign(this, { outer: player, mount, player: null });
  }

  // Opens what there is after `at` events, while its node is the current one; null: there is nothing.
  opener(state, at) {
    const event = this.outer.data.events.slice(0, at).findLast((each) => each.pass);
    if (!event || event.node !== state.current) return null;
    const kept = this.outer.root.querySelector(`:scope > template[data-pass="${event.pass}"]`);
    return kept && (() => this.enter(kept));
  }

  async enter(kept) {
    const { outer } = this;
    const root = kept.content.cloneNode(true).querySelector(".gg-player");
    root.querySelector(".gg-head").prepend(textButton("← Pass outside", () => this.leave()));
    outer.stop();
    outer.root.after(root);
    outer.root.hidden = true;
    this.player = await this.mount(root, { leave: () => this.leave() });
    this.player.setMode(outer.mode === "debug" ? "debug" : "lesson", { isChosen: false });
    this.player.go(0);
    root.focus();
  }

  leave() {
    const { outer } = this;
    this.player.stop();
    this.player.root.remove();
    this.player = null;
    outer.root.hidden = false;
    outer.view.refit();
    outer.paint();
    outer.headline.inside.querySelector("button")?.focus();
  }
}
