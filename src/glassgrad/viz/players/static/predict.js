// The predict mode: the next gradient is hidden, and the student says what it will be.
//
// Each question stands before the event that tells its answer (`questions.py`). Until it is answered
// the page goes no further, and what the data tell of later events is veiled: so nothing on the
// page can show it, whichever part that is. Other modes see all of it.

import { element, rows, formula, textButton, clip } from "./elements.js";
import { begin, nodeUnderWay, replay } from "./log.js";
import { judge } from "./answers.js";

const HELP_AFTER = 2; // wrong answers
const DOING = ["apply", "accumulate"];
const MODE = /\bgg-mode-(\w+)/;
const SCORES = "glassgrad-predict"; // in the browser's memory, where there is one

export class Predict {
  constructor(player) {
    const { data, root } = player;
    Object.assign(this, { player, data, held: null, shown: null, isFirst: true });
    this.whole = { said: data.said, story: data.story, explain: data.explain };
    if (!MODE.test(root.className)) root.classList.add("gg-mode-predict");
    this.ran = new Map(); // by node, at which event it did what it does
    data.events.forEach((event, k) => { if (DOING.includes(event.type)) this.ran.set(nodeUnderWay(data, event), k); });
    this.build();
    this.reset();
    this.recall();
    root.querySelector(".gg-stage").addEventListener("click", (event) => this.pick(event), { capture: true });
  }

  // --- where it stands ---

  get isOn() {
    return MODE.exec(this.player.root.className)?.[1] === "predict";
  }

  // The first question that is not settled.
  get question() {
    return this.isOn ? this.questions.find((each) => !each.end) : undefined;
  }

  // As far as the page goes.
  get gate() {
    return this.question?.at ?? this.player.last;
  }

  get isAsking() {
    return this.question !== undefined && this.player.at === this.gate && this.held?.stands !== this.gate;
  }

  // The state that the page shows: a node that is asked what it sends has begun its turn.
  state() {
    const { data, player } = this;
    this.veil();
    player.at = Math.min(player.at, this.gate);
    if (this.isAsking) player.note = ""; // of a breakpoint behind the gate, it may be
    const state = replay(data, player.at);
    const { type, node } = data.events[player.at] ?? {};
    if (this.card?.at === player.at && this.card.kind !== "node" && type === "apply") begin(state, data, node);
    return state;
  }

  // The question on the card, answered or not.
  get card() {
    return this.held?.stands === this.player.at ? this.held : this.isAsking ? this.question : null;
  }

  // What the data tell of events behind the gate, taken away or given back.
  veil() {
    const { data, whole, gate } = this;
    if (this.veiledAt === gate) return;
    this.veiledAt = gate;
    const isLater = (node) => (this.ran.get(node) ?? -1) >= gate;
    const later = (table, words) => table && Object.fromEntries(Object.entries(table).map(([node, each]) =>
      [node, isLater(node) ? words(each, node) : each]));
    data.said = whole.said.map((each, k) => (k < gate ? each : ""));
    data.story = later(whole.story, (_, node) => `It is the turn of ${clip(data.nodes[node]?.name ?? node)}: what does it do?`);
    data.explain = later(whole.explain, (each) => ({ ...each, rows: [] }));
    if (this.player.parts) this.player.learn();
  }

  reset() {
    this.questions = this.data.predict.questions.map((each) => ({ ...each, tries: 0, wrong: 0, end: "" }));
    Object.assign(this, { held: null, shown: null });
  }

  // --- what is kept ---

  // Of this page, and of these questions: another pass at the same address asks others.
  get key() {
    const text = JSON.stringify(this.data.predict.questions);
    let sum = 0;
    for (let at = 0; at < text.length; at++) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0;
    return `${SCORES} ${location.pathname} ${sum}`;
  }

  keep() {
    const settled = this.questions.map(({ tries, wrong, end }) => [tries, wrong, end]);
    try { localStorage.setItem(this.key, JSON.stringify(settled)); } catch { /* nothing may be kept */ }
  }

  recall() {
    try {
      const settled = JSON.parse(localStorage.getItem(this.key)) ?? [];
      this.questions.forEach((each, at) => { [each.tries, each.wrong, each.end] = settled[at] ?? [0, 0, ""]; });
    } catch { /* nothing was kept that can be read */ }
  }

