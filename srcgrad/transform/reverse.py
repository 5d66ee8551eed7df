"""Reverse mode: the backward part of a lowered function.

The statements are visited from last to first. ``bars`` holds the cotangent of
each variable that has one so far; a variable that is not in it has the
cotangent zero, and what only meets zeros leaves no trace in the output.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.analysis.shapes import type_of
from srcgrad.context import Context
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.expansion.expand import FormulaPair, expand, fold_unbroadcast, tests_for_none
from srcgrad.frontend.attributes import METADATA
from srcgrad.frontend.builder import UNDEFINED, Builder
from srcgrad.frontend.indexing import is_basic, may_repeat
from srcgrad.frontend.lists import leaves
from srcgrad.ir.nodes import (
    ADD_AT,
    INDEX_ADD,
    INDEX_SET,
    LIST_APPEND,
    LIST_ITEM,
    LIST_NEW,
    LIST_POP,
    LIST_REVERSED,
    LIST_SET,
    PAIR,
    RECORD_ITEMS,
    RECORD_NEW,
    Block,
    Carried,
    Const,
    Equation,
    Function,
    If,
    Items,
    Loop,
    Merge,
    Op,
    Origin,
    Slice,
    Value,
    Var,
    is_active,
)
from srcgrad.ir.records import bar_type_of
from srcgrad.ir.types import Type
from srcgrad.ir.verify import verify_backward
from srcgrad.runtime import is_last_write, list_along, list_like, spread_over
from srcgrad.transform import lists
from srcgrad.transform.zeros import flat_types, zero

Bars = dict[Var, Value]


@dataclass(frozen=True, eq=False, repr=False)
class PairBackward:
    """The operation of calling the backward function of a split call."""

    pair: Any
    pattern: tuple[bool, ...]

    def __repr__(self) -> str:
        return self.pair.patterns[self.pattern].name

    @property
    def arity(self) -> tuple[int, int]:
        """The numbers of operands (the residuals come first) and of results."""
        wanted = self.pair.patterns[self.pattern]
        return 1 + sum(self.pattern), len(wanted.cotangents(self.pair))


@dataclass(frozen=True, eq=False, repr=False)
class FormulaBackward:
    """The operation of calling the backward function of a formula.

    Attributes:
        pair: the formula.
        template: the types of the cotangents it gives, in the structure in which it does.
    """

    pair: FormulaPair
    template: Any

    def __repr__(self) -> str:
        return self.pair.backward_name

    @property
    def arity(self) -> tuple[int, None]:
        """The number of operands; that of results depends on the call."""
        return len(self.pair.backward.params.params), None


@dataclass(eq=False)
class Reversed:
    """The backward part of a function.

    Attributes:
        block: its statements.
        seeds: the cotangents it is given, one per live result leaf.
        cotangents: the cotangents of the active leaves of the parameters.
        residuals: for a split call, the variable that holds its residuals.
        hidden: for a formula called out of line, its hidden outputs.
        labels: the names of the arguments whose cotangents are returned.
    """

    block: Block
    seeds: tuple[Value, ...]
    cotangents: dict[Var, Value]
    residuals: dict[Equation, Var]
    hidden: dict[Equation, tuple[FormulaPair, tuple[Var, ...]]]
    labels: tuple[str, ...] = ()


def reverse(
    context: Context, function: Function, pattern: tuple[bool, ...], seeds: tuple[Value, ...]
) -> Reversed:
    """Generate the backward part of a function.

    Args:
        context: the transformation.
        function: the lowered function.
        pattern: for each leaf of its result, whether it has a cotangent.
        seeds: the cotangents of those that have one.

    Returns:
        The backward part.
    """
    pass_ = _Reverse(context, function)
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
    found: list[Any] = []
    for statement in block:
        if isinstance(statement, If):
            found += _called(statement.then) + _called(statement.orelse)
        elif isinstance(statement, Loop):
            found += _called(statement.body)
        elif statement.op.fn is PAIR and any(t.type.active for t in statement.targets):
            found.append(statement.payload.pair)
    return found


class _Reverse:
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
        self.loose: dict[Var, Var] = {}  # cotangents that may be the number 0
        self.merged = _merged(function.body)

    @property
    def block(self) -> list[Any]:
        return self.builder.block

    def emit(self, fn: Any, *args: Value, origin: Origin | None, type_: Any = None, **options: Any):
        """Append a backward equation and return its result."""
        self.builder.fixed_origin = origin
        return self.builder.emit(Op(fn), args, None, tuple(options.items()), type_=type_)

    def accumulate(self, target: Value, cotangent: Value | None, origin: Origin | None) -> None:
        """Add a contribution to the cotangent of a value."""
        if cotangent is None or cotangent == Const(None):
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
                        type_=_bar_type(part),
                    )
                    self.accumulate(part, bar, origin)
            return
        if not isinstance(target, Var) or not target.type.active:
            return
        old = self.bars.get(target)
        if old is None:
            self.claim(cotangent, target)
            self.bars[target] = cotangent
            return
        if target.type.kind == "list":
            raise self.refuse(origin, "a list whose elements are read twice", "build two lists")
        if target.type.kind == "record":
            raise self.refuse(
                origin, "using what one recursive call kept twice", "call the function twice"
            )
        if isinstance(cotangent, Var) and cotangent not in self.claimed and target.named:
            object.__setattr__(cotangent, "name", f"{target.name}_term")
        total = self.emit(operator.add, old, cotangent, origin=origin, type_=_bar_type(target))
        self.claim(total, target)
        self.bars[target] = total

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
            object.__setattr__(cotangent, "name", f"{name.rstrip('_') or name}_bar")
            object.__setattr__(cotangent, "named", target.named)

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
                self.branch(statement)
            else:
                self.loop(statement)

    def equation(self, eq: Equation) -> None:
        bars = [self.bars.pop(t, None) for t in eq.targets]
        if all(bar is None for bar in bars):
            return
        rule = _RULES.get(eq.op.fn) if _hashable(eq.op.fn) else None
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
        several = len(eq.targets) > 1 and tests_for_none(eq)
        full = tuple(
            bar if bar is not None else (Const(None) if several else zero(self.builder, t, origin))
            for bar, t in zip(bars, eq.targets, strict=True)
        )
        result: Value = eq.targets[0] if len(eq.targets) == 1 else Items(eq.targets)
        outcome = expand(self.context, eq, full, result, self.block, origin)
        if isinstance(outcome, FormulaPair):
            outcome = self.out_of_line(eq, outcome, full, result)
        for arg, bar in zip(eq.args, outcome, strict=False):
            if is_active(arg):
                self.accumulate(arg, bar, origin)

    def out_of_line(self, eq, pair: FormulaPair, z_bars, result) -> tuple[Value, ...]:
        """Call a formula's own backward function."""
        if pair.variadic:
            raise self.refuse(
                eq.origin,
                f"this call of {eq.op.name or pair.source.name}, whose options are not "
                "known when code is generated,",
                "write the options as literals",
            )
        if eq not in self.hidden:
            variables = tuple(Var(n, Type("numeric", None, "?")) for n in pair.hidden)
            self.hidden[eq] = self.context.kept.setdefault(eq, (pair, variables))
        holder = Builder(pair.source, self.context, object())
        from srcgrad.expansion.expand import bind_parameters
        from srcgrad.registry import find_formula

        bind_parameters(holder, find_formula(eq.op.fn), eq)
        values = dict(zip(pair.hidden, self.hidden[eq][1], strict=True))
        if pair.result:
            values[pair.result] = result
        args = [values.get(n) or holder.env[n] for n in pair.captures]
        types = tuple(
            _bar_types(arg) if has else None
            for arg, has in zip(eq.args, pair.cotangents, strict=False)
        )
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
        return tuple(
            bar if t is not None else Const(None) for bar, t in zip(made.items, types, strict=True)
        )

    def branch(self, node: If) -> None:
        outs = [(m, self.bars.pop(m.out, None)) for m in node.merges]
        live = [(m, bar) for m, bar in outs if bar is not None]
        before = dict(self.bars)
        results = []
        for arm, side in ((node.then, "then"), (node.orelse, "orelse")):
            saved, self.builder.block = self.builder.block, []
            self.bars = dict(before)
            for merge, bar in live:
                value = getattr(merge, side)
                self.accumulate(value, self.settled(value, bar, node.origin), node.origin)
            self.run(arm)
            results.append((tuple(self.builder.block), self.bars))
            self.builder.block = saved
        self.bars = before
        (then, left), (orelse, right) = results
        merges = []
        inner = _defined(node.then) | _defined(node.orelse)
        for var in [*left, *(v for v in right if v not in left)]:
            a, c = left.get(var), right.get(var)
            if var in inner or a is c:
                if a is not None and a is c:
                    self.bars[var] = a
                continue
            then, a = self.filled(then, a, var, node.origin)
            orelse, c = self.filled(orelse, c, var, node.origin)
            out = Var(f"{var.name}_bar", self.list_type(var), var.named)
            self.claimed.add(out)
            merges.append(Merge(out, a, c))
            self.bars[var] = out
        if merges:
            self.block.append(If(node.test, then, orelse, tuple(merges), node.origin, node.frames))

    def filled(self, block: Block, bar: Value | None, var: Var, origin) -> tuple[Block, Value]:
        """Write out a zero where the other arm has a cotangent."""
        if bar is not None:
            return block, bar
        saved, self.builder.block = self.builder.block, list(block)
        made = zero(self.builder, var, origin)
        self.claim(made, var)
        block, self.builder.block = tuple(self.builder.block), saved
        return block, made

    def loop(self, node: Loop) -> None:
        exits = {c: self.bars.pop(c.out, None) for c in node.carried}
        before = dict(self.bars)
        self.in_order |= {eq for eq in lists.taken_in_order(node) if eq.args[0] not in before}
        live = [c for c in node.carried if exits[c] is not None]
        outer: list[Var] = []
        while True:  # which cotangents does an iteration hand to the one before it?
            params = self.params(live, outer)
            body, ends, found = self.iteration(node, live, outer, params)
            more = [c for c in node.carried if c in live or found.get(c.param) is not None]
            inside = _defined(node.body) | {c.param for c in node.carried}
            reached = [v for v in found if v not in inside and v is not node.index]
            reached = outer + [v for v in reached if v not in outer]
            if len(more) == len(live) and len(reached) == len(outer):
                break
            live, outer = more, reached
        if not live and not outer:
            return
        inits = [exits[c] for c in live] + [before.get(v) for v in outer]
        sources = [c.out for c in live] + outer
        filled = [
            bar if bar is not None else self.initial(v, node)
            for bar, v in zip(inits, sources, strict=True)
        ]
        carried = []
        self.bars = before
        for key, init, end in zip([*live, *outer], filled, ends, strict=True):
            var = key.out if isinstance(key, Carried) else key
            out = Var(f"{var.name}_bar", params[key].type, var.named)
            self.claimed.add(out)
            carried.append(Carried(params[key], init, end, out))
        self.block.append(Loop(tuple(carried), body, node.index, node, node.origin, node.frame))
        for key, entry in zip([*live, *outer], carried, strict=True):
            if isinstance(key, Carried):
                continue
            bar: Value = entry.out
            if key in self.collected:
                self.collected.discard(key)
                bar = self.emit(LIST_REVERSED, bar, origin=node.origin, type_=entry.out.type)
                self.claim(bar, key)
            self.bars[key] = bar
        for key, entry in zip([*live, *outer], carried, strict=True):
            if isinstance(key, Carried) and key.init is not UNDEFINED:
                self.accumulate(key.init, entry.out, node.origin)

    def params(self, live: list[Carried], outer: list[Var]) -> dict[Any, Var]:
        """The cotangents with which an iteration of a backward loop starts."""
        params: dict[Any, Var] = {}
        for key, var in [(c, c.param) for c in live] + [(v, v) for v in outer]:
            type_ = _LOOSE if _appears_in_many_shapes(key) else self.list_type(var)
            params[key] = Var(f"{var.name}_bar", type_, var.named)
            self.claimed.add(params[key])
        return params

    def initial(self, var: Var, node: Loop) -> Value:
        """The cotangent that enters a backward loop as zero; some lists' are built up in it."""
        if var in self.collected:
            return self.emit(LIST_NEW, origin=node.origin, type_=self.list_type(var))
        made = zero(self.builder, var, node.origin)
        self.claim(made, var)
        return made

    def list_type(self, var: Var) -> Type:
        """The type of a variable's cotangent."""
        if var.type.kind != "list":
            return _bar_type(var)
        flat = tuple(bar_type_of(t) if t.active else None for t in flat_types(var.type.element))
        return Type("list", active=True, element=flat)

    def iteration(self, node: Loop, live, outer, params):
        """Reverse one iteration; return its block, the final cotangents, and all bars."""
        saved_block, saved_bars = self.builder.block, self.bars
        self.builder.block, self.bars = [], {}
        given: dict[Carried, Var] = {}
        for var in outer:
            self.bars[var] = params[var]
        for entry in live:
            bar = params[entry]
            if _appears_in_many_shapes(entry):
                self.loose[bar] = entry.param
                bar = self.settled(entry.next, bar, node.origin)
            given[entry] = bar
            self.accumulate(entry.next, bar, node.origin)
        self.run(node.body)
        found = dict(self.bars)
        ends: list[Value] = []
        for entry in live:
            end = self.bars.get(entry.param)
            if end is None:
                end = self.end(entry, given[entry], node.origin)
            ends.append(end)
        ends += [self.bars[var] for var in outer]
        block = tuple(self.builder.block)
        self.builder.block, self.bars = saved_block, saved_bars
        return block, ends, found

    def end(self, entry: Carried, bar: Var, origin: Any) -> Value:
        """The zero that an iteration hands to the one before it."""
        if _appears_in_many_shapes(entry):
            return Const(0.0)
        # What the loop brings into being has no value at the start of an iteration.
        made = zero(self.builder, bar if entry.init is UNDEFINED else entry.param, origin)
        self.claim(made, entry.param)
        return made

    def settled(self, value: Value, bar: Value, origin: Any) -> Value:
        """Give a cotangent that may be the number zero the shape of its value.

        A value that two arms merge, or that comes from the iteration before, has no
        name at the end of an iteration that is left early: its cotangent is passed
        on as it is, to where the value is made.
        """
        param = self.loose.get(bar) if isinstance(bar, Var) else None
        if param is None or not isinstance(value, Var) or value is param or value in self.merged:
            return bar
        shape = Op(METADATA["shape"], "attribute", "shape")
        self.builder.fixed_origin = origin
        of = self.builder.emit(
            shape, (value,), None, type_=Type("shape", type_of(value).shape), active=False
        )
        made = self.emit(np.broadcast_to, bar, origin=origin, type_=_bar_type(value), shape=of)
        self.claim(made, value)
        return made


