// Plays a backward pass on its drawing. No dependency, no network, no text run as code.
//
// One rule: the page at step k depends on k alone. `replay` (log.js) folds the first k events into
// a state, `paint` shows it. So going back is the same as going forward.
//
//   await mount(root, { keys, live })
//     root   an element that `Player.fragment()` wrote
//     keys   who hears the keyboard: the root itself, or the document if the page is the player's
//     live   {send(message)}: a paused pass in Python, which the buttons then drive; `hear` takes
//            what it answers. With `granularity`, and `noWayBack`, why there is no step back, if so

import { unpack, replay, headline, endings, stops, beginnings, storages, givenTo, tensorOf, flowBounds } from "./log.js";
import { element, keepFocus, textButton } from "./elements.js";
import { Stage, heatLegend } from "./stage.js";
import { Timeline } from "./timeline.js";
import { Breaks, nextStop } from "./breaks.js";
import { Panels, Source } from "./panels.js";
import { controls, helpCard, showPlaying } from "./controls.js";
import { Predict } from "./predict.js";

const PAUSE = 200; // ms between two addresses
const WINDOW = 60; // lines of the log on each side of the current one

async function mount(root, { keys = root, live = null } = {}) {
  root.classList.add("gg-live");
  return new Player(root, await unpack(root.querySelector(".gg-data").textContent), keys, live);
}

class Player {
  constructor(root, data, keys, live) {
    Object.assign(this, { root, data, live, at: 0, chosen: null, timer: null, opened: null, isBusy: false });
    this.ownsPage = keys === document && !live;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.stage = new Stage(root, this.data, calm);
    this.timeline = new Timeline(this.data, (step) => this.go(step));
    this.breaks = new Breaks(this.data, {
      add: (what, value) => this.addBreak(what, value),
      remove: (point) => this.removeBreak(point),
    });
    const choose = (node) => this.choose(node);
    this.panels = new Panels(this.data, {
      choose, breaks: this.breaks.root, legend: root.querySelector(".gg-foot"),
      toggleBreak: (node) => this.toggleBreak(node), until: (node) => this.until(node), isLive: Boolean(live),
    });
    this.source = new Source(this.data, choose);
    this.predict = data.predict ? new Predict(this) : null;
    this.build();
    this.listen(keys);
    this.learn();
    showPlaying(this);
    this.go(live ? this.last : this.fromAddress(), { remember: false });
  }

  get last() {
    return this.data.events.length;
  }

  get points() {
    return this.breaks.marked(this.data.place);
  }

  // --- the page ---

  build() {
    const parts = this.parts = {};
    parts.kind = element("span", { class: "gg-kind" });
    parts.number = element("span", { class: "gg-step" });
    parts.said = element("p", { class: "gg-said", "aria-live": "polite" });
    parts.note = element("p", { class: "gg-note", role: "status" });
    parts.now = element("section", { class: "gg-now", "aria-label": "This step" },
      element("div", {}, parts.kind, parts.number), parts.said, parts.note);
    parts.heat = element("div", { class: "gg-under" });
    parts.log = element("ol", { class: "gg-log", "aria-label": "Events" });
    parts.help = helpCard(this);
    const main = element("div", { class: "gg-column" }, parts.now,
      element("div", { class: "gg-view" }, this.stage.frame), parts.heat, this.timeline.root, controls(this), element("div", { class: "gg-below" }, parts.log, this.source.root));
    this.root.querySelector(".gg-head").after(element("div", { class: "gg-frame" }, main, this.panels.root), parts.help);
    this.panels.root.querySelector(".gg-sec-legend").open = this.ownsPage;
    this.stage.fit(parts.fit.checked = this.stage.isSmallEnough);
    // In a notebook the element gets its place, and so its width, after this.
    let isSized = this.stage.frame.clientWidth > 0;
    new ResizeObserver(() => {
      if (!isSized && this.stage.frame.clientWidth) {
        isSized = true;
        this.stage.fit(parts.fit.checked = this.stage.isSmallEnough);
      }
      this.stage.follow(replay(this.data, this.at));
    }).observe(this.stage.frame);
  }

  toggleHelp(isHidden = !this.parts.help.hidden) {
    const { help } = this.parts;
    if (help.hidden === isHidden) return;
    help.hidden = isHidden;
    (isHidden ? this.stage.frame : help.querySelector("button")).focus();
  }

  // What lies over the page is put away.
  escape() {
    this.toggleHelp(true);
    if (this.opened) this.open(this.opened);
  }

  // --- moving ---

  go(step, { remember = true, note = "" } = {}) {
    this.at = Math.max(0, Math.min(this.predict?.gate ?? this.last, Number.isNaN(step) ? 0 : step));
    this.note = note;
    this.paint();
    if (remember && this.ownsPage) this.remember();
    if (this.at === this.last && !this.live) this.stop();
  }

