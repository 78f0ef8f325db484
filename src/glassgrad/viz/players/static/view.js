// How much of the drawing is seen, and how large: zoom, pan, fit, and a map of what is out of sight.
//
// What a wheel does is what it does on a map in a page: it scrolls the page. It zooms with Ctrl (a
// pinch on a touchpad is that), when the drawing has the focus, and where no page can scroll.

import { element, shape } from "./elements.js";
import { boxOf } from "./stage.js";

const LEAST_TEXT = 11; // px; a drawing that is too large for its frame at that size gets a map
const LARGEST = 1.5; // a small graph is enlarged, for the back row
const CLOSEST = 6;
const STEP = 1.25;
const PADDING = 28; // of the frame, both sides
const MAP = { wide: 200, high: 116, least: 30, strip: 260 };
const CLICK = 4; // px that a hand may slip in a click

export class View {
  // `changed(isFitted)` is called when the size is another.
  constructor(frame, picture, { calm, changed }) {
    Object.assign(this, { frame, picture, calm, changed, isFitted: true, scale: 1, hasMoved: false });
    this.width = picture.width.baseVal.value;
    this.height = picture.height.baseVal.value;
    this.held = new Map(); // the pointers that are down, by id
    this.drawMap();
    for (const [event, act] of Object.entries({
      pointerdown: (event) => this.press(event), pointermove: (event) => this.move(event),
      pointerup: (event) => this.release(event), pointercancel: (event) => this.release(event),
      scroll: () => this.paintFrame(), scrollend: () => { this.goal = null; },
    })) frame.addEventListener(event, act);
    frame.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  // --- size ---

  // The scale at which the whole is seen.
  get whole() {
    const { clientWidth: wide, clientHeight: high } = this.frame;
    return Math.min((wide - PADDING) / this.width, (high - PADDING) / this.height);
  }

  get least() {
    return LEAST_TEXT / this.smallest;
  }

  // Of the rows in the boxes, in the drawing's own size.
  get smallest() {
    const row = this.picture.querySelector(".value") ?? this.picture.querySelector(".title");
    return row ? parseFloat(getComputedStyle(row).fontSize) || LEAST_TEXT : LEAST_TEXT;
  }

  // As large as fits, and never so small that the text cannot be read.
  fit() {
    const { frame, least } = this;
    if (!frame.clientWidth) return;
    const wide = Math.max(least, Math.min(LARGEST, (frame.clientWidth - PADDING) / this.width));
    frame.style.setProperty("--gg-tall", `${Math.ceil(wide * this.height + PADDING)}px`);
    this.isFitted = true;
    this.show(Math.max(least, Math.min(LARGEST, this.whole)));
  }

  // Anew after the frame has got another size.
  refit() {
    if (this.isFitted) this.fit();
    else this.show(this.scale);
  }

  // By a factor, round a point of the window.
  zoom(factor, point = this.middle) {
    const from = Math.min(this.whole, this.least);
    this.isFitted = false;
    this.show(Math.max(from, Math.min(CLOSEST, this.scale * factor)), point);
  }

  closer() { this.zoom(STEP); }

  farther() { this.zoom(1 / STEP); }

  natural() {
    this.isFitted = false;
    this.show(1);
  }

  get middle() {
    const box = this.frame.getBoundingClientRect();
    return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  }

  show(scale, { x, y } = this.middle) {
    const { frame, picture } = this;
    this.goal = null;
    const before = picture.getBoundingClientRect();
    this.scale = scale;
    picture.style.width = `${scale * this.width}px`;
    picture.style.height = `${scale * this.height}px`;
    const after = picture.getBoundingClientRect();
    const moved = (low, size, at) => after[low] + ((at - before[low]) / (before[size] || 1)) * after[size] - at;
    frame.scrollBy({ left: moved("left", "width", x), top: moved("top", "height", y), behavior: "instant" });
    frame.parentElement.classList.toggle("gg-larger", this.isLarger);
    this.map.hidden = !this.isLarger;
    this.paintFrame();
    this.changed(this.isFitted);
  }

  get isLarger() {
    const { frame } = this;
    return frame.scrollWidth > frame.clientWidth + 1 || frame.scrollHeight > frame.clientHeight + 1;
  }

  // --- place ---

  pan(right, down) {
    const { clientWidth: wide, clientHeight: high } = this.frame;
    this.scroll(right * wide / 4, down * high / 4);
  }

  scroll(left, top) {
    const { frame } = this;
    this.goal = { left: frame.scrollLeft + left, top: frame.scrollTop + top };
    frame.scrollTo({ ...this.goal, behavior: this.calm ? "instant" : "smooth" });
  }

  // What moves by itself is there: steps may come faster than that.
  settle() {
    if (this.goal) this.frame.scrollTo({ ...this.goal, behavior: "instant" });
    this.goal = null;
  }

  // Brings a box of the drawing into sight, with others if there is room, and the map out of the way.
  reveal(group, ...others) {
    if (!group) return;
    this.settle();
    const frame = this.frame.getBoundingClientRect();
    const all = around([group, ...others]);
    const box = all.right - all.left <= frame.width && all.bottom - all.top <= frame.height ? all : around([group]);
    const isSeen = box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
    const right = isSeen ? 0 : (box.left + box.right - frame.left - frame.right) / 2;
    const down = isSeen ? 0 : (box.top + box.bottom - frame.top - frame.bottom) / 2;
    if (!isSeen) this.scroll(right, down);
    if (this.map.hidden) return;
    const [low, high] = [false, true].map((isUp) => this.covered(isUp, group, right, down));
    this.map.classList.toggle("gg-up", high < low);
  }

  // What would be under the map at the bottom, or at the top, after the drawing has moved: how many
  // boxes. The one that it is about, and an error, count for all.
  covered(isUp, most, right, down) {
    const frame = this.frame.getBoundingClientRect();
    const left = frame.right - this.map.offsetWidth - PADDING;
    const high = this.mapHeight + PADDING;
    const top = isUp ? frame.top : frame.bottom - high;
    const error = this.frame.closest(".gg-over")?.querySelector(".gg-stage .vertex.error");
    const under = [...this.boxes.keys(), ...(error ? [error] : [])].filter((group) => {
      const box = group.getBoundingClientRect();
      return box.right - right > left && box.left - right < frame.right && box.bottom - down > top && box.top - down < top + high;
    });
    return under.length + this.boxes.size * [most, error].filter((each) => under.includes(each)).length;
  }

  // --- hands ---

  press(event) {
    if (event.button !== 0) return;
    this.goal = null;
    this.held.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.held.size === 1) Object.assign(this, { hasMoved: false, start: { x: event.clientX, y: event.clientY } });
  }