_LOOSE = Type("numeric", None, "f", True)


def _appears_in_many_shapes(entry: Any) -> bool:
    """Whether a loop brings a variable into being that may differ in shape between iterations.

    The cotangent of such a variable is the number zero in all iterations but the last.
    """
    if not isinstance(entry, Carried) or entry.init is not UNDEFINED:
        return False
    type_ = type_of(entry.next)
    if not isinstance(entry.next, Var) or type_.is_scalar or not type_.is_number:
        return False
    if isinstance(type_.shape, tuple):
        return None in type_.shape
    return type_.shape is None or type_.shape.startswith("?")


def list_lengths(block: Block) -> dict[Var, int]:
    """The lengths of lists, where they are known when code is generated."""
    found: dict[Var, int] = {}
    for eq in block:
        if not isinstance(eq, Equation):
            continue
        if eq.op.fn is LIST_NEW:
            element = eq.targets[0].type.element
            found[eq.targets[0]] = len(eq.args) // max(len(flat_types(element)), 1)
        elif eq.op.fn in (LIST_APPEND, LIST_POP, LIST_REVERSED) and eq.args[0] in found:
            step = {LIST_APPEND: 1, LIST_POP: -1}.get(eq.op.fn, 0)
            found[eq.targets[0]] = found[eq.args[0]] + step  # type: ignore[index]
    return found


