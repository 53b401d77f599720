"""Every property of tests/properties on every estimator, with many random tables.

    make bench ARGS="fuzz-properties --examples 20 --seed 0 --minutes 30"

A round gives each pair of property and estimator so many tables; the next round begins with the
next seed, until the time is over. A failure is shrunk, printed with the seed that finds it again,
and does not end the run.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

import hypothesis
from hypothesis import given, seed, settings

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from properties import profiles  # noqa: F401, registers "fuzz"
from properties.catalogue import PROPERTIES


def try_pair(a_property, subject, examples: int, start: int, counts: Counter) -> str | None:
    """Return what went wrong with the smallest table found, or None; count the tables tried."""
    latest = None

    @seed(start)
    @settings(settings.get_profile("fuzz"), max_examples=examples)
    @given(a_property.drawn(subject.labels))
    def one(table):
        nonlocal latest
        latest = table
        counts[a_property.name, subject.name] += 1
        a_property.check(subject, table)

    try:
        one()
    except hypothesis.errors.FlakyFailure as error:
        return f"{latest}\nonly sometimes: {error!r}"
    except Exception as error:
        return f"{latest}\n{''.join(traceback.format_exception(error)[-4:])}"
    return None


def chosen(word: str, names: list) -> list:
    return [one for one in names if word in one.name]


def run(args: argparse.Namespace) -> tuple[Counter, list]:
    counts, failures, start = Counter(), [], args.seed
    end = time.monotonic() + 60 * args.minutes
    while True:
        for a_property in chosen(args.property, PROPERTIES):
            if a_property.name in args.without:
                continue
            for subject in chosen(args.subject, a_property.subjects):
                if time.monotonic() > end:
                    return counts, failures
                found = try_pair(a_property, subject, args.examples, start, counts)
                if found:
                    failures.append((a_property.name, subject.name, start))
                    print(f"\nFAILED {a_property} | {subject} | seed {start}\n{found}", flush=True)
        start += 1
        if args.rounds and start - args.seed >= args.rounds:
            return counts, failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--examples", type=int, default=20, help="tables of a pair in a round")
    parser.add_argument("--seed", type=int, default=0, help="of the first round")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=0, help="at most so many; 0: as time allows")
    parser.add_argument("--property", default="", help="only properties with this in their name")
    parser.add_argument("--without", nargs="*", default=[], help="names of properties to leave out")
    parser.add_argument("--subject", default="", help="only estimators with this in their name")
    args = parser.parse_args()
    counts, failures = run(args)
    print(f"\n{'property':24s}{'estimator':28s}tables")
    for (a_property, subject), count in counts.items():
        print(f"{a_property:24s}{subject:28s}{count}")
    print(f"{counts.total():,} tables from seed {args.seed}, {len(failures)} failures")
    for failure in failures:
        print("failed: {} | {} | seed {}".format(*failure))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
