"""One page that shows what was found in a table: a single HTML file, which needs no network."""

from .page import render

__all__ = ["render"]
