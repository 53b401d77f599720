"""How many small changes of the source the tests notice: mutation testing of four subpackages.

    python benchmarks/mutation.py --sample 800 --seed 1

changes the subpackages kernels, losses, weighting and optim at random places, each file in
proportion to its places, and runs their tests on every change (needs coverage).

A change is *killed* when a test fails or takes ten times as long as it should, and *survives* when
all tests that reach the changed line pass. They are run quickest first, up to a budget of seconds
(--budget), which errs to one side only: a change that a later test would have killed counts as a
survivor. A change that compiles to the same code is left out.

What is changed (mutation_sites.py): comparisons (boundary and negation), arithmetic (+ and -, * and
/, powers), numbers (one more, one less; doubled, zero), True and False, and and or, signs and nots,
conditions, returned values (None), break and continue, min and max and their like, ends of slices,
functions left out (sqrt, abs, log, exp), statements left out, defaults of arguments.

What is not changed, and why: annotations, docstrings, texts, arguments of errors and warnings,
assertions (they tell mypy a type), `__init__.py` (names only), floating-point error states, and the
parameters of speed alone that SPEED_NAMES and SPEED_KEYWORDS list with their reasons.

Nothing is written to the source tree: the tests are collected once from a copy, and each change is
made in a fork of that process (mutation_transplant.py).
"""

import argparse
import os
import shutil
import tempfile
from collections import Counter
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import hypothesis
import pytest
from mutation_examiner import Examiner

ROOT = Path(__file__).resolve().parent.parent
SUBPACKAGES = ("kernels", "losses", "weighting", "optim")


def interval(successes: int, trials: int) -> tuple[float, float]:
    """Return Wilson's interval at 95 %."""
    if not trials:
        return 0.0, 1.0
    z, share = 1.96, successes / trials
    centre = share + z**2 / (2 * trials)
    spread = z * (share * (1 - share) / trials + z**2 / (4 * trials**2)) ** 0.5
    return (centre - spread) / (1 + z**2 / trials), (centre + spread) / (1 + z**2 / trials)


def print_results(results: list[dict]) -> None:
    """Print a table of the results by subpackage."""
    print("| subpackage | changes | killed | timed out | survived | rate | 95 % |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for subpackage in (*SUBPACKAGES, "all"):
        mine = [r for r in results if subpackage in ("all", r["key"].split("/")[0])]
        counts = Counter(r["status"] for r in mine)
        dead = counts["killed"] + counts["timeout"]
        lost = counts["survived"] + counts["unreached"]
        low, high = interval(dead, dead + lost)
        print(
            f"| {subpackage} | {dead + lost} | {counts['killed']} | {counts['timeout']} | {lost} | "
            f"{dead / max(dead + lost, 1):.1%} | {low:.1%} to {high:.1%} |"
        )


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sample", type=int, default=800, help="how many changes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--subpackages", nargs="+", default=list(SUBPACKAGES), choices=SUBPACKAGES)
    parser.add_argument(
        "--tests", nargs="*", default=[], help="further tests, such as tests/learners"
    )
    parser.add_argument("--only", help="a file of keys: these changes and no others")
    parser.add_argument("--budget", type=float, default=30.0, help="seconds of tests a change")
    parser.add_argument("--control", action="store_true", help="change nothing: all must survive")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "mutation.jsonl")
    parser.add_argument("--cache", type=Path, default=ROOT / "results" / "mutation-cache")
    return parser.parse_args()


def main() -> None:
    options = parsed()
    options.out = options.out.resolve()
    options.cache = options.cache.resolve()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.unlink(missing_ok=True)
    # A failing example need not be made small.
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    hypothesis.settings.register_profile("hasty", phases=phases)
    hypothesis.settings.load_profile("hasty")
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        for part in ("src", "tests"):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / part, Path(folder, part), ignore=ignored)
        shutil.copy(ROOT / "pyproject.toml", folder)
        os.chdir(folder)
        examiner = Examiner(options, Path(folder), SUBPACKAGES)
        tests = [
            f"{top}/{subpackage}" for top in ("tests", "src/untaint") for subpackage in SUBPACKAGES
        ]
        plain = ["-q", "-s", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist"]
        pytest.main([*plain, *tests, *options.tests], plugins=[examiner])
        os.chdir(ROOT)
    print_results(examiner.results)
    for result in examiner.results:
        if result["status"] not in ("killed", "timeout", "same"):
            print(result["status"], result["key"], result["change"], result["by"], sep="  ")


if __name__ == "__main__":
    main()
