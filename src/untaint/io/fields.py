"""The fields of a single record, by the rule of `records`: for headers, cells and repairs."""

_QUOTE = b'"'


def field_spans(record: bytes, delimiter: bytes, *, quotes: bool) -> list[tuple[int, int]]:
    """Return where each field begins and ends, its quotes included."""
    spans = []
    start = 0
    while True:
        wrapped = quotes and record.startswith(_QUOTE, start)
        end = record.find(delimiter, _closing(record, start) if wrapped else start)
        if end < 0:
            spans.append((start, len(record)))
            return spans
        spans.append((start, end))
        start = end + 1


def field_text(field: bytes, *, quotes: bool) -> str:
    """Return the text of a field, without its quotes."""
    if not quotes or not field.startswith(_QUOTE):
        return field.decode()
    close = _closing(field, 0)
    inner = field[1:close].replace(_QUOTE * 2, _QUOTE)
    return (inner + field[close + 1 :]).decode()


def split_record(record: bytes, delimiter: bytes, *, quotes: bool) -> list[str]:
    """Return the cells of a record.

    Examples
    --------
    >>> from untaint.io.fields import split_record
    >>> split_record(b'1,"a,b",', b",", quotes=True)
    ['1', 'a,b', '']
    """
    if _QUOTE not in record:
        return record.decode().split(delimiter.decode())
    spans = field_spans(record, delimiter, quotes=quotes)
    return [field_text(record[start:end], quotes=quotes) for start, end in spans]


def _closing(record: bytes, start: int) -> int:
    """Return where the quote that opens at ``start`` closes."""
    place = start + 1
    while True:
        place = record.find(_QUOTE, place)
        if place < 0:
            return len(record)
        if not record.startswith(_QUOTE, place + 1):
            return place
        place += 2
