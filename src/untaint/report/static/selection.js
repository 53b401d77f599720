// What is selected, in words, and how to be rid of it.

function selectionControl() {
  byId("clear").addEventListener("click", () => {
    clearSelection();
    byId("slider").focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) clearSelection();
  });
  onChange((changed) => {
    if (!changed.includes("selected") && !changed.includes("marked")) return;
    const { selected, marked } = state;
    byId("chosen").hidden = selected === null && marked === null;
    if (selected !== null) {
      const suspects = listed.filter(isSelected).length;
      const others = selected.size - suspects;
      const where =
        others > 0
          ? `: ${rowsOf(suspects, "suspect")}, listed below, and ${rowsOf(others)} not listed.`
          : ", listed below.";
      const words = `${rowsOf(selected.size)} selected${where}`;
      byId("chosen-words").textContent = words;
      announce(words);
    } else if (marked !== null) {
      const name = rowName(rowAt.get(marked));
      byId("chosen-words").textContent = `Row ${name} is marked in the pictures.`;
    }
  });
}
