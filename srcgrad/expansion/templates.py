"""Expansions of formulas that are used again: once for each kind of operands.

What a formula becomes at a call is decided by the types of the operands, by what is constant in
them, and by which of their lengths are one. Two calls that agree in these get the same equations,
of other variables. Where an answer came from the numbers of the call at hand, or is relied on
from there on, the formula is read again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from srcgrad.analysis.shapes.models import note_model
from srcgrad.analysis.shapes.whole_numbers import note_whole
from srcgrad.frontend.state.builder import hint
from srcgrad.ir.demands import What
from srcgrad.ir.nodes import Const, Equation, Items, Slice, Value, Var, uses
from srcgrad.ir.rebuilding import substituted
from srcgrad.ir.types import Type
from srcgrad.registry import find_formula, is_own
from srcgrad.transformation.context import Context

_PLAIN = (int, float, bool, str, complex, type(None))
_MOST = 4096


class _Step(NamedTuple):
    """An equation of one target: its name, None where it follows the operands; its type."""

    equation: Equation
    name: str | None
    type: Type


class _Template(NamedTuple):
    """What a formula became at a call, with the variables and the lengths of that call."""

    steps: list[_Step]
    cotangents: tuple[Value, ...]
    operands: tuple[Var, ...]
    lengths: tuple[str, ...]


_known: dict[Any, _Template | None] = {}


class _NoKindError(Exception):
    """What a formula becomes depends on more than the kinds of its operands."""


def kinds_of(
    context: Context, equation: Equation, z_bars: tuple[Value, ...], result: Value
) -> Kinds | None:
    """Return the kinds of the operands of a call; None where there is more to them."""
    if not is_own(find_formula(equation.op.fn)):
        return None
    try:
        return Kinds(context, equation, z_bars, result)
    except (_NoKindError, TypeError):  # there are options that are no keys
        return None


class Kinds:
    """The kinds of the operands of a call, and which of their variables and lengths are the same.

    Attributes:
        are_known: whether the formula was read for such a call before.
    """

    def __init__(
        self, context: Context, equation: Equation, z_bars: tuple[Value, ...], result: Value
    ) -> None:
        self.lengths = context.lengths
        self._operands: dict[Var, int] = {}
        self._models: dict[Var, int] = {}
        self._axes: dict[Any, int] = {}
        self._names: dict[str, int] = {}
        op, demands = equation.op, context.demands
        options = tuple((name, self._kind(value)) for name, value in equation.options)
        operands = tuple(map(self._kind, (*equation.args, result, *z_bars)))
        asks = demands.asks(What.COMPLEX), demands.may_ask(What.OPTIONS)
        settings = context.pointwise, context.lengths.only_arrays, *asks
        self._key = op, len(equation.args), operands, options, settings
        self.are_known = self._key in _known
        self._answers = context.lengths.answers

    def _kind(self, value: Value) -> Any:
        if type(value) is Var:
            return self._of_variable(value)
        if type(value) is Const and type(value.value) in _PLAIN:
            return type(value.value), repr(value.value)
        if type(value) is Items and value.token is None:
            return value.is_list, value.names, tuple(map(self._kind, value.items))
        if type(value) is Slice:
            return Slice, *map(self._kind, (value.lower, value.upper, value.step))
        raise _NoKindError

    def _of_variable(self, var: Var) -> Any:
        if var in self._operands:
            return self._operands[var]
        type_ = var.type
        if type_.element is not None or var in self.lengths.values:
            raise _NoKindError
        number = self._operands[var] = len(self._operands)
        model = self._models.setdefault(self.lengths.model(var), len(self._models))
        shape = self._shape(var)
        return number, model, type_.kind, shape, type_.dtype, type_.active

    def _shape(self, var: Var) -> Any:
        found = self.lengths.extents(var)
        if found is not None:
            return tuple([n if isinstance(n, int) else (self._extent(n),) for n in found])
        whole = self.lengths.resolve(var.type.shape)
        return whole if whole is None else self._length(whole)  # type: ignore[arg-type]

    def _extent(self, extent: Any) -> Any:
        """A number for the name of a length; for an axis whose length has none, a pair."""
        if isinstance(extent, str):
            return self._length(extent)
        return None, self._axes.setdefault(extent, len(self._axes))

    def _length(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))

    def remember(self, made: tuple[list[Equation], tuple[Value, ...]] | None) -> None:
        """Keep what the formula became, if that depends on the kinds only.

        Args:
            made: its equations, and the cotangents of the arguments; None where it has to
                be called.
        """
        if self.lengths.answers != self._answers:
            return
        template = None
        if made is not None:
            steps = [self._step(eq) for eq in made[0]]
            if None in steps or not self._is_of_operands(made[0]):
                return
            template = _Template(steps, made[1], tuple(self._operands), tuple(self._names))  # type: ignore
        if len(_known) >= _MOST:
            _known.clear()
        _known[self._key] = template

    def _is_of_operands(self, equations: list[Equation]) -> bool:
        """Whether equations read nothing but the operands and what they compute themselves.

        The shape of an operand may be read of another variable that stands for it in the text.
        """
        known = {target for eq in equations for target in eq.targets} | self._operands.keys()
        return all(var in known for eq in equations for var in uses(eq))

    def _step(self, eq: Any) -> _Step | None:
        """What has to be known of an equation; None where it says something of its own call."""
        if type(eq) is not Equation or len(eq.targets) != 1 or eq.payload is not None:
            return None
        target = eq.targets[0]
        if target.named or target.type.element is not None or target in self.lengths.values:
            return None
        shape = self.lengths.resolve(target.type.shape)
        names = shape if isinstance(shape, tuple) else (shape,)
        if any(isinstance(name, str) and name not in self._names for name in names):
            return None
        name = None if target.name == hint(eq.op, eq.args) else target.name
        type_ = Type(target.type.kind, shape, target.type.dtype, target.type.active)
        return _Step(replace(eq, origin=None), name, type_)  # which holds the cells of its function

    def again(self, block: list[Any], origin: Any) -> tuple[Value, ...] | None:
        """Append what the formula became at such a call; return the cotangents.

        Returns:
            None where the formula has to be called.
        """
        template = _known[self._key]
        if template is None:
            return None
        new: dict[Var, Value] = dict(zip(template.operands, self._operands, strict=True))
        names = dict(zip(template.lengths, self._names, strict=True))
        for eq, name, type_ in template.steps:
            args = tuple([substituted(arg, new) for arg in eq.args])
            options = tuple([(label, substituted(part, new)) for label, part in eq.options])
            shape = type_.shape
            if isinstance(shape, tuple):
                shape = tuple([names.get(n, n) if isinstance(n, str) else n for n in shape])
            elif shape is not None:
                shape = names[shape]
            own = Type(type_.kind, shape, type_.dtype, type_.active)
            target = new[eq.targets[0]] = Var(hint(eq.op, args) if name is None else name, own)
            made = Equation((target,), eq.op, args, options, origin)
            block.append(made)
            note_model(self.lengths, made)
            note_whole(self.lengths, made)
        return tuple(substituted(bar, new) for bar in template.cotangents)
