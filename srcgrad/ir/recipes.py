"""How calls are lowered that take functions or give splines: what stands in for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from srcgrad.ir.forms import Spline
from srcgrad.ir.nodes import Derivative


@dataclass(frozen=True, eq=False)
class Recipe:
    """What a function that takes a function needs derivatives of.

    Attributes:
        stand_in: the function that the call becomes one of.
        derived: which derivatives of the function it takes first: ``grad``,
            ``jacobian``, ``pullback``, ``pushforward``, ``value``, ``integrals``,
            ``integral``.
        rank: the number of dimensions of what is solved for; None for an integral, and
            for a path, which is a state at several times.
        before: the derivatives whose root is looked for.
        form: the form of the result, if what is solved for is an attribute of it.
        plain: options of the call that leave what it gives as it is.
        guess: the argument whose number of dimensions the solution has.
        ends: the arguments that move what is found, besides the data.
        fixed: the arguments that must not move.
        before_state: whether the function takes the time before the state.
        between: what stands in, and which derivatives it takes, where there are bounds.
        refused: what to do instead of using an option.
    """

    stand_in: Any
    derived: tuple[str, ...]
    rank: int | None
    plain: tuple[str, ...]
    before: tuple[Derivative, ...] = ()
    form: Any = None
    guess: str = "x0"
    ends: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    before_state: bool = False
    between: tuple[Any, tuple[str, ...]] = ()  # type: ignore[assignment]
    refused: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SplineRecipe:
    """What a call that makes a spline stands for.

    Attributes:
        stand_in: the function that gives the arrays of the spline.
        form: the form of the spline, where it is extrapolated along the first axis.
        data: the names of the arguments that are given to ``stand_in`` in order.
        values: which of them the coefficients are linear in.
        options: the names of those that are given to it by name.
    """

    stand_in: Any
    form: Spline
    data: tuple[str, ...]
    values: str
    options: tuple[str, ...] = ()
