"""Second derivatives in all modes, and third ones, of all cases of the tests; a script, no test.

    python -m tests.formulas.orders [a part of a file's name]

It prints what differs, what forward mode refuses, which counts as a failure, and how many
formulas pass at which order. Cases that the tests leave out of second order are left out here, too.
"""

from __future__ import annotations

import collections
import importlib
import sys
import warnings
from pathlib import Path

import numpy as np

from srcgrad.errors import CheckFailedError, SrcgradError
from srcgrad.testing import check_orders
from tests.formulas.checking import Case, is_float


def cases(part: str = "") -> list[Case]:
    """Return the cases of all tables of the tests, or of those in files with such a name."""
    found: dict[int, Case] = {}  # a table may hold cases of others
    folder = Path(__file__).parent
    for file in sorted(f for f in folder.rglob("test_*.py") if part in f.stem):
        name = ".".join(("tests", "formulas", *file.relative_to(folder).with_suffix("").parts))
        table = getattr(importlib.import_module(name), "CASES", ())
        found.update({id(c): c for c in table if isinstance(c, Case)})
    return [c for c in found.values() if any(map(is_float, c.args))]


def main() -> int:
    """Check all cases and print what was found; return the number of failures."""
    warnings.simplefilter("ignore")
    lowest: dict[str, int] = {}
    passed: collections.Counter[int] = collections.Counter()
    refused: collections.Counter[str] = collections.Counter()
    failures = 0
    table = cases(*sys.argv[1:2])
    for c in table:
        name = getattr(c.target, "__name__", str(c.target))
        try:
            with np.errstate(all="ignore"):
                order = check_orders(c.target, *c.args, **c.options)
        except CheckFailedError as error:
            order, failures = 1, failures + 1
            print(f"{c}: {str(error).splitlines()[0]}")
        except SrcgradError as error:
            order, failures = 1, failures + 1
            refused[str(error).splitlines()[0]] += 1
        except Exception as error:  # noqa: BLE001 - the others are to be checked, too
            order, failures = 1, failures + 1
            print(f"{c}: {type(error).__name__}: {str(error)[:200]}")
        passed[order] += 1
        lowest[name] = min(order, lowest.get(name, 3))
    for text, count in refused.most_common():
        print(f"{count} refused: {text}")
    counts = collections.Counter(lowest.values())
    print(f"{len(table)} cases, {failures} failures; by the order that they pass: cases, and")
    print("formulas of which all cases pass it")
    for order in (3, 2, 1):
        print(f"  {order}: {passed[order]:5} {counts[order]:5}")
    return failures


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
