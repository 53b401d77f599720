"""What keeps a page from running the text that it shows: escapes, and a policy.

A browser ends a script at the first ``</script``, wherever it stands, and opens a comment at
``<!--``. With ``<``, ``>`` and ``&`` written as escapes neither can occur, whatever the data are;
they remain the same text to whoever parses the JSON. All else that is not ASCII is escaped too,
which settles line separators, changes of direction and halves of pairs.

The content security policy knows the page's own style and script by their hashes. Should some text
ever slip through as markup, the browser refuses to run it, to style anything with it, and to load
or send anything at all.
"""

import base64
import hashlib
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


def content_policy(style: str, script: str) -> str:
    """Return the policy of a page with this one style and this one script.

    Parameters
    ----------
    style, script : str
        Exactly what stands between the tags.

    Returns
    -------
    str
        For a meta tag.

    Examples
    --------
    >>> content_policy("", "").split("; ")[0]
    "default-src 'none'"
    """
    own = f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    return f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256-" + base64.b64encode(digest).decode()
