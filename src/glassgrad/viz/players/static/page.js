// Where the parts of a player are in its element, and the step in the address of a page of its own.

import { element } from "./elements.js";
import { modeSwitch } from "./modes.js";
import { Predict } from "./predict.js";
import { controls, helpCard, shelf } from "./controls.js";

const PAUSE = 200; // ms between two addresses

export function build(player) {
  player.predict = player.data.predict ? new Predict(player) : null;
  const { root, parts, stage, view } = player;
  parts.heat = element("div", { class: "gg-under" });
  parts.help = helpCard(player);
  const picture = element("div", { class: "gg-view" }, stage.frame, view.map, player.search.root, player.card.root);
  const below = element("div", { class: "gg-below" }, player.log.root, player.source.root);
  const main = element("div", { class: "gg-column" },
    player.headline.root, picture, parts.heat, player.timeline.root, controls(player), below);
  const head = root.querySelector(".gg-head");
  head.append(modeSwitch(player));
  head.after(element("div", { class: "gg-frame" }, main, shelf(player), player.panels.root), parts.help);
  player.panels.root.querySelector(".gg-sec-legend").open = player.ownsPage;
}

// Writes steps to the address; not more often than browsers put up with.
export class Address {
  read() {
    return /^#\d+$/.test(location.hash) ? Number(location.hash.slice(1)) : 0;
  }

  write(step) {
    const write = () => {
      this.written = performance.now();
      try { history.replaceState(null, "", `#${step}`); } catch { /* a frame without an address */ }
    };
    clearTimeout(this.waiting);
    if (performance.now() - (this.written ?? -PAUSE) >= PAUSE) write();
    else this.waiting = setTimeout(write, PAUSE);
  }
}

// A page of its own has the style sheet packed with the log.
export function dress(text) {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  return sheet.replace(text);
}
