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
