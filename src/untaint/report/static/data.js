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
