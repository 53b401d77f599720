"""Parameters of reference pages whose docstrings leave them to another docstring.

A class without the sections "Parameters" and "Other Parameters" has those of the first base class
that has them; a function without them has those that its module describes for every function.
"""

import inspect
import re
import sys

SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.M)
OF_EVERY_FUNCTION = "Parameters of every function"


def sections(docstring):
    """Return the sections of a docstring, by name."""
    parts = SECTION.split(inspect.cleandoc(docstring or ""))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def described_elsewhere(what, obj):
    """Return the sections on parameters that another docstring has."""
    if what == "function":
        every = sections(sys.modules[obj.__module__].__doc__).get(OF_EVERY_FUNCTION)
        return {} if every is None else {"Parameters": every}
    names = ("Parameters", "Other Parameters")
    for base in obj.__mro__[1:]:
        if base.__module__.startswith("untaint"):
            found = {name: text for name, text in sections(base.__doc__).items() if name in names}
            if found:
                return found
    return {}


def add_parameters(app, what, name, obj, options, lines):
    """Insert the missing sections before the first section."""
    if what not in ("class", "function") or "Parameters" in lines:
        return
    texts = [
        f"{heading}\n{'-' * len(heading)}\n{text.strip()}\n"
        for heading, text in described_elsewhere(what, obj).items()
    ]
    first = next((i - 1 for i, line in enumerate(lines) if re.fullmatch("-{3,}", line)), len(lines))
    lines[first:first] = ["", *"\n".join(texts).splitlines(), ""] if texts else []


def setup(app):
    """Sphinx's door; before napoleon reads the sections."""
    app.connect("autodoc-process-docstring", add_parameters, priority=400)
    return {"parallel_read_safe": True}