def _hashable(fn: Any) -> bool:
    try:
        hash(fn)
    except TypeError:
        return False
    return True


def _defined(block: Block) -> set[Var]:
    """The variables that a region defines."""
    found: set[Var] = set()
    for statement in block:
        if isinstance(statement, Equation):
            found.update(statement.targets)
        elif isinstance(statement, If):
            found.update(m.out for m in statement.merges)
            found |= _defined(statement.then) | _defined(statement.orelse)
        else:
            found.update(c.out for c in statement.carried)
            found.update(c.param for c in statement.carried)
            found |= _defined(statement.body)
    return found


def _merged(block: Block) -> set[Var]:
    """The variables that stand for a value of one arm or the other."""
    found: set[Var] = set()
    for statement in block:
        if isinstance(statement, If):
            found |= {m.out for m in statement.merges}
            found |= _merged(statement.then) | _merged(statement.orelse)
        elif isinstance(statement, Loop):
            found |= _merged(statement.body)
    return found


def _bar_type(value: Value) -> Type:
    return bar_type_of(type_of(value))


def _bar_types(value: Value) -> Any:
    if isinstance(value, Items):
        return tuple(_bar_types(v) for v in value.items)
    return _bar_type(value)


# Rules of the operations that have no formula.


def _getitem(r: _Reverse, eq: Equation, bars: list) -> bool:
    x, index = eq.args
    if not isinstance(x, Var) or x.type.kind != "array":
        return False
    basic = is_basic(index)
    if _adds_axes(index) and bars[0] is not None:
        back = Items(tuple(Const(0) if e == Const(None) else e for e in index.items))
        piece = r.emit(operator.getitem, bars[0], back, origin=eq.origin, type_=_bar_type(x))
        r.accumulate(x, piece, eq.origin)
        return True
    known = basic or (
        type_of(eq.targets[0]).shape is not None
        and not isinstance(type_of(eq.targets[0]).shape, str)
    )
    if not known:
        return False
    buffer = r.bars.get(x)
    if buffer is None:
        like = x if x.named else r.context.template(x)
        buffer = r.emit(np.zeros_like, like, origin=eq.origin, type_=_bar_type(x))
        r.claim(buffer, x)
    fn = INDEX_ADD if basic else ADD_AT
    made = r.emit(fn, buffer, index, bars[0], origin=eq.origin, type_=_bar_type(x))
    r.claim(made, x)
    r.bars[x] = made
    return True


