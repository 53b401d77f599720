"""Names for the arrows that unfold the contents at the side, which have none to be read aloud.

The theme writes ``<a>PAGE</a><details><summary>ARROW</summary>``: a summary without a word.
"""

import re
from pathlib import Path

ARROW = re.compile(r"<a\b[^>]*>(?P<page>[^<]*(?:<(?!/a>)[^<]*)*)</a><details[^>]*><summary>")


def named(arrow):
    """The link and the arrow after it, which is now called after the page."""
    page = re.sub(r"<[^>]+>", "", arrow["page"]).strip()
    label = f'<summary aria-label="Pages below {page}">'
    return arrow[0].removesuffix("<summary>") + label


def name_arrows(app, exception):
    """Name the arrows of all pages, once these are written."""
    if exception is None and app.builder.format == "html":
        for page in Path(app.outdir).rglob("*.html"):
            text = page.read_text("utf-8")
            renewed = ARROW.sub(named, text)
            if renewed != text:
                page.write_text(renewed, "utf-8")


def setup(app):
    """Sphinx's door."""
    app.connect("build-finished", name_arrows)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
