"""From bytes to text: a byte order mark says what it is, else UTF-8, else cp1252.

Whatever the encoding of the file, the rest of this subpackage works on UTF-8 without a mark, and
encodes rows again when they are written. That this gives the same bytes is checked
here, once.
"""

import codecs
import io
from typing import NamedTuple

from .errors import DataFileError

UTF8 = "utf-8"
FALLBACK = "cp1252"
MIXED = "The file mixes encodings"
_MARKS = [  # UTF-32 first: its mark begins with that of UTF-16
    (codecs.BOM_UTF8, UTF8),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
]
# Text encodings of Python that are not used for files.
_NO_FILES = {"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "utf-7"}
_CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1a")) + b"\x7f"
_LOOKED_AT = 2**16
_BLOCK = 2**20
_LINES_LOOKED_AT = 2**24
_BINARY_SHARE = 0.05
_BINARY_COUNT = 4


class Decoded(NamedTuple):
    """Text as UTF-8, and how to go back.

    Attributes
    ----------
    data : bytes
        UTF-8 without a byte order mark.
    mark : bytes
        The mark that the file began with.
    encoding : str
    notes : list of str
    """

    data: bytes
    mark: bytes
    encoding: str
    notes: list[str]


def decode(name: str, raw: bytes, encoding: str | None = None) -> Decoded:
    """Find the encoding, unless it is given."""
    if encoding is not None:
        decoded = _with_encoding(name, raw, *_given(raw, encoding))
    else:
        decoded = _detected(name, raw)
    _check_nul(name, decoded.data)
    return decoded


class OtherEncodingError(Exception):
    """Text that was read as UTF-8 is no UTF-8, and has to be read again as cp1252; its name."""


class StreamDecoder:
    r"""From blocks of bytes to UTF-8, in the encoding that `decode` finds for the whole.

    Parameters
    ----------
    name : str
        What messages call the text.
    head : bytes
        How it begins.
    fallback : bool
        Whether it is known not to be UTF-8.

    Examples
    --------
    >>> from untaint.io.encoding import StreamDecoder
    >>> decoder = StreamDecoder("a.csv", b"gr")
    >>> [decoder.decode(block) for block in (b"gr", b"\xfc\xdfe")]
    [b'gr', b'\xc3\xbc\xc3\x9fe']
    """

    def __init__(self, name: str, head: bytes, *, fallback: bool = False) -> None:
        self.name = name
        self.mark, self.encoding = next(
            (marked for marked in _MARKS if head.startswith(marked[0])), (b"", UTF8)
        )
        if not self.mark:
            _check_not_binary(name, head)
            self.encoding = FALLBACK if fallback else UTF8
        self._decoder = codecs.getincrementaldecoder(self.encoding)()
        self._seen = False  # whether there was anything but ASCII

    def decode(self, raw: bytes, line: int = 1, *, final: bool = False) -> bytes:
        """Return a block as UTF-8; bytes of a character that is cut wait for the next block.

        Messages use the line that the block begins on.
        """
        waiting = self._decoder.getstate()[0]
        if raw and not waiting and raw.isascii() and self.encoding in (UTF8, FALLBACK):
            return raw
        try:
            text = self._decoder.decode(raw, final)
        except UnicodeDecodeError as error:
            if self.encoding != UTF8 or self.mark:
                raise self._refusal(error, line) from error
            if self._seen:
                raise OtherEncodingError(self.name) from error
            self.encoding = FALLBACK  # of which ASCII is a part, too
            self._decoder = codecs.getincrementaldecoder(FALLBACK)()
            return self.decode(waiting + raw, line, final=final)
        self._seen |= bool(text)
        return text.encode()

    def _refusal(self, error: UnicodeDecodeError, line: int) -> DataFileError:
        before = error.object[: error.start].decode(self.encoding, errors="ignore")
        tried = self.encoding if self.mark else f"UTF-8 or {self.encoding}"
        return DataFileError(
            f"{self.name}, line {line + before.count(chr(10))}: expected text in "
            f"{tried}, found the byte 0x{error.object[error.start]:02x}, which it does not have; "
            "convert the file to UTF-8."
        )


def encode(data: bytes, encoding: str) -> bytes:
    """Encode UTF-8 in the file's encoding, with question marks for missing characters."""
    return data if encoding == UTF8 else data.decode().encode(encoding, errors="replace")


def _given(raw: bytes, encoding: str) -> tuple[bytes, str]:
    """Return the byte order mark and the exact name of an encoding; a mark decides "utf-16"."""
    try:
        wanted = codecs.lookup(encoding).name
        if wanted in _NO_FILES:
            raise LookupError(wanted)
        "".encode(wanted)
    except (LookupError, UnicodeError, ValueError, TypeError) as error:
        raise DataFileError(
            "encoding should be the name of a text encoding such as 'utf-8' or 'cp1252', "
            f"got {encoding!r}."
        ) from error
    wanted = {"utf-8-sig": UTF8}.get(wanted, wanted)
    for mark, marked in _MARKS:
        if raw.startswith(mark) and marked.startswith(wanted):
            return mark, marked
    return b"", {"utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(wanted, wanted)


def _detected(name: str, raw: bytes) -> Decoded:
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return _with_encoding(name, raw, mark, encoding)
    _check_not_binary(name, raw)
    if raw.isascii() or _is_utf8(raw):
        return Decoded(raw, b"", UTF8, [])
    mixed = _mixed_lines(raw)
    decoded = _with_encoding(name, raw, b"", FALLBACK, guessed=not mixed, mixed=mixed)
    note = f"{mixed}: it is" if mixed else "The file is no UTF-8, so it is"
    decoded.notes.append(f"{note} read as cp1252, Windows' Western text.")
    return decoded


def _mixed_lines(raw: bytes) -> str:
    """Return, in words, lines that are UTF-8 and others that are not; nothing if all are alike."""
    first: dict[bool, int] = {}
    for number, line in enumerate(io.BytesIO(raw[:_LINES_LOOKED_AT]), 1):
        if not line.isascii():
            first.setdefault(_is_utf8(line), number)
        if len(first) == 2:
            return f"{MIXED}, as line {first[True]} is UTF-8 and line {first[False]} is not"
    return ""


def _is_utf8(raw: bytes) -> bool:
    """Return whether bytes are UTF-8, block by block: a text takes up to four times its bytes."""
    decoder = codecs.getincrementaldecoder(UTF8)()
    try:
        for start in range(0, len(raw), _BLOCK):
            decoder.decode(raw[start : start + _BLOCK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _with_encoding(
    name: str, raw: bytes, mark: bytes, encoding: str, *, guessed: bool = False, mixed: str = ""
) -> Decoded:
    body = raw[len(mark) :]
    try:
        text = body.decode(encoding)
        data = body if encoding == UTF8 else text.encode()
        again = body if encoding == UTF8 else text.encode(encoding)
    except UnicodeDecodeError as error:
        if mixed:
            raise DataFileError(
                f"{name}: expected text in one encoding. {mixed}; convert it to UTF-8."
            ) from error
        line = body[: error.start].decode(encoding, errors="ignore").count("\n") + 1
        tried = f"UTF-8 or {encoding}" if guessed else f"{encoding}"
        raise DataFileError(
            f"{name}, line {line}: expected text in {tried}, found the byte "
            f"0x{body[error.start]:02x}, which it does not have; give the file's encoding."
        ) from error
    except (UnicodeError, ValueError) as error:
        raise DataFileError(f"{name}: expected text in {encoding} ({error}).") from error
    if again != body:
        raise DataFileError(
            f"{name}: expected text in {encoding} that can be written again as it is, found "
            "characters that are written in several ways; convert the file to UTF-8."
        )
    return Decoded(data, mark, encoding, [])


def _check_not_binary(name: str, raw: bytes) -> None:
    start = raw[:_LOOKED_AT]
    controls = len(start) - len(start.translate(None, _CONTROL))
    if controls < max(_BINARY_COUNT, _BINARY_SHARE * len(start)):
        return
    for place, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if start[place::2].count(0) > 0.5 * len(start) / 2 and not start[1 - place :: 2].count(0):
            raise DataFileError(
                f"{name}: expected text, found what looks like UTF-16 without a byte order mark; "
                f"give encoding={encoding!r}, or convert the file to UTF-8."
            )
    raise DataFileError(
        f"{name}: expected a table as text, Parquet, Excel or JSON lines, found binary data."
    )


def _check_nul(name: str, data: bytes) -> None:
    place = data.find(b"\0")
    if place >= 0:
        line = data.count(b"\n", 0, place) + 1
        raise DataFileError(
            f"{name}, line {line}: expected text, found a NUL byte; the file may be damaged."
        )
