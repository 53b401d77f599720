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
