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
