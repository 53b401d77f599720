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
