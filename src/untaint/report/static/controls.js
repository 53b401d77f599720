// The slider: which rows are flagged, and how many. Counts come with the stops, so they are exact
// however many rows the page leaves out.

function cutControl() {
  const slider = byId("slider");
  slider.max = String(stops.cuts.length - 1);
  slider.value = String(state.stop);
  // Where the thumb's middle is at the suggestion: the thumb never leaves the track.
  const part = stops.suggested / Math.max(1, stops.cuts.length - 1);
  byId("notch").style.left = `calc(0.7rem + ${part} * (100% - 1.4rem))`;
  slider.addEventListener("input", () => change({ stop: Number(slider.value) }));
  byId("reset").addEventListener("click", () => {
    change({ stop: stops.suggested });
    slider.focus();
  });

  function follow() {
    const cut = currentCut();
    const flagged = stops.counts[state.stop];
    const share = data.rows ? flagged / data.rows : 0;
    const atHand = listed.filter(isFlagged).length;
    const score = cut === null ? "more than any does" : figure(cut);
    const suggested = isSuggested();
    const rows = `${count(flagged)} of ${rowsOf(data.rows)} flagged`;
    const words = `score ${score}: ${rows}, ${percent(share)}`;
    slider.value = String(state.stop);
    slider.setAttribute("aria-valuetext", words);
    byId("cut-value").textContent = suggested ? `${score} (suggested)` : score;
    byId("cut-counts").textContent = `${rows}: ${percent(share)}`;
    byId("cut-detail").textContent =
      `${count(atHand)} of the ${rowsOf(listed.length, "suspect")} listed below`;
    byId("reset").disabled = suggested;
    byId("download").disabled = atHand === 0;
    noteOnDownload(flagged, atHand);
    return words;
  }
  onChange((changed) => {
    if (changed.includes("stop")) announce(follow());
  });
  follow();
}

function noteOnDownload(flagged, atHand) {
  const notes = [];
  if (atHand < flagged) {
    notes.push(
      `The page carries the ${count(atHand)} most suspicious of these ${rowsOf(flagged)};`,
      state.stop >= stops.suggested
        ? "flagged.csv has all."
        : `for all of them, run the command again with a larger ${data.target ? "share" : "--fdr"}.`,
    );
  }
  if (data.cellsCut > 0 && atHand > 0) {
    const are = data.cellsCut === 1 ? "is" : "are";
    notes.push(`${rowsOf(data.cellsCut, "long cell")} ${are} shortened here, and in the download.`);
  }
  if (data.columnsLeftOut > 0) {
    notes.push(`Columns after the first ${count(data.columns.length)} are left out.`);
  }
  byId("download-note").textContent = notes.join(" ");
  byId("download-note").hidden = notes.length === 0;
}

// Heading and cards: they hold for the cut of the slider, or say that they do not.

function summaryControl() {
  const heading = byId("headline");
  const lead = byId("lead");
  const suggestion = { heading: [...heading.childNodes], lead: lead.textContent };
  const fixed = document.querySelectorAll(".at-suggestion");

  function follow() {
    const flagged = stops.counts[state.stop];
    const suggested = isSuggested();
    heading.replaceChildren(...(suggested ? suggestion.heading : movedHeading(flagged)));
    lead.textContent = suggested ? suggestion.lead : movedLead(suggestion.lead);
    lead.hidden = lead.textContent === "";
    for (const note of fixed) note.hidden = suggested;
    byId("card-flagged").textContent = count(flagged);
    if (byId("kinds")) followKinds(flagged);
  }
  onChange((changed) => changed.includes("stop") && follow());
  follow();
}

function movedHeading(flagged) {
  const share = percent(data.rows ? flagged / data.rows : 0);
  return [
    element("span", {}, `${count(flagged)} of ${rowsOf(data.rows)} flagged:`), " ",
    element("span", { class: "then" }, `${share}.`),
  ];
}

function movedLead(lead) {
  const suggested = count(stops.counts[stops.suggested]);
  return `You moved the cut to ${cutText()}; the suggested cut flags ${suggested}. ${lead}`.trim();
}

// Of each kind, as many as the page knows of: rows beyond the list have no kind here.
function followKinds(flagged) {
  const known = listed.filter(isFlagged);
  let start = 0;
  for (const kind of Object.keys(kindNames)) {
    const number = known.filter((row) => row.kind === kind).length;
    const width = (100 * number) / Math.max(1, known.length);
    const bar = byId(`kind-bar-${kind}`);
    bar.setAttribute("x", `${start.toFixed(2)}%`);
    bar.setAttribute("width", `${width.toFixed(2)}%`);
    byId(`kind-count-${kind}`).textContent = count(number);
    start += width;
  }
  byId("kinds-part").hidden = known.length >= flagged;
  byId("kinds-part").textContent = `Of the ${count(known.length)} most suspicious rows`;
}

// What is selected, in words, and how to be rid of it.

function selectionControl() {
  byId("clear").addEventListener("click", () => {
    clearSelection();
    byId("slider").focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) clearSelection();
  });
  onChange((changed) => {
    if (!changed.includes("selected") && !changed.includes("marked")) return;
    const { selected, marked } = state;
    byId("chosen").hidden = selected === null && marked === null;
    if (selected !== null) {
      const suspects = listed.filter(isSelected).length;
      const others = selected.size - suspects;
      const where =
        others > 0
          ? `: ${rowsOf(suspects, "suspect")}, listed below, and ${rowsOf(others)} not listed.`
          : ", listed below.";
      const words = `${rowsOf(selected.size)} selected${where}`;
      byId("chosen-words").textContent = words;
      announce(words);
    } else if (marked !== null) {
      const name = rowName(rowAt.get(marked));
      byId("chosen-words").textContent = `Row ${name} is marked in the pictures.`;
    }
  });
}

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
