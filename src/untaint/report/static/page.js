// What Python embedded, read once and given the shapes that pictures and table want.

const data = JSON.parse(document.getElementById("findings").textContent);
const isRegression = data.task === "regression";

// JSON has no infinities: Python writes them as text, and what is unknown as null.
const asNumber = (value) => (value === null ? NaN : Number(value));
const asTarget = (value) => (isRegression ? asNumber(value) : value);

// The rows in the table: the most suspicious first.
const listed = data.listed.map((row) => ({
  ...row,
  score: asNumber(row.score),
  observed: asTarget(row.observed),
  expected: asTarget(row.expected),
  listed: true,
}));

// Rows that only pictures show.
const background = data.background.row.map((row, k) => ({
  row,
  number: data.background.number[k],
  score: asNumber(data.background.score[k]),
  observed: asTarget(data.background.observed[k]),
  expected: asTarget(data.background.expected[k]),
  listed: false,
}));

const shownRows = [...background, ...listed];
const rowAt = new Map(shownRows.map((row) => [row.row, row]));

const stops = {
  cuts: data.stops.cuts.map((cut) => (cut === null ? null : asNumber(cut))),
  counts: data.stops.counts,
  suggested: data.stops.suggested,
};

// Words and numbers, and elements that hold them. Text from the data reaches the page through
// `element` only, which never reads it as markup and shows what would hide itself.

const hiddenCharacters = new RegExp(data.hidden, "gu");

function visible(text) {
  return String(text).replace(
    hiddenCharacters,
    (found) => "\\u" + found.codePointAt(0).toString(16).padStart(4, "0"),
  );
}

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children) {
    made.append(child instanceof Node ? child : visible(child));
  }
  return made;
}

// What may be larger than its place: it scrolls, by keyboard too.
const scrollRegion = (name, ...children) =>
  element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name }, ...children);

const byId = (id) => document.getElementById(id);

const count = (number) => number.toLocaleString("en-US");
const rowsOf = (number, noun = "row") => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

// Digits enough to tell values apart; whole parts are never rounded away.
function figure(number, digits = 4) {
  if (Number.isNaN(number)) return "unknown";
  if (!Number.isFinite(number)) return number > 0 ? "∞" : "−∞";
  const size = Math.abs(number);
  if (size !== 0 && (size >= 1e12 || size < 1e-4)) return number.toExponential(digits - 2);
  const whole = size < 1 ? 0 : Math.floor(Math.log10(size)) + 1;
  const options =
    size < 1
      ? { maximumSignificantDigits: digits }
      : { maximumFractionDigits: Math.max(0, digits - whole) };
  return number.toLocaleString("en-US", options).replace("-", "−");
}

// One number of decimals for a whole column, so that its points stand below one another.
function columnFigure(values, digits = 3) {
  const sizes = values.filter(Number.isFinite).map(Math.abs).sort((a, b) => a - b);
  const typical = sizes[Math.floor(sizes.length / 2)] || 1;
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(typical)));
  const options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return (number) => {
    const size = Math.abs(number);
    const tiny = size !== 0 && size < 10 ** -decimals;
    const odd = !Number.isFinite(number) || decimals > 6 || size >= 1e12 || tiny;
    return odd ? figure(number) : number.toLocaleString("en-US", options).replace("-", "−");
  };
}

// As the sentences that Python wrote have it, so that the same share reads the same.
function percent(share) {
  const hundredths = 100 * share;
  const whole = hundredths === 0 || hundredths >= 9.95;
  const text = whole ? hundredths.toFixed(0) : String(Number(hundredths.toPrecision(2)));
  return `${text}\u00a0%`;
}

const scoreText = columnFigure(listed.map((row) => row.score));
const targetNumber = columnFigure(listed.map((row) => (isRegression ? row.expected : NaN)), 4);
const targetText = (value) => (isRegression ? targetNumber(value) : value === "" ? "unknown" : value);

// A number by which a row can be found: without separators, so that it can be searched for.
const rowName = (row) =>
  `${row.number}${row.name ? ` (${data.identifier} ${row.name})` : ""}`;

const kindNames = { target: "target value", features: "other cells", both: "both" };

// What the reader has chosen, and who wants to hear of it.
//
// Pictures and table never talk to one another: each tells the state what was chosen and draws
// what the state says. That is all there is to linked selection.

const state = {
  stop: stops.suggested, // which cut
  selected: null, // places of the rows picked in a picture, or null
  marked: null, // the place of one row pointed at, or null
};

const listeners = [];
const onChange = (listener) => listeners.push(listener);

function change(changes) {
  const changed = Object.keys(changes).filter((name) => state[name] !== changes[name]);
  if (changed.length === 0) return;
  Object.assign(state, changes);
  for (const listener of listeners) listener(changed);
}

const currentCut = () => stops.cuts[state.stop];
const isSuggested = () => state.stop === stops.suggested;
const cutText = () => (currentCut() === null ? "above all scores" : figure(currentCut()));
const isFlagged = (row) => currentCut() !== null && row.score >= currentCut();
const isSelected = (row) => state.selected !== null && state.selected.has(row.row);

function select(places) {
  change({
    selected: places.length === 0 ? null : new Set(places),
    marked: places.length === 1 ? places[0] : null,
  });
}

const clearSelection = () => change({ selected: null, marked: null });

let announcing = 0;
// For those who listen: only the last of a quick series is worth saying.
function announce(words) {
  clearTimeout(announcing);
  announcing = setTimeout(() => (byId("announce").textContent = words), 350);
}
