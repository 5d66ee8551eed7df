"""The simplification passes, in the order in which they run."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.flow.counting import count_uses, defined
from srcgrad.analysis.memory.fresh import is_fresh
from srcgrad.analysis.memory.ownership import LIST_MAKERS
from srcgrad.analysis.memory.places import apart
from srcgrad.analysis.shapes.indices import is_plain
from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.models import note_model
from srcgrad.analysis.shapes.results import is_elementwise
from srcgrad.ir.metadata import Metadata
from srcgrad.ir.nodes import (
    INDEX_ADD,
    INDEX_SET,
    LIST_ITEM,
    LIST_NEW,
    LIST_REVERSED,
    LIST_WRITES,
    WRITES,
    Block,
    Carried,
    Compound,
    Const,
    Equation,
    If,
    Loop,
    Merge,
    Op,
    Slice,
    Value,
    Var,
    acts,
    equations,
    uses,
    variables,
)
from srcgrad.ir.types import OPTIONAL
from srcgrad.library.tables import is_in
from srcgrad.simplify.algebra import ARITHMETIC, Algebra
from srcgrad.simplify.calls import in_shape, simplify_call, with_axes
from srcgrad.simplify.fills import fill, measured
from srcgrad.simplify.inverses import with_known_inverses
from srcgrad.simplify.numbers import number
from srcgrad.simplify.shares import Zeros

_COMPARISONS = {
    *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge),
    *(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
}
_UNIQUE = {
    *WRITES,
    *LIST_WRITES,
    LIST_NEW,
    LIST_ITEM,
    LIST_REVERSED,
    list,
    *LIST_MAKERS,  # a list that is made is changed later: two of them are never one
    np.zeros_like,
    np.copy,
}


def simplify(
    block: Block,  # its statements
    results: list[Value],  # the values it is wanted for
    lengths: Lengths,  # the lengths that have names
    # named variables of the forward part whose metadata may be read instead of that of a nameless
    # value of the same shape
    forward: list[Var],
    # nameless variables of the forward part that may as well be computed again, with their
    # equations
    light: dict[Var, Equation],
    primal: dict[Var, Equation],  # the arithmetic of the forward part
    uniform: bool,  # whether all cotangents have one precision
    check: Callable[..., None],  # called with what each pass has made
    double: bool = False,  # whether that is double precision, of arrays of NumPy's
    fast: bool = False,  # whether it is text for speed
    # the systems of the forward part that nothing but the block needs
    solved: Mapping[Var, Equation] | None = None,
    # values of the forward part that it has computed before, and what these are
    repeated: Mapping[Var, Value] | None = None,
    exact: set[Var] | None = None,  # it is added to: the variables whose arithmetic stays as it is
    seeds: Iterable[Var] = (),  # the cotangents that the block is given
) -> tuple[Block, list[Value]]:
    """Simplify a backward block."""
    for last in (False, True):  # which is looked at: each pass has run on what all of them made
        live = {v for r in results for v in variables(r)}
        block = remove_dead(block, live)
        if last:
            block = remove_dead(with_known_inverses(block, solved or {}), live)
            check("dead code elimination", block=block, results=results, simplified=True)
        algebra = Algebra(lengths, light, count_uses(block, results), primal, double, fast)
        compared = _compared([*light.values(), *equations(block)])
        rewriter = _Rewriter(algebra, forward, defined(block), measured(block), compared, uniform)
        rewriter.known.update(repeated or {})
        rewriter.given.update(seeds)
        block = rewriter.block(block)
        results = [rewriter.value(r) for r in results]
        if last or rewriter.alone:
            check("algebra", block=block, results=results, once=rewriter.alone)
    block = remove_dead(fill(block), {v for r in results for v in variables(r)})
    check("dead code elimination", block=block, results=results, simplified=True)
    if exact is not None:
        exact |= _compared([*light.values(), *equations(block)])
    return block, results


def _compared(computed: list[Equation]) -> set[Var]:
    """The variables that comparisons read, and those that these are computed of.

    They keep the arithmetic that they have: rounded otherwise, what was equal is so no more.
    What is compared with 0 keeps its sign under any of it.
    """
    found: set[Var] = set()
    for eq in reversed(computed):
        compares = is_in(eq.op.fn, _COMPARISONS) and Const(0) not in eq.args
        if compares or (found and eq.op.fn in ARITHMETIC and eq.targets[0] in found):
            found.update(v for v in uses(eq) if v.type.dtype in ("f", "c"))
    return found


def remove_dead(block: Block, live: set[Var]) -> Block:
    """Remove what is not needed for the live variables."""
    return _remove_dead(block, set(live))[0]


def _remove_dead(block: Block, live: set[Var]) -> tuple[Block, set[Var]]:
    kept: list[Any] = []
    for statement in reversed(block):
        if isinstance(statement, Equation):
            if not live.isdisjoint(statement.targets) or acts(statement.op):
                live.update(uses(statement))
                kept.append(statement)
        elif isinstance(statement, If):
            merges = tuple(m for m in statement.merges if m.out in live)
            if not merges and not _acts(statement):
                continue
            wanted = live | {v for m in merges for x in (m.then, m.orelse) for v in variables(x)}
            then, a = _remove_dead(statement.then, set(wanted))
            orelse, c = _remove_dead(statement.orelse, set(wanted))
            live |= a | c | set(variables(statement.test))
            kept.append(replace(statement, then=then, orelse=orelse, merges=merges))
        else:
            kept_loop, live = _remove_dead_loop(statement, live)
            if kept_loop is not None:
                kept.append(kept_loop)
    return tuple(reversed(kept)), live


def _remove_dead_loop(node: Loop, live: set[Var]) -> tuple[Loop | None, set[Var]]:
    wanted = {c for c in node.carried if c.out in live}
    if not wanted and not _acts(node):
        return None, live
    while True:
        ends = {v for c in wanted for v in variables(c.next)}
        body, inside = _remove_dead(node.body, ends | live)
        more = {c for c in node.carried if c in wanted or c.param in inside}
        if len(more) == len(wanted):
            break
        wanted = more
    carried = tuple(c for c in node.carried if c in wanted)
    live = inside | {v for c in carried for v in variables(c.init)}
    return replace(node, carried=carried, body=body), live


def _acts(node: If | Loop) -> bool:
    """Whether a branch or a loop holds what is needed for more than what it gives."""
    return any(acts(eq.op) for eq in equations((node,)))


class _Rewriter:
    """Applies the algebra and shares common subexpressions, from first to last."""

    def __init__(
        self,
        algebra: Algebra,
        forward: list[Var],
        mine: set[Var],
        exact: set[Var],
        compared: set[Var],
        uniform: bool,
    ) -> None:
        self.algebra = algebra
        self.lengths = algebra.lengths
        self.mine = mine
        self.exact = exact  # shapes that are read of their own array, not of one of the same shape
        self.compared = compared
        self.uniform = uniform
        self.regions = 0
        self.forward = sorted(forward, key=lambda v: v.name)
        self.known: dict[Var, Value] = {}
        self.zeros = Zeros(algebra)
        self.given: set[Var] = set()
        self.alone: set[Var] = set()  # versions of arrays over which writes were moved
        self.seen: list[dict[Any, tuple[Var, ...]]] = [{}]

    def value(self, value: Value) -> Value:
        """Return a value in terms of the rewritten variables."""
        while isinstance(value, Var):
            known = self.known.get(value)
            if known is None:
                return value
            value = known
        if isinstance(value, Const):
            return value
        if isinstance(value, Compound):
            return value.like(self.value(v) for v in value.items)
        if isinstance(value, Slice):
            return Slice(self.value(value.lower), self.value(value.upper), self.value(value.step))
        return value

    def block(self, block: Block) -> Block:
        out: list[Any] = []
        for statement in block:
            if isinstance(statement, Equation):
                self.equation(statement, out)
            elif isinstance(statement, If):
                test = self.value(statement.test)
                then = self.scoped(statement.then)
                orelse = self.scoped(statement.orelse)
                merges = self.merges(statement)
                if merges or _acts(statement):
                    made = replace(statement, test=test, then=then, orelse=orelse, merges=merges)
                    out.append(made)
            else:
                carried_on = []
                for c in statement.carried:
                    init = self.value(c.init)
                    if c.next is c.param and self.keeps(init):
                        self.known[c.param] = self.known[c.out] = init
                        self.algebra.read_as_well(init, (c.param, c.out), fewer=2)
                    else:
                        carried_on.append((c, init))
                body = self.scoped(statement.body)
                carried = tuple(
                    Carried(c.param, init, self.value(c.next), c.out) for c, init in carried_on
                )
                out.append(replace(statement, carried=carried, body=body))
        return tuple(out)

    def keeps(self, value: Value) -> bool:
        """Whether a value is the same inside of a loop; a name of the user's may be rebound."""
        return number(value) is not None or value in self.mine or value in self.given

    def scoped(self, block: Block) -> Block:
        self.seen.append({})
        outer, self.algebra.home = self.algebra.home, self.regions + 1
        self.regions += 1
        made = self.block(block)
        self.algebra.home = outer
        self.seen.pop()
        return made

    def merges(self, node: If) -> tuple[Merge, ...]:
        out = []
        for m in node.merges:
            then, orelse = self.value(m.then), self.value(m.orelse)
            if then == orelse:
                self.known[m.out] = then
                self.algebra.read_as_well(then, [m.out], fewer=1 + (m.then is m.orelse))
            else:
                out.append(Merge(m.out, then, orelse))
        return tuple(out)

    def equation(self, eq: Equation, out: list[Any]) -> None:
        args: tuple[Any, ...] = tuple(map(self.value, eq.args))
        options = tuple([(k, self.value(v)) for k, v in eq.options])
        if isinstance(eq.op.fn, Metadata) and isinstance(args[0], Var):
            if self.exact.isdisjoint(eq.targets):
                args = (self.representative(args[0], eq.op.name),)
        if eq.op.fn is np.zeros_like and isinstance(args[0], Var) and not options and self.uniform:
            args = (self.representative(args[0], "zeros"),)
        if eq.op.fn is operator.pos and self.is_certainly_number(args[0], eq.targets[0]):
            self.known[eq.targets[0]] = args[0]
            return
        if eq.op.fn is INDEX_ADD and self.is_zero_at(args[0], args[1], out):
            eq = Equation(eq.targets, Op(INDEX_SET), args, options, eq.origin, eq.payload)
        if eq.op.fn is INDEX_SET:
            args = (self.before_write(args[0], args[1], out), *args[1:])
        if eq.op.fn is INDEX_ADD:
            eq, args = self.with_earlier(eq, args, out)
        self.algebra.origin = eq.origin
        self.algebra.made = []
        self.algebra.spare = not eq.targets or self.algebra.once(eq.targets[0])
        if len(eq.targets) == 1 and type(eq.op.fn).__hash__ is not None:
            simple = None
            if eq.op.fn in ARITHMETIC and eq.targets[0] in self.compared:
                self.shared(Equation(eq.targets, eq.op, args, options, eq.origin, eq.payload), out)
                return
            if not options:
                simple = self.algebra.apply(eq.op.fn, args)
            elif len(options) == 1 and options[0][0] == "shape":
                simple = in_shape(self.algebra, eq.op.fn, args[0], options[0][1])
            elif eq.op.fn is np.expand_dims:
                simple = with_axes(self.algebra, args[0], options[0][1])
            if eq.targets[0].type.is_immutable and isinstance(simple, Var):
                if not simple.type.is_immutable:  # an array without dimensions may be written
                    simple = None
            if simple is not None:
                for made in self.algebra.made:
                    self.shared(made, out)
                simple = self.value(simple)
                self.rename(eq.targets[0], simple)
                self.algebra.stands_for(simple, eq.targets[0])
                self.known[eq.targets[0]] = simple
                return
        new = Equation(eq.targets, eq.op, args, options, eq.origin, eq.payload)
        self.algebra.made = []
        better = simplify_call(self.algebra, new)
        for made in self.algebra.made:
            self.shared(made, out)
        if better is not None:
            if better.op.fn in (operator.neg, operator.mul, operator.truediv):
                self.equation(better, out)
            else:
                self.shared(better, out)
            return
        self.shared(new, out)

    def is_zero_at(self, array: Value, index: Value, out: list[Any]) -> bool:
        """Whether an array was made of zeros here and has not been written at an index."""
        if not isinstance(array, Var):
            return False
        source = self.algebra.computed.get(array)
        if source is None or source not in out:
            return False
        if source.op.fn is np.zeros_like:
            return True
        if source.op.fn is INDEX_SET and source.args[1:] == (index, Const(0.0)):
            return True
        if source.op.fn not in (INDEX_SET, INDEX_ADD) or not apart(source.args[1], index):
            return False
        return self.is_zero_at(source.args[0], index, out)

    def before_write(self, array: Value, index: Value, out: list[Any]) -> Value:
        """An array before a write at an index that is written again, and was not read."""
        source = self.algebra.computed.get(array) if isinstance(array, Var) else None
        if source is None or source not in out or not self.algebra.once(array):
            return array
        same = source.op.fn is INDEX_SET and source.args[1] == index
        if same and isinstance(array, Var):
            self.alone.add(array)
        return source.args[0] if same else array

    def with_earlier(
        self, eq: Equation, args: tuple[Any, ...], out: list[Any]
    ) -> tuple[Equation, tuple[Any, ...]]:
        """An addition to a part of an array, with what was written there before and not read."""
        array, index, value = args
        version, between = array, []
        while isinstance(version, Var) and self.algebra.once(version) and is_plain(index):
            earlier = self.algebra.computed.get(version)
            if earlier is None or earlier not in out or earlier.op.fn not in (INDEX_SET, INDEX_ADD):
                break
            if earlier.args[1] == index:
                if earlier.op.fn is INDEX_SET and not all(apart(w.args[1], index) for w in between):
                    break
                if not self.lasts(earlier.args[2]):
                    break
                out.remove(earlier)
                self.alone.update(t for write in (earlier, *between) for t in write.targets)
                if between:
                    self.rewritten(between[-1], earlier.args[0], out)
                else:
                    array = earlier.args[0]
                self.algebra.origin, self.algebra.made = eq.origin, []
                total = self.sum_of(earlier.args[2], value, earlier.op.fn is INDEX_ADD)
                for made in self.algebra.made:
                    self.shared(made, out)
                args = (array, index, self.value(total))
                return Equation(eq.targets, earlier.op, args, eq.options, eq.origin), args
            if earlier.op.fn is INDEX_SET and not apart(earlier.args[1], index):
                break
            between.append(earlier)
            version = earlier.args[0]
        return eq, args

    def is_certainly_number(self, number: Value, taken: Var) -> bool:
        """Whether what is taken as a number is certainly not an array without dimensions."""
        if not taken.type.is_immutable:
            return False
        if not isinstance(number, Var) or number.type.is_immutable:
            return True
        made = self.algebra.computed.get(number)
        return made is not None and is_elementwise(made.op.fn)

    def lasts(self, value: Value) -> bool:
        """Whether no write into an array can change a value that was computed before it."""
        if not isinstance(value, Var) or value.type.is_immutable:
            return True
        made = self.algebra.computed.get(value)
        return made is not None and is_fresh(made)

    def sum_of(self, a: Value, b: Value, subtracted: bool) -> Value:
        """The sum of two values, where both have a minus sign as one value that has it."""
        first = self.algebra.opposite(a) if subtracted else None
        second = self.algebra.opposite(b) if first is not None else None
        if first is None or second is None:
            return self.algebra.make(operator.add, a, b)
        return self.algebra.make(operator.neg, self.algebra.make(operator.add, first, second))

    def rewritten(self, write: Equation, array: Value, out: list[Any]) -> None:
        """Let a write go into another version of its array."""
        args = (array, *write.args[1:])
        new = Equation(write.targets, write.op, args, write.options, write.origin, write.payload)
        out[out.index(write)] = new
        self.algebra.computed[write.targets[0]] = new

    def shared(self, eq: Equation, out: list[Any]) -> None:
        """Append an equation unless an equal one is there already."""
        args = tuple(map(self.value, eq.args))
        if args != eq.args:
            eq = replace(eq, args=args)
        rest = self.zeros.without(eq)
        if rest is not None:
            self.rename(eq.targets[0], rest)
            self.known[eq.targets[0]] = rest
            return
        self.zeros.note(eq)
        changeable = "list" in [t.type.kind for t in eq.targets]  # maybe later
        key = None if changeable else self.key(eq)
        if key is not None:
            for table in reversed(self.seen):
                if key in table:
                    for target, old in zip(eq.targets, table[key], strict=True):
                        self.rename(target, old)
                        self.known[target] = old
                        self.algebra.read_as_well(old, [target])
                    return
            self.seen[-1][key] = eq.targets
        out.append(eq)
        if eq.targets:
            note_model(self.lengths, eq)
        for target in eq.targets:
            self.algebra.computed[target] = eq
            self.algebra.homes[target] = self.algebra.home

    def key(self, eq: Equation) -> Any:
        fn = eq.op.fn
        if acts(eq.op) or is_in(fn, _UNIQUE):
            return None
        if isinstance(fn, Metadata) or (fn is np.transpose and len(eq.args) == 1):
            return None  # shorter where it is read than a name for it
        try:
            key = (fn, eq.op.style, eq.op.name, eq.args, eq.options)
            hash(key)
        except TypeError:
            return None
        return key

    def representative(self, var: Var, name: str) -> Var:
        """A variable whose metadata, or zeros, are the same and that has a name anyway."""
        if name not in ("shape", "size", "ndim", "zeros") or var in self.forward:
            return var
        if name == "zeros" and var in self.mine:
            return var
        for other in self.forward:
            kinds = other.type.kind, other.type.dtype
            if name == "zeros" and kinds != ("array", var.type.dtype):
                continue
            if self.lengths.alike(other, var) and other.type.element is not OPTIONAL:
                return other  # None has no shape
        return var

    def rename(self, target: Var, value: Value) -> None:
        """Let a value take over the name of the variable that it replaces."""
        if isinstance(value, Var) and target.named and not value.named:
            if value in self.algebra.computed:
                value.name = target.name
                value.named = True
        elif isinstance(value, Var) and not value.named and value in self.algebra.computed:
            if telling(target.name) and not telling(value.name):
                value.name = target.name


def telling(name: str) -> bool:
    """Whether a name says which cotangent or tangent it belongs to."""
    return name.endswith(("_bar", "_dot", "_term"))
