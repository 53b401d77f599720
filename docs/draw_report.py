"""Draw the pictures of the report in these pages: ``python docs/draw_report.py DEMO``.

DEMO is the directory that ``untaint demo`` wrote. Needs Playwright, Chromium and Pillow.
"""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).parent / "images"
HEIGHT, WIDTH, GAP = 1500, 400, 20
# Colours of each strip of the small picture, and where on the page it begins.
STRIPS = (("light", 0), ("light", 1500), ("dark", 1900), ("dark", 3400))


def main(directory: str) -> None:
    """Draw the head of the page, and strips of it on a phone."""
    page = (Path(directory) / "report.html").absolute().as_uri()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        top = shot(browser, page, width=1400, scheme="light").crop((0, 0, 1400, 1830))
        phones = {scheme: shot(browser, page, WIDTH, scheme) for scheme in ("light", "dark")}
        browser.close()
    small = Image.new("RGB", (4 * WIDTH + 3 * GAP, HEIGHT), "white")
    for k, (scheme, top_edge) in enumerate(STRIPS):
        strip = phones[scheme].crop((0, top_edge, WIDTH, top_edge + HEIGHT))
        small.paste(strip, (k * (WIDTH + GAP), 0))
    for picture, name in ((top, "report.png"), (small, "report-small.png")):
        picture.quantize(128).save(IMAGES / name, optimize=True)


def shot(browser: Any, page: str, width: int, scheme: str) -> Image.Image:
    """Return the whole page as a picture."""
    tab = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    tab.goto(page)
    tab.wait_for_selector("html[data-ready]")
    tab.wait_for_timeout(500)
    found = Image.open(io.BytesIO(tab.screenshot(full_page=True))).convert("RGB")
    tab.close()
    return found


if __name__ == "__main__":
    main(sys.argv[1])
