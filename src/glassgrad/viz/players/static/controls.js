// The bar of controls under the drawing, and the list of keys.

import { element, icon, iconButton, textButton } from "./elements.js";

const SPEEDS = [["0.5×", 1800], ["1×", 900], ["2×", 450], ["5×", 180]];
const GRANULARITIES = [["node", "node by node"], ["hook", "hook by hook"], ["micro", "every event"]];
const HELP = [
  ["→ ←", "a step forward, a step back"], ["Home End", "to the beginning, to the end"],
  ["Space", "play and pause"], ["b", "breakpoint on the node shown"], ["r", "run to the next breakpoint"],
  ["+ − 0", "larger, smaller, fit; so does the wheel with Ctrl, or once the drawing was clicked"],
  ["Shift →", "move the drawing; so does dragging it"], ["/", "search nodes, tensors, lines"], ["n p", "the next box, the one before"],
  ["h", "heat: width and shade by ‖gradient‖"], ["?", "this list"], ["Esc", "put away what lies over the page"],
];

export function controls(player) {
  const { parts, live } = player;
  parts.play = iconButton("play", "Play", "Space", () => player.toggle(), "Play");
  parts.scrub = element("input", { type: "range", min: 0, max: 0, step: 1, class: "gg-scrub", "aria-label": "Moment of the pass",
    oninput: (event) => player.go(player.whole(Number(event.target.value))) });
  parts.count = element("output", { class: "gg-count" });
  parts.grain = choices("Step size", "gg-grain", GRANULARITIES, live ? live.granularity ?? "node" : "micro");
  parts.grain.addEventListener("change", () => {
    if (player.isDriven) live.send({ do: "granularity", value: parts.grain.value });
    player.learn();
  });
  parts.speed = choices("Speed", "gg-speed", SPEEDS.map(([label, pause]) => [pause, label]), 900);
  parts.speed.addEventListener("change", () => { if (player.timer !== null) { player.stop(); player.toggle(); } });
  parts.fit = element("input", { type: "checkbox", class: "gg-fit", onchange: () => (parts.fit.checked ? player.view.fit() : player.view.natural()) });
  parts.hot = element("input", { type: "checkbox", class: "gg-hotbox", onchange: () => player.heat(parts.hot.checked) });
  const back = parts.back = [iconButton("first", "To the beginning", "Home", () => player.first()),
    iconButton("back", "Back", "←", () => player.backward())];
  if (live?.noWayBack) {
    for (const each of back) Object.assign(each, { disabled: true, title: live.noWayBack });
  }
  return element("div", { class: "gg-bar", role: "group", "aria-label": "Playback" },
    element("div", { class: "gg-buttons" }, ...back,
      iconButton("next", "Step", "→", () => player.forward(), "Step"),
      parts.play,
      iconButton("last", "To the end", "End", () => player.end()),
      iconButton("stop", "Run to the next breakpoint", "r", () => player.run())),
    element("div", { class: "gg-where" }, parts.scrub, parts.count),
    element("div", { class: "gg-options" }, parts.grain, parts.speed,
      element("label", { class: "gg-heating" }, parts.hot, "heat"), element("label", {}, parts.fit, "fit"),
      element("span", { class: "gg-tools" },
        iconButton("less", "Smaller", "−", () => player.view.farther()), iconButton("more", "Larger", "+", () => player.view.closer()),
        iconButton("find", "Search", "/", () => player.search.open())),
      textButton("?", () => player.toggleHelp(), { "aria-label": "Keys", title: "Keys (?)" })));
}

// A bar at the side, for a lesson: it opens the panels, and shuts them.
export function shelf(player) {
  const words = element("span", {}, "Details");
  const button = element("button", { type: "button", class: "gg-shelf", "aria-label": "Details", "aria-expanded": "false", onclick: () => {
    const isOpen = player.root.classList.toggle("gg-open");
    button.setAttribute("aria-expanded", String(isOpen));
    player.paint();
  } }, words);
  return button;
}

export function helpCard(player) {
  return element("section", { class: "gg-help", hidden: "", "aria-label": "Keys" },
    element("dl", {}, ...HELP.flatMap(([key, words]) => [element("dt", {}, key), element("dd", {}, words)])),
    textButton("Close", () => player.toggleHelp()));
}

export function showPlaying({ parts: { play }, timer }) {
  const label = timer === null ? "Play" : "Pause";
  play.replaceChildren(icon(label.toLowerCase()), element("span", {}, label));
  play.setAttribute("aria-label", label);
  play.title = `${label} (Space)`;
}

function choices(label, name, options, start) {
  const made = element("select", { "aria-label": label, class: name });
  for (const [value, words] of options) {
    made.append(element("option", { value, ...(value === start ? { selected: "" } : {}) }, words));
  }
  return made;
}
