// Plays a recorded backward pass on its drawing. No dependency, no network, no text run as code.
//
// One rule: the page at step k depends on k alone. `replay` (log.js, which html.py puts before this
// file in one module) folds the first k events into a state, `paint` shows it. So going back is the
// same as going forward, and the drawing is never laid out again: painting toggles classes on it.
//
//   mount(root, keys)   root: an element that `Player.fragment()` wrote; keys: who hears the keyboard

const SPEEDS = [["0.5×", 1800], ["1×", 900], ["2×", 450], ["5×", 180]];
const STATES = ["pending", "ready", "current", "done"];
const WINDOW = 60; // lines of the log on each side of the current one

// --- elements ------------------------------------------------------------------------------------

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value);
  }
  made.append(...children); // strings become text, never markup
  return made;
}

const ICONS = {
  first: "M5 4h2v12H5zM16 4v12L8 10z",
  back: "M14 4v12L5 10z",
  play: "M6 4v12l9-6z",
  pause: "M5 4h3.5v12H5zM11.5 4H15v12h-3.5z",
  next: "M6 4v12l9-6z",
  last: "M4 4v12l8-6zM13 4h2v12h-2z",
};

function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

function button(name, label, key, act) {
  const made = element("button", { type: "button", class: `gg-${name}`, "aria-label": label });
  made.title = key ? `${label} (${key})` : label;
  made.append(icon(name));
  made.addEventListener("click", act);
  return made;
}

// --- the player ----------------------------------------------------------------------------------

