"""Bytes from the network: over https only, within a time and a size."""

from __future__ import annotations

import http.client
import logging
import urllib.request

TIMEOUT_SECONDS = 30.0
LARGEST_FILE = 50_000_000  # bytes; the papers' sets are a tenth of this

_logger = logging.getLogger(__name__)


def download(url: str) -> bytes:
    """Return what an https address serves, or raise OSError: what came is whole or is nothing."""
    _check_https(url)
    _logger.info("Downloading %s", url)
    request = urllib.request.Request(url, headers={"User-Agent": "untaint"})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
            _check_https(response.url)  # after redirections
            body: bytes = response.read(LARGEST_FILE + 1)
            promised = response.headers.get("Content-Length")
    except http.client.HTTPException as error:  # alone among the ways to fail, not an OSError
        raise OSError(f"the answer broke off ({error!r})") from error
    if len(body) > LARGEST_FILE:
        raise OSError(f"more than {LARGEST_FILE} bytes")
    if promised is not None and len(body) != int(promised):
        # Reading up to a size does not notice that the connection ended before the body did.
        raise OSError(f"the connection ended after {len(body)} of {promised} bytes")
    return body


def _check_https(url: str) -> None:
    if not url.startswith("https://"):
        raise OSError(f"{url} is not an https address")