  // The address has the step; not more often than browsers put up with.
  remember() {
    const write = () => {
      this.written = performance.now();
      try { history.replaceState(null, "", `#${this.at}`); } catch { /* a frame without an address */ }
    };
    clearTimeout(this.writing);
    if (performance.now() - (this.written ?? -PAUSE) >= PAUSE) write();
    else this.writing = setTimeout(write, PAUSE);
  }

  forward() {
    if (this.live) return this.ask({ do: "next" });
    return this.go(this.stops.find((step) => step > this.at) ?? this.last);
  }

  backward() {
    if (this.live) return this.live.noWayBack ? this.tell(this.live.noWayBack) : this.ask({ do: "back" });
    return this.go(this.stops.findLast((step) => step < this.at) ?? 0);
  }

  first() {
    if (!this.live) return this.go(0);
    return this.live.noWayBack ? this.tell(this.live.noWayBack) : this.ask({ do: "restart" });
  }

  end() {
    return this.live ? this.ask({ do: "run" }) : this.go(this.last);
  }

  // To the next breakpoint, or the end.
  run() {
    if (this.live) return this.ask({ do: "run" });
    const found = nextStop(this.data, this.breaks.points, this.at);
    const note = found ? `Stopped at the breakpoint: ${found.point.words}.` :
      this.breaks.points.length ? "No breakpoint was met on the way to the end." : "";
    return this.go(found ? found.at : this.last, { note });
  }

  until(node) {
    if (this.live) return this.ask({ do: "until", node });
    const points = [{ what: "node", value: node }];
    const found = beginnings(this.data)[0] === node ? { at: 0 } :
      nextStop(this.data, points, this.at) ?? nextStop(this.data, points, 0);
    if (found) return this.go(found.at, { note: "The node that you chose is next." });
    return this.tell("This node does not run in this pass.");
  }

  tell(note) {
    this.go(this.at, { note });
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    showPlaying(this);
  }

  toggle() {
    if (this.timer !== null) return this.stop();
    if (this.at === this.last && !this.live) this.go(0);
    this.timer = setInterval(() => { if (!this.isBusy) this.forward(); }, Number(this.parts.speed.value));
    return showPlaying(this);
  }

  fromAddress() {
    return this.ownsPage && /^#\d+$/.test(location.hash) ? Number(location.hash.slice(1)) : 0;
  }

  // --- a pass that is paused in Python ---

  ask(message) {
    this.isBusy = true;
    this.live.send(message);
  }

  hear(message) {
    if (message.type === "breakpoints") {
      this.showBreaks(message.list);
    } else if (message.type === "explained") {
      this.data.explain[message.node] = message.explain;
      this.paint();
    } else if (message.type === "update") {
      this.take(message);
    }
  }

  // What happened from event `from` on, in place of what was known of that.
  take({ from, events, said, stopped, over, error, granularity, ...more }) {
    const { data, parts } = this;
    data.events = [...data.events.slice(0, from), ...events];
    data.said = [...data.said.slice(0, from), ...said];
    for (const key of ["arrays", "boxed", "norms", "nodes", "explain", "story"]) Object.assign(data[key], more[key]);
    for (const key of ["leaves", "tensors", "hooked"]) data[key] = more[key] ?? data[key];
    parts.grain.value = granularity ?? parts.grain.value;
    this.isBusy = false;
    if (stopped || over || error) this.stop();
    this.learn();
    this.error = error;
    this.go(this.last, { note: error ?? (stopped ? `Stopped ${stopped}.` : over ? "The pass is over." : "") });
  }

  // What depends on the log as a whole.
  learn() {
    const { data } = this;
    Object.assign(data, { storages: storages(data), given: givenTo(data), ends: endings(data) });
    this.bounds = flowBounds(data, this.predict?.gate);
    this.stops = stops(data, this.parts.grain.value);
    this.timeline.learn(data);
    this.panels.learn();
    this.breaks.learn();
    this.parts.scrub.max = this.last;
    this.parts.heat.replaceChildren(...(this.stage.hot ? [heatLegend(data, this.bounds)] : []));
  }

  // --- breakpoints, and what is chosen ---

  addBreak(what, value) {
    const words = this.breaks.words(what, value);
    if (this.live) return this.live.send({ do: "break", what, value: this.asPythonKnows(what, value) });
    if (this.breaks.points.some((each) => each.what === what && each.value === value)) return undefined;
    return this.showBreaks([...this.breaks.points, { what, value, words }]);
  }

  // A tensor is known there by its name, if it has one.
  asPythonKnows(what, value) {
    if (what !== "tensor") return value;
    return tensorOf(this.data, value)?.name ?? value;
  }

  removeBreak(point) {
    if (this.live) return this.live.send({ do: "unbreak", id: point.id });
    return this.showBreaks(this.breaks.points.filter((each) => each !== point));
  }

  showBreaks(points) {
    const giveFocusBack = keepFocus(this.root);
    this.breaks.show(points);
    giveFocusBack();
    this.paint();
  }

