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
  const whole = hundredths === 0 || hundredths >= 0.995;
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
