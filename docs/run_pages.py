"""Put what the Python of a page prints, and the pictures that it saves, into the page.

``python docs/run_pages.py docs/index.md docs/guides/*.md`` runs all blocks of each page in order,
in one namespace and in an empty directory. A block of plain text right below a block of Python is
its output, and is written anew. A picture that the code saves replaces that of the same name in
``docs/images``, if the page shows it.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
from pathlib import Path

IMAGES = Path(__file__).parent / "images"
# Groups: the code; all between it and its output; the output.
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:(\n*```text\n)(.*?)^```\n)?", re.S | re.M)


def blocks(text: str) -> list[tuple[str, str | None]]:
    """Return the Python of a page, each block with the output that is shown below it."""
    return [(found[1], found[3]) for found in BLOCK.finditer(text)]


def printed(code: str, names: dict[str, object], source: str = "page") -> str:
    """Run a block, and return what it prints, without spaces at the ends of lines."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(code, source, "exec"), names)
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())


def renew(page: Path) -> None:
    """Run a page, and write its outputs and pictures."""
    from PIL import Image

    names: dict[str, object] = {"__name__": "page"}

    def with_output(found: re.Match[str]) -> str:
        output = printed(found[1], names, str(page))
        return f"```python\n{found[1]}```\n" + (f"{found[2]}{output}```\n" if found[2] else "")

    text = page.read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        renewed = BLOCK.sub(with_output, text)
        for picture in Path().glob("*.png"):
            if f"images/{picture.name})" in text:
                small = Image.open(picture).convert("RGB").quantize(128)
                small.save(IMAGES / picture.name, optimize=True)
    page.write_text(renewed, "utf-8")


def main(pages: list[str]) -> None:
    """Renew the pages that are named."""
    os.environ["MPLBACKEND"] = "agg"
    for page in pages:
        renew(Path(page).resolve())
        print(page)


if __name__ == "__main__":
    main(sys.argv[1:])
