"""Tables as text, and for rich where that is installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_LONGEST = 44  # characters of a cell


def plain_table(head: list[str], rows: list[list[str]]) -> str:
    """Return a table as text, without columns that are empty.

    Example:
        >>> print(plain_table(["name", "none", "size"], [["x", "", "3"], ["height", "", "1"]]))
        name    size
        x       3
        height  1
    """
    head, rows = _filled(head, rows)
    table = [[_short(cell) for cell in row] for row in [head, *rows]]
    widths = [max(len(row[k]) for row in table) for k in range(len(head))]
    lines = ("  ".join(f"{c:<{w}}" for c, w in zip(row, widths, strict=True)) for row in table)
    return "\n".join(line.rstrip() for line in lines)


def as_rich(title: str, head: list[str], rows: list[list[str]]) -> Any:
    """Return a table of rich's, without columns that are empty."""
    head, rows = _filled(head, rows)
    text = import_module("rich.text").Text
    table = import_module("rich.table").Table(title=title, title_justify="left")
    for name in head:
        table.add_column(name)
    for row in rows:
        table.add_row(*(text(cell) for cell in row))
    return table


def _filled(head: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    kept = [k for k in range(len(head)) if any(row[k] for row in rows)]
    return [head[k] for k in kept], [[row[k] for k in kept] for row in rows]


def _short(cell: str) -> str:
    return cell if len(cell) <= _LONGEST else cell[: _LONGEST - 3] + "..."


def duration(seconds: float) -> str:
    """Return a time in a unit that fits, as ``1.2 ms``."""
    if not seconds:
        return ""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def memory(size: int) -> str:
    """Return a number of bytes in a unit that fits, as ``1.2 MB``."""
    for unit, power in (("GB", 9), ("MB", 6), ("kB", 3)):
        if size >= 10**power:
            return f"{size / 10**power:.3g} {unit}"
    return f"{size} B"
