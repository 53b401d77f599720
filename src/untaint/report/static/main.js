// Light, dark, or as the system has it; remembered where the browser allows it.

function themeControl() {
  const themes = { "": "automatic", light: "light", dark: "dark" };
  const order = Object.keys(themes);
  const button = byId("theme");
  const apply = (theme) => {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    button.textContent = `Theme: ${themes[theme]}`;
  };
  // A page opened from a file may have no storage at all.
  const remembered = () => {
    try {
      return localStorage.getItem("untaint-theme") ?? "";
    } catch {
      return "";
    }
  };
  let theme = order.includes(remembered()) ? remembered() : "";
  apply(theme);
  button.addEventListener("click", () => {
    theme = order[(order.indexOf(theme) + 1) % order.length];
    apply(theme);
    try {
      localStorage.setItem("untaint-theme", theme);
    } catch {
      // Then it is not remembered.
    }
  });
}

// The command, to the clipboard.

function copyControl() {
  const button = byId("copy");
  const done = () => {
    button.textContent = "Copied";
    announce("Command copied");
    setTimeout(() => (button.textContent = "Copy"), 1500);
  };
  const selectInstead = () => getSelection().selectAllChildren(byId("command"));
  button.addEventListener("click", () => {
    if (!navigator.clipboard) return selectInstead();
    navigator.clipboard.writeText(byId("command").textContent).then(done, selectInstead);
  });
}

// Everything in its place.

if (isRegression) residualChart();
else if (data.labels) labelTable();
histogramChart();
monitoringChart();
suspectsTable();
cutControl();
summaryControl();
selectionControl();
downloadControl();
themeControl();
copyControl();
document.documentElement.dataset.ready = "true";
