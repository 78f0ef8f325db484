// Plays a backward pass on its drawing. No dependency, no network, no text run as code.
//
// One rule: the page at step k depends on k alone. `replay` (log.js) folds the first k events into
// a state, `paint` shows it. So going back is the same as going forward.
//
//   await mount(root, { keys, live, leave })
//     root   an element that `Player.fragment()` wrote
//     keys   who hears the keyboard: the root itself, or the document if the page is the player's
//     live   {send(message)}: a paused pass in Python, which the buttons then drive; `hear` takes
//            what it answers. With `granularity`, `noWayBack`, why there is no step back, and
//            `closed`, why there is no step at all, if so
//     leave  leads out of a pass inside of another

import { unpack, replay, endings, stops, beginnings, givenTo, tensorOf, flowBounds, nodeNow, recordedAt } from "./log.js";
import { storages } from "./held.js";
import { keepFocus } from "./elements.js";
import { Stage, heatLegend } from "./stage.js";
import { View } from "./view.js";
import { firstMode, keepMode, showMode } from "./modes.js";
import { Headline } from "./headline.js";
import { Inside } from "./inside.js";
import { Search } from "./search.js";
import { Timeline } from "./timeline.js";
import { Breaks, nextStop } from "./breaks.js";
import { Panels, Source } from "./panels.js";
import { EventLog } from "./eventlog.js";
import { Card } from "./card.js";
import { listen } from "./keys.js";
import { showPlaying } from "./controls.js";
import { Address, build, dress } from "./page.js";

const FAST = 1000; // ms between two steps: so fast nobody can listen to each

async function mount(root, { keys = root, live = null, leave = null } = {}) {
  root.classList.add("gg-live");
  const data = await unpack(root.querySelector(".gg-data").textContent);
  if (data.sheet) await dress(data.sheet);
  return new Player(root, { ...data, isLive: Boolean(live) }, keys, live, leave);
}

class Player {
  constructor(root, data, keys, live, leave) {
    Object.assign(this, { root, data, live, leave, at: 0, chosen: null, timer: null, opened: null, isBusy: false });
    this.ownsPage = keys === document && !live;
    this.address = new Address();
    this.inside = data.again || live ? new Inside(this, mount) : null;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.stage = new Stage(root, this.data);
    this.view = new View(this.stage.frame, this.stage.picture, { calm, changed: (isFitted) => this.parts && (this.parts.fit.checked = isFitted) });
    this.search = new Search(this.data, this.stage.prefix, (id) => this.find(id));
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
    this.headline = new Headline(this.data);
    this.source = new Source(this.data, choose);
    this.log = new EventLog(this.data, (step) => this.go(step));
    this.card = new Card(this.panels, () => this.choose(null));
    this.parts = {};
    build(this);
    // In a notebook the element gets its place, and so its width, after this.
    new ResizeObserver(() => {
      this.view.refit();
      this.view.reveal(...this.stage.boxesNow(this.state));
    }).observe(this.stage.frame);
    this.listen(keys);
    this.setMode(firstMode(this.data, live), { isChosen: false });
    showPlaying(this);
    this.ended = live?.closed;
    this.go(live ? this.last : this.fromAddress(), { remember: false });
  }

  get last() {
    return this.data.events.length;
  }

  // Whether the buttons move a pass in Python; one that was closed there is only looked at.
  get isDriven() {
    return Boolean(this.live) && !this.ended;
  }

  // All that the page shows.
  get state() {
    return this.predict?.state() ?? replay(this.data, this.at);
  }

  get points() {
    return this.breaks.marked(this.data.place);
  }

  // --- the page ---

  // How the pass is looked at; what the reader has chosen is remembered.
  setMode(mode, { isChosen = true } = {}) {
    this.mode = mode;
    showMode(this.root, mode);
    if (isChosen) keepMode(mode);
    this.learn();
    if (!isChosen) return;
    if (mode !== "debug" && this.isDriven && this.parts.grain.value !== "node") {
      this.parts.grain.value = "node";
      this.live.send({ do: "granularity", value: "node" });
    }
    this.followed = null;
    this.go(this.live ? this.at : this.whole(this.at), { note: this.note });
    this.view.refit();
  }

  // A lesson shows nodes when they are done: the end of the turn that a step is in.
  whole(step) {
    return this.mode === "debug" || !(step > 0) ? step : this.stops.find((each) => each >= step) ?? this.last;
  }