def _adds_axes(index: Value) -> bool:
    """Whether an index takes everything, and only adds axes of length 1."""
    entries = index.items if isinstance(index, Items) and not index.is_list else ()
    whole = Slice(Const(None), Const(None), Const(None))
    return Const(None) in entries and all(e in (Const(None), Const(...), whole) for e in entries)


def _index_add(r: _Reverse, eq: Equation, bars: list) -> bool:
    base, index, value = eq.args
    if is_active(value):
        piece = r.emit(operator.getitem, bars[0], index, origin=eq.origin)
        r.accumulate(value, _fit(r, piece, value, eq), eq.origin)
    r.accumulate(base, bars[0], eq.origin)
    return True


def _index_set(r: _Reverse, eq: Equation, bars: list) -> bool:
    base, index, value = eq.args
    if index == Const(...):  # nothing is left of what was there
        r.accumulate(value, _fit(r, bars[0], value, eq), eq.origin)
        return True
    if is_active(value):
        piece = r.emit(operator.getitem, bars[0], index, origin=eq.origin)
        if may_repeat(index):
            last = r.emit(is_last_write, bars[0], index, origin=eq.origin)
            piece = r.emit(np.where, last, piece, Const(0.0), origin=eq.origin)
        elif is_basic(index) and not (isinstance(piece, Var) and piece.type.shape == ()):
            piece = r.emit(np.copy, piece, origin=eq.origin, type_=type_of(piece))
        r.accumulate(value, _fit(r, piece, value, eq), eq.origin)
    if is_active(base):
        rest = r.emit(
            INDEX_SET, bars[0], index, Const(0.0), origin=eq.origin, type_=_bar_type(base)
        )
        r.accumulate(base, rest, eq.origin)
    return True


