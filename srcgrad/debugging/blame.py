"""Which statement's backward part is wrong: cotangents of intermediate values, by differences."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad.calling.options import Options
from srcgrad.calling.transformed import Transform, arguments_of
from srcgrad.checking import agree, slope_along
from srcgrad.debugging.forward_lines import Line, line_of
from srcgrad.debugging.numbers import is_inexact, latest, note_latest
from srcgrad.errors import Spot
from srcgrad.frontend.text.names import names_in
from srcgrad.load.observers import Activation, Observer, Site, run_watched
from srcgrad.registry import find_formula

_MOST = 100  # values that are looked at, the last ones first


@dataclass(frozen=True)
class Blame:
    """The statement that is to blame for a wrong derivative."""

    spot: Spot  # its line
    why: str  # what was compared
    fixes: list[str]  # ways out


@dataclass(eq=False)
class _Name:
    """A name of the user's that a line gives a value: the values, and their cotangents."""

    site: Site  # the statement
    line: Line  # its line
    values: list[Any] = field(default_factory=list)  # the values, in the order of the forward part
    # their complete cotangents, in the order of the backward part
    bars: list[Any] = field(default_factory=list)
    # for each of these, the line whose backward part has added to it last
    makers: list[Line | None] = field(default_factory=list)


class _Values(Observer):
    """Notes the values of names, and their cotangents."""

    def __init__(self) -> None:
        self.names: dict[tuple[str, int, str], _Name] = {}
        self.order: list[tuple[_Name, int]] = []

    def enter(self, activation: Activation, arguments: dict[str, Any]) -> None:
        """Note the cotangents that a backward function is given."""
        if "residuals" in arguments and activation.caller is not None:
            site = activation.caller.site
            line = line_of(site) if site is not None else None
            activation.notes |= {name: (value, line) for name, value in arguments.items()}

    def begin(self, activation: Activation) -> None:
        """Note the cotangents that are complete here."""
        site = activation.site
        assert site is not None
        line = line_of(site)
        if site.place is None or line is None or activation.notes.get("") == line:
            return
        activation.notes[""] = line
        for (filename, lineno, name), known in self.names.items():
            bar = latest(activation.notes, f"{name}_bar")
            if (filename, lineno) == (line.filename, line.lineno) and bar is not None:
                known.bars.append(copy.copy(bar[0]))
                known.makers.append(bar[1])

    def end(self, activation: Activation, values: tuple[Any, ...]) -> None:
        """Note values and cotangents."""
        site = activation.site
        assert site is not None
        line = line_of(site)
        if site.place is not None:
            for name, value in zip(site.targets, values, strict=False):
                note_latest(activation.notes, name, (value, line))
        elif _is_plain(site) and line is not None and is_inexact(values[0]):
            (name,) = site.targets
            if name in names_in(site.function.text.source.tree):
                key = (line.filename, line.lineno, name)
                known = self.names.setdefault(key, _Name(site, line))
                self.order.append((known, len(known.values)))
                known.values.append(copy.copy(values[0]))


def _is_plain(site: Site) -> bool:
    """Whether a statement gives one name the value of an expression that can be altered."""
    node = site.node
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return False
    return len(site.targets) == 1 and bool(site.parts) and site.parts[-1] is node.value


def blame(f: Any, args: Any, wrt: Any, rtol: float, recorded: str | None) -> Blame | None:
    """Return the statement whose backward part gives a wrong cotangent.

    The values of names are moved where they are made, and the change of the result is compared
    with their cotangents. The last one whose cotangent is wrong got it from statements whose
    own cotangents are right.

    Returns:
        The statement; None where none was found, or the function is recorded.
    """
    transform = Transform(f, "value_and_grad", wrt, options=Options(recorded)).current()
    special = transform.find(arguments_of(transform, args))
    if special.finish is None:
        return None
    run = special.instrumented[0]

    def call(observers: tuple[Observer, ...], alter: Any) -> Any:
        positional, named = transform.passed(arguments_of(transform, copy.deepcopy(args)))
        return run_watched(observers, run, alter)(*positional, **named)

    seen = _Values()
    call((seen,), None)
    rng = np.random.default_rng(0)
    for known, number in seen.order[: -_MOST - 1 : -1]:
        if len(known.bars) != len(known.values):
            continue
        place = len(known.values) - 1 - number
        value, bar = known.values[number], known.bars[place]
        direction = _direction(value, rng)

        def along(t: float, known: Any = known, number: int = number, d: Any = direction) -> float:
            return float(np.real(call((), _moving(known.site, number, t * d))[0]))

        found = float(np.real(np.sum(np.asarray(bar) * direction)))
        expected, sides = slope_along(along, value, found, rtol)
        if not agree(found, expected, rtol) and sides is None:
            return _blamed(known, place, found, expected)
    return None


def _direction(value: Any, rng: np.random.Generator) -> Any:
    made = rng.normal(size=np.shape(value))
    return made + 1j * rng.normal(size=np.shape(value)) if np.iscomplexobj(value) else made


def _moving(site: Site, number: int, step: Any) -> Any:
    """What adds a step to what a statement computes, the time with this number."""
    times = -1

    def alter(activation: Activation, part: int, value: Any) -> Any:
        nonlocal times
        if activation.site is not site or part != len(site.parts) - 1:
            return value
        times += 1
        return value + step if times == number else value

    return alter


def _blamed(known: _Name, place: int, found: float, expected: float) -> Blame:
    name = known.site.targets[0]
    line = known.makers[place] or known.line
    row = line.text.partition("\n")[0]
    which = "" if len(known.bars) == 1 else f", of {len(known.bars)} the one in place {place + 1}"
    why = (
        f"The backward part of this line gives the first cotangent that is wrong, that of "
        f"{name!r} ({known.line.place}{which}): {found:.6g} along a direction, and differences "
        f"give {expected:.6g}."
    )
    fixes = [
        f"look at the formula of {label} ({where})"
        for label, where in _own_formulas(known.site, line)
    ]
    spot = Spot(line.filename, line.function, line.lineno, row, 0, len(row))
    return Blame(spot, why, fixes)


def _own_formulas(site: Site, line: Line) -> list[tuple[str, str]]:
    """The functions that a line calls, and that have a formula of the user's: where it stands."""
    try:
        tree = ast.parse(line.text)
    except SyntaxError:
        return []
    space = site.function.text.source.globals
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        thing = space.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            thing = getattr(space.get(node.func.value.id), node.func.attr, None)
        formula = find_formula(thing)
        code = getattr(formula, "__code__", None)
        if code is not None and not str(formula.__module__).startswith("srcgrad."):
            place = code.co_filename.replace("\\", "/").rsplit("/", 1)[-1]
            found.append((ast.unparse(node.func), f"{place}:{code.co_firstlineno}"))
    return found