  // --- the card ---

  build() {
    const { prefix } = this.player.root.dataset;
    this.score = element("p", { class: "gg-score" });
    this.ask = element("p", { class: "gg-ask", id: `${prefix}ask` });
    this.facts = element("div", { class: "gg-facts" });
    this.field = element("div", { class: "gg-answer" });
    this.verdict = element("div", { class: "gg-verdict", role: "status", "aria-live": "polite" });
    this.over = textButton("Start over", () => this.again(), { class: "gg-small gg-again" });
    this.root = element("section", { class: "gg-predict", "aria-label": "Predict" },
      element("div", { class: "gg-tally" }, this.score, this.over), this.ask, this.facts, this.field, this.verdict);
  }

  // After the rest of the page. The card is made anew only where it shows something else.
  paint() {
    const { player, card } = this;
    if (!this.root.isConnected) player.root.querySelector(".gg-now").after(this.root);
    if (!card) this.held = null;
    player.root.classList.toggle("gg-asking", Boolean(card));
    const key = card ? `${this.questions.indexOf(card)} ${card.end}` : `${this.question?.at}`;
    this.root.hidden = !this.isOn;
    if (key !== this.shown) {
      this.shown = key;
      this.tally();
      if (card) this.show(card);
      else this.rest();
    }
    if (this.isAsking && player.timer !== null) player.stop();
    this.isFirst = false;
  }

  show(question) {
    this.ask.textContent = question.end ? question.told : question.ask;
    this.facts.replaceChildren(rows(this.factsOf(question)));
    if (question.end) return this.showEnd(question);
    this.verdict.replaceChildren();
    const labelled = this.ask.id;
    if (question.kind === "node") {
      this.field.replaceChildren(element("div", { role: "group", "aria-labelledby": labelled, class: "gg-choices" },
        ...question.answer.choices.map(([node, name]) => textButton(clip(name, 60), () => this.choose(node)))));
    } else {
      this.input = element("input", { type: "text", "aria-labelledby": labelled, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
        placeholder: placeholder(question), onkeydown: (event) => this.press(event) });
      this.field.replaceChildren(this.input, textButton("Check", () => this.check(), { class: "gg-small gg-main", title: "Enter" }));
    }
    return this.focus(".gg-answer :is(input, button)");
  }

  // What it takes to answer, and the line of the program.
  factsOf({ kind, node, facts }) {
    const list = facts.map(([name, text]) => [clip(name, 40), clip(text, 200)]);
    const line = kind === "node" ? undefined : this.data.lines.find(({ nodes }) => nodes.includes(node));
    return line?.code ? [...list, [line.line ? `line ${line.line}` : "made", clip(line.code, 120)]] : list;
  }

  showEnd({ end, tries }) {
    const words = end === "shown" ? "Shown." : tries === 1 ? "✓ Right at first try." : "✓ Right.";
    this.verdict.replaceChildren(element("p", { class: end === "shown" ? "gg-told" : "gg-right" }, words));
    this.field.replaceChildren(textButton(this.question ? "Next question" : "To the end", () => this.goOn(), { class: "gg-small gg-main", title: "Enter", "aria-describedby": this.ask.id }));
    this.focus(".gg-answer button");
  }

  // Between two questions, and behind the last.
  rest() {
    const isOver = !this.question;
    this.ask.textContent = isOver ? "All questions are answered." : "";
    this.facts.replaceChildren();
    this.verdict.replaceChildren();
    this.field.replaceChildren(isOver ? textButton("Ask again", () => this.again()) : textButton(this.questions[0].end ? "Next question" : "First question", () => this.goOn()));
  }

  // Whoever comes here by a key or a button types on; nobody is torn from the slider.
  focus(selector) {
    const active = this.root.getRootNode().activeElement;
    if (!this.isFirst && !active?.matches("input[type=range]")) this.root.querySelector(selector)?.focus({ preventScroll: true });
  }

  // The score, and what forgets it where there is one.
  tally() {
    this.score.textContent = this.scoreText();
    this.over.hidden = this.questions.every(({ tries, end }) => !tries && !end) || !this.question;
  }