def _fit(r: _Reverse, piece: Value, value: Value, eq: Equation) -> Value:
    if value in r.context.shaped_as:  # a view that is put back where it was taken from
        return piece
    r.builder.fixed_origin = eq.origin
    return fold_unbroadcast(r.builder, piece, value, None)


def _list_new(r: _Reverse, eq: Equation, bars: list) -> bool:
    bar = bars[0]
    if not eq.args:
        return True
    element = bar.type.element
    count = len(element)
    for start in range(len(eq.args) - count, -1, -count):
        bar, parts = _pop(r, eq, bar)
        for leaf, part in zip(eq.args[start : start + count], parts, strict=True):
            r.accumulate(leaf, part, eq.origin)
    return True


def _pop(r: _Reverse, eq: Equation, bar: Var) -> tuple[Var, list[Value | None]]:
    """Take the last element off a list of cotangents."""
    element = bar.type.element
    rest = Var(bar.name, bar.type, bar.named)
    r.claimed.add(rest)
    made = [None if t is None else Var("item_bar", t) for t in element]
    live = tuple(v for v in made if v is not None)
    r.block.append(Equation((rest, *live), Op(LIST_POP), (bar,), (), eq.origin, element))
    return rest, list(made)


def _list_append(r: _Reverse, eq: Equation, bars: list) -> bool:
    rest, parts = _pop(r, eq, bars[0])
    for leaf, part in zip(eq.args[1:], parts, strict=True):
        r.accumulate(leaf, part, eq.origin)
    if isinstance(eq.args[0], Var):
        r.bars[eq.args[0]] = rest
    return True


