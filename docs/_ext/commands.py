"""``{untaint} clean``: the options of a command, with the text of its ``--help``."""

from docutils import nodes
from docutils.parsers.rst import Directive
from typer.main import get_command

from untaint.cli.main import make_app


def cell(*children):
    """A cell of a table."""
    return nodes.entry("", nodes.paragraph("", "", *children))


def describe(parameter):
    """How a parameter is written, and what it does."""
    if parameter.param_type_name == "argument":
        names = [parameter.metavar or parameter.name.upper()]
    else:
        names = [*parameter.opts, *parameter.secondary_opts]
    written = []
    for name in names:
        written += [nodes.literal(text=name), nodes.Text(" ")]
    return nodes.row("", cell(*written), cell(nodes.Text(getattr(parameter, "help", "") or "")))


class Command(Directive):
    """A paragraph and a table for one command."""

    required_arguments = 1

    def run(self):
        """Read the command, and lay it out."""
        command = get_command(make_app()).commands[self.arguments[0]]
        said = [text for text in (command.help or "").split("\n\n") if text.strip()]
        rows = [describe(parameter) for parameter in command.params if parameter.name != "help"]
        head = nodes.thead(
            "", nodes.row("", cell(nodes.Text("option")), cell(nodes.Text("meaning")))
        )
        group = nodes.tgroup("", cols=2)
        group += [nodes.colspec(colwidth=35), nodes.colspec(colwidth=65), head]
        group += nodes.tbody("", *rows)
        table = nodes.table("", group, classes=["options"])
        return [nodes.paragraph(text=said[0].replace("\n", " ")), table]


def setup(app):
    """Sphinx's door."""
    app.add_directive("untaint", Command)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
