"""Why an expression is not finite although its operands are: 0 * inf, 0 / 0, logarithms of 0."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from srcgrad.debugging.numbers import finite, first_place, is_numeric


@dataclass(frozen=True)
class Cause:
    """What happened at the first entry that is not finite."""

    text: str  # what it is, in a few words, as ``0 * inf``
    place: tuple[int, ...] = ()  # the index of the entry
    fixes: tuple[str, ...] = ()  # ways out
    of_zero: bool = False  # whether an operand that is 0 there met one that is infinite there

    def __str__(self) -> str:
        place = ", ".join(map(str, self.place))
        return f"The {f'entry [{place}]' if place else 'value'} is {self.text}."


_NEAR = "keep the argument away from there, with np.maximum or np.where inside of the call"
_FUNCTIONS: dict[str, tuple[Callable[[float], bool], str, str]] = {
    "log": (lambda x: x <= 0, "the logarithm of {}", _NEAR),
    "log2": (lambda x: x <= 0, "the logarithm of {}", _NEAR),
    "log10": (lambda x: x <= 0, "the logarithm of {}", _NEAR),
    "log1p": (lambda x: x <= -1, "the logarithm of 1 + {}", _NEAR),
    "sqrt": (lambda x: x < 0, "the square root of {}", _NEAR),
    "arcsin": (lambda x: abs(x) > 1, "the arcsine of {}", _NEAR),
    "arccos": (lambda x: abs(x) > 1, "the arccosine of {}", _NEAR),
    "arccosh": (lambda x: x < 1, "the inverse hyperbolic cosine of {}", _NEAR),
    "arctanh": (lambda x: abs(x) >= 1, "the inverse hyperbolic tangent of {}", _NEAR),
    "reciprocal": (lambda x: x == 0, "1 / {}", _NEAR),
}
_LARGE = {
    "exp": "subtract the greatest exponent first, as in np.exp(x - np.max(x)), or use np.logaddexp",
    "exp2": "subtract the greatest exponent first",
    "expm1": "subtract the greatest exponent first",
    "sinh": "work with logarithms",
    "cosh": "work with logarithms, as in np.logaddexp(x, -x)",
}


def cause_of(node: ast.AST, operands: list[Any], result: Any) -> Cause | None:
    """Return why an expression is not finite; None where that is not known."""
    if not operands or not all(map(is_numeric, operands)) or not is_numeric(result):
        return None
    here = _at_first(operands, result)
    if here is None:
        return None
    values, made, place = here
    cause = _of_entry(node, values, made)
    return None if cause is None else replace(cause, place=place)


def _of_entry(node: ast.AST, values: list[Any], made: Any) -> Cause | None:
    """The cause at one entry."""
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else name
        if name in _BY_NAME and len(values) == 2:
            return _operation(_BY_NAME[name], values, made)
        return _called(name, values[0], made)
    if isinstance(node, ast.BinOp | ast.AugAssign) and len(values) == 2:
        return _operation(type(node.op), values, made)
    return None


_BY_NAME: dict[str, type] = {
    "multiply": ast.Mult, "divide": ast.Div, "true_divide": ast.Div, "subtract": ast.Sub,
    "add": ast.Add, "power": ast.Pow, "float_power": ast.Pow,
}  # fmt: skip


def _at_first(operands: list[Any], result: Any) -> tuple[list[Any], Any, Any] | None:
    """The first entry that has become infinite or nan: the operands, the result, the index."""
    shape = np.shape(result)
    try:
        spread = [np.broadcast_to(np.asarray(value), shape) for value in operands]
    except ValueError:
        return None
    bad = ~np.isfinite(np.asarray(result))
    new = bad & np.logical_and.reduce([np.isfinite(value) for value in spread])
    place = first_place(new if new.any() else bad)
    return [value[place] for value in spread], np.asarray(result)[place], place


def _operation(kind: type, values: list[Any], made: Any) -> Cause | None:
    left, right = values
    if kind is ast.Mult:
        if {0} & {left, right} and any(map(np.isinf, values)):
            return Cause("0 * inf", of_zero=True)
        return _overflow(f"{_text(left)} * {_text(right)}", made, values)
    if kind is ast.Div:
        if right == 0:
            fix = "make sure that the divisor is not 0 there, also where the quotient is not used"
            return Cause(f"{_text(left)} / 0", fixes=(fix,), of_zero=bool(left == 0))
        if np.isinf(left) and np.isinf(right):
            return Cause("inf / inf")
        return _overflow(f"{_text(left)} / {_text(right)}", made, values)
    if kind in (ast.Add, ast.Sub) and all(map(np.isinf, values)):
        return Cause(f"{_text(left)} {'+' if kind is ast.Add else '-'} {_text(right)}")
    if kind is ast.Pow:
        if left == 0 and np.real(right) < 0:
            return Cause(f"0 ** {_text(right)}", fixes=(_NEAR,))
        if np.isnan(made) and not np.iscomplexobj(left) and left < 0:
            return Cause(
                f"{_text(left)} ** {_text(right)}, which is no real number", fixes=(_NEAR,)
            )
        return _overflow(f"{_text(left)} ** {_text(right)}", made, values)
    return _overflow("a result", made, values)


def _called(name: str, x: Any, made: Any) -> Cause | None:
    known = _FUNCTIONS.get(name)
    if known is not None and not np.iscomplexobj(x) and known[0](x):
        return Cause(known[1].format(_text(x)), fixes=(known[2],))
    if name in _LARGE and np.isinf(made) and np.isfinite(x):
        return Cause(f"{name}({_text(x)}), too large for {_dtype(made)}", fixes=(_LARGE[name],))
    return None


def _overflow(what: str, made: Any, values: list[Any]) -> Cause | None:
    if np.isinf(made) and all(finite(value) for value in values):
        return Cause(f"{what}, too large for {_dtype(made)}", fixes=("scale the values",))
    return None


def _dtype(value: Any) -> str:
    return str(np.asarray(value).dtype)


def _text(value: Any) -> str:
    return f"{value:.4g}" if not np.iscomplexobj(value) else str(value)
