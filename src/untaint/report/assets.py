"""The page's style and script, written as several files and inlined as one of each."""

from importlib.resources import files

# In this order: what comes later may use what came before.
STYLES = ("page.css", "pictures.css", "suspects.css", "print.css")
SCRIPTS = ("page.js", "chart.js", "pictures.js", "controls.js", "suspects.js", "main.js")


def style() -> str:
    """Return all style sheets in one."""
    return _joined(STYLES)


def script() -> str:
    """Return all scripts in one, in a scope of their own."""
    return '(() => {\n"use strict";\n' + _joined(SCRIPTS) + "})();\n"


def template() -> str:
    """Return the template of the page."""
    return _read("templates", "report.html")


def _joined(names: tuple[str, ...]) -> str:
    return "\n".join(_read("static", name) for name in names)


def _read(folder: str, name: str) -> str:
    return files(__package__).joinpath(folder, name).read_text(encoding="utf-8")