  toggleBreak(node) {
    const set = this.breaks.points.find((each) => (each.what === "node" && each.value === node) || each.node === node);
    return set ? this.removeBreak(set) : this.addBreak("node", node);
  }

  choose(node) {
    this.chosen = node;
    if (node) this.panels.isExplained = true;
    this.live?.send({ do: "select", node });
    this.paint();
  }

  heat(hot) {
    this.stage.hot = hot;
    this.parts.hot.checked = hot;
    this.root.classList.toggle("gg-hot", hot);
    this.learn();
    this.paint();
  }

  open(fold) {
    const old = this.root.querySelector(".gg-fold");
    if (old) { this.stage.forget(old); old.remove(); }
    this.opened = fold === this.opened ? null : fold;
    if (this.opened) {
      const card = this.stage.fold(this.opened, (node) => this.choose(node), () => this.open(this.opened));
      card.addEventListener("click", (event) => this.click(event));
      this.stage.frame.after(card);
      this.stage.learn(card);
    }
    this.paint();
  }

  // --- painting ---

  paint() {
    const { data, at, parts } = this;
    const giveFocusBack = keepFocus(this.root);
    const state = this.predict?.state() ?? replay(data, at);
    const view = { at, chosen: this.chosen, points: this.points, bounds: this.bounds };
    this.stage.paint(state, view);
    this.panels.paint(state, view);
    this.timeline.paint(at);
    const words = headline(data, state, at);
    parts.scrub.value = at;
    parts.scrub.setAttribute("aria-valuetext", words);
    parts.count.textContent = `${at} / ${this.last}`;
    parts.kind.textContent = state.event ? state.event.type.replace("_", " ") : "start";
    parts.now.classList.toggle("gg-failed", Boolean(state.error ?? this.error));
    this.root.classList.toggle("gg-over", Boolean(state.error));
    parts.number.textContent = at ? `event ${at} of ${this.last}` : `${this.last} events`;
    if (parts.said.textContent !== words) parts.said.textContent = words;
    this.paintNote();
    this.paintLog();
    this.source.paint(this.chosen ?? state.current ?? state.making);
    giveFocusBack();
    // All is written. From here on places are read: so the browser lays the page out once.
    this.followLog();
    this.source.follow();
    this.stage.follow(state);
    this.predict?.paint();
  }

  paintNote() {
    const { note } = this.parts;
    if (this.live && this.at < this.last) {
      note.replaceChildren(`Looking back: the pass itself stands after event ${this.last}. `,
        textButton("Back to now", () => this.go(this.last)));
    } else {
      note.replaceChildren(this.note);
    }
  }

  paintLog() {
    const { log } = this.parts;
    const from = Math.max(0, this.at - 1 - WINDOW);
    const lines = [];
    for (let k = from; k < Math.min(this.last, this.at + WINDOW); k++) {
      const where = k < this.at - 1 ? "past" : k === this.at - 1 ? "here" : "";
      lines.push(element("li", { "data-step": k + 1, class: where, "aria-current": where === "here" ? "step" : null },
        element("button", { type: "button", tabindex: -1, onclick: () => this.go(k + 1) }, this.data.said[k])));
    }
    log.replaceChildren(...lines);
  }

  followLog() {
    const { log } = this.parts;
    const here = log.querySelector(".here");
    log.scrollTop = here ? here.offsetTop - log.offsetTop - log.clientHeight / 3 : 0;
  }

  // --- hands ---

  listen(keys) {
    keys.addEventListener("keydown", (event) => this.press(event));
    this.stage.frame.addEventListener("click", (event) => this.click(event));
    if (this.ownsPage) {
      addEventListener("hashchange", () => this.go(this.fromAddress(), { remember: false }));
    }
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const on = (selector) => event.target.closest?.(selector);
    if (on("select, input[type=number], input[type=text], textarea")) return;
    const acts = {
      ArrowRight: () => this.forward(), ArrowLeft: () => this.backward(),
      Home: () => this.first(), End: () => this.end(), r: () => this.run(),
      h: () => this.heat(!this.stage.hot), "?": () => this.toggleHelp(),
      b: () => this.shown && this.toggleBreak(this.shown), Escape: () => this.escape(),
    };
    if (!on("button, summary, input[type=checkbox]")) acts[" "] = () => this.toggle();
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    if (event.repeat && !event.key.startsWith("Arrow")) return; // a key held down is one press
    if (["ArrowRight", "ArrowLeft", "Home", "End", "r"].includes(event.key)) this.stop();
    act();
  }

  get shown() {
    return this.chosen ?? replay(this.data, this.at).current;
  }

  click(event) {
    const hit = this.stage.hit(event.target);
    this.stage.lightUses(hit?.group);
    if (hit && this.data.folds[hit.vertex]) this.open(hit.vertex);
    else if (hit || !event.target.closest(".gg-fold")) this.choose(hit?.node === this.chosen ? null : hit?.node ?? null);
  }
}

export { mount };
