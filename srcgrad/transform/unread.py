"""Entries of arrays that nothing reads, where the slope of a function is infinite.

The cotangent of an entry that no path reads is zero, whatever its slope: that of
``np.sqrt(x)`` at 0 in ``np.where(x > 0, np.sqrt(x), 0.0)`` for example. Zero times an
infinite slope would be ``nan``. So the backward part of such a function computes with
another number there, as a careful author does: ``np.where((x > 0) | (z > 0), z, 1.0)``.
What is read is told by what chooses it, and not by its cotangent: that of ``np.sqrt(x)``
in ``np.sqrt(x)[1:] ** 2`` is 0 where ``x`` is, and the slope is 1 there. Where the value is
infinite as well, or what is read stands in another block, a cotangent that is not 0 tells.
Entries whose cotangent is zero by chance keep theirs, if it is a regular one: second
derivatives need it.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad import registry
from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.results import is_elementwise, type_of
from srcgrad.expansion.expand import FormulaPair, expand, fold_unbroadcast
from srcgrad.frontend.containers.lists import leaves
from srcgrad.ir.blocks import carried_of, inner_blocks, merges_of, statements, with_called
from srcgrad.ir.nodes import (
    INDEX_SET,
    PAIR,
    RECORDED,
    WRITES,
    Block,
    Const,
    Equation,
    Function,
    Items,
    Op,
    Slice,
    Value,
    Var,
    equations,
    is_active,
    uses,
    variables,
)
from srcgrad.library.slopes import (
    chooses,
    expects_nan,
    is_tame,
    is_unbounded,
    picks,
    rearranges,
    weighs,
)
from srcgrad.registry import find_formula
from srcgrad.transform.covered import read_together

# Functions with infinite slopes, and a number at which the slope is finite
_STEEP: dict[Any, float] = {
    **dict.fromkeys((operator.pow, np.power, np.float_power, np.sqrt, np.cbrt), 1.0),
    np.arcsin: 0.0,
    np.arccos: 0.0,
    np.arccosh: 2.0,
}
# Functions with infinite values, and a number at which slope and value are finite
_INFINITE: dict[Any, float] = {
    **dict.fromkeys((operator.truediv, np.divide, np.reciprocal), 1.0),
    **dict.fromkeys((np.log, np.log2, np.log10, np.log1p), 1.0),
    **dict.fromkeys((np.exp, np.exp2, np.expm1, np.sinh, np.cosh, np.arctanh), 0.0),
}
_OVERFLOWING = (np.exp, np.exp2, np.expm1, np.sinh, np.cosh)
_DIVIDING = (operator.truediv, np.divide)
_OF_TOTALS = (*_DIVIDING, np.log, np.log2, np.log10)
_SUMS = (operator.add, operator.sub, operator.neg, operator.pos, np.add, np.subtract, np.negative)
_POWERS = (operator.pow, np.power, np.float_power)
_PRODUCTS = (operator.mul, np.multiply)
_REGULAR = {**_STEEP, **_INFINITE, **dict.fromkeys(_PRODUCTS, 1.0)}
# Where an operand is regular: of its size or of itself, how it compares with a number
_REGULAR_WHERE: dict[Any, tuple[bool, Any, float]] = {
    **dict.fromkeys((*_DIVIDING, np.reciprocal), (False, operator.ne, 0)),
    **dict.fromkeys((*_POWERS, np.log, np.log2, np.log10), (False, operator.gt, 0)),
    np.log1p: (False, operator.gt, -1),
    **dict.fromkeys((np.arcsin, np.arccos, np.arctanh), (True, operator.lt, 1)),
    np.arccosh: (False, operator.gt, 1),
}
_WHOLE = (Slice(Const(None), Const(None), Const(None)), Const(None), Const(...))  # all entries
# How the operand that a function chooses compares with the other one
_BOUNDS: dict[Any, Any] = {
    **dict.fromkeys((np.maximum, max), operator.ge),
    **dict.fromkeys((np.minimum, min), operator.le),
}
_EXTREMA = (np.max, np.amax, np.min, np.amin, np.nanmax, np.nanmin, max, min)


class Unread:
    """What is read of the arrays of a function."""

    def __init__(self, function: Function, lengths: Lengths) -> None:
        self.lengths = lengths
        self.uses: dict[Var, list[Equation]] = {}
        self.whole = {v for leaf in leaves(function.result) for v in variables(leaf)}
        for eq in equations(function.body):
            for value in (*eq.args, *(v for _, v in eq.options)):
                for var in variables(value):
                    self.uses.setdefault(var, []).append(eq)
        self._regions(function.body)
        places = list(_places(function.body))
        self.home = {eq: home for eq, home, _ in places}
        self.around = {eq: around for eq, _, around in places}
        self.made_by = {t: eq for eq in self.home for t in eq.targets}
        self.infinite: set[Value] = set()
        for eq in equations(function.body):
            self._note_infinite(eq)
        self.known: dict[tuple[Var, bool], bool] = {}
        self.told: dict[tuple[Var, int | None], tuple[Any, Any, Value | None]] = {}

    def _regions(self, block: Block) -> None:
        """Note what branches and iterations hand on to what reads it: all of it may be read."""
        handed: list[tuple[tuple[Any, ...], list[Value]]] = []
        for statement in statements(block):
            handed += [((m.out,), [m.then, m.orelse]) for m in merges_of(statement)]
            handed += [((c.param, c.out), [c.init, c.next]) for c in carried_of(statement)]
        read = {*self.whole, *self.uses}
        while True:
            waiting = [row for row in handed if any(v in read for v in row[0])]
            if not waiting:
                return
            handed = [row for row in handed if row not in waiting]
            found = {v for _, values in waiting for value in values for v in variables(value)}
            self.whole |= found
            read |= found

    def read(self, pass_: Any, eq: Equation, var: Var) -> Value | None:
        """Emit what tells which entries of an array are read; None where nothing can.

        Args:
            pass_: the pass that emits.
            eq: the equation whose backward part needs to know.
            var: its result, or what is computed from that.
        """
        key = var, self.home.get(eq)
        block, statement, value = self.told.get(key, (None, None, None))
        if block is pass_.block and (statement is None or any(s is statement for s in block)):
            return value
        value = self._read(pass_, eq, var)
        block = pass_.block
        makers = (s for s in reversed(block) if isinstance(s, Equation) and value in s.targets)
        self.told[key] = block, next(makers, None), value
        return value

    def _read(self, pass_: Any, eq: Equation, var: Var) -> Value | None:
        """Emit the same, where it does not stand in the block yet."""
        uses = [use for use in self.uses.get(var, ()) if any(t.type.active for t in use.targets)]
        found: Value | None = None
        for use in uses:
            if self.home.get(use) != self.home.get(eq) or len(use.targets) != 1:
                return None
            part = self._read_by(pass_, eq, use, var)
            if part is None:
                return None
            if found is not None:
                part = pass_.emit(operator.or_, found, part, origin=eq.origin)
            found = part
        return found

    def _read_by(self, pass_: Any, eq: Equation, use: Equation, var: Var) -> Value | None:
        """Emit which entries of an array an equation reads."""
        fn, args, (target,) = use.op.fn, use.args, use.targets
        alike = pass_.context.lengths.alike
        later: Value | None = None
        if self.in_part(target, False):
            later = self.read(pass_, eq, target)
            if later is None:
                return None
        if fn is operator.getitem:
            return self._read_at(pass_, eq, args[1], var, later)
        if fn is INDEX_SET and args[0] is var:
            rest = self._read_elsewhere(pass_, eq, args[1], var)
            return rest if later is None else self._both(pass_, eq, rest, later)
        emit = functools.partial(pass_.emit, origin=eq.origin)
        whole = len(args) == 1 and fn in (*_EXTREMA, np.nansum, np.nanmean)
        fits = alike(target, var) or (whole and later is None)
        fits = fits and (fn is not np.where or alike(args[0], var))
        chosen = _chosen(emit, use, var) if fits and args.count(var) == 1 else None
        if chosen is not None:
            return chosen if later is None else self._both(pass_, eq, chosen, later)
        if is_elementwise(fn) and not chooses(fn):
            if later is None or alike(target, var):
                return later
            spread = fold_unbroadcast(pass_.builder, later, var, None)
            return pass_.emit(operator.ne, spread, Const(0), origin=eq.origin)
        return self._read_through(pass_, eq, use, var, later)

    def _both(self, pass_: Any, eq: Equation, one: Value, other: Value) -> Value:
        return pass_.emit(operator.and_, one, other, origin=eq.origin)

    def _read_through(
        self, pass_: Any, eq: Equation, use: Equation, var: Var, later: Value | None
    ) -> Value | None:
        """Emit which entries have a slope in what an equation gives, by its formula.

        None of the slopes of what chooses, picks and rearranges is negative, so that
        they do not cancel.
        """
        fn, (target,) = use.op.fn, use.targets
        if not (chooses(fn) or picks(fn) or rearranges(fn)) or find_formula(fn) is None:
            return None
        plain = replace(target.type, active=False)
        seed: Value = Const(1.0) if later is None else later
        if later is None and not target.type.is_scalar:
            seed = pass_.emit(np.ones_like, target, origin=eq.origin, type_=plain)
        elif later is not None and not rearranges(fn):
            seed = pass_.emit(operator.mul, Const(1.0), later, origin=eq.origin)
        mark = len(pass_.block)
        made = expand(pass_.context, use, (seed,), target, pass_.block, eq.origin)
        if isinstance(made, FormulaPair):
            del pass_.block[mark:]
            return None
        found: Value | None = None
        for arg, part in _pairs(use.args, made):
            if arg is not var or part is None:
                continue
            if registry.is_elementwise(find_formula(fn)):
                part = fold_unbroadcast(pass_.builder, part, var, None)
            if type_of(part).dtype != "b":
                part = pass_.emit(operator.ne, part, Const(0), origin=eq.origin)
            if found is not None:
                part = pass_.emit(operator.or_, found, part, origin=eq.origin)
            found = part
        return found

    def _read_at(
        self, pass_: Any, eq: Equation, index: Value, var: Var, later: Value | None
    ) -> Value:
        """Emit which entries stand at an index, and are read there."""
        if later is None and _is_mask(index, var):
            return index
        return self._marked(pass_, eq, index, var, 0.0, later or Const(1.0))

    def _read_elsewhere(self, pass_: Any, eq: Equation, index: Value, var: Var) -> Value:
        """Emit which entries do not stand at an index."""
        if _is_mask(index, var):
            return pass_.emit(np.logical_not, index, origin=eq.origin)
        return self._marked(pass_, eq, index, var, 1.0, Const(0.0))

    def _marked(
        self, pass_: Any, eq: Equation, index: Value, var: Var, rest: float, inside: Value
    ) -> Value:
        origin = eq.origin
        type_ = replace(var.type, active=False)
        whole = pass_.emit(np.full_like, var, Const(rest), origin=origin, type_=type_)
        if isinstance(whole, Var):
            whole.name = "read"
        marked = pass_.emit(INDEX_SET, whole, index, inside, origin=origin, type_=type_)
        return pass_.emit(operator.ne, marked, Const(0), origin=origin)

    def in_part(self, var: Var, chosen: bool) -> bool:
        """Whether each use of an array reads, or may read, some of its entries only.

        Args:
            var: the array.
            chosen: whether only entries count that are chosen by values, as ``np.where``
                and masks choose them, and not those of slices and other places.
        """
        key = (var, chosen)
        if key not in self.known:
            self.known[key] = False
            uses = [eq for eq in self.uses.get(var, ()) if any(t.type.active for t in eq.targets)]
            part = bool(uses) and all(self._reads_part(eq, var, chosen) for eq in uses)
            part = part and var not in self.whole
            self.known[key] = (
                part
                and (chosen or not self._read_together(var, uses))
                and not self._read_on_both_sides(var)
            )
        return self.known[key]

    def _read_together(self, var: Var, uses: list[Equation]) -> bool:
        """Whether the parts of an array that are read are all of it."""
        maker = self.made_by.get(var)
        if maker is None:
            return False
        outside = self.around[maker]
        rows = [(eq, self.around[eq]) for eq in uses if eq.op.fn is operator.getitem]
        reads = [
            (eq, around[len(outside) :])
            for eq, around in rows
            if around[: len(outside)] == outside
            and eq.args[0] is var
            and not any(self.in_part(t, False) for t in eq.targets)
        ]
        return read_together(self.lengths, var, reads)

    def _read_on_both_sides(self, var: Var) -> bool:
        """Whether ``np.where`` reads an array under a condition, and elsewhere, too."""
        maker = self.made_by.get(var)
        sides = self._sides(var, self.around[maker]) if maker is not None else set()
        return any((condition, 3 - k) in sides for condition, k in sides)

    def _sides(self, var: Var, around: tuple[Any, ...]) -> set[tuple[Value, int]]:
        """The conditions under which ``np.where`` reads an array, and on which side."""
        found: set[tuple[Value, int]] = set()
        for eq in self.uses.get(var, ()):
            fn, args, target = eq.op.fn, eq.args, eq.targets[0]
            if self.around[eq] != around or not self.lengths.alike(target, var):
                continue
            if fn is np.where and args[0] is not var and not self.in_part(target, False):
                found.update((args[0], k) for k in (1, 2) if args[k] is var)
            elif is_elementwise(fn) and not chooses(fn) and self.in_part(target, False):
                found |= self._sides(target, around)
        return found

    def _reads_part(self, eq: Equation, var: Var, chosen: bool) -> bool:
        fn = eq.op.fn
        if fn is operator.getitem or fn is INDEX_SET:
            entries = eq.args[1].items if isinstance(eq.args[1], Items) else eq.args[1:2]
            if fn is operator.getitem and all(entry in _WHOLE for entry in entries):
                return all(self.in_part(t, chosen) for t in eq.targets)
            if eq.args[0] is not var:
                return False
            mask = any(isinstance(k, Var) and k.type.dtype == "b" for k in entries)
            return mask or not chosen or all(self.in_part(t, chosen) for t in eq.targets)
        if chooses(fn) or (picks(fn) and not chosen):
            return True
        passes = is_elementwise(fn) or picks(fn) or rearranges(fn)
        return passes and all(self.in_part(t, chosen) for t in eq.targets)

    def _note_infinite(self, eq: Equation) -> None:
        """Note what is computed, element by element, from what may be infinite or nan."""
        bounds = _has_bounds(eq) and not self._is_regular(eq)
        if is_elementwise(eq.op.fn) and (bounds or self._meets_infinite(eq)):
            self.infinite.update(filter(is_active, eq.targets))

    def _meets_infinite(self, eq: Equation) -> bool:
        return any(isinstance(v, Var) and v in self.infinite for v in eq.args)

    def singular(self, eq: Equation) -> bool:
        """Whether an equation may have infinite slopes where nothing reads its result."""
        fn, target = eq.op.fn, eq.targets[0]
        if not is_elementwise(fn) or target.type.is_scalar:
            return False
        infinite = self._meets_infinite(eq)
        bounds = _has_bounds(eq) and not self._is_regular(eq)
        if not bounds and not (infinite and fn not in _SUMS):
            return False
        return self.in_part(target, fn in _OVERFLOWING and not infinite)

    def _is_regular(self, eq: Equation) -> bool:
        """Whether an equation gives exponentials of at most 1, or is one of their sum.

        The largest entry was taken off before, so that one of them is 1.
        """
        if eq.op.fn in _OVERFLOWING:
            return self._below_largest(eq) is not None
        total = self.made_by.get(eq.args[-1]) if eq.op.fn in _OF_TOTALS else None  # type: ignore
        options = {} if total is None else dict(total.options)
        if total is None or total.op.fn is not np.sum or not options.keys() <= {"axis", "keepdims"}:
            return False
        axis = self._below_largest(self.made_by.get(total.args[0]))  # type: ignore[arg-type]
        return axis is not None and axis == options.get("axis", Const(None))

    def _below_largest(self, eq: Equation | None) -> Value | None:
        """The axes along which the largest entry is taken off of what exponentials are of."""
        if eq is None or eq.op.fn not in (np.exp, np.exp2):
            return None
        difference = self.made_by.get(eq.args[0])  # type: ignore[arg-type]
        if difference is None or difference.op.fn not in (operator.sub, np.subtract):
            return None
        whole, largest = difference.args
        made = self.made_by.get(largest)  # type: ignore[arg-type]
        if made is None or made.op.fn not in (np.max, np.amax) or made.args[0] is not whole:
            return None
        options = dict(made.options)
        axis = options.pop("axis", Const(None))
        kept = options == {"keepdims": Const(True)} or (axis == Const(None) and not options)
        return axis if kept else None


def _places(block: Block, around: tuple[Any, ...] = ()) -> Iterator[tuple[Equation, int, Any]]:
    """The equations of a block, each with its own block, and the branches and loops around it."""
    for statement in block:
        if isinstance(statement, Equation):
            yield statement, id(block), around
        for inner in inner_blocks(statement):
            yield from _places(inner, (*around, statement))


class LeftOut:
    """What may be left out of the numbers and arrays of a function.

    It tells more than ``Unread`` finds masks for: numbers, and what is read in other
    blocks and other functions.
    """

    def __init__(self, function: Function, results: bool) -> None:
        self.function = function
        self.readers: dict[Var, list[Equation]] = {}
        self.home = {eq: home for eq, home, _ in _places(function.body)}
        for eq in self.home:
            for var in {v for value in eq.args for v in variables(value)}:
                self.readers.setdefault(var, []).append(eq)
        self.whole: dict[Var, bool] = {}
        if results:
            here = {t: self.home[eq] for eq in self.home for t in eq.targets}
            for leaf in leaves(function.result):
                for var in variables(leaf):
                    self.whole[var] = here.get(var) == id(function.body)

    def is_steep(self) -> bool:
        """Tell whether a slope may be infinite, or none, where nothing reads the value."""
        # which data lack values by
        missing = any(expects_nan(eq.op.fn) for eq in with_called(self.function))
        return any(_may_be_steep(eq, missing) and not self._is_read(eq) for eq in self.home)

    def _is_read(self, eq: Equation) -> bool:
        """Whether all that an equation gives is read whenever it is carried out."""
        return any(self._reads(eq, target) for target in eq.targets if is_active(target))

    def _reads(self, eq: Equation, var: Var) -> bool:
        if var not in self.whole:
            self.whole[var] = False
            self.whole[var] = any(
                self.home[use] == self.home[eq] and self._passes(use.op.fn) and self._is_read(use)
                for use in self.readers.get(var, ())
            )
        return self.whole[var]

    def _passes(self, fn: Any) -> bool:
        """Whether what a function gives has a slope in all that it is given."""
        if fn in (operator.getitem, INDEX_SET, RECORDED) or chooses(fn) or picks(fn):
            return False
        return find_formula(fn) is not None


def _may_be_steep(eq: Equation, missing: bool) -> bool:
    """Whether an equation has slopes that may be infinite, or none.

    Args:
        eq: the equation.
        missing: whether its arguments may hold nans that are meant.
    """
    fn, args = eq.op.fn, eq.args
    if not any(map(is_active, eq.targets)):
        return False
    if missing and fn not in _SUMS and fn is not operator.getitem and not rearranges(fn):
        return True
    if fn in _DIVIDING:
        return isinstance(args[1], Var)
    if fn in _POWERS and isinstance(args[1], Const):
        return not _is_flat_power(eq)
    return fn is RECORDED or (find_formula(fn) is not None and not is_tame(fn))


def _chosen(emit: Any, use: Equation, var: Var) -> Value | None:
    """Emit which entries of an operand an equation chooses; None where its formula tells."""
    fn, args, (target,) = use.op.fn, use.args, use.targets
    options = dict(use.options)
    other = args[1] if len(args) == 2 and args[0] is var else args[0]
    if fn is np.where:
        return args[0] if args[1] is var else emit(np.logical_not, args[0])
    if fn in _BOUNDS and len(args) == 2 and not options:
        narrow = type_of(target).ndim != type_of(var).ndim
        return None if narrow else emit(_BOUNDS[fn], var, other)
    if fn is np.clip and args[0] is var and type_of(target).ndim == type_of(var).ndim:
        return emit(operator.eq, var, target)
    if fn in (np.nansum, np.nanmean):
        return emit(operator.invert, emit(np.isnan, var))
    if fn is np.nan_to_num:
        return emit(np.isfinite, var)
    if fn in _EXTREMA and len(args) == 1 and set(options) <= {"axis", "keepdims"}:
        axis = options.get("axis", Const(None))
        if axis == Const(None) or options.get("keepdims") == Const(True):
            return emit(operator.eq, var, target)
        if isinstance(axis, Const) and "keepdims" not in options:
            return emit(operator.eq, var, emit(np.expand_dims, target, axis=axis))
    return None


def steep_values(function: Function) -> set[Var]:
    """The variables whose tangents may be infinite, or nan, in some entries."""
    return _following(function, _has_bounds)


def puts_constants(function: Function) -> bool:
    """Tell whether a slope may be infinite where a constant stands among what has a tangent.

    The tangent of the constant is 0: of ``s[s > 1] = 1.0`` in front of ``np.arccos(s)``.
    """
    return _is_steep_behind(function, _puts_constants, constants=True)


def weighs_before(function: Function) -> bool:
    """Tell whether a cotangent may be infinite where a function leaves entries out by a slope of 0.

    The cotangent of what is left out is 0: of ``x - 5`` in ``max(x - 5, 0) ** 0.5``.
    """
    return _is_steep_behind(function, lambda eq: weighs(eq.op.fn))


def _is_steep_behind(
    function: Function, begins: Callable[[Equation], bool], constants: bool = False
) -> bool:
    """Tell whether slopes may be infinite in what follows from some equations."""
    known: dict[Function, bool] = {}
    asked: list[Function] = []
    recursive: set[Function] = set()

    def somewhere(eq: Equation) -> bool:
        inner = eq.payload.pair.function if eq.op.fn is PAIR else None
        if inner is None:
            return begins(eq)
        if inner in asked:
            recursive.add(inner)
            return begins(eq)
        if inner not in known:
            asked.append(inner)
            known[inner] = bool(_following(inner, somewhere, constants))
            asked.pop()
            if known[inner] and inner in recursive:  # what relied on its being none is asked again
                for each in [each for each, told in known.items() if not told]:
                    del known[each]
        return known[inner]

    found = _following(function, somewhere, constants)
    return any(
        (eq.op.fn is PAIR or _may_be_steep(eq, False)) and any(v in found for v in uses(eq))
        for eq in equations(function.body)
    )


def _following(
    function: Function, begins: Callable[[Equation], bool], constants: bool = False
) -> set[Var]:
    """The active variables that some equations give, and those that are computed of them.

    Args:
        function: the function.
        begins: tells which equations these are.
        constants: whether what is a constant on one way through a branch, or before a loop,
            is one of them, too.
    """
    found: set[Var] = set()

    def joins(*sides: Value) -> bool:
        return any(v in found for v in sides) or (constants and not _all_active(sides[0]))

    while True:
        before = len(found)
        for statement in statements(function.body):
            if isinstance(statement, Equation):
                if begins(statement) or any(v in found for v in uses(statement)):
                    found.update(filter(is_active, statement.targets))
                continue
            for merge in merges_of(statement):
                if joins(merge.then, merge.orelse) or joins(merge.orelse, merge.then):
                    found.add(merge.out)
            for entry in carried_of(statement):
                if joins(entry.init, entry.next):
                    found.update((entry.param, entry.out))
        if len(found) == before:
            return found


def _puts_constants(eq: Equation) -> bool:
    """Whether the result of an equation may have constants for some of its entries."""
    fn, args = eq.op.fn, eq.args
    if fn in WRITES:
        return not is_active(args[0]) or (fn is INDEX_SET and not is_active(args[2]))
    if picks(fn) or fn is np.pad:
        return True
    if chooses(fn):
        return not _all_active(*args[1 if fn is np.where else 0 :])
    parts = [list(leaves(arg)) for arg in args]  # of a shape, none has a tangent
    beside = any(any(map(is_active, row)) and not _all_active(*row) for row in parts)
    return rearranges(fn) and (beside or any(_is_constant(arg) for arg in args))


def _is_constant(value: Value) -> bool:
    """Whether a value is a number or array without a tangent, and no place or shape."""
    if isinstance(value, Const):
        return isinstance(value.value, float)
    return isinstance(value, Var) and not is_active(value) and value.type.dtype not in "ib"


def _all_active(*values: Value) -> bool:
    return all(map(is_active, values))


def without_left_out(
    context: Any, b: Any, eq: Equation, dots: tuple[Value | None, ...], steep: set[Var]
) -> tuple[Value | None, ...]:
    """The tangents of operands, with zeros for infinite ones that a function leaves out."""
    taken = [
        d if isinstance(v, Var) and v in steep else None
        for v, d in zip(eq.args, dots, strict=False)
    ]
    (target, *others) = eq.targets
    if not weighs(eq.op.fn) or others or not any(taken) or find_formula(eq.op.fn) is None:
        return dots
    b.fixed_origin = eq.origin

    def emit(fn: Any, *args: Value, type_: Any = None, **options: Value) -> Value:
        return b.emit(Op(fn), args, None, tuple(options.items()), type_)

    made = list(dots)
    for k, (arg, dot) in enumerate(zip(eq.args, taken, strict=True)):
        if dot is None or not isinstance(arg, Var):
            continue
        read = _chosen(emit, eq, arg)
        if read is None:
            ones: Value = Const(1.0)
            if not target.type.is_scalar:
                ones = emit(np.ones_like, target, type_=replace(target.type, active=False))
            mark = len(b.block)
            weights = expand(context, eq, (ones,), target, b.block, eq.origin)
            if isinstance(weights, FormulaPair) or weights[k] == Const(None):
                del b.block[mark:]
                continue
            read = emit(operator.ne, weights[k], Const(0))
        made[k] = emit(np.where, read, dot, Const(0.0))
    return tuple(made)


def _has_bounds(eq: Equation) -> bool:
    """Whether an equation is one of a function that is infinite, steep or nan somewhere."""
    fn, args = eq.op.fn, eq.args
    if fn in _DIVIDING:
        return _is_array(args[1])
    if fn in _POWERS and isinstance(args[1], Const):
        return not _is_flat_power(eq)
    return (fn in _REGULAR and fn not in _PRODUCTS) or is_unbounded(fn)


def _is_flat_power(eq: Equation) -> bool:
    """Whether an equation is a power without infinite slopes, but for infinite numbers."""
    exponent = eq.args[-1]
    return (
        eq.op.fn in _POWERS
        and isinstance(exponent, Const)
        and (exponent.value >= 1 and exponent.value % 1 == 0)
    )


def _is_mask(mask: Value, var: Var) -> bool:
    """Whether an index is a mask of all axes of an array."""
    if not isinstance(mask, Var) or mask.type.dtype != "b":
        return False
    return mask.type.ndim is not None and mask.type.ndim == var.type.ndim


def _pairs(args: Any, bars: Any) -> Iterator[tuple[Value, Value | None]]:
    """Each operand of a call, also those in a sequence, with its cotangent."""
    for arg, bar in zip(args, bars, strict=False):
        if isinstance(arg, Items) and isinstance(bar, Items):
            yield from zip(arg.items, bar.items, strict=False)
        elif bar != Const(None):
            yield arg, bar


def _is_array(value: Value) -> bool:
    return isinstance(value, Var) and value.type.is_number and not value.type.is_scalar


def keep_regular(
    pass_: Any, eq: Equation, z_bar: Value, mark: int, bars: tuple[Value, ...]
) -> tuple[Value, ...]:
    """Let the backward part of an equation compute with regular numbers where nothing is read.

    Args:
        pass_: the pass that emits.
        eq: the equation.
        z_bar: the cotangent of its result.
        mark: where its backward part begins in the block.
        bars: the cotangents of its operands.

    Returns:
        These; 0 where nothing is read, if it is not known which numbers are regular.
    """
    if eq.op.fn not in _REGULAR:
        return _without_unread(pass_, eq, z_bar, bars)
    block = pass_.block
    written = block[mark:]
    del block[mark:]
    own = dict.fromkeys(v for v in (*eq.args, *eq.targets) if _is_array(v))
    if eq.op.fn in _PRODUCTS:
        own = dict.fromkeys(v for v in own if v in pass_.unread.infinite)
    read = pass_.unread.read(pass_, eq, eq.targets[0])
    if read is None:
        read = pass_.emit(operator.ne, z_bar, Const(0), origin=eq.origin)
    used: dict[Value, Value] = {}
    made: list[Any] = []
    for statement in written:
        if isinstance(statement, Equation) and is_elementwise(statement.op.fn):
            for value in statement.args:
                if value in own and value not in used:
                    used[value] = _regular(pass_, eq, read, value)
            args = tuple(used.get(value, value) for value in statement.args)
            statement = replace(statement, args=args)
        made.append(statement)
    block.extend(made)
    return bars


def _without_unread(
    pass_: Any, eq: Equation, z_bar: Value, bars: tuple[Value, ...]
) -> tuple[Value, ...]:
    emit = functools.partial(pass_.emit, origin=eq.origin)
    read = pass_.unread.read(pass_, eq, eq.targets[0]) or emit(operator.ne, z_bar, Const(0))
    return tuple(
        emit(np.where, read, bar, Const(0.0)) if is_active(arg) and bar != Const(None) else bar
        for arg, bar in zip(eq.args, bars, strict=False)
    )


def _regular(pass_: Any, eq: Equation, read: Value, value: Any) -> Value:
    """An operand or the result of an equation, with a regular number in unread entries."""

    def emit(fn: Any, *args: Value) -> Value:
        return pass_.emit(fn, *args, origin=eq.origin)

    fn, is_result = eq.op.fn, value in eq.targets
    number = 1.0 if is_result else _REGULAR[fn]
    if is_result and fn in (np.sqrt, np.cbrt):
        real = fn is np.sqrt and value.type.dtype != "c"
        fine = emit(operator.gt if real else operator.ne, value, Const(0))
    elif is_result or fn not in _REGULAR_WHERE or _is_flat_power(eq):
        fine = emit(np.isfinite, value)
    else:
        size, compare, bound = _REGULAR_WHERE[fn]
        if compare is operator.ne and value in pass_.unread.infinite:  # and nan, then
            size, compare = True, operator.gt
        elif compare is operator.gt and value.type.dtype == "c":  # which have no order
            compare = operator.ne
        fine = emit(compare, emit(np.abs, value) if size else value, Const(bound))
    return emit(np.where, emit(operator.or_, read, fine), value, Const(number))
