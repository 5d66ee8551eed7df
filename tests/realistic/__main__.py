"""Print for each program and mode how it is differentiated: ``python -m tests.realistic``.

Arguments: parts of names of programs; ``--way text`` or ``--way tape`` for one way
alone; ``--plain`` runs the programs and their differences only.
"""

from __future__ import annotations

import argparse
import collections
import sys
import time

from tests.realistic.examine import Estimates, Unclear, examine, modes_of
from tests.realistic.table import programs


def main() -> int:
    """Print the table, and return how many programs are wrong or crash."""
    parser = argparse.ArgumentParser(prog="python -m tests.realistic", description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--way", action="append", choices=["text", "recorded", "tape"])
    parser.add_argument("--plain", action="store_true")
    chosen = parser.parse_args()
    ways = tuple(chosen.way or ("text", "recorded"))
    totals: collections.Counter[str] = collections.Counter()
    bad = 0
    for case in programs():
        if chosen.names and not any(name in case.name for name in chosen.names):
            continue
        begun = time.perf_counter()
        found = _plain(case) if chosen.plain else examine(case, ways)
        kinds = {_kind(said) for said in found.values()}
        kind = kinds.pop() if len(kinds) == 1 else _worst(kinds)
        totals[kind] += 1
        bad += kind in ("wrong", "crash")
        print(f"{kind:9} {case.name}  ({time.perf_counter() - begun:.1f} s)")
        for said in dict.fromkeys(found.values()):
            if said not in ("text", "recorded", "tape", "plain"):
                print(f"    {', '.join(m for m in found if found[m] == said)}: {said}")
        sys.stdout.flush()
    print(", ".join(f"{kind}: {count}" for kind, count in sorted(totals.items())))
    return int(bad > 0)


def _plain(case: object) -> dict[str, str]:
    try:
        known = Estimates(case)
        known.first()
        if "second" in modes_of(case):
            known.second()
        if "again" in modes_of(case):
            known.first(again=True)
    except Unclear as error:
        return {"plain": f"unclear: {error}"}
    return {"plain": "plain"}


def _kind(said: str) -> str:
    for kind in ("wrong", "crash", "unclear", "refused"):
        if f"{kind}:" in said:
            return kind
    return said


def _worst(kinds: set[str]) -> str:
    order = ("wrong", "crash", "unclear", "refused", "tape", "recorded", "text")
    return next(kind for kind in order if kind in kinds)


if __name__ == "__main__":
    sys.exit(main())