  scoreText() {
    const { questions } = this;
    const settled = questions.filter((each) => each.end);
    const tries = questions.reduce((sum, each) => sum + each.tries, 0);
    if (!tries && !settled.length) return `${questions.length} question${questions.length === 1 ? "" : "s"} on the way`;
    const number = Math.min(settled.length + (this.held ? 0 : 1), questions.length);
    const first = settled.filter((each) => each.end === "right" && each.tries === 1);
    const shown = settled.filter((each) => each.end === "shown");
    return [`Question ${number} of ${questions.length}`, `${first.length} right at first try`,
      tries === 1 ? "1 try" : `${tries} tries`, `${settled.length} asked`, shown.length ? `${shown.length} shown` : ""].filter(Boolean).join(" · ");
  }

  // --- answers ---

  press(event) {
    event.stopPropagation();
    if (event.key === "Enter") this.check();
    else if (event.key === "Escape") this.player.root.focus({ preventScroll: true });
    else return;
    event.preventDefault();
  }

  check() {
    const { verdict, words } = judge(this.question, this.input.value);
    this.input.select();
    if (verdict === "unclear" || verdict === "close") return this.tell(words, "gg-told");
    return this.settle(verdict === "right", words);
  }

  choose(node) {
    const { answer: { node: right, choices } } = this.question;
    const isReady = choices.some(([each]) => each === node);
    this.settle(node === right, isReady ? "" : `${clip(this.data.nodes[node]?.name ?? node)} is not ready: it has run already, or gradients are missing.`);
  }

  // A click in the picture may be an answer, before it is anything else.
  pick(event) {
    const id = event.target.closest(".vertex[id]")?.id.slice(this.player.root.dataset.prefix.length);
    const node = this.data.nodes[id] ? id : this.data.leaves.find((leaf) => leaf.id === id)?.acc;
    if (!this.isAsking || this.question.kind !== "node" || !node) return;
    event.stopPropagation();
    this.choose(node);
  }

  settle(isRight, words) {
    const { question } = this;
    question.tries += 1;
    if (isRight) return this.end(question, "right");
    question.wrong += 1;
    this.keep();
    this.tally();
    this.tell(["Not yet.", words].filter(Boolean).join(" "), "gg-wrong", this.ruleOf(question));
    if (question.wrong >= HELP_AFTER && !this.field.querySelector(".gg-showme")) {
      this.field.append(textButton("Show me", () => this.end(question, "shown"), { class: "gg-small gg-showme" }));
    }
    return undefined;
  }

  tell(words, name, ...more) {
    this.verdict.replaceChildren(element("p", { class: name }, words), ...more);
  }

  // Which rule to look at, in symbols.
  ruleOf({ kind, node, rule, also = "" }) {
    if (rule) return element("p", { class: "gg-hint" }, `The rule: ${rule}`);
    if (kind === "shape") return element("p", { class: "gg-hint" }, `The rule: a gradient has the shape of the value it belongs to. ${also}`);
    const { formulas = [], words = "" } = this.data.explain?.[node] ?? {};
    const name = `Look at the rule of ${clip(this.data.nodes[node]?.name ?? node)}: `;
    if (!formulas.length) return element("p", { class: "gg-hint" }, `${name}${clip(words, 400)} ${also}`);
    return element("p", { class: "gg-hint" }, element("span", {}, name), formula(formulas[0]), element("span", { class: "gg-gives" }, ", so "), formula(formulas.at(-1)), also ? ` ${also}` : null);
  }

  // The answer stands on the card, and what it tells on the page, unless more is asked of that.
  end(question, how) {
    question.end = how;
    this.keep();
    this.held = question;
    question.stands = Math.min(question.at + 1, this.gate);
    this.player.go(question.stands);
  }

  goOn() {
    this.held = null;
    this.player.go(this.gate);
    this.focus(".gg-answer :is(input, button)");
  }

  again() {
    this.reset();
    this.keep();
    this.player.go(0);
  }
}

function placeholder({ kind, answer: { shape, values } }) {
  if (kind === "shape") return "a shape, as (3, 4)";
  if (values.length === 1) return "a number";
  return shape.length === 2 ? "rows, as [[1, 2], [3, 4]]" : "numbers, as 1, 2, 3";
}