def _push(r: _Reverse, eq: Equation, target: Var, bars: list, onto: Value | None) -> Value:
    """Append the cotangents of an element to a list of cotangents."""
    if onto is None:
        onto = r.emit(LIST_NEW, origin=eq.origin, type_=r.list_type(target))
    parts = []
    for leaf, bar in zip(eq.targets[-len(bars) :], bars, strict=True):
        if leaf.type.active:
            parts.append(bar if bar is not None else zero(r.builder, leaf, eq.origin))
    name = onto.name if isinstance(onto, Var) else "list_bar"
    made = Var(name, r.list_type(target), True)
    r.claimed.add(made)
    r.block.append(
        Equation((made,), Op(LIST_APPEND), (onto, *parts), (), eq.origin, made.type.element)
    )
    return made


def _list_pop(r: _Reverse, eq: Equation, bars: list) -> bool:
    source = eq.args[0]
    assert isinstance(source, Var)
    rest = bars[0]
    if rest is None and r.lengths.get(eq.targets[0]) != 0:
        rest = zero(r.builder, eq.targets[0], eq.origin)
    made = _push(r, eq, source, bars[1:], rest)
    r.claimed.discard(made)  # type: ignore[arg-type]
    r.bars.pop(source, None)
    r.accumulate(source, made, eq.origin)
    return True


