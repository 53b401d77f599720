// What a row unfolds to: its odd cells, and all of its cells.

function oddCells(row) {
  if (row.odd.length === 0) return element("p", { class: "small" }, "No single cell stands out.");
  const strengths = row.odd.map((odd) => asNumber(odd[3]));
  const strongest = Math.max(1, ...strengths.filter(Number.isFinite));
  const list = element("ul", { class: "odd" });
  row.odd.forEach(([column, value, usual], k) => {
    const part = Number.isFinite(strengths[k]) ? Math.max(0.02, strengths[k] / strongest) : 1;
    const strength = element("span", { class: "small" }, `score ${figure(strengths[k], 2)}`);
    const shown = element("span", { class: "value" }, value === "" ? "empty" : value);
    list.append(
      element("li", {},
        element("b", {}, column),
        element("span", {}, shown, `, expected ${usual}`),
        element("span", { class: "how-odd" }, strengthBar(part), strength)),
    );
  });
  return list;
}

function strengthBar(part) {
  const width = `${(100 * part).toFixed(1)}%`;
  return svg("svg", { class: "strength", height: 8, "aria-hidden": "true" },
    svg("rect", { class: "rail", x: 0, y: 3, width: "100%", height: 2, rx: 1 }),
    svg("rect", { class: "fill", x: 0, y: 0, width, height: 8, rx: 3 }));
}

function allCells(row) {
  const odd = new Set(row.odd.map(([column]) => column));
  const list = element("dl", { class: "cells" });
  row.cells.forEach((cell, k) => {
    const name = data.columns[k] ?? `column ${k + 1}`;
    list.append(
      element("div", { class: odd.has(name) ? "is-odd" : null },
        element("dt", {}, name), element("dd", {}, cell === "" ? "–" : cell)),
    );
  });
  return scrollRegion(`All cells of row ${row.number}`, list);
}

function detailsOf(row) {
  const parts = [element("h3", {}, "Odd cells"), oddCells(row)];
  if (row.cells.length) parts.push(element("h3", {}, "The whole row"), allCells(row));
  return element("div", { class: "details" }, ...parts);
}

// The table of suspects: sorted, filtered, searched and turned page by page. On paper there are no
// pages to turn: all flagged rows are listed, up to a number that still fits a few sheets.
const MOST_PRINTED = 200;

const tableColumns = [
  { key: "number", name: "row", numeric: true, write: String },
  { key: "name", name: data.identifier, numeric: false, write: (name) => name },
  { key: "score", name: "score", numeric: true, write: scoreText },
  { key: "observed", name: "observed", numeric: isRegression, write: targetText },
  { key: "expected", name: "expected", numeric: isRegression, write: targetText },
  { key: "kind", name: "what", numeric: false, write: (kind) => kindNames[kind] },
  { key: "why", name: "why", numeric: false, write: (why) => why },
].filter(({ key }) => (key === "name" ? data.identifier : key !== "kind" || data.target));
const byScore = tableColumns.find(({ key }) => key === "score");

const alphabet = new Intl.Collator("en", { numeric: true });

function compare(a, b, { key, numeric }) {
  if (!numeric) return alphabet.compare(a[key], b[key]);
  // What is unknown is less than everything.
  const [x, y] = [a, b].map((row) => (Number.isNaN(row[key]) ? -Infinity : row[key]));
  return x < y ? -1 : x > y ? 1 : 0;
}

const haystacks = new Map();
function contains(row, needle) {
  if (!haystacks.has(row)) {
    const { number, name, kind, why, observed, expected, cells } = row;
    const text = [number, name, kindNames[kind], why, observed, expected, ...cells];
    haystacks.set(row, text.join("\n").toLowerCase());
  }
  return haystacks.get(row).includes(needle);
}

const wideCell = (style, content) =>
  element("td", { role: "cell", colspan: tableColumns.length + 1, class: style }, content);

