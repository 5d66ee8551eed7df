"""The three tables of docs/language.md, and the programs that belong to their rows.

    @shows("conditional expressions", args=(0.5,))
    def chosen(x):
        return x * x if x > 0 else -x

    @refuses("`yield`", args=(0.5,), says="a generator", instead=listed)
    def generated(x):
        yield x

A row is named by what stands in its first column.
"""

from __future__ import annotations

import importlib
import inspect
import io
import pkgutil
import re
import tokenize
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.programs.table import Program

PAGE = Path(__file__).resolve().parents[2] / "docs" / "language.md"
PROGRAMS: list[tuple[tuple[str, ...], Program]] = []
REFUSALS: list[Refusal] = []


@dataclass(frozen=True)
class Refusal:
    """A program that is refused.

    Attributes:
        row: the row of the table.
        name: the name of the function.
        run: what raises: the gradient, unless something else is given.
        fn: the program.
        args: its arguments.
        is_gradient: whether `run` gives its gradient.
        says: words of the message.
        instead: a program that takes the way out, and where; or None.
    """

    row: str
    name: str
    run: Callable[[], Any]
    says: str
    instead: Program | None
    fn: Callable[..., Any]
    args: tuple[Any, ...]
    is_gradient: bool


def shows(
    *rows: str, args: Any, wrt: tuple[int, ...] = (0,), vector: bool = False, order2: bool = True
) -> Callable[[Any], Any]:
    """Put a function into the table of what is supported; the rest is as in `Program`."""

    def put(fn: Any) -> Any:
        case = Program(named(fn), fn, args, wrt, vector, order2, frozenset())
        PROGRAMS.append((rows, case))
        return fn

    return put


def refuses(
    row: str,
    *,
    says: str,
    args: tuple[Any, ...] = (0.5,),
    run: Callable[..., Any] | None = None,
    instead: Callable[..., Any] | None = None,
    instead_args: Any = None,
) -> Callable[[Any], Any]:
    """Put a function into the tables of what is recorded and refused.

    Args:
        row: the first column.
        says: words of the message.
        args: the arguments of the call.
        run: called with the function and the arguments; the gradient by default.
        instead: a program that takes the way out.
        instead_args: its arguments, where they are others.
    """

    def put(fn: Any) -> Any:
        def call() -> Any:
            from srcgrad import grad

            return run(fn, *args) if run else grad(fn)(*args)

        out = None
        if instead is not None:
            given = args if instead_args is None else instead_args
            out = Program(named(fn), instead, given, (0,), False, False, frozenset())
        REFUSALS.append(Refusal(row, named(fn), call, says, out, fn, args, run is None))
        return fn

    return put


def named(fn: Any) -> str:
    """The name of a program: that of its topic, and its own."""
    return f"{fn.__module__.rpartition('.')[2]}.{fn.__name__}"


def load() -> None:
    """Import all topics."""
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        importlib.import_module(f"{__package__}.{module.name}")


def table(heading: str) -> dict[str, list[str]]:
    """Return the first table under a heading: the other columns, by the first one."""
    section = PAGE.read_text().partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    rows = [re.split(r"(?<!\\)\|", line.strip("|")) for line in lines[2:]]
    found = {row[0].strip(): [cell.strip() for cell in row[1:]] for row in rows}
    assert len(found) == len(rows), "two rows have one name"
    return found


def words(text: str) -> set[str]:
    """The names, keywords and operators in what a cell has in the style of code.

    Single letters stand for anything, and so do the punctuation marks of calls.
    """
    found: set[str] = set()
    for code in re.findall(r"`([^`]+)`", text.replace(r"\|", "|")):
        found |= tokens(code)
    return found


def tokens(code: str) -> set[str]:
    """The names and operators of a piece of Python."""
    found = set()
    lines = io.StringIO(code.replace("…", "...") + "\n")
    for token in tokenize.generate_tokens(lines.readline):
        name = token.type == tokenize.NAME and len(token.string) > 1
        operator = token.type == tokenize.OP and token.string not in "()[]{},.:;=..."
        if name or operator:
            found.add(token.string)
    return found


def source(fn: Any) -> str:
    """The text of a program, with those of the functions and classes that it names."""
    seen: dict[Any, str] = {}
    _collect(fn, fn.__globals__, seen)
    return "\n".join(seen.values())


def _collect(thing: Any, space: dict[str, Any], seen: dict[Any, str]) -> None:
    text = inspect.cleandoc(inspect.getsource(thing))
    seen[thing] = text
    for name in tokens(text):
        found = space.get(name)
        own = inspect.isfunction(found) or inspect.isclass(found)
        if own and found not in seen and found.__module__ == thing.__module__:
            _collect(found, space, seen)