def _list_item(r: _Reverse, eq: Equation, bars: list) -> bool:
    source = eq.args[0]
    assert isinstance(source, Var)
    if lists.list_item(r, eq, bars):
        return True
    r.bars[source] = _push(r, eq, source, bars, r.bars.get(source))
    return True


def _list_reversed(r: _Reverse, eq: Equation, bars: list) -> bool:
    made = r.emit(LIST_REVERSED, bars[0], origin=eq.origin, type_=bars[0].type)
    r.accumulate(eq.args[0], made, eq.origin)
    return True


def _record_new(r: _Reverse, eq: Equation, bars: list) -> bool:
    template = eq.targets[0].type.element.cotangent.template
    parts = r.emit(RECORD_ITEMS, bars[0], origin=eq.origin, type_=template)
    for leaf, part in zip(eq.args, leaves(parts), strict=True):
        if is_active(leaf):
            r.accumulate(leaf, part, eq.origin)
    return True


def _record_items(r: _Reverse, eq: Equation, bars: list) -> bool:
    record = eq.args[0]
    assert isinstance(record, Var)
    parts: list[Value] = []
    for leaf, bar in zip(eq.targets, bars, strict=True):
        if not leaf.type.active:
            parts.append(Const(None))
        else:
            parts.append(bar if bar is not None else zero(r.builder, leaf, eq.origin))
    kind = bar_type_of(record.type)
    r.builder.fixed_origin = eq.origin
    made = r.builder.emit(
        Op(RECORD_NEW), tuple(parts), None, type_=kind, active=True, payload=kind.element.template
    )
    r.accumulate(record, made, eq.origin)
    return True


def _pair_call(r: _Reverse, eq: Equation, bars: list) -> bool:
    from srcgrad.transform.split import backward_of

    site = eq.payload
    pattern = tuple(bar is not None for bar in bars)
    wanted = backward_of(r.context, site.pair, pattern)
    if eq not in r.residuals:
        fresh = Var(f"{site.pair.name}_residuals", Type("opaque"))
        r.residuals[eq] = r.context.kept.setdefault(eq, fresh)
    live = tuple(bar for bar in bars if bar is not None)
    targets, receivers = [], []
    for position, path in wanted.cotangents(site.pair):
        leaf = leaves(eq.args[position])[path]
        bar = Var("bar", _bar_type(leaf))
        targets.append(bar)
        receivers.append(leaf)
    if not targets:
        return True
    op = Op(PairBackward(site.pair, pattern))
    r.block.append(Equation(tuple(targets), op, (r.residuals[eq], *live), (), eq.origin))
    for leaf, bar in zip(receivers, targets, strict=True):
        r.accumulate(leaf, bar, eq.origin)
    return True


_RULES: dict[Any, Any] = {
    operator.getitem: _getitem,
    INDEX_ADD: _index_add,
    ADD_AT: _index_add,
    INDEX_SET: _index_set,
    LIST_NEW: _list_new,
    LIST_APPEND: _list_append,
    LIST_POP: _list_pop,
    LIST_ITEM: _list_item,
    LIST_REVERSED: _list_reversed,
    LIST_SET: lists.list_set,
    np.stack: lists.stacked,
    np.concatenate: lists.joined,
    sum: lists.added_up,
    list_along: lists.parts_of,
    list_like: lists.pieces_of,
    spread_over: lists.shares_of,
    RECORD_ITEMS: _record_items,
    RECORD_NEW: _record_new,
    PAIR: _pair_call,
}