  toggleHelp(isHidden = !this.parts.help.hidden) {
    const { help } = this.parts;
    if (help.hidden === isHidden) return;
    help.hidden = isHidden;
    (isHidden ? this.stage.frame : help.querySelector("button")).focus();
  }

  // --- moving ---

  go(step, { remember = true, note = "" } = {}) {
    this.at = Math.max(0, Math.min(this.predict?.gate ?? this.last, Number.isNaN(step) ? 0 : step));
    this.note = note;
    this.paint();
    if (remember && this.ownsPage) this.address.write(this.at);
    if (this.at === this.last && !this.isDriven) this.stop();
  }

  forward() {
    if (this.isDriven) return this.ask({ do: "next" });
    return this.go(this.stops.find((step) => step > this.at) ?? this.last);
  }

  backward() {
    if (this.isDriven) return this.live.noWayBack ? this.tell(this.live.noWayBack) : this.ask({ do: "back" });
    return this.go(this.stops.findLast((step) => step < this.at) ?? 0);
  }

  first() {
    if (!this.isDriven) return this.go(0);
    return this.live.noWayBack ? this.tell(this.live.noWayBack) : this.ask({ do: "restart" });
  }

  end() {
    return this.isDriven ? this.ask({ do: "run" }) : this.go(this.last);
  }

  // To the next breakpoint, or the end.
  run() {
    if (this.isDriven) return this.ask({ do: "run" });
    const found = nextStop(this.data, this.breaks.points, this.at);
    const note = found ? `Stopped at the breakpoint: ${found.point.words}.` :
      this.breaks.points.length ? "No breakpoint was met on the way to the end." : "";
    return this.go(found ? found.at : this.last, { note });
  }

  until(node) {
    if (this.isDriven) return this.ask({ do: "until", node });
    const points = [{ what: "node", value: node }];
    const found = beginnings(this.data)[0] === node ? { at: 0 } :
      nextStop(this.data, points, this.at) ?? nextStop(this.data, points, 0);
    if (found) return this.go(found.at, { note: "The node that you chose is next." });
    const isLeftOut = this.data.events.some(({ events = [] }) => events.some((each) => each.node === node));
    return this.tell(isLeftOut ? "This node runs among the events that the page leaves out." : "This node does not run in this pass.");
  }

  tell(note) {
    this.go(this.at, { note });
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    showPlaying(this);
    this.announce();
  }

  toggle() {
    if (this.timer !== null) return this.stop();
    if (this.at === this.last && !this.isDriven) this.go(0);
    this.timer = setInterval(() => { if (!this.isBusy) this.forward(); }, Number(this.parts.speed.value));
    this.announce();
    return showPlaying(this);
  }

  // Each step is told once: not while they run past, and not where the slider tells of it itself.
  announce() {
    const isFast = this.timer !== null && Number(this.parts.speed.value) < FAST;
    const isTold = this.parts.scrub.matches(":focus");
    this.headline.announce(!isFast && !isTold);
  }

  fromAddress() {
    return this.ownsPage ? this.whole(this.address.read()) : 0;
  }

  // --- a pass that is paused in Python ---

  ask(message) {
    this.isBusy = true;
    try {
      this.live.send(message);
    } catch {
      this.goOnAlone("Python does not answer any more.");
    }
  }

