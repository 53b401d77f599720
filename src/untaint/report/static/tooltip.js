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
