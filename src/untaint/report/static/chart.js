// From values to places on the screen, and values worth a tick.

function linearScale(low, high, from, to) {
  const width = high - low || 1;
  return (value) => from + ((value - low) / width) * (to - from);
}

// Even up to the bend, logarithmic beyond: the twin of symlog_axis.py.
function bentScale([low, bend, high], from, to) {
  const b = bend - low;
  const place = (value) => {
    const u = Math.min(Math.max(value, low), high) - low;
    return u <= b ? u : b * (1 + Math.log(u / b));
  };
  const end = place(high) || 1;
  return (value) => from + (place(value) / end) * (to - from);
}

function niceStep(width, most) {
  const rough = width / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((k) => k * power).find((step) => step >= rough) ?? 10 * power;
}

function linearTicks(low, high, most) {
  if (!(high > low)) return [low];
  const step = niceStep(high - low, most);
  const ticks = [];
  for (let k = Math.ceil(low / step); k * step <= high + step * 1e-9; k++) ticks.push(k * step);
  return ticks;
}

// Even ticks up to the bend, then powers of ten and what lies between, as far as there is room.
function bentTicks([low, bend, high], most) {
  if (!(bend < high)) return linearTicks(low, high, most);
  const ticks = linearTicks(low, bend, Math.max(2, Math.round(most / 2)));
  for (let power = 10 ** Math.floor(Math.log10(Math.abs(bend) || 1)); power <= high; power *= 10) {
    ticks.push(...[power, 2 * power, 5 * power].filter((tick) => tick > bend && tick <= high));
  }
  return ticks;
}

// Ticks that leave one another room. Round powers of ten come first, for they read best.
function spacedTicks(ticks, scale, room) {
  const digits = (tick) => Math.abs(tick).toExponential(6).split("e")[0].replace(/\.?0+$/, "");
  const plainness = (tick) => (tick === 0 ? 0 : digits(tick) === "1" ? 1 : digits(tick).length + 1);
  const kept = [];
  for (const tick of [...ticks].sort((a, b) => plainness(a) - plainness(b) || a - b)) {
    if (kept.every((other) => Math.abs(scale(other) - scale(tick)) >= room)) kept.push(tick);
  }
  return kept.sort((a, b) => a - b);
}

function tickText(tick) {
  const size = Math.abs(tick);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) {
    return Number(tick.toPrecision(3)).toExponential().replace("e+", "e").replace(/^-/, "−");
  }
  const tidy = Number(tick.toPrecision(6));
  return tidy.toLocaleString("en-US", { maximumFractionDigits: 6 }).replace("-", "−");
}

function quantile(sorted, share) {
  if (sorted.length === 0) return NaN;
  return sorted[Math.round(share * (sorted.length - 1))];
}

// A few words beside whatever is pointed at. For those who listen, `announce` says the same.

const tooltip = byId("tooltip");

function showTooltip(lines, clientX, clientY) {
  tooltip.replaceChildren(...lines.map((line, k) => element(k === 0 ? "b" : "span", {}, line)));
  tooltip.hidden = false;
  const { width, height } = tooltip.getBoundingClientRect();
  const edge = document.documentElement.clientWidth;
  const left = Math.min(Math.max(8, clientX + 14), Math.max(8, edge - width - 8));
  const above = clientY - height - 12;
  tooltip.style.left = `${left}px`;
  tooltip.style.top = `${above > 8 ? above : clientY + 18}px`;
}

const hideTooltip = () => (tooltip.hidden = true);

function rowLines(row) {
  const lines = [
    `Row ${rowName(row)}, ${isFlagged(row) ? "flagged" : "not flagged"}`,
    `score ${scoreText(row.score)}`,
    `observed ${targetText(row.observed)}, expected ${targetText(row.expected)}`,
  ];
  if (row.why) lines.push(row.why.length > 160 ? row.why.slice(0, 159) + "…" : row.why);
  return lines;
}

// What all pictures share: a drawing that follows its size, axes, and one way to point, drag,
// click and walk by keyboard. A picture says what is where; it hands back
//   items          what can be pointed at: {x, y, lines, places}, in the order of the arrow keys
//   nearest(x, y)  the item under the pointer, or null
//   within(box)    the places of rows inside a dragged box

function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  for (const child of children) made.append(child instanceof Node ? child : visible(child));
  return made;
}