  // The pass in Python cannot be moved from here any more: what has happened can be replayed.
  goOnAlone(why) {
    this.ended = why;
    this.isBusy = false;
    for (const button of this.parts.back) Object.assign(button, { disabled: false, title: button.getAttribute("aria-label") });
    this.stop();
    this.tell(this.note);
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
  take({ from, events, said, stopped, over, error, granularity, closed, ...more }) {
    const { data, parts } = this;
    data.events = [...data.events.slice(0, from), ...events];
    data.said = [...data.said.slice(0, from), ...said];
    for (const key of ["arrays", "boxed", "norms", "nodes", "place", "explain", "story"]) Object.assign(data[key] ??= {}, more[key]);
    for (const key of ["leaves", "tensors", "hooked"]) data[key] = more[key] ?? data[key];
    parts.grain.value = granularity ?? parts.grain.value;
    this.isBusy = false;
    if (stopped || over || error) this.stop();
    this.learn();
    this.error = error;
    if (closed) this.goOnAlone(closed);
    this.go(this.last, { note: error ?? (stopped ? `Stopped ${stopped}.` : over ? "The pass is over." : "") });
  }

  // What depends on the log as a whole.
  learn() {
    const { data } = this;
    Object.assign(data, { storages: storages(data), given: givenTo(data), ends: endings(data) });
    this.stops = stops(data, this.mode === "debug" ? this.parts.grain.value : "node");
    this.timeline.learn(data);
    this.panels.learn();
    this.breaks.learn();
    this.parts.scrub.max = this.last;
  }

  // --- breakpoints, and what is chosen ---

  addBreak(what, value) {
    const words = this.breaks.words(what, value);
    if (this.isDriven) return this.live.send({ do: "break", what, value: this.asPythonKnows(what, value) });
    if (this.breaks.points.some((each) => each.what === what && each.value === value)) return undefined;
    return this.showBreaks([...this.breaks.points, { what, value, words }]);
  }

  // A tensor is known there by its name, if it has one.
  asPythonKnows(what, value) {
    if (what !== "tensor") return value;
    return tensorOf(this.data, value)?.name ?? value;
  }

  removeBreak(point) {
    if (this.isDriven) return this.live.send({ do: "unbreak", id: point.id });
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

  // A node, or another thing of the drawing by the id that it has there; null: nothing.
  choose(id) {
    this.chosen = id;
    const node = id && this.stage.nodeOf(id);
    if (node) this.panels.isExplained = true;
    if (this.isDriven) this.live.send({ do: "select", node });
    this.paint();
  }

  // What was searched for is chosen, and in sight.
  find(id) {
    this.choose(id);
    const box = this.stage.boxOf(id);
    this.view.reveal(box);
    box?.focus({ preventScroll: true });
  }

  // From box to box through the drawing.
  walk(by) {
    const ids = this.stage.ids;
    const at = ids.indexOf(this.chosen ?? this.shown);
    this.find(ids[(at + by + ids.length) % ids.length]);
  }

  heat(hot) {
    this.stage.hot = hot;
    this.parts.hot.checked = hot;
    this.root.classList.toggle("gg-hot", hot);
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
    const { data, at, parts, state } = this;
    const giveFocusBack = keepFocus(this.root);
    const isDebug = this.mode === "debug";
    const bounds = this.stage.hot ? flowBounds(data, state) : null;
    const isOpen = isDebug || this.root.classList.contains("gg-open");
    const view = { at, chosen: this.chosen, node: this.chosen && this.stage.nodeOf(this.chosen), points: this.points, bounds, isOpen };
    parts.heat.replaceChildren(...(this.stage.hot ? [heatLegend(bounds)] : []));
    this.stage.paint(state, view);
    this.panels.paint(state, view);
    this.timeline.paint(at);
    const hasFailed = Boolean(state.error ?? this.error);
    const words = this.headline.paint(state, { at, isDebug, hasFailed, open: this.inside?.opener(state, at) }, this.shown);
    this.headline.paintNote(this.note, { ended: this.ended, last: this.last, back: this.live && at < this.last && (() => this.go(this.last)) });
    parts.scrub.value = at;
    parts.scrub.setAttribute("aria-valuetext", words);
    const turn = this.stops.findLastIndex((step) => step <= at);
    parts.count.textContent = isDebug
      ? `${recordedAt(data, at)} / ${recordedAt(data, this.last)}` : `${turn} / ${this.stops.length - 1}`;
    this.card.paint(state, view);
    if (isDebug) this.log.paint(at);
    this.source.paint(view.node ?? nodeNow(state));
    giveFocusBack();
    // All is written. From here on places are read: so the browser lays the page out once.
    this.log.follow();
    this.source.follow();
    if (this.followed !== at) this.view.reveal(...this.stage.boxesNow(state));
    this.followed = at;
    this.view.paint();
    this.card.keepClear(this.stage.boxOf(this.chosen), this.stage.frame);
    this.predict?.paint();
  }

  // --- hands ---

  listen(keys) {
    listen(this, keys);
    this.stage.frame.addEventListener("click", (event) => { if (!this.view.hasMoved) this.click(event); });
    for (const event of ["focus", "blur"]) this.parts.scrub.addEventListener(event, () => this.announce());
    if (this.ownsPage) {
      addEventListener("hashchange", () => this.go(this.fromAddress(), { remember: false }));
    }
  }

  // The node that the panel is about, and `b`.
  get shown() {
    return (this.chosen && this.stage.nodeOf(this.chosen)) ?? nodeNow(this.state);
  }

  click(event) {
    const hit = this.stage.hit(event.target);
    this.stage.lightUses(hit?.group);
    if (hit && this.data.folds[hit.id]) this.open(hit.id);
    else if (hit || !event.target.closest(".gg-fold")) this.choose(hit && hit.id !== this.chosen ? hit.id : null);
  }
}

export { mount };
