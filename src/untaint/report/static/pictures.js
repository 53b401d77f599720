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

// Observed against expected labels: a table of counts whose cells select their suspects.

function labelTable() {
  const host = byId("labels");
  if (!host || !data.labels) return;
  const { labels, others, counts } = data.labels;
  const names = labels.map((name) => (name === "" ? "unknown" : name));
  if (others) names.push(`${others} others`);
  const place = new Map(labels.map((name, k) => [name, k]));
  const placeOf = (name) => place.get(name) ?? names.length - 1;
  const most = Math.max(1, ...counts.flatMap((line, i) => line.filter((_, j) => i !== j)));

  const suspectsIn = counts.map((line) => line.map(() => []));
  for (const row of listed) suspectsIn[placeOf(row.observed)][placeOf(row.expected)].push(row);

  const cells = [];
  function cell(i, j) {
    const times = counts[i][j];
    const rows = suspectsIn[i][j];
    const level = times === 0 ? 0 : 1 + Math.round(3 * Math.sqrt(times / most));
    const holder = element("td", { class: i === j ? "agree" : `differ level-${level}` });
    if (rows.length === 0) {
      holder.append(element("span", { class: times ? "" : "nothing" }, times ? count(times) : "·"));
      return holder;
    }
    const words = () => [
      `Observed ${names[i]}, expected ${names[j]}`,
      rowsOf(times),
      `${rowsOf(rows.length, "suspect")}, ${count(rows.filter(isFlagged).length)} flagged`,
    ];
    const button = element("button", { type: "button", "aria-pressed": "false" }, count(times));
    const share = element("span", { class: "of-them" });
    button.append(share);
    button.addEventListener("click", () => {
      const places = rows.map((row) => row.row);
      const again = button.getAttribute("aria-pressed") === "true";
      select(again ? [] : places);
    });
    const show = () => {
      const box = button.getBoundingClientRect();
      showTooltip(words(), box.left + box.width / 2, box.top);
    };
    button.addEventListener("pointerenter", show);
    button.addEventListener("focus", show);
    button.addEventListener("pointerleave", hideTooltip);
    button.addEventListener("blur", hideTooltip);
    holder.append(button);
    cells.push({ button, share, rows, words });
    return holder;
  }

  const corner = [element("span", {}, "expected →"), " ", element("span", {}, "observed ↓")];
  const head = element("tr", {}, element("th", { scope: "col", class: "corner" }, ...corner));
  names.forEach((name) => head.append(element("th", { scope: "col" }, element("span", {}, name))));
  const body = element("tbody");
  names.forEach((name, i) => {
    // Some rows have no expected label, but all an observed one.
    if (labels[i] === "" && counts[i].every((times) => times === 0)) return;
    const line = element("tr", {}, element("th", { scope: "row" }, element("span", {}, name)));
    names.forEach((_, j) => line.append(cell(i, j)));
    body.append(line);
  });
  const table = element("table", { class: names.length > 6 ? "dense" : null },
    element("caption", { class: "unseen" }, "Counts of rows by observed and expected label"),
    element("thead", {}, head), body);
  host.append(scrollRegion("Observed against expected labels", table));

  function follow() {
    for (const { button, share, rows, words } of cells) {
      const flagged = rows.filter(isFlagged).length;
      const whole = state.selected !== null && rows.every(isSelected);
      button.setAttribute("aria-pressed", String(whole && state.selected.size === rows.length));
      const touched = rows.some((row) => isSelected(row) || row.row === state.marked);
      button.classList.toggle("has-selected", touched);
      button.setAttribute("aria-label", words().join(", "));
      share.textContent = flagged ? `◆ ${count(flagged)}` : "";
    }
  }
  onChange(follow);
  follow();
}

// How many rows score how much, with the cut as a line.

function barOf(score, edges) {
  let bar = 0;
  while (bar < edges.length - 2 && score >= edges[bar + 1]) bar += 1;
  return bar;
}

