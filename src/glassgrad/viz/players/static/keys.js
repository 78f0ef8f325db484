// What the keys do, and who hears them.
//
// A player that has the page to itself hears every key. One in a page of text hears them once it has
// the focus; before that, if it is the only one there and in sight, those that the page has no use for.

const OF_THE_PAGE = ["Home", "End", " ", "Escape", "/", "n", "p", "+", "=", "-", "0"];
const FIELDS = "select, input[type=number], input[type=text], input[type=search], textarea";
const PANS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function listen(player, keys) {
  keys.addEventListener("keydown", (event) => press(player, event));
  if (keys !== player.root || player.live) return;
  const overhear = (event) => {
    if (!player.root.isConnected) document.removeEventListener("keydown", overhear);
    else if (isAlone(player.root) && event.target === document.body && !OF_THE_PAGE.includes(event.key)) press(player, event);
  };
  document.addEventListener("keydown", overhear);
}

function isAlone(root) {
  const { top, bottom } = root.getBoundingClientRect();
  return document.querySelectorAll(".gg-player").length === 1 && top < innerHeight && bottom > 0;
}

function press(player, event) {
  if (player.inside?.player) return press(player.inside.player, event);
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const on = (selector) => target.closest?.(selector);
  if (on(FIELDS) || (on("input[type=radio]") && (PANS[key] || key === " "))) return;
  const act = event.shiftKey && PANS[key] ? () => player.view.pan(...PANS[key]) : actOf(player, key, on);
  if (!act) return;
  event.preventDefault();
  event.stopPropagation(); // a page may have keys of its own
  if (event.repeat && !key.startsWith("Arrow")) return; // a key held down is one press
  if (["ArrowRight", "ArrowLeft", "Home", "End", "r"].includes(key)) player.stop();
  act();
}

function actOf(player, key, on) {
  const acts = {
    ArrowRight: () => player.forward(), ArrowLeft: () => player.backward(),
    Home: () => player.first(), End: () => player.end(), r: () => player.run(),
    h: () => player.heat(!player.stage.hot), "?": () => player.toggleHelp(),
    b: () => player.shown && player.toggleBreak(player.shown), Escape: () => putAway(player),
    "/": () => player.search.open(), n: () => player.walk(1), p: () => player.walk(-1),
    "+": () => player.view.closer(), "=": () => player.view.closer(), "-": () => player.view.farther(),
    0: () => player.view.fit(),
  };
  if (!on("button, summary, input[type=checkbox]")) acts[" "] = () => player.toggle();
  if (on(".vertex")) acts.Enter = () => player.choose(player.stage.hit(on(".vertex")).id);
  return acts[key];
}

// What lies over the page is put away; if there is nothing, a pass inside of another is left.
function putAway(player) {
  if (!player.parts.help.hidden) player.toggleHelp(true);
  else if (player.opened) player.open(player.opened);
  else if (player.leave && !player.chosen) player.leave();
  else if (player.mode !== "debug") player.choose(null);
}
