// Observed against expected: a right row lies on the diagonal. Of a row with other wrong cells
// nothing is expected: it stands in a margin at the right, at the height of its observed target.
const MARGIN = 58;

// A few targets may be wrong by powers of ten. The picture then shows where the others are, and
// what lies beyond sits at its edge as a triangle.
function drawnRange(values) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  if (sorted.length === 0) return [0, 1];
  const [least, most] = [sorted[0], sorted[sorted.length - 1]];
  const [low, high] = [quantile(sorted, 0.02), quantile(sorted, 0.98)];
  const width = high - low;
  if (width > 0 && most - least > 5 * width) {
    const margin = width * 0.05;
    return [Math.max(least - margin, low - width / 2), Math.min(most + margin, high + width / 2)];
  }
  const margin = (most - least) * 0.04 || Math.abs(most) * 0.1 || 1;
  return [least - margin, most + margin];
}

function edgeMark(x, y, beyondX, beyondY) {
  const r = 4.5;
  const at = (dx, dy) => `${(x + dx).toFixed(1)} ${(y + dy).toFixed(1)}`;
  if (beyondY !== 0) {
    return `M${at(-r, -beyondY * r)}L${at(r, -beyondY * r)}L${at(0, beyondY * r)}z`;
  }
  return `M${at(-beyondX * r, -r)}L${at(-beyondX * r, r)}L${at(beyondX * r, 0)}z`;
}

function residualChart() {
  const rows = shownRows.filter((row) => Number.isFinite(row.observed));
  const isUnknown = (row) => !Number.isFinite(row.expected);
  const unknown = rows.filter(isUnknown).length;
  const xRange = drawnRange(rows.map((row) => row.expected));
  const yRange = drawnRange(rows.map((row) => row.observed));
  const beyond = (value, [low, high]) => (value < low ? -1 : value > high ? 1 : 0);
  const isBeyond = (row) => beyond(row.expected, xRange) || beyond(row.observed, yRange);
  byId("beyond").textContent = besideWords(rows.filter(isBeyond).length, unknown);

  makeChart("residuals", (root, whole) => {
    const frame = { ...whole, right: whole.right - (unknown ? MARGIN : 0) };
    const x = linearScale(...xRange, frame.left, frame.right);
    const y = linearScale(...yRange, frame.bottom, frame.top);
    drawAxes(root, frame, {
      x, y,
      xTicks: linearTicks(...xRange, 8), yTicks: linearTicks(...yRange, 7),
      xName: `expected ${shortName()}`, yName: `observed ${shortName()}`,
    });
    const from = Math.max(xRange[0], yRange[0]);
    const to = Math.min(xRange[1], yRange[1]);
    if (to > from) {
      const ends = { x1: x(from), y1: y(from), x2: x(to), y2: y(to) };
      root.append(svg("line", { class: "diagonal", ...ends }));
    }

    if (unknown) root.append(marginShape(frame, whole));

    const placed = rows.map((row) => {
      const outX = beyond(row.expected, xRange);
      const outY = beyond(row.observed, yRange);
      return {
        row, outX, outY,
        x: isUnknown(row)
          ? frame.right + MARGIN / 2 + spread(row.number)
          : x(Math.min(Math.max(row.expected, xRange[0]), xRange[1])) - outX * 6,
        y: y(Math.min(Math.max(row.observed, yRange[0]), yRange[1])) + outY * 6,
        lines: () => rowLines(row),
        places: () => [row.row],
      };
    });
    const many = rows.filter(isFlagged).length > 400;
    const paths = () => ({ kept: "", "kept-edge": "", flagged: "" });
    const [usual, chosen] = [paths(), paths()];
    for (const { row, outX, outY, x: px, y: py } of placed) {
      const flagged = isFlagged(row);
      const looks = isSelected(row) ? chosen : usual;
      if (outX || outY) looks[flagged ? "flagged" : "kept-edge"] += edgeMark(px, py, outX, -outY);
      else if (flagged) looks.flagged += diamond(px, py, many ? 3.2 : 4.5);
      else looks.kept += dot(px, py);
    }
    const points = (looks, name) =>
      svg("g", { class: `${name}${many ? " many" : ""}` },
        ...Object.entries(looks).map(([look, path]) =>
          svg("path", { class: `${look}-points`, d: path || "M0 0" })));
    root.append(
      points(usual, state.selected ? "faded" : "usual-group"),
      points(chosen, "chosen-group"),
    );
    const marked = placed.find((item) => item.row.row === state.marked);
    if (marked) root.append(markShape(marked.x, marked.y));

    return {
      items: placed.filter((item) => item.row.listed).sort((a, b) => b.row.score - a.row.score),
      nearest: (px, py) => closest(placed, px, py, 18),
      within: (box) =>
        placed.filter((item) => inBox(box, item.x, item.y)).map((item) => item.row.row),
    };
  });
}

function besideWords(outside, unknown) {
  const lie = outside === 1 ? "lies" : "lie";
  const have = unknown === 1 ? "has no expected value and stands" : "have no expected value and stand";
  return [
    outside ? `${rowsOf(outside)} ${lie} beyond the picture: triangles at its edge.` : "",
    unknown ? `${rowsOf(unknown)} ${have} at the right margin.` : "",
  ].join(" ");
}

// Neighbours in the margin stand side by side, each at the same place in every drawing.
const spread = (number) => ((number * 7) % 5) * 8 - 16;

function marginShape({ right, top, bottom }, whole) {
  const x = right + 7;
  return svg("g", { class: "axes" },
    svg("line", { class: "tick", x1: x, x2: x, y1: top, y2: bottom }),
    svg("line", { class: "baseline", x1: x, x2: whole.right, y1: bottom, y2: bottom }),
    svg("text", { x: (x + whole.right) / 2, y: bottom + 36, "text-anchor": "middle" }, "unknown"));
}

function closest(items, px, py, reach) {
  let best = null;
  let least = reach;
  for (const item of items) {
    // Suspects are what people point at: they win against a neighbour that is not listed.
    const distance = Math.hypot(item.x - px, item.y - py) + (item.row.listed ? 0 : 4);
    if (distance <= least) [best, least] = [item, distance];
  }
  return best;
}

function shortName() {
  return data.target.length > 28 ? data.target.slice(0, 27) + "…" : data.target;
}
