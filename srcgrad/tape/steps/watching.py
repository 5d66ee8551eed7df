"""What a tape tells those who watch: each call that it records, and each that it goes back over."""

from __future__ import annotations

import linecache
from typing import Any

from srcgrad.load.observers import Step, Watch
from srcgrad.load.source_map import Place
from srcgrad.tape.steps.noting import here


def recorded_call(watch: Watch, entry: Any, function: Any, operands: Any, value: Any) -> None:
    """Tell of a call that was recorded."""
    step = Step(_name(function), _place_here(), _plain(operands), _bare(value))
    watch.steps[entry] = step
    watch.step(step)


def went_back(watch: Watch, entry: Any, bar: Any, bars: Any) -> None:
    """Tell of the cotangents that a call was given and gives."""
    step = watch.steps.get(entry)
    if step is not None:
        made = _plain(bars) if isinstance(bars, tuple | list) else (_bare(bars),)
        watch.step(Step(step.name, step.place, step.operands, None, _bare(bar), made))


def returned(watch: Watch, function: Any, value: Any) -> None:
    """Tell of the result of a recorded function."""
    code = getattr(function, "__code__", None)
    name = getattr(function, "__name__", "the function")
    filename, lineno = (code.co_filename, code.co_firstlineno) if code is not None else ("", None)
    text = linecache.getline(filename, lineno or 0).strip()
    watch.step(Step("", Place(name, filename, lineno, text), (), _bare(value)))


def _plain(values: Any) -> tuple[Any, ...]:
    return tuple(map(_bare, values))


def _bare(value: Any) -> Any:
    """A value without its box."""
    return getattr(value, "array", value) if type(value).__name__ == "Box" else value


def _name(function: Any) -> str:
    return getattr(function, "__name__", str(function))


def _place_here() -> Place:
    """The line of the user's that runs."""
    found = here()
    if not found.filename:
        return Place("a function", "", None, "")
    text = linecache.getline(found.filename, found.lineno).strip()
    return Place(found.function, found.filename, found.lineno, text)
