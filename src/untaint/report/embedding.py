"""JSON that may stand inside a script tag.

A browser ends a script at the first ``</script``, wherever it stands, and opens a comment at
``<!--``. With ``<``, ``>`` and ``&`` written as escapes neither can occur, whatever the data are;
they remain the same text to whoever parses the JSON. All else that is not ASCII is escaped too,
which settles line separators, changes of direction and halves of pairs.
"""

import json
import math
from typing import Any

_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def embed(value: Any) -> str:
    r"""Write a value as JSON for a script tag.

    Parameters
    ----------
    value : JSON-able
        Numbers that JSON has no word for, NaN and the infinities, become null.

    Returns
    -------
    str

    Examples
    --------
    >>> embed({"cell": "</script>", "score": float("nan")})
    '{"cell":"\\u003c/script\\u003e","score":null}'
    """
    text = json.dumps(_finite(value), separators=(",", ":"), allow_nan=False)
    return text.translate(_ESCAPES)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