function histogramChart() {
  const { axis, counts } = data.histogram;
  const edges = data.histogram.edges.map(asNumber);
  const highest = Math.max(1, ...counts);
  if (axis[1] < axis[2]) {
    const bend = figure(axis[1], 2);
    byId("bent").textContent = `; beyond ${bend} the scores are drawn ever closer together`;
  }
  const rowsIn = counts.map(() => []);
  for (const row of shownRows) {
    if (!Number.isNaN(row.score)) rowsIn[barOf(row.score, edges)].push(row);
  }

  makeChart("histogram", (root, frame) => {
    const x = bentScale(axis, frame.left, frame.right);
    const y = (number) => frame.bottom - Math.sqrt(number / highest) * (frame.bottom - frame.top);
    drawAxes(root, frame, {
      x, y,
      xTicks: bentTicks(axis, 8), yTicks: countTicks(highest),
      xName: "score", yName: "rows",
    });
    const cut = currentCut();
    const cutX = cut === null ? frame.right : x(cut);

    // From the axis up to so many rows, with a little air on both sides.
    const column = (look, number, from, to, air = 0.5) =>
      svg("rect", {
        class: look,
        x: from + air,
        y: y(number),
        width: Math.max(0.8, to - from - 2 * air),
        height: frame.bottom - y(number),
      });
    const bars = counts.map((number, k) => ({ number, k, x0: x(edges[k]), x1: x(edges[k + 1]) }));
    const group = svg("g", { class: state.selected ? "faded" : "usual-group" });
    for (const { number, x0, x1 } of bars.filter((bar) => bar.number > 0)) {
      const middle = Math.min(Math.max(cutX, x0), x1);
      if (middle - x0 > 0.2) group.append(column("kept-bar", number, x0, middle));
      if (x1 - middle > 0.2) group.append(column("flagged-bar", number, middle, x1));
    }
    root.append(group);

    // A bar of the selected rows within each bar, to the same measure.
    if (state.selected) {
      for (const bar of bars) {
        const chosen = rowsIn[bar.k].filter(isSelected).length;
        if (chosen > 0) root.append(column("selected-bar", chosen, bar.x0, bar.x1));
      }
    }
    root.append(namedLine(frame, cutX, cut === null ? "none" : `cut ${figure(cut, 3)}`));
    const marked = rowAt.get(state.marked);
    if (marked && !Number.isNaN(marked.score)) {
      root.append(markShape(x(marked.score), frame.bottom));
    }

    const items = bars.filter((bar) => bar.number > 0).map((bar) => ({
      ...bar,
      x: (bar.x0 + bar.x1) / 2,
      y: y(bar.number),
      shape: () => column("bar-ring", bar.number, bar.x0, bar.x1, 0),
      lines: () => [
        rowsOf(bar.number),
        `score ${figure(edges[bar.k], 3)} to ${figure(edges[bar.k + 1], 3)}`,
        `${rowsOf(rowsIn[bar.k].filter((row) => row.listed).length, "suspect")} listed below`,
      ],
      places: () => rowsIn[bar.k].map((row) => row.row),
    }));
    return {
      items,
      nearest: (px, py) => {
        const level = py >= frame.top - 10 && py <= frame.bottom + 10;
        return (level && items.find((bar) => px >= bar.x0 && px < bar.x1)) || null;
      },
      within: ({ left, right }) =>
        shownRows
          .filter((row) => x(row.score) >= left && x(row.score) <= right)
          .map((row) => row.row),
    };
  });
}

function countTicks(highest) {
  const ticks = [0];
  for (let power = 1; power <= highest; power *= 10) {
    for (const tick of [power, 2 * power, 5 * power]) if (tick <= highest) ticks.push(tick);
  }
  return ticks;
}

// Scores against the trimmed share: one line for each row.

