"""How calls that solve differential equations are lowered, and what splines stand for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, eq=False)
class Recipe:
    """What a call that follows a differential equation stands for.

    Attributes:
        stand_in: the function that the call becomes one of.
        plain: options of the call that leave what it gives as it is.
        form: the form of the result, if the states are an attribute of it.
        fixed: the arguments that must not move.
        before_state: whether the function takes the time before the state.
        refused: what to do instead of using an option.
    """

    stand_in: Any
    plain: tuple[str, ...]
    form: Any = None
    fixed: tuple[str, ...] = ()
    before_state: bool = False
    refused: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Spline:
    """What the calls of a spline stand for.

    Attributes:
        cls: its class.
        names: the attributes that hold its arrays; the first one has its coefficients.
        evaluate: the function of its arrays, and of points, that a call stands for.
        beside: the number of axes of its coefficients that are those of their places.
    """

    cls: type
    names: tuple[str, ...]
    evaluate: Any
    beside: int


@dataclass(frozen=True)
class SplineRecipe:
    """What a call that makes a spline stands for.

    Attributes:
        stand_in: the function that gives the arrays of the spline.
        form: the spline.
        data: the names of the arguments that are given to ``stand_in`` in order.
        values: which of them the coefficients are linear in.
        options: the names of those that are given to it by name.
    """

    stand_in: Any
    form: Spline
    data: tuple[str, ...]
    values: str
    options: tuple[str, ...] = ()
