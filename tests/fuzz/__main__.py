"""``python -m tests.fuzz --minutes N``: search until the time is over."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import warnings

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.effects import effects
from tests.fuzz.examining import Failure, examine, limited, smallest
from tests.fuzz.hands import hands
from tests.fuzz.housed import housed
from tests.fuzz.lengths import lengths
from tests.fuzz.mazes import mazes
from tests.fuzz.memory import memory
from tests.fuzz.programs import Program, programs
from tests.fuzz.state import state
from tests.fuzz.witnesses import WITHOUT_TEXT, Tally

KINDS = {
    "programs": programs(), "mazes": mazes(), "hands": hands(), "memory": memory(),
    "effects": effects(), "state": state(), "lengths": lengths(),
}  # fmt: skip
KINDS["housed"] = housed(KINDS["programs"], KINDS["memory"], KINDS["lengths"])


def search(first: int, count: int, tally: Tally, kind: str = "programs") -> str | None:
    """Examine random programs of a kind, and return the report of a failure, made small."""

    @seed(first)
    @settings(
        max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck),
        phases=[Phase.generate], print_blob=False,
    )  # fmt: skip
    @given(program=KINDS[kind])
    def run(program: Program) -> None:
        with limited(30):
            examine(program, tally)

    try:
        run()
    except Failure as failure:
        return f"{smallest(failure)!r}"
    return None


def main() -> int:
    """Search, print what is found, and return 1 if that is anything."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="how long (default: 10)")
    parser.add_argument("--seed", type=int, default=0, help="of the first batch (default: 0)")
    parser.add_argument("--batch", type=int, default=200, help="programs between reports")
    parser.add_argument("--kind", choices=KINDS, help="of programs (default: each in turn)")
    parser.add_argument(
        "--without-text", action="store_true", help="load programs so that they are recorded"
    )
    options = parser.parse_args()
    WITHOUT_TEXT[0] = options.without_text
    warnings.simplefilter("ignore")
    tally, found = Tally(), 0
    end = time.monotonic() + 60 * options.minutes
    number = options.seed
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SRCGRAD_DIR"] = folder
        os.environ["SRCGRAD_CACHE"] = "0"  # each program generates its own code
        os.environ["SRCGRAD_RECORDED"] = "allow" if options.without_text else "refuse"
        while time.monotonic() < end:
            kind = options.kind or list(KINDS)[number % len(KINDS)]
            report = search(number, options.batch, tally, kind)
            if report is not None:
                found += 1
                print(f"==== seed {number}, {kind}\n{report}", flush=True)
            number += 1
            print(f"-- batch {number}: {tally['programs']} programs, {found} failures", flush=True)
    print(tally.report())
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
