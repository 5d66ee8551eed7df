"""Tangents that are given back without a value: along one direction, or along many at once."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.linear import terms_of
from srcgrad.calling.options import Options
from srcgrad.calling.pushforward import argument_at, flat_tangents
from srcgrad.calling.reuse.sharing import found
from srcgrad.calling.transformed import Transform, arguments_of
from srcgrad.errors import SrcgradError
from srcgrad.ir.structures import skeleton_of
from srcgrad.late import ComputedOnce
from srcgrad.load.observers import WATCHING

_TOGETHER = 2**17  # numbers of a tangent along all directions that are computed at once
_HELD = 2**22  # and those that are filled part by part


class Tangents:
    """Generated code for tangents alone, where there can be some.

    It is for arrays of double precision, and for programs without effects: whatever goes wrong,
    the value may be computed with its tangent after all.

    Args:
        f: the function.
        kind: ``tangent``, ``tangents`` or ``units``, see ``Transform``.
        names: the parameters that move.
        ranks: numbers of dimensions of some parameters, by name.
        how: how it is computed.
    """

    def __init__(
        self, f: Any, kind: str, names: Sequence[Any], ranks: dict[str, int], how: Options
    ) -> None:
        self.transform = Transform(
            f, kind, tuple(names), False, ranks, replace(how, recorded="refuse")
        )
        self.possible = self.transform.jit is None and not how.check_finite
        self.refused: set[Any] = set()
        self.together: dict[Any, int] = {}  # how many directions at once, by what that follows from
        self.units: dict[Any, Any] = {}  # the directions of the last sweep, by the same
        self.some = functools.partial(Tangents, f, "tangents", names, ranks, how)

    @ComputedOnce
    def by_parts(self) -> Tangents:
        """Code for some of the units, where all of them are too many at once."""
        return self.some()

    @property
    def ran(self) -> bool:
        """Whether there is code."""
        return bool(self.transform.specialisations or self.transform.shared)

    def code(self, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, Any] | None:
        """Return the code for a call, and a function of tangents that runs it; None without one.

        ``options``: those that are given by name.
        """
        if not self.possible or WATCHING:
            return None
        transform = self.transform.current()
        arguments = arguments_of(transform, args, options)
        for special in transform.specialisations:
            if special.guard(*arguments):
                break
        else:
            kinds = transform.kinds(arguments)
            if kinds in self.refused:
                return None
            try:
                special = found(transform, arguments)
            except SrcgradError:
                self.refused.add(kinds)
                return None
        positional, named = transform.passed(arguments)

        def run(*dots: Any) -> Any:
            given = dict(zip(special.slots[0], dots, strict=True))
            return special.run(*positional, **named, **given)

        return special, run

    def fitting(self, args: tuple[Any, ...]) -> Any:
        """Return the code for a call with one plain array that moves, if there is some already.

        What most calls are is told here at less cost than ``code`` has.

        ``args``: the arguments, one by position for each parameter.

        Returns:
            The code, and the array that moves; None where ``code`` has to tell what to do.
        """
        if not self.possible or WATCHING:
            return None
        transform = self.transform.current()
        if transform.bound or not transform.by_position or len(args) != len(transform.names):
            return None
        x = args[transform.positions(args)[0]]
        if type(x) is not np.ndarray or not x.ndim:
            return None
        for special in (*transform.specialisations, *transform.shared):
            if special.guard(*args):
                return (special, x) if len(special.slots[0]) == 1 else None
        return None

    def at_once(self, args: tuple[Any, ...], part: Any) -> tuple[Any] | None:
        """Return what ``along`` does, for one array that moves, where that is plain."""
        found = self.fitting(args) if type(part) is np.ndarray else None
        if found is None:
            return None
        special, x = found
        if part.shape != x.shape or part.dtype is not x.dtype:
            return None
        try:
            return (special.run(*args, **{special.slots[0][0]: part}),)
        except Exception:  # noqa: BLE001  # whatever it is, it is told with the value
            return None

    def jacobian(self, args: tuple[Any, ...], outlines: Any) -> Any:
        """Return the Jacobian of an array with respect to one, in one sweep, where that is plain.

        ``outlines``: what tells the shapes of the arguments apart.
        """
        found = self.fitting(args)
        if found is None:
            return None
        special, x = found
        key = special.guard, outlines
        units = self.units.get(key)
        if units is None:
            if x.dtype != np.float64 or x.size < 2:
                return None
            if _together(special.slots[2], self.transform.names, args) < x.size:
                return None
            self.units.clear()  # nearly always the arguments have the lengths of the last call
            units = self.units[key] = np.eye(x.size).reshape(x.size, *x.shape)
        try:
            made = special.run(*args, **{special.slots[0][0]: units.copy()})
        except Exception:  # noqa: BLE001  # whatever it is, one by one it is told
            return None
        return _jacobian([made], x.shape) if type(made) is np.ndarray else None

    def along(
        self, args: tuple[Any, ...], options: dict[str, Any], parts: Sequence[Any]
    ) -> tuple[Any] | None:
        """Return the tangent along a direction, in a tuple; None where there is no code for it.

        Args:
            args: the arguments by position.
            options: those that are given by name.
            parts: the direction: a part for each parameter that moves.
        """
        code = self.code(args, options)
        if code is None:
            return None
        special, run = code
        rows = zip(self.transform.positions(args), special.slots[1], parts, strict=True)
        dots = [
            dot
            for k, whole, part in rows
            for dot in flat_tangents(k, whole, argument_at(args, options, k), part)
        ]
        try:
            return (run(*dots),)
        except Exception:  # noqa: BLE001  # whatever it is, it is told with the value
            return None

    def columns(self, args: tuple[Any, ...], options: dict[str, Any], k: Any) -> Any:
        """Return tangents along all elements of an argument, the last axis being that element's.

        Args:
            args: the arguments by position.
            options: those that are given by name.
            k: the position of the argument, or its name.

        Returns:
            The structure of the result, and for each of its leaves a list with the Jacobian;
            None where the tangents have to be taken one by one.
        """
        x = argument_at(args, options, k)
        if type(x) is not np.ndarray or x.dtype != np.float64 or x.size < 2:
            return None
        code = self.code(args, options)
        if code is None:
            return None
        special, run = code
        arguments = arguments_of(self.transform, args, options)
        key = special.guard, *(x.shape if type(x) is np.ndarray else None for x in arguments)
        together = self.together.get(key)
        if together is None:
            self.together.clear()  # nearly always the arguments have the lengths of the last call
            together = _together(special.slots[2], self.transform.names, arguments)
            self.together[key] = together
        if together < 2:
            return None
        units = np.eye(x.size).reshape(x.size, *x.shape)
        if together < x.size and self.transform.kind == "units":
            code = self.by_parts.code(args, options)
            if code is None:
                return None
            special, run = code
        try:
            made = [run(units[j : j + together]) for j in range(0, x.size, together)]
        except Exception:  # noqa: BLE001  # whatever it is, one by one it is told
            return None
        outer = skeleton_of(made[0])
        rows = zip(*(outer.flat(dots) for dots in made), strict=True)
        live = [row for row, live in zip(rows, outer.live_leaves(), strict=True) if live]
        return outer, [[_jacobian(row, x.shape)] for row in live]


def _jacobian(parts: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """Return a Jacobian, of the tangents along the elements of an argument of some shape."""
    whole = parts[0] if len(parts) == 1 else np.concatenate(parts)
    made = whole.transpose(*range(1, whole.ndim), 0)
    return made if len(shape) == 1 else made.reshape(*whole.shape[1:], *shape)


def _together(shapes: tuple[Any, Any], names: Sequence[str], arguments: Sequence[Any]) -> int:
    """Return how many directions are taken at once, so that their tangents stay in the caches.

    Args:
        shapes: those of the tangents that are computed as a whole, and that are filled.
        names: the parameters.
        arguments: one for each of them.
    """
    known: dict[str, int] = {}
    for name, value in zip(names, arguments, strict=True):
        if isinstance(value, np.ndarray):
            known |= {f"{name}.{axis}": n for axis, n in enumerate(value.shape)}
    most = max(known.values(), default=1)

    def length(text: Any) -> int:
        if not isinstance(text, str):
            return most if text is None else text
        terms, constant = terms_of(text.removeprefix("#"))
        return sum(factor * known.get(name, most) for name, factor in terms) + constant

    computed, filled = ([math.prod(map(length, shape)) for shape in part] for part in shapes)
    return min(_TOGETHER // max([1, *computed]), _HELD // max([1, *filled]))
