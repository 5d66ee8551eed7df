"""Reverse mode: the backward part of a lowered function.

The statements are visited from last to first. ``bars`` holds the cotangent of
each variable that has one so far; a variable that is not in it has the
cotangent zero, and what only meets zeros leaves no trace in the output.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.kept.plans import unsure
from srcgrad.analysis.shapes.models import note_same
from srcgrad.analysis.shapes.results import type_of
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.expansion.expand import (
    FormulaPair,
    bind_parameters,
    expand,
    fold_unbroadcast,
)
from srcgrad.frontend.containers.lists import leaves
from srcgrad.frontend.state.builder import Builder
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.nodes import (
    PAIR,
    Block,
    Carried,
    Const,
    Equation,
    Function,
    If,
    Items,
    Loop,
    Op,
    Origin,
    Perturbation,
    Value,
    Var,
    acts,
    equations,
    is_active,
    variables,
)
from srcgrad.ir.types import Type
from srcgrad.ir.verify import verify_backward
from srcgrad.library.tables import entry
from srcgrad.registry import find_formula, is_elementwise, tests_for_none
from srcgrad.runtime.intercepting import total_of_one_shape
from srcgrad.transform import lists, recursion
from srcgrad.transform.parts import FormulaBackward, Reversed
from srcgrad.transform.regions import merged, reverse_branch, reverse_loop
from srcgrad.transform.rules import RULES
from srcgrad.transform.stacks import list_lengths
from srcgrad.transform.unread import LeftOut, Unread, keep_regular, weighs_before
from srcgrad.transform.zeros import cotangent_type, zero
from srcgrad.transformation.context import Context

Bars = dict[Var, Value]
_NOTHING = Const(None)


@recursion.reverse.define
def reverse(
    context: Context, function: Function, pattern: tuple[bool, ...], seeds: tuple[Value, ...]
) -> Reversed:
    """Generate the backward part of a function."""
    pass_ = ReversePass(context, function)
    fixed = all(isinstance(seed, Const) for seed in seeds)
    context.unsettled |= LeftOut(function, fixed).is_steep() or weighs_before(function)
    given = iter(seeds)
    for leaf, live in zip(leaves(function.result), pattern, strict=True):
        if live:
            pass_.accumulate(leaf, next(given), None)
    for pair in _called(function.body):
        pair.label(context, "backward")
    pass_.run(function.body)
    cotangents = {}
    for _, value in function.params:
        for leaf in leaves(value):
            if isinstance(leaf, Var) and leaf.type.active and leaf in pass_.bars:
                cotangents[leaf] = pass_.bars[leaf]
    made = Reversed(tuple(pass_.block), seeds, cotangents, pass_.residuals, pass_.hidden)
    verify_backward("the reverse pass", function, made, made.block, cotangents.values())
    return made


def _called(block: Block) -> list[Any]:
    """The functions that a block calls with active arguments, in order."""
    calls = (eq for eq in equations(block) if eq.op.fn is PAIR)
    return [eq.payload.pair for eq in calls if any(t.type.active for t in eq.targets)]


class ReversePass:
    """The state of reversing one function; the rules of operations are handed it."""

    def __init__(self, context: Context, function: Function) -> None:
        self.context = context
        self.function = function
        self.bars: Bars = {}
        self.residuals: dict[Equation, Var] = {}
        self.hidden: dict[Equation, tuple[FormulaPair, tuple[Var, ...]]] = {}
        self.builder = Builder(function.source, context)
        self.claimed: set[Var] = set()
        self.parameters = {
            leaf for _, value in function.params for leaf in leaves(value) if isinstance(leaf, Var)
        }
        self.in_order: set[Equation] = set()
        self.collected: set[Var] = set()
        self.lengths = list_lengths(function.body)
        # which cotangents an iteration of a loop hands on: of what it carries, and of what it reads
        self.handed_on: dict[Loop, tuple[list[Carried], list[Var]]] = {}
        self.loose: dict[Var, Var] = {}  # cotangents that may be the number 0
        self.merged = merged(function.body)
        self.unsure = unsure(function.body)
        self.unread = Unread(function, context.lengths)
        self.made: dict[Any, Equation] = {}

    @property
    def block(self) -> list[Any]:
        return self.builder.block

    def emit(self, fn: Any, *args: Value, origin: Origin | None, type_: Any = None, **options: Any):
        """Append a backward equation and return its result."""
        self.builder.fixed_origin = origin
        return self.builder.emit(Op(fn), args, None, tuple(options.items()), type_=type_)

    def accumulate(self, target: Value, cotangent: Value | None, origin: Origin | None) -> None:
        """Add a contribution to the cotangent of a value."""
        if cotangent is None or cotangent == _NOTHING:
            return
        if isinstance(target, Items):
            if isinstance(cotangent, Items):
                for part, bar in zip(target.items, cotangent.items, strict=True):
                    self.accumulate(part, bar, origin)
                return
            for k, part in enumerate(target.items):
                if is_active(part):
                    bar = self.emit(
                        operator.getitem,
                        cotangent,
                        Const(k),
                        origin=origin,
                        type_=cotangent_type(part),
                    )
                    self.accumulate(part, bar, origin)
            return
        if not isinstance(target, Var) or not target.type.active:
            return
        of_list = isinstance(cotangent, Var) and cotangent.type.kind == "list"
        if target.type.kind == "list" and not of_list:
            raise self.refuse(origin, "a list on some paths only", "make an array of it")
        cotangent = self.fitted(target, cotangent, origin)
        if isinstance(cotangent, Var) and not isinstance(target, Perturbation):
            note_same(self.context.lengths, cotangent, target)
        old = self.bars.get(target)
        if old is None:
            self.claim(cotangent, target)
            self.bars[target] = cotangent
            return
        if target.type.kind == "list":
            self.bars[target] = lists.total(self, target, old, cotangent, origin)
            return
        if isinstance(cotangent, Var) and cotangent not in self.claimed:
            if target.named or (target.name and cotangent.name == "bar"):
                cotangent.name = f"{target.name}_term"
        add = operator.add
        if isinstance(target, Perturbation) and not self.has_one_shape(cotangent):
            add = total_of_one_shape
        total = self.emit(add, old, cotangent, origin=origin, type_=cotangent_type(target))
        self.claim(total, target)
        self.bars[target] = total

    def has_one_shape(self, bar: Value) -> bool:
        """Whether a cotangent has the same shape each time: its lengths are those of arguments."""
        shape = type_of(bar).shape
        lengths = self.context.lengths.observed
        return isinstance(shape, tuple) and all(isinstance(n, int) or n in lengths for n in shape)

    def fitted(self, target: Var, cotangent: Value, origin: Origin | None) -> Value:
        """The real part of a complex cotangent of what is real, and the reverse.

        A real number only moves along the real axis, so that the imaginary part of
        its cotangent plays no role.
        """
        own = type_of(cotangent)
        if isinstance(cotangent, Const) and own.dtype == "c" and target.type.dtype != "c":
            return Const(cotangent.value.real)
        if not own.is_number or not target.type.is_number or not isinstance(cotangent, Var):
            return cotangent
        if own.dtype == "c" and target.type.dtype != "c":
            self.builder.fixed_origin = origin
            kind = Type(own.kind, own.shape, "f")
            return self.builder.emit(Op(np.real, "attribute", "real"), (cotangent,), None, (), kind)
        if own.dtype == "f" and target.type.dtype == "c":
            return self.emit(operator.add, cotangent, Const(0j), origin=origin)
        return cotangent

    def claim(self, cotangent: Value, target: Var) -> None:
        """Name a cotangent after the variable that it belongs to."""
        if not isinstance(cotangent, Var):
            return
        better = target.named and not cotangent.named and target not in self.parameters
        if cotangent not in self.claimed or better:
            self.claimed.add(cotangent)
            name = self.function.layout.roles.get(target, target.name)
            if target.named:
                name = target.name
            cotangent.name = f"{name.rstrip('_') or name}_bar"
            cotangent.named = target.named

    def refuse(self, origin: Origin | None, what: str, fix: str) -> UnsupportedSyntaxError:
        """Return the error for something that only the backward part cannot do."""
        spots = []
        if origin is not None and origin.source is not None and origin.statement is not None:
            spots = [origin.source.spot(origin.statement)]
        return UnsupportedSyntaxError(f"{what} is not supported", spots=spots, fixes=[fix])

    def run(self, block: Block) -> None:
        """Reverse the statements of a region."""
        for statement in reversed(block):
            if isinstance(statement, Equation):
                self.equation(statement)
            elif isinstance(statement, If):
                reverse_branch(self, statement)
            else:
                reverse_loop(self, statement)

    def equation(self, eq: Equation) -> None:
        bars = [self.bars.pop(t, None) for t in eq.targets]
        if all(bar is None for bar in bars) and not acts(eq.op):
            return
        rule = entry(RULES, eq.op.fn)
        if rule is not None and rule(self, eq, bars):
            return
        origin = eq.origin
        if any(isinstance(a, Var) and a.type.kind == "list" and is_active(a) for a in eq.args):
            name = eq.op.name or getattr(eq.op.fn, "__name__", "this call")
            raise self.refuse(
                origin,
                f"{name} of a list of active values",
                "make an array of the list first: np.stack(values)",
            )
        several = len(eq.targets) > 1 and tests_for_none(find_formula(eq.op.fn))
        if bars == [None]:
            bars = [self.nothing_like(eq.args[1], origin)]  # of what was sent, nothing is left
        full = tuple(
            bar if bar is not None else (Const(None) if several else zero(self.builder, t, origin))
            for bar, t in zip(bars, eq.targets, strict=True)
        )
        result: Value = eq.targets[0] if len(eq.targets) == 1 else Items(eq.targets)
        mark = len(self.block)
        outcome = expand(self.context, eq, full, result, self.block, origin)
        if isinstance(outcome, FormulaPair):
            outcome = self.out_of_line(eq, outcome, full, result)
        if isinstance(full[0], Var) and self.unread.singular(eq):
            outcome = keep_regular(self, eq, full[0], mark, outcome)
        bars = [bar for _, bar in zip(eq.args, outcome, strict=False)]
        if len(bars) > 1 and is_elementwise(find_formula(eq.op.fn)):
            self.builder.fixed_origin = origin
            bars = [
                fold_unbroadcast(self.builder, bar, arg, None)
                if is_active(arg) and bar != _NOTHING
                else bar
                for arg, bar in zip(eq.args, bars, strict=False)
            ]
        for arg, bar in zip(eq.args, bars, strict=False):
            if is_active(arg):
                self.accumulate(arg, bar, origin)

    def nothing_like(self, value: Any, origin: Origin | None) -> Value:
        """Zeros in the shape of a value; for a part of an array, of that of its cotangent."""
        if not self.made:
            self.made = {t: eq for eq in equations(self.function.body) for t in eq.targets}
        made = self.made.get(value)
        if made is not None and made.op.fn is operator.getitem and made.args[0] in self.bars:
            base = self.bars[made.args[0]]
            type_ = cotangent_type(value)
            value = self.emit(operator.getitem, base, made.args[1], origin=origin, type_=type_)
        return zero(self.builder, value, origin)

    def out_of_line(self, eq, pair: FormulaPair, z_bars, result) -> tuple[Value, ...]:
        """Call a formula's own backward function."""
        if pair.variadic and self.context.demands.may_ask(What.OPTIONS):
            raise Specialise(What.OPTIONS)
        if pair.variadic:
            raise self.refuse(
                eq.origin,
                f"this call of {eq.op.name or pair.source.name}, whose options are not "
                "known when code is generated,",
                "write the options as literals",
            )
        if eq not in self.hidden:
            kept = tuple(Var(n, Type("numeric", None, "?")) for n in pair.hidden)
            self.hidden[eq] = self.context.kept.setdefault(eq, (pair, kept))
        holder = Builder(pair.source, self.context, object())
        rule = find_formula(eq.op.fn)
        bind_parameters(holder, rule, eq)
        values = dict(zip(pair.hidden, self.hidden[eq][1], strict=True))
        if pair.result:
            values[pair.result] = result
        args = [values.get(n) or holder.env[n] for n in pair.captures]
        given = [v for part in (*eq.args, result, *z_bars) for v in variables(part)]
        model = next(iter(variables(result))) if is_elementwise(rule) else None
        mixed = any(v.type.dtype == "c" for v in given)  # then all cotangents may be complex
        types = tuple(
            _cotangent_types(arg, mixed, model) if has else None
            for arg, has in zip(eq.args, pair.cotangents, strict=False)
        )
        types += (None,) * (len(pair.cotangents) - len(types))  # of defaults that are not given
        present = tuple(t for t in types if t is not None)
        template = (
            present[0]
            if len(types) == 1
            else tuple(t if t is not None else Type("opaque") for t in types)
        )
        if len(pair.backward.params.params) == len(pair.captures) + 1 < len(args) + len(z_bars):
            z_bars = (Items(tuple(z_bars)),)
        backward = FormulaBackward(pair, template)
        made = self.emit(backward, *args, *z_bars, origin=eq.origin, type_=template)
        if len(types) == 1:
            return (made,)
        assert isinstance(made, Items)
        bars = zip(made.items[: len(eq.args)], types, strict=False)
        return tuple(bar if t is not None else Const(None) for bar, t in bars)


def _cotangent_types(value: Value, mixed: bool, model: Var | None) -> Any:
    """The types of what a formula's backward function returns for an argument."""
    if isinstance(value, Items):
        return tuple(_cotangent_types(v, mixed, model) for v in value.items)
    own = cotangent_type(value)
    if model is not None and own.is_number:
        own = replace(own, kind=model.type.kind, shape=model.type.shape)
    return replace(own, dtype="c") if mixed and own.is_number else own