  move(event) {
    const before = this.held.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    this.held.set(event.pointerId, now);
    const [other] = [...this.held].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    if (!this.hasMoved && !other && between(this.start, now) <= CLICK) return;
    this.hasMoved = true;
    this.frame.setPointerCapture(event.pointerId);
    this.frame.parentElement.classList.add("gg-held");
    if (other) this.zoom(between(now, other) / (between(before, other) || 1), half(now, other));
    const share = other ? 2 : 1;
    this.frame.scrollBy({ left: (before.x - now.x) / share, top: (before.y - now.y) / share, behavior: "instant" });
  }

  release(event) {
    this.held.delete(event.pointerId);
    if (!this.held.size) this.frame.parentElement.classList.remove("gg-held");
  }

  wheel(event) {
    const { frame } = this;
    const lines = event.deltaMode ? 16 : 1;
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (event.ctrlKey || event.metaKey || (!sideways && this.hasWheel)) {
      const before = this.scale;
      this.zoom(Math.exp(-0.003 * Math.max(-100, Math.min(100, lines * event.deltaY))), { x: event.clientX, y: event.clientY });
      if (this.scale !== before || event.ctrlKey) event.preventDefault(); // at its end the page scrolls on
    } else if (sideways && frame.scrollWidth > frame.clientWidth) {
      frame.scrollBy({ left: lines * event.deltaX, behavior: "instant" });
      event.preventDefault();
    }
  }

  get hasWheel() {
    const page = document.documentElement;
    return this.frame.contains(this.frame.getRootNode().activeElement) ||
      (this.frame.closest(".gg-page") && page.scrollHeight <= page.clientHeight);
  }

  // --- the map ---

  drawMap() {
    const share = this.width / this.height;
    const wide = Math.min(MAP.high * share, share > 4 ? MAP.strip : MAP.wide);
    this.mapHeight = Math.max(MAP.least, wide / share);
    this.seen = shape("rect", { class: "gg-seen" });
    this.boxes = new Map([...this.picture.querySelectorAll(".vertex[id]:not(.error)")].map((group) => {
      const [x, y, width, height] = boxOf(group);
      return [group, shape("rect", { x, y, width, height })];
    }));
    const place = this.picture.querySelector("g")?.getAttribute("transform") ?? "";
    const drag = (event) => { if (event.buttons & 1) this.lookAt(event); };
    this.map = element("div", { class: "gg-map", "aria-hidden": "true", onpointerdown: drag, onpointermove: drag },
      shape("svg", { viewBox: `0 0 ${this.width} ${this.height}`, width: wide, height: this.mapHeight, preserveAspectRatio: "none" },
        shape("g", { transform: place }, ...this.boxes.values()), this.seen));
  }

  paint() {
    if (this.map.hidden) return;
    for (const [group, box] of this.boxes) {
      box.setAttribute("class", ["current", "ready", "done"].find((state) => group.classList.contains(state)) ?? "");
    }
  }

  // Which part is in the frame.
  paintFrame() {
    if (this.map.hidden) return;
    const [frame, picture] = [this.frame, this.picture].map((each) => each.getBoundingClientRect());
    const part = {
      x: Math.max(0, frame.left - picture.left), y: Math.max(0, frame.top - picture.top),
      width: Math.min(frame.width, picture.width), height: Math.min(frame.height, picture.height),
    };
    for (const [name, length] of Object.entries(part)) this.seen.setAttribute(name, length / this.scale);
  }

  lookAt(event) {
    const map = this.map.firstElementChild.getBoundingClientRect();
    const [frame, picture] = [this.frame, this.picture].map((each) => each.getBoundingClientRect());
    this.frame.scrollBy({
      left: picture.left + ((event.clientX - map.left) / map.width) * picture.width - frame.left - frame.width / 2,
      top: picture.top + ((event.clientY - map.top) / map.height) * picture.height - frame.top - frame.height / 2,
      behavior: "instant",
    });
    event.preventDefault();
  }
}

// What the boxes take, all of them.
function around(groups) {
  const boxes = groups.filter(Boolean).map((group) => group.getBoundingClientRect());
  const [low, high] = [(side) => Math.min(...boxes.map((box) => box[side])), (side) => Math.max(...boxes.map((box) => box[side]))];
  return { left: low("left"), top: low("top"), right: high("right"), bottom: high("bottom") };
}

function between(first, second) {
  return Math.hypot(first.x - second.x, first.y - second.y);
}

function half(first, second) {
  return { x: (first.x + second.x) / 2, y: (first.y + second.y) / 2 };
}
