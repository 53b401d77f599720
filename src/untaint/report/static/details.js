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
