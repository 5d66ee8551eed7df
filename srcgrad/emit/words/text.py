"""Python text of syntax trees, and the small decisions about how values are written."""

from __future__ import annotations

import ast
import functools
import warnings
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.nodes import Const, Equation, Items, Value
from srcgrad.load.wrapping import wrap
from srcgrad.program import facts
from srcgrad.registry import find_formula
from srcgrad.runtime import astype

LINE = 96


def _defaults(fn: Any) -> dict[str, Any]:
    try:
        parameters = facts.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return {}
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def is_usual(fn: Any, name: str, value: Value) -> bool:
    """Whether an option is given what it is by default."""
    if fn is np.take_along_axis:
        return False  # its axis has no default before NumPy 2.3, and none in CuPy
    default = _defaults(fn).get(name, _defaults)
    if isinstance(value, Items) and isinstance(default, tuple) and not value.is_list:
        return value.items == tuple(map(Const, default))
    if not isinstance(value, Const):
        return False
    if name == "keepdims" and repr(default) == "<no value>":  # NumPy's own mark
        return value.value is False
    return type(default) is type(value.value) and default == value.value


def without_defaults(fn: Any, args: tuple[Value, ...]) -> tuple[Any, list[tuple[str, Value]]]:
    """Leave out arguments that are None by default, and pass those behind them by name."""
    formula = find_formula(fn)
    if formula is None or Const(None) not in args:
        return args, []
    parameters = list(facts.signature(formula).parameters.values())[: len(args)]
    if any(p.kind is not p.POSITIONAL_OR_KEYWORD for p in parameters):
        return args, []
    pairs = list(zip(parameters, args, strict=False))
    first = next(
        (k for k, (p, a) in enumerate(pairs) if a == Const(None) == Const(p.default)), None
    )
    if first is None:
        return args, []
    named = [(p.name, a) for p, a in pairs[first:] if not a == Const(None) == Const(p.default)]
    return args[:first], named


_BY_POSITION = {
    id(fn): names  # not all functions are hashable
    for fn, names in {
        np.reshape: ("shape",),  # NumPy 2.0 has another name for it
        np.transpose: ("axes",),
        np.swapaxes: ("axis1", "axis2"),
        np.moveaxis: ("source", "destination"),
        np.broadcast_to: ("shape",),
        np.expand_dims: ("axis",),
        np.tile: ("reps",),
        np.repeat: ("repeats",),
        np.roll: ("shift",),
        np.split: ("indices_or_sections",),
        np.array_split: ("indices_or_sections",),
        np.hsplit: ("indices_or_sections",),
        np.vsplit: ("indices_or_sections",),
        astype: ("dtype",),
    }.items()
}


def by_position(eq: Equation) -> tuple[tuple[Value, ...], tuple[tuple[str, Value], ...]]:
    """The arguments and options of a call, with options by position where that is usual."""
    rest, args = dict(eq.options), eq.args
    for name in _BY_POSITION.get(id(eq.op.fn), ()):
        if name not in rest:
            break
        args = (*args, rest.pop(name))
    return args, tuple(rest.items())


def whole(number: float) -> float | int:
    """A number without its decimal point, for a product that is floating-point anyway."""
    return int(number) if float(number).is_integer() and abs(number) < 1e6 else number


def is_float(factors: list[Value]) -> bool:
    """Whether a product of some factors is one of real or complex numbers."""
    return any(type_of(v).dtype in ("f", "c") for v in factors)


def new_axis(axis: int, rank: int) -> ast.expr:
    """The index that adds one axis: ``[:, None]`` and its kind."""
    axis %= rank + 1
    new: ast.expr = ast.Constant(None)
    if axis == 0:
        return new
    if axis == rank and rank > 1:
        return ast.Tuple([ast.Constant(...), new], ast.Load())
    return ast.Tuple([*(ast.Slice() for _ in range(axis)), new], ast.Load())


def new_axes(axes: list[int], rank: int) -> ast.expr:
    """The index that adds some axes, counted in the result: ``[:, None, :, None]`` and its kind."""
    places = {axis % (rank + len(axes)) for axis in axes}
    entries = (ast.Constant(None) if k in places else ast.Slice() for k in range(max(places) + 1))
    return ast.Tuple([*entries], ast.Load())


def _quoted(text: str, *args: Any, **options: Any) -> str:
    """Write a string in double quotes, as it is usual."""
    return repr(text) if {'"', "\\", "\n"} & set(text) or not text.isprintable() else f'"{text}"'


def to_text(node: ast.AST, indent: int = 0) -> list[str]:
    """Return the lines of a statement, wrapped to the line length."""
    text = load_astor().to_source(node, pretty_source="".join, pretty_string=_quoted)
    lines = text.rstrip("\n").split("\n")
    return wrap(lines[0], LINE - indent) if len(lines) == 1 else lines


@functools.cache
def load_astor() -> Any:
    """Import astor, whose module body touches names that newer Pythons deprecate."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import astor

        astor.to_source(ast.parse("1"))
    return astor
