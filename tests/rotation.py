"""Which cases of long tables have their turn: all of them, each once, in n turns after each other.

``pytest --turn 7`` runs the cases of the seventh turn, ``--all`` all cases; without either, it is
turn 0.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable
from typing import Any

ALL = "all"


def turn() -> int | None:
    """Return the number that decides which cases run; None for all of them."""
    chosen = os.environ.get("SRCGRAD_TESTS_TURN", "0")
    return None if chosen == ALL else int(chosen)


def has_its_turn(name: str, n: int) -> bool:
    """Tell whether a case runs now, as one of n.

    Args:
        name: the case; its checksum tells which of n numbers is its own.
        n: how many turns after each other it takes to run all cases.
    """
    now = turn()
    return now is None or (zlib.crc32(name.encode()) + now) % n == 0


def by_turns(name: str, choices: list[Any]) -> list[Any]:
    """Return one of some choices, another one at the next turn; all of them where all cases run.

    Args:
        name: the case; its checksum tells which of them is the first.
        choices: what it may be tested with: modes, orders.
    """
    now = turn()
    return choices if now is None else [choices[(zlib.crc32(name.encode()) + now) % len(choices)]]


def cases(test: str, table: Iterable[Any], n: int) -> list[Any]:
    """Return the cases of a table that run now; none where it is not known how they are called.

    Args:
        test: the name of the test.
        table: what it is run for, with names.
        n: how many turns it takes to run all of them.
    """
    rows = list(table)
    if any(getattr(row, "id", None) is None for row in rows):
        return []
    return [row for row in rows if has_its_turn(f"{test}[{row.id}]", n)]


def highest() -> int:
    """Return the order up to which the test that runs compares: 2 if it is its turn, as one of 6.

    The others compare first derivatives.
    """
    return 2 if has_its_turn(f"{_running()} to second order", 6) else 1


def some_of(*choices: Any) -> list[Any]:
    """Return those of some choices that the test that runs has now; see ``by_turns``."""
    return by_turns(_running(), list(choices))


def _running() -> str:
    return os.environ.get("PYTEST_CURRENT_TEST", "").partition(" (")[0]