function suspectsTable() {
  const view = { sort: byScore, way: -1, needle: "", kind: "", standing: "", size: 25, page: 0 };
  const unfolded = new Set();
  const body = byId("body");
  const heads = new Map();
  let found = [];
  let onPaper = false;

  const styleOf = ({ key, numeric }) => (numeric ? `number col-${key}` : `col-${key}`);
  const headOf = (style, ...children) =>
    element("th", { role: "columnheader", scope: "col", class: style }, ...children);
  byId("heads").append(headOf("fold", element("span", { class: "unseen" }, "details")));
  for (const column of tableColumns) {
    const way = element("span", { class: "way", "aria-hidden": "true" });
    const button = element("button", { type: "button" }, column.name, way);
    const head = headOf(styleOf(column), button);
    button.addEventListener("click", () => {
      // The highest scores are what one wants first; of all else the least.
      view.way = view.sort === column ? -view.way : column === byScore ? -1 : 1;
      view.sort = column;
      view.page = 0;
      show();
    });
    heads.set(column, head);
    byId("heads").append(head);
  }

  function filtered() {
    return listed
      .filter((row) => view.kind === "" || row.kind === view.kind)
      .filter((row) => view.standing === "" || isFlagged(row) === (view.standing === "flagged"))
      .filter((row) => state.selected === null || isSelected(row))
      .filter((row) => view.needle === "" || contains(row, view.needle));
  }

  function show() {
    found = onPaper ? listed.filter(isFlagged).slice(0, MOST_PRINTED) : filtered();
    found.sort((a, b) => view.way * compare(a, b, view.sort));
    const size = onPaper ? MOST_PRINTED : view.size;
    const pages = Math.max(1, Math.ceil(found.length / size));
    if (!onPaper) view.page = Math.min(view.page, pages - 1);
    const from = onPaper ? 0 : view.page * size;
    const shown = found.slice(from, from + size);
    body.replaceChildren(...shown.flatMap((row) => linesOf(row)));
    if (shown.length === 0) {
      body.append(element("tr", { role: "row" }, wideCell("nothing", nothingWords())));
    }
    for (const [column, head] of heads) {
      const active = column === view.sort;
      if (active) head.setAttribute("aria-sort", view.way > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
      head.querySelector(".way").textContent = active ? (view.way > 0 ? "↑" : "↓") : "";
    }
    byId("table-words").textContent = captionWords();
    byId("page-words").textContent = shown.length
      ? `${count(from + 1)} to ${count(from + shown.length)} of ${count(found.length)}`
      : "";
    byId("previous").disabled = view.page === 0;
    byId("next").disabled = view.page >= pages - 1;
    follow();
  }

  function nothingWords() {
    if (onPaper) return "No row is flagged at this cut.";
    return listed.length ? "No suspect matches." : "There are no suspects.";
  }

  function captionWords() {
    if (onPaper) return paperWords(found.length);
    const part = found.length === listed.length ? "" : `${count(found.length)} of `;
    const flagged = count(found.filter(isFlagged).length);
    return `${part}${rowsOf(listed.length, "suspect")}, ${flagged} flagged at this cut`;
  }

  function linesOf(row) {
    const id = `details-${row.row}`;
    const fold = element("button", {
      type: "button",
      class: "fold-button",
      "aria-expanded": "false",
      "aria-controls": id,
      "aria-label": `Details of row ${rowName(row)}`,
    });
    const line = element("tr", { role: "row", class: "suspect", "data-row": row.row });
    line.append(element("td", { role: "cell", class: "fold" }, fold));
    for (const column of tableColumns) {
      const style = styleOf(column);
      const cell = element("td", { role: "cell", class: style, "data-name": column.name });
      if (column === byScore) cell.append(element("span", { class: "standing" }));
      cell.append(element("span", { class: "text" }, column.write(row[column.key])));
      line.append(cell);
    }
    const more = element("tr", { role: "row", class: "more", id, hidden: true });
    const unfold = (open) => {
      fold.setAttribute("aria-expanded", String(open));
      more.hidden = !open;
      if (open && !more.firstChild) more.append(wideCell("inside", detailsOf(row)));
      if (open) unfolded.add(row.row);
      else unfolded.delete(row.row);
    };
    fold.addEventListener("click", () => unfold(more.hidden));
    line.addEventListener("click", () => change({ marked: row.row }));
    line.addEventListener("focusin", () => change({ marked: row.row }));
    if (unfolded.has(row.row)) unfold(true);
    return [line, more];
  }

  // What the slider or a mark changes, without building the rows anew: the focus stays.
  function follow() {
    for (const line of body.querySelectorAll(".suspect")) {
      const row = rowAt.get(Number(line.dataset.row));
      const flagged = isFlagged(row);
      line.classList.toggle("flagged", flagged);
      line.classList.toggle("marked", row.row === state.marked);
      line.querySelector(".standing").replaceChildren(
        flagged ? element("span", { "aria-hidden": "true" }, "◆") : "",
        element("span", { class: "unseen" }, flagged ? "flagged " : "not flagged "),
      );
    }
  }

  onChange((changed) => {
    if (changed.includes("selected")) view.page = 0;
    const movedOut = changed.includes("stop") && view.standing !== "";
    if (changed.includes("selected") || movedOut) return show();
    if (changed.includes("stop")) byId("table-words").textContent = captionWords();
    follow();
  });

  const field = (id, event, name, read = (value) => value) =>
    byId(id).addEventListener(event, () => {
      view[name] = read(byId(id).value);
      view.page = 0;
      show();
      announce(byId("table-words").textContent);
    });
  field("search", "input", "needle", (text) => text.trim().toLowerCase());
  field("kind", "change", "kind");
  field("standing", "change", "standing");
  field("page-size", "change", "size", Number);
  const turn = (by) => () => {
    view.page += by;
    show();
    byId("table").scrollIntoView({ block: "start" });
  };
  const paper = window.matchMedia("print");
  const print = (on) => {
    if (on === onPaper) return;
    onPaper = on;
    show();
  };
  paper.addEventListener("change", () => print(paper.matches));
  window.addEventListener("beforeprint", () => print(true));
  window.addEventListener("afterprint", () => print(paper.matches));
  byId("previous").addEventListener("click", turn(-1));
  byId("next").addEventListener("click", turn(1));
  show();
}

function paperWords(printed) {
  const flagged = stops.counts[state.stop];
  if (printed === flagged) return `All ${rowsOf(flagged, "flagged row")}, cut ${cutText()}`;
  const where = state.stop >= stops.suggested ? "; flagged.csv has all" : "";
  return `The ${count(printed)} most suspicious of ${rowsOf(flagged, "flagged row")}${where}`;
}