// Everything of one look goes into one path: thousands of rows, a handful of elements.
const dot = (x, y) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`;
const diamond = (x, y, r = 4.5) =>
  `M${x.toFixed(1)} ${(y - r).toFixed(1)}l${r} ${r}l${-r} ${r}l${-r} ${-r}z`;
const ring = (x, y, r = 8) => svg("circle", { class: "ring", cx: x, cy: y, r });

function drawAxes(root, frame, { x, y, xTicks, yTicks, xName, yName, xText = tickText }) {
  const { left, right, bottom } = frame;
  const group = svg("g", { class: "axes" });
  for (const tick of spacedTicks(yTicks, y, 22)) {
    group.append(
      svg("line", { class: "gridline", x1: left, x2: right, y1: y(tick), y2: y(tick) }),
      svg("text", { x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, tickText(tick)),
    );
  }
  for (const tick of spacedTicks(xTicks, x, 46)) {
    group.append(
      svg("line", { class: "tick", x1: x(tick), x2: x(tick), y1: bottom, y2: bottom + 4 }),
      svg("text", { x: x(tick), y: bottom + 18, "text-anchor": "middle" }, xText(tick)),
    );
  }
  group.append(
    svg("line", { class: "baseline", x1: left, x2: right, y1: bottom, y2: bottom }),
    svg("text", { class: "axis-name", x: right, y: bottom + 36, "text-anchor": "end" }, xName),
    svg("text", { class: "axis-name", x: left - 44, y: 12 }, yName),
  );
  root.append(group);
}

// A line across the picture with its name on the side that has room.
function namedLine({ top, bottom, right }, x, name) {
  const before = x > right - 90;
  return svg("g", {},
    svg("line", { class: "cut-line", x1: x, x2: x, y1: top - 6, y2: bottom }),
    svg("text", {
      class: "cut-name",
      x: before ? x - 6 : x + 6,
      y: top + 4,
      "text-anchor": before ? "end" : "start",
    }, name));
}

const markShape = (x, y) =>
  svg("g", { class: "mark-shape" },
    svg("circle", { cx: x, cy: y, r: 9 }),
    svg("circle", { class: "mark-core", cx: x, cy: y, r: 3 }));

function makeChart(id, draw) {
  const host = byId(id);
  if (!host) return;
  const root = svg("svg", { role: "img", tabindex: 0, "aria-label": host.dataset.summary });
  host.append(root);
  let drawn = null;
  let waiting = false;
  let walking = -1;
  let dragFrom = null;
  const overlay = svg("g", { class: "overlay" });

  function redraw() {
    waiting = false;
    const width = host.clientWidth;
    const height = host.clientHeight;
    if (width < 10 || height < 10) return;
    root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    root.replaceChildren();
    const frame = { left: 52, right: width - 14, top: 26, bottom: height - 44, width, height };
    drawn = draw(root, frame);
    root.append(overlay);
  }
  function redrawSoon() {
    if (!waiting) requestAnimationFrame(redraw);
    waiting = true;
  }
  new ResizeObserver(redrawSoon).observe(host);
  onChange(redrawSoon);

  const here = (event) => {
    const box = root.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  function point(item, spoken) {
    overlay.replaceChildren();
    root.classList.toggle("pointing", item !== null);
    if (item === null) return hideTooltip();
    overlay.append(item.shape ? item.shape() : ring(item.x, item.y));
    const box = root.getBoundingClientRect();
    showTooltip(item.lines(), box.left + item.x, box.top + item.y);
    if (spoken) announce(item.lines().join(". "));
  }
  const rest = () => {
    walking = -1;
    dragFrom = null;
    point(null);
  };

  root.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    dragFrom = here(event);
    root.setPointerCapture(event.pointerId);
  });
  root.addEventListener("pointermove", (event) => {
    if (!drawn) return;
    const [x, y] = here(event);
    if (dragFrom && isDrag(dragFrom, [x, y])) {
      hideTooltip();
      overlay.replaceChildren(boxShape(boxOf(dragFrom, [x, y])));
    } else if (!dragFrom) {
      point(drawn.nearest(x, y), false);
    }
  });
  root.addEventListener("pointerup", (event) => {
    if (!drawn || !dragFrom) return;
    const [x, y] = here(event);
    const from = dragFrom;
    rest();
    if (isDrag(from, [x, y])) return select(drawn.within(boxOf(from, [x, y])));
    const item = drawn.nearest(x, y);
    select(item === null ? [] : item.places());
  });
  root.addEventListener("pointerleave", () => dragFrom || rest());
  root.addEventListener("pointercancel", rest);
  root.addEventListener("blur", rest);
  root.addEventListener("keydown", (event) => {
    if (!drawn || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const { items } = drawn;
    if (step && items.length) {
      const from = walking < 0 && step < 0 ? 0 : walking;
      walking = (from + step + items.length) % items.length;
      point(items[walking], true);
    } else if ((event.key === "Enter" || event.key === " ") && walking >= 0) {
      select(items[walking].places());
    } else if (event.key === "Escape") {
      rest();
      clearSelection();
    } else {
      return;
    }
    event.preventDefault();
  });
}

const isDrag = ([x0, y0], [x1, y1]) => Math.hypot(x1 - x0, y1 - y0) > 5;
const boxOf = ([x0, y0], [x1, y1]) => ({
  left: Math.min(x0, x1),
  right: Math.max(x0, x1),
  top: Math.min(y0, y1),
  bottom: Math.max(y0, y1),
});
const boxShape = ({ left, right, top, bottom }) =>
  svg("rect", {
    class: "brush", x: left, y: top, width: right - left, height: bottom - top, rx: 3,
  });
const inBox = ({ left, right, top, bottom }, x, y) =>
  x >= left && x <= right && y >= top && y <= bottom;