export function mount(root, keys = root) {
  const data = JSON.parse(root.querySelector(".gg-data").textContent);
  const stage = root.querySelector(".gg-stage");
  const last = data.events.length;
  const stops = nodeStops(data);
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let at = 0;
  let chosen = null; // the node that a click holds in the panel
  let timer = null;

  const vertex = (id) => document.getElementById(root.dataset.prefix + id);
  const parts = controls();
  const panel = element("aside", { class: "gg-panel", "aria-label": "This step" });
  stage.after(parts.bar, panel);
  root.classList.add("gg-live");

  // --- moving ---

  function go(step, { remember = true } = {}) {
    at = Math.max(0, Math.min(last, step));
    paint(replay(data, at));
    if (remember) {
      try { history.replaceState(null, "", `#${at}`); } catch { /* a frame without an address */ }
    }
    if (at === last) stop();
  }

  function forward() {
    go(parts.whole.checked ? stops.find((step) => step > at) ?? last : at + 1);
  }

  function backward() {
    go(parts.whole.checked ? stops.findLast((step) => step < at) ?? 0 : at - 1);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    showPlaying();
  }

  function toggle() {
    if (timer !== null) return stop();
    if (at === last) go(0);
    timer = setInterval(forward, Number(parts.speed.value));
    return showPlaying();
  }

  function showPlaying() {
    parts.play.replaceChildren(icon(timer === null ? "play" : "pause"));
    parts.play.setAttribute("aria-label", timer === null ? "Play" : "Pause");
    parts.play.title = timer === null ? "Play (Space)" : "Pause (Space)";
  }

  function controls() {
    const play = button("play", "Play", "Space", () => toggle());
    const scrub = element("input", {
      type: "range", min: 0, max: last, step: 1, class: "gg-scrub", "aria-label": "Step",
      oninput: (event) => go(Number(event.target.value)),
    });
    const count = element("output", { class: "gg-count" });
    const whole = element("input", { type: "checkbox", class: "gg-whole" });
    const speed = element("select", { "aria-label": "Speed", class: "gg-speed" });
    for (const [label, pause] of SPEEDS) {
      const option = element("option", { value: pause }, label);
      option.selected = label === "1×";
      speed.append(option);
    }
    speed.addEventListener("change", () => { if (timer !== null) { stop(); toggle(); } });
    const fit = element("input", { type: "checkbox", class: "gg-fit" });
    const picture = stage.querySelector("svg");
    // Below two thirds of its size the text is too small: the drawing scrolls along instead.
    fit.checked = picture.width.baseVal.value * 0.67 <= stage.clientWidth;
    const refit = () => { stage.classList.toggle("gg-fitted", fit.checked); };
    fit.addEventListener("change", () => { refit(); paint(replay(data, at)); });
    refit();
    const bar = element("div", { class: "gg-bar", role: "group", "aria-label": "Playback" },
      element("div", { class: "gg-buttons" },
        button("first", "To the beginning", "Home", () => go(0)),
        button("back", "Back", "←", () => backward()),
        play,
        button("next", "Forward", "→", () => forward()),
        button("last", "To the end", "End", () => go(last))),
      element("div", { class: "gg-where" }, scrub, count),
      element("div", { class: "gg-options" },
        element("label", {}, whole, "node by node"),
        element("label", {}, fit, "fit"),
        speed));
    return { bar, play, scrub, count, whole, speed };
  }

  // --- painting ---

  function paint(state) {
    paintVertices(state);
    paintArcs(state);
    parts.scrub.value = at;
    parts.scrub.setAttribute("aria-valuetext", at ? data.said[at - 1] : data.begin);
    parts.count.textContent = `${at} / ${last}`;
    paintPanel(state);
    follow(state);
  }

  function paintVertices(state) {
    const states = {};
    for (const [node, place] of Object.entries(data.place)) {
      const mine = state.node[node] ?? "pending";
      // One vertex may stand for several nodes: it is as far as the one that is under way.
      const rank = ["pending", "done", "ready", "current"];
      if (rank.indexOf(mine) >= rank.indexOf(states[place] ?? "pending")) states[place] = mine;
    }
    for (const output of data.outputs) states[output] ??= at ? "done" : "current";
    for (const leaf of data.leaves) states[leaf.id] ??= leaf.id in state.grad ? "done" : "pending";
    for (const [id, name] of Object.entries(states)) {
      const group = vertex(id);
      for (const each of STATES) group?.classList.toggle(each, each === name);
    }
    for (const [storage, holders] of holdersOf) {
      vertex(storage)?.classList.toggle("freed", holders.every((each) => state.freed.has(each)));
    }
    for (const group of root.querySelectorAll(".vertex.chosen")) group.classList.remove("chosen");
    if (chosen) vertex(data.place[chosen])?.classList.add("chosen");
  }

  function paintArcs(state) {
    const moving = new Set(movingArcs(data, state.event));
    for (const group of root.querySelectorAll(".arc")) {
      const id = group.id.slice(root.dataset.prefix.length);
      group.classList.toggle("done", state.passed.has(id) || (id[0] === "r" && at > 0));
      group.classList.toggle("moving", moving.has(id));
    }
  }

  // Keep what happens in sight when the drawing is larger than its frame.
  function follow(state) {
    const group = vertex(state.current ? data.place[state.current] : data.outputs[0]);
    if (!group) return;
    const box = group.getBoundingClientRect();
    const frame = stage.getBoundingClientRect();
    if (box.left >= frame.left && box.right <= frame.right &&
        box.top >= frame.top && box.bottom <= frame.bottom) return;
    stage.scrollBy({
      left: (box.left + box.right - frame.left - frame.right) / 2,
      top: (box.top + box.bottom - frame.top - frame.bottom) / 2,
      behavior: calm ? "auto" : "smooth",
    });
  }

  // --- the panel ---

  const sentence = element("p", { class: "gg-said", "aria-live": "polite" });
  const head = element("div", { class: "gg-step" });
  const body = element("div", { class: "gg-body" });
  const log = element("ol", { class: "gg-log", "aria-label": "Events" });
  panel.append(element("section", { class: "gg-now" }, head, sentence), body);
  parts.bar.after(log);

  function paintPanel(state) {
    head.replaceChildren(
      element("span", { class: "gg-kind" }, state.event ? state.event.type.replace("_", " ") : "start"),
      element("span", { class: "gg-number" }, at ? `event ${at} of ${last}` : `${last} events`));
    const words = at ? data.said[at - 1] : data.begin;
    if (sentence.textContent !== words) sentence.textContent = words;
    const shown = chosen ?? state.current;
    body.replaceChildren(...[
      shown && nodeSection(state, shown), queueSection(state), leafSection(state),
      memorySection(state),
    ].filter(Boolean));
    paintLog();
  }

  function section(title, ...children) {
    return element("section", {}, element("h2", {}, title), ...children);
  }

  function rows(list) {
    const table = element("table");
    for (const [name, value, extra = ""] of list) {
      table.append(element("tr", { class: extra },
        element("th", { scope: "row" }, name), element("td", {}, value)));
    }
    return table;
  }

  function nodeSection(state, id) {
    const node = data.nodes[id];
    const made = section(id === chosen ? "Chosen node" : "Current node",
      element("p", { class: "gg-op" }, element("strong", {}, node.op), ` ${id}`));
    if (node.about.length) made.append(element("p", { class: "gg-about" }, node.about.join(" · ")));
    const list = gradientRows(state, id, node);
    for (const saved of node.saved) {
      const gone = state.freed.has(id);
      list.push([`saved ${saved.name}`, saved.words + (gone ? ", freed" : ""), gone ? "gg-gone" : ""]);
    }
    if (list.length) made.append(rows(list));
    return made;
  }

  function gradientRows(state, id, node) {
    const list = (state.into[id] ?? []).map((array, slot) => [
      state.into[id].length > 1 ? `gradient in ${slot}` : "gradient in", words(array)]);
    const buffer = state.arrived[id];
    if (!list.length && buffer) {
      list.push(["gradient in", buffer.grad ? words(buffer.grad) : "–"]);
      list.push(["arrived", `${buffer.have} of ${buffer.need}`]);
    }
    const out = state.outof[id];
    node.edges.forEach(([, name], index) => {
      if (out) list.push([`→ ${name}`, out[index] ? words(out[index]) : "none"]);
    });
    return list;
  }

  function words(array) {
    return array ? data.arrays[array] : "none";
  }

  function queueSection(state) {
    const chips = state.queue.map((id) => element("li", { class: "gg-ready" }, data.nodes[id].name));
    for (const [id, { have, need }] of Object.entries(state.arrived)) {
      if (have < need) {
        chips.push(element("li", {}, `${data.nodes[id].name}: ${have} of ${need} arrived`));
      }
    }
    if (!chips.length) chips.push(element("li", { class: "gg-empty" }, "empty"));
    return section("Queue", element("ul", { class: "gg-queue" }, ...chips));
  }

  function leafSection(state) {
    if (!data.leaves.length) return null;
    const list = data.leaves.slice(0, 40).map((leaf) => {
      const grad = state.grad[leaf.id];
      const fresh = state.event?.type === "accumulate" && state.event.tensor === leaf.id;
      return [leaf.name, grad ? words(grad) : "none yet", fresh ? "gg-fresh" : grad ? "" : "gg-none"];
    });
    return section("Leaves, .grad", rows(list));
  }

  function memorySection(state) {
    if (!whole) return null;
    const held = sum([...sizes].filter(([storage]) =>
      !holdersOf.get(storage).every((each) => state.freed.has(each))).map(([, size]) => size));
    const meter = element("div", { class: "gg-meter" }, element("div", {}));
    meter.firstChild.style.width = `${(100 * held) / whole}%`;
    return section("Saved tensors", element("p", { class: "gg-about" },
      `${held.toLocaleString("en")} of ${whole.toLocaleString("en")} bytes held`), meter);
  }

  function paintLog() {
    const from = Math.max(0, at - 1 - WINDOW);
    const until = Math.min(last, at + WINDOW);
    const lines = [];
    for (let k = from; k < until; k++) {
      const line = element("button", { type: "button", tabindex: -1, onclick: () => go(k + 1) }, data.said[k]);
      const item = element("li", { "data-step": k + 1, class: k < at - 1 ? "past" : k === at - 1 ? "here" : "" }, line);
      if (k === at - 1) item.setAttribute("aria-current", "step");
      lines.push(item);
    }
    log.replaceChildren(...lines);
    const here = log.querySelector(".here");
    log.scrollTop = here ? here.offsetTop - log.offsetTop - log.clientHeight / 3 : 0;
  }

  // --- memory: which nodes hold a storage, and how large it is ---

  const holdersOf = new Map();
  const sizes = new Map();
  for (const [id, node] of Object.entries(data.nodes)) {
    for (const saved of node.saved) {
      if (saved.of[0] === "t") continue; // a leaf lives on: nothing is freed
      if (!holdersOf.has(saved.of)) holdersOf.set(saved.of, []);
      holdersOf.get(saved.of).push(id);
      sizes.set(saved.of, saved.bytes);
    }
  }
  const whole = sum([...sizes.values()]);

  function sum(numbers) {
    return numbers.reduce((total, each) => total + each, 0);
  }

  // --- hands ---

  keys.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("select, summary")) return;
    const typed = { ArrowRight: forward, ArrowLeft: backward, Home: () => go(0), End: () => go(last) };
    if (event.key === " " && !event.target.closest?.("button, input[type=checkbox]")) typed[" "] = toggle;
    const act = typed[event.key];
    if (!act) return;
    event.preventDefault();
    if (event.key !== " ") stop();
    act();
  });

  stage.addEventListener("click", (event) => {
    const group = event.target.closest(".vertex");
    const id = group?.id.slice(root.dataset.prefix.length);
    const node = Object.keys(data.place).find((each) => data.place[each] === id);
    chosen = node === chosen ? null : node ?? null;
    lightUses(group);
    paint(replay(data, at));
  });

  // A leaf that is drawn as stubs: a click on one lights them all.
  function lightUses(group) {
    const leaf = group?.dataset.of ?? group?.id;
    for (const each of root.querySelectorAll(".vertex")) {
      const mine = leaf && (each.dataset.of === leaf || each.id === leaf);
      each.classList.toggle("lit", Boolean(mine && root.querySelector(`[data-of="${leaf}"]`)));
    }
  }

  addEventListener("hashchange", () => go(fromAddress(), { remember: false }));

  function fromAddress() {
    return /^#\d+$/.test(location.hash) ? Number(location.hash.slice(1)) : 0;
  }

  showPlaying();
  go(fromAddress(), { remember: false });
  return { go, forward, backward, toggle };
}

export default { mount, replay };
