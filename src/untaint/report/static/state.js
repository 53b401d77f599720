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