function monitoringChart() {
  const monitored = data.monitored;
  if (!monitored) return;
  const shares = monitored.shares.map(asNumber);
  const lines = monitored.rows
    .map((place, k) => ({ row: rowAt.get(place), scores: monitored.scores[k].map(asNumber) }))
    .filter((line) => line.row);
  const last = shares.length - 1;
  const share = Math.min(Math.max(data.share, shares[0]), shares[last]);
  const away = shares.map((s) => Math.abs(s - share));
  const atShare = away.indexOf(Math.min(...away));

  makeChart("monitoring", (root, frame) => {
    const x = linearScale(shares[0], shares[last], frame.left, frame.right);
    const y = bentScale(monitored.axis, frame.bottom, frame.top);
    if (data.interval) {
      const inside = (s) => Math.min(Math.max(s, shares[0]), shares[last]);
      const [from, to] = data.interval.map((s) => x(inside(s)));
      root.append(svg("rect", {
        class: "interval-band",
        x: from,
        y: frame.top,
        width: Math.max(1, to - from),
        height: frame.bottom - frame.top,
      }));
    }
    drawAxes(root, frame, {
      x, y,
      xTicks: linearTicks(shares[0], shares[last], 6), yTicks: bentTicks(monitored.axis, 8),
      xName: "share of rows trimmed", yName: "score",
      xText: (tick) => `${Number((100 * tick).toPrecision(4))} %`,
    });

    const paths = lines.map((line) => {
      const points = line.scores.map((score, k) => [x(shares[k]), y(score)]);
      return { ...line, points, d: linePath(points) };
    });
    const joined = (some) => some.map((path) => path.d).join("") || "M0 0";
    const group = (name, some) => {
      const flagged = some.filter((path) => isFlagged(path.row));
      const kept = some.filter((path) => !isFlagged(path.row));
      return svg("g", { class: name },
        svg("path", { class: "kept-lines", d: joined(kept) }),
        svg("path", { class: "flagged-lines", d: joined(flagged) }));
    };
    const usual = paths.filter((path) => !isSelected(path.row));
    const chosen = paths.filter((path) => isSelected(path.row));
    root.append(
      group(state.selected ? "faded" : "usual-group", usual),
      group("chosen-group", chosen),
    );
    const marked = paths.find((path) => path.row.row === state.marked);
    if (marked) root.append(svg("path", { class: "marked-line", d: marked.d }));

    root.append(namedLine(frame, x(share), `share ${percent(data.share)}`));

    const items = paths.map((path) => ({
      ...path,
      x: path.points[atShare][0],
      y: Number.isNaN(path.points[atShare][1]) ? frame.bottom : path.points[atShare][1],
      shape: () => svg("path", { class: "hover-line", d: path.d || "M0 0" }),
      lines: () => rowLines(path.row),
      places: () => [path.row.row],
    }));
    return {
      items: [...items].sort((a, b) => b.row.score - a.row.score),
      nearest: (px, py) => nearestLine(items, px, py),
      within: (box) =>
        items
          .filter((item) => item.points.some(([px, py]) => inBox(box, px, py)))
          .map((item) => item.row.row),
    };
  });
}

// A score that is unknown leaves a gap.
function linePath(points) {
  let path = "";
  let pen = "M";
  for (const [x, y] of points) {
    if (Number.isNaN(y)) {
      pen = "M";
    } else {
      path += `${pen}${x.toFixed(1)} ${y.toFixed(1)}`;
      pen = "L";
    }
  }
  return path;
}

// The line that passes closest above or below the pointer.
function nearestLine(items, px, py) {
  let best = null;
  let least = 14;
  for (const item of items) {
    const { points } = item;
    const k = points.findIndex(([x]) => x >= px);
    if (k < 0 || (k === 0 && points[0][0] - px > 6)) continue;
    const [x1, y1] = points[k];
    const [x0, y0] = points[Math.max(0, k - 1)];
    const y = x1 === x0 ? y1 : y0 + ((px - x0) / (x1 - x0)) * (y1 - y0);
    if (Math.abs(y - py) < least) [best, least] = [{ ...item, x: px, y }, Math.abs(y - py)];
  }
  return best;
}
