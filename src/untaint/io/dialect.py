"""The format of a table: delimiter, quotes and decimal mark."""

import re
from typing import NamedTuple

QUOTE = '"'
DELIMITERS = {"\t": "tabs", "|": "pipes", ";": "semicolons", ",": "commas"}
PARQUET, FRAME = "Parquet", "a data frame"
_LINE_ENDS = {"\r\n": "Windows line ends", "\r": "old Mac line ends"}


class Dialect(NamedTuple):
    """The format of a table.

    Parameters
    ----------
    delimiter : str
    quote : str or None
        None if quotes are ordinary characters.
    decimal : {".", ","}
    encoding : str
    mark : bytes
        The byte order mark that the file begins with, if any.
    line_end : str
    layers : tuple of str
        What the file was packed in, "gzip" or "zip", the outermost first.
    typed : str
        What a file with types was, such as "Parquet" or "Excel"; the rest then says how rows are
        written as text. Empty for text.
    """

    delimiter: str = ","
    quote: str | None = QUOTE
    decimal: str = "."
    encoding: str = "utf-8"
    mark: bytes = b""
    line_end: str = "\n"
    layers: tuple[str, ...] = ()
    typed: str = ""

    @property
    def parquet(self) -> bool:
        """Whether the file was a Parquet file."""
        return self.typed == PARQUET

    def describe(self) -> str:
        """Say it in a few words.

        Examples
        --------
        >>> from untaint.io import Dialect
        >>> Dialect(delimiter=";", decimal=",", encoding="cp1252").describe()
        'semicolons, decimal commas, cp1252'
        """
        if self.typed:
            return ", ".join([self.typed, *reversed(self.layers)])
        words = [DELIMITERS.get(self.delimiter, f"fields separated by {self.delimiter!r}")]
        if self.decimal == ",":
            words.append("decimal commas")
        if self.quote is None:
            words.append("quotes as ordinary characters")
        encoding = self.encoding.upper() if self.encoding.startswith("utf") else self.encoding
        words.append(f"{encoding} with a byte order mark" if self.mark else encoding)
        if self.line_end in _LINE_ENDS:
            words.append(_LINE_ENDS[self.line_end])
        return ", ".join([*words, *reversed(self.layers)])

    def write_cell(self, text: str, *, quoted: bool = False) -> str:
        """Return a cell in the format of the file, in quotes where it must be.

        Examples
        --------
        >>> from untaint.io import Dialect
        >>> Dialect().write_cell("a,b")
        '"a,b"'
        """
        special = any(letter in text for letter in (self.delimiter, "\n", "\r"))
        if self.quote is None:
            # There is nothing to wrap it in.
            return " ".join(re.split(f"[{re.escape(self.delimiter)}\r\n]", text))
        if quoted or special or self.quote in text:
            return self.quote + text.replace(self.quote, 2 * self.quote) + self.quote
        return text
