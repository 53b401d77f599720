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
