// What a student has typed, read and held against the record. No page, no drawing.
//
//   judge({ kind: "value", answer: { shape: [], values: [0.4199] } }, "0.42")
//     {verdict: "right"}        as many digits as were typed agree, at least two
//     {verdict: "close"}        one digit agrees: two are wanted
//     {verdict: "wrong"}        with `words`, where something can be said that is not the answer
//     {verdict: "unclear"}      with `words`: nothing that can be judged

const LEAST = 2; // digits
const MOST = 6; // that a record holds
const NUMBER = /[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|nan|inf(?:inity)?)(?:\/\d+)?/gi;

export function judge({ kind, answer }, text) {
  const typed = text.trim().replace(/[−–]/g, "-").replace(/∞/g, "inf");
  if (!typed) return unclear("Type an answer first.");
  return kind === "shape" ? judgeShape(answer.shape, typed) : judgeNumbers(answer, typed);
}

const unclear = (words) => ({ verdict: "unclear", words });

// --- shapes --------------------------------------------------------------------------------------

function judgeShape(shape, typed) {
  const bare = typed.toLowerCase().replace(/torch|size|shape|scalar|[.()[\]{},;x×*=\s]/g, "");
  if (!/^\d*$/.test(bare) || /\d\.\d/.test(typed)) return unclear("A shape is whole numbers in parentheses: (3, 4), or () of one number.");
  const sizes = (typed.match(/\d+/g) ?? []).map(Number);
  const isRight = sizes.length === shape.length && sizes.every((size, at) => size === shape[at]);
  if (isRight) return { verdict: "right" };
  const hasSame = sizes.length === shape.length && String([...sizes].sort()) === String([...shape].sort());
  return { verdict: "wrong", words: hasSame ? "These sizes, but not in this order." : "" };
}

// --- numbers -------------------------------------------------------------------------------------

function judgeNumbers({ shape, values }, typed) {
  const text = typed.replace(/^(?:\w+\.)?(?:tensor|array)\s*(?=\()/i, "");
  const tokens = text.match(NUMBER) ?? [];
  const rest = text.replace(NUMBER, " ");
  if (!tokens.length || /[^\s,;()[\]{}]/.test(rest)) return unclear("Type numbers: 0.42, or 1, 2, 3, or [[1, 2], [3, 4]]. nan and inf are numbers, too.");
  if (values.length === 1 && /^[-+]?\d+,\d+$/.test(text)) return unclear("Write the decimals behind a point: 0.42.");
  if (tokens.length !== values.length) {
    const wanted = values.length === 1 ? "is 1 number" : `are ${values.length} numbers`;
    return unclear(`There ${wanted} to type, and not ${tokens.length}.`);
  }
  const lines = rowsOf(text);
  if (shape.length === 2 && lines.length > 1 && lines.some((count) => count !== shape[1])) {
    return unclear(`It has ${shape[0]} rows of ${shape[1]}; here are rows of ${lines.join(", ")}.`);
  }
  return compared(tokens.map(numberOf), values);
}

// How many numbers each row has: "[[1, 2], [3, 4]]", or "1 2; 3 4".
function rowsOf(text) {
  const inner = text.match(/[[({][^[\](){}]*[\])}]/g) ?? [];
  const lines = inner.length > 1 ? inner : text.split(";");
  return lines.map((line) => (line.match(NUMBER) ?? []).length).filter(Boolean);
}

function compared(typed, values) {
  const largest = Math.max(0, ...values.filter(Number.isFinite).map(Math.abs));
  const fit = (at, digits, sign = 1) => fits({ ...typed[at], value: sign * typed[at].value }, values[at], digits, largest * 1e-6);
  const places = values.map((_, at) => at);
  const wrong = places.filter((at) => !fit(at, Math.max(LEAST, typed[at].digits)));
  if (!wrong.length) return { verdict: "right" };
  if (wrong.every((at) => typed[at].digits < LEAST && fit(at, typed[at].digits))) {
    return { verdict: "close", words: "Close. Two digits, please." };
  }
  if (wrong.every((at) => fit(at, Math.max(LEAST, typed[at].digits), -1))) {
    return { verdict: "wrong", words: wrong.length < values.length ? "The sizes are right: look at the signs." : "The size is right: look at the sign." };
  }
  const right = values.length - wrong.length;
  return { verdict: "wrong", words: right ? `${right} of ${values.length} numbers ${right === 1 ? "is" : "are"} right.` : "" };
}

// The value, and how many digits of it were typed: zeros at the end of "100" are none.
function numberOf(token) {
  const [whole, below] = token.toLowerCase().split("/");
  const value = whole.includes("nan") ? NaN : whole.includes("inf") ? (whole[0] === "-" ? -Infinity : Infinity) : Number(whole);
  if (below) return { value: value / Number(below), digits: MOST };
  const figures = whole.replace(/^[-+]/, "").replace(/e.*$/, "");
  const kept = figures.includes(".") ? figures.replace(".", "") : figures.replace(/0+$/, "");
  return { value, digits: Math.max(1, Math.min(MOST, kept.replace(/^0+/, "").length)) };
}

// Whether a number is that of the record in so many digits: rounded, or with three of them cut off.
// `slack` is what rounding leaves where others are so much larger.
function fits({ value }, exact, digits, slack) {
  if (typeof exact === "string") return Object.is(value, { nan: NaN, inf: Infinity, "-inf": -Infinity }[exact]);
  if (!Number.isFinite(value)) return false;
  const unit = exact ? 10 ** (Math.floor(Math.log10(Math.abs(exact))) - digits + 1) : 0;
  return Math.abs(value - exact) <= unit * (digits > LEAST ? 1 : 0.5) * (1 + 1e-9) + slack;
}
