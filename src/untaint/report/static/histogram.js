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
