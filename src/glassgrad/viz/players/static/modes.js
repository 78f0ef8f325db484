// The ways to look at a pass, and what a lesson says.
//
//   lesson    the picture, a sentence for each node, and the line of the program
//   predict   the same, and the next gradient is asked for
//   debug     every event, and all that is known at it

import { element } from "./elements.js";
import { nodeUnderWay } from "./log.js";

const MODES = [["lesson", "Lesson"], ["predict", "Predict"], ["debug", "Debug"]];
const KEY = "glassgrad-mode"; // in the browser's memory, where there is one
const TOLD = ["apply", "accumulate", "error"]; // events that say what a node does

// The mode to begin in: what the page was made for, else what was chosen last.
export function firstMode(data, live) {
  if (data.mode && data.mode !== "lesson") return data.mode;
  if (live && (live.granularity ?? "node") !== "node") return "debug"; // a lesson goes node by node
  try {
    return localStorage.getItem(KEY) === "debug" ? "debug" : "lesson";
  } catch { // a file, or a frame that may keep nothing
    return "lesson";
  }
}

export function keepMode(mode) {
  try { localStorage.setItem(KEY, mode); } catch { /* nothing may be kept */ }
}

export function showMode(root, mode) {
  for (const [name] of MODES) root.classList.toggle(`gg-mode-${name}`, name === mode);
  for (const button of root.querySelectorAll(".gg-modes input")) button.checked = button.value === mode;
}

// The switch: of several on a page each is a group of its own.
export function modeSwitch(player) {
  const name = `${player.root.dataset.prefix}mode`;
  const known = MODES.filter(([mode]) => mode !== "predict" || player.data.predict);
  return element("div", { class: "gg-modes", role: "radiogroup", "aria-label": "Mode" },
    ...known.map(([mode, words]) => element("label", {},
      element("input", { type: "radio", name, value: mode, onchange: () => player.setMode(mode) }),
      element("span", {}, words))));
}

// What a lesson says after `at` events: what the node that is blue has done.
export function lessonWords(data, state, at) {
  if (!at) return data.begin;
  if (state.error || state.event.type === "cut" || (state.event.type === "recompute" && !data.isLive)) return data.said[at - 1];
  if (data.ends[state.current] <= at && data.story[state.current]) return [...ranAgain(data, state, at), data.story[state.current]].join(" ");
  for (let k = at - 1; k >= 0; k--) {
    const event = data.events[k];
    if (TOLD.includes(event.type) && nodeUnderWay(data, event) === state.current) return data.said[k];
  }
  return data.said[at - 1];
}

// A paused pass goes node by node: what ran again for this one was no step of its own.
function ranAgain(data, state, at) {
  const isSo = ({ type, node }, k) => data.isLive && k < at && type === "recompute" && node === state.current;
  return data.said.filter((_, k) => isSo(data.events[k], k));
}

// The line of the program that made a node, if it is known.
export function lineOf(data, node) {
  return data.lines.find((line) => line.nodes.includes(node));
}
