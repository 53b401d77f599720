"""Install a wheel into fresh environments with the oldest and the newest dependencies, and use it.

Usage::

    python tools/check_wheel.py dist/untaint-0.2.0-py3-none-any.whl [oldest] [newest]

"oldest" pins every dependency of the wheel and of its command line to the version that its metadata
state as the least; "newest" takes what the package index has. In each environment the examples of
all docstrings run against the installed files, and ``untaint demo`` cleans its table.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from email.parser import Parser
from pathlib import Path

from packaging.requirements import Requirement

LARGEST = 1_000_000  # bytes of the wheel
EXTRAS = {"cli", "plot", "parquet"}

# Docstring examples that need a newer dependency than the oldest, each with its reason.
NEWER = {
    "untaint.meta_estimators.classifier.RobustClassifier": (
        "forests of early versions of scikit-learn draw rows without regard to their weights, "
        "which costs recall"
    ),
}


def main() -> int:
    """Check the size of the wheel, then each kind of environment."""
    wheel = Path(sys.argv[1]).resolve()
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size / 1e6:.2f} MB", flush=True)
    if size > LARGEST:
        print(f"expected at most {LARGEST / 1e6:.0f} MB", file=sys.stderr)
        return 1
    for kind in sys.argv[2:] or ("oldest", "newest"):
        pins = least_versions(wheel) if kind == "oldest" else []
        with tempfile.TemporaryDirectory() as folder:
            check(wheel, kind, pins, Path(folder))
    return 0


def least_versions(wheel: Path) -> list[str]:
    """Return "name==version" for the lower bound of every dependency of the extras checked."""
    pins = []
    for requirement in requirements(wheel):
        wanted = requirement.marker is None or any(
            requirement.marker.evaluate({"extra": extra}) for extra in EXTRAS
        )
        bounds = [one.version for one in requirement.specifier if one.operator == ">="]
        if wanted and bounds:
            pins.append(f"{requirement.name}=={bounds[0]}")
    return sorted(set(pins))


def requirements(wheel: Path) -> list[Requirement]:
    """Read the dependencies from the metadata of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith("/METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode())
    return [Requirement(text) for text in metadata.get_all("Requires-Dist", [])]


def check(wheel: Path, kind: str, pins: list[str], folder: Path) -> None:
    """Install into a fresh environment, run the docstring examples and the demonstration."""
    print(f"{kind}: {', '.join(pins) or 'whatever the index has'}", flush=True)
    run([sys.executable, "-m", "venv", folder / "env"], folder)
    python = folder / "env" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    extras = ",".join(sorted(EXTRAS))
    pip = [python, "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    run([*pip, f"untaint[{extras}] @ {wheel.as_uri()}", "pandas", "pytest", *pins], folder)
    words = ["-q", "-p", "no:cacheprovider", "--doctest-modules", "--pyargs", *public_packages()]
    options = ["-o", "doctest_optionflags=NORMALIZE_WHITESPACE ELLIPSIS NUMBER", *deselected(kind)]
    run([python, "-m", "pytest", *words, *options], folder)
    run([python, "-m", "untaint", "demo"], folder)


def public_packages() -> list[str]:
    """Return the packages whose docstring examples need nothing but the extras checked."""
    names = ("estimators", "meta_estimators", "baselines", "online", "preprocessing", "plotting")
    return [f"untaint.{name}" for name in (*names, "datasets", "data_cleaning", "weighting")]


def deselected(kind: str) -> list[str]:
    """Leave out the examples that need a newer dependency, and say why."""
    if kind != "oldest":
        return []
    for name, reason in NEWER.items():
        print(f"left out: {name}: {reason}", flush=True)
    return ["-k", " and ".join(f"not {name.rpartition('.')[2]}" for name in NEWER)]


def run(command: list[object], folder: Path) -> None:
    """Run a command in the folder; a failure ends the check."""
    subprocess.run([str(word) for word in command], cwd=folder, check=True)


if __name__ == "__main__":
    sys.exit(main())
