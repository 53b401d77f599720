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
