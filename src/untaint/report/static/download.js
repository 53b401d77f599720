// The flagged rows as a table for a spreadsheet.

const plainNumber = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const startsFormula = /^[=+\-@\t\r\n＝＋－＠]/;

// A spreadsheet runs text that begins like a formula; an apostrophe tells it that this is text.
function harmless(text) {
  return startsFormula.test(text) && !plainNumber.test(text) ? "'" + text : text;
}

function csvField(value) {
  const text = harmless(String(value));
  return /[",\r\n;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvNumber(number) {
  if (Number.isNaN(number)) return "";
  return Number.isFinite(number) ? String(number) : number > 0 ? "inf" : "-inf";
}

function flaggedCsv() {
  const target = (value) => (isRegression ? csvNumber(value) : value);
  const head = ["row", "score", "kind", "why", "observed", "expected", ...data.columns];
  const lines = listed.filter(isFlagged).map((row) => [
    row.number,
    csvNumber(row.score),
    row.kind,
    row.why,
    target(row.observed),
    target(row.expected),
    ...row.cells,
  ]);
  return [head, ...lines].map((line) => line.map(csvField).join(",") + "\r\n").join("");
}

function downloadControl() {
  byId("download").addEventListener("click", () => {
    // The mark at the start tells spreadsheets that this is UTF-8.
    const file = new Blob(["\ufeff", flaggedCsv()], { type: "text/csv;charset=utf-8" });
    const link = element("a", { href: URL.createObjectURL(file), download: "flagged-rows.csv" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    announce(`${rowsOf(listed.filter(isFlagged).length)} downloaded`);
  });
}
