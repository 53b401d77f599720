// From values to places on the screen, and values worth a tick.

function linearScale(low, high, from, to) {
  const width = high - low || 1;
  return (value) => from + ((value - low) / width) * (to - from);
}

// Even up to the bend, logarithmic beyond: the twin of bending.py.
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
