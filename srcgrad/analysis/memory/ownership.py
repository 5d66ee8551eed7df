"""Aliasing: which in-place writes are seen by nobody but the next version of the array.

Each variable is traced to the allocations (roots) that its memory may belong to.
A write into an array is harmless when the array was made by this code, and no
variable that is still needed afterwards may share its memory.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.memory.fresh import is_fresh
from srcgrad.effects import may_be_locked, shared_by
from srcgrad.ir.blocks import with_equations
from srcgrad.ir.leaves import is_target, leaves
from srcgrad.ir.nodes import (
    FINAL,
    INTERCEPT,
    INTERCEPTED,
    LIST_APPEND,
    LIST_INSERT,
    LIST_ITEM,
    LIST_NEW,
    LIST_POP,
    LIST_REVERSED,
    LIST_SET,
    LIST_TAKE,
    OPAQUE,
    PAIR,
    PERTURB,
    READ,
    WRITES,
    Block,
    Const,
    Equation,
    Function,
    If,
    MemoryNote,
    Op,
    Part,
    Value,
    Var,
    variables,
)
from srcgrad.ir.types import flat_types
from srcgrad.runtime import (
    add_lists,
    list_along,
    list_like,
    spread_over,
    zeros_in,
    zeros_of_active,
)

_WITHOUT_MEMORY = ("scalar", "shape", "slice")  # kinds of what nothing can be written into
_ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.truediv, operator.pow)
LIST_MAKERS = (add_lists, list_along, list_like, spread_over, zeros_in, zeros_of_active)
ZERO_MAKERS = (zeros_in, zeros_of_active)  # each element is an array of its own
Roots = frozenset[Any]
NOTHING: Roots = frozenset()
HIDDEN = ("hidden", None)  # arrays that are reached in ways that are not known


def trace(block: Block, loose: bool = False) -> dict[Var, Roots]:
    """Return the allocations that each variable of a block may share memory with.

    Args:
        block: the statements.
        loose: whether the block is to be simplified yet, so that what an operation
            gives may turn out to be one of its operands.
    """
    roots: dict[Var, Roots] = {}
    if loose:
        block = _with_shortcuts(block, set())
    before: dict[Var, Roots] | None = None
    while _trace(block, roots) and roots != before:  # what a loop hands to its next iteration
        before = dict(roots)
    return roots


def roots_in(function: Function) -> dict[Var, Roots]:
    """Return the allocations that each variable of a function may share memory with.

    All that it calls has been lowered, too.
    """
    if function.memory is None:
        function.memory = trace(function.body)
    return function.memory


def roots_of(value: Value, roots: dict[Var, Roots]) -> Roots:
    """The allocations that a value may share memory with, given those of variables."""
    found = NOTHING
    for var in variables(value):
        if var.type.kind not in _WITHOUT_MEMORY:
            found |= roots.get(var, frozenset([("external", var)]))
    return found


def _trace(block: Block, roots: dict[Var, Roots]) -> bool:
    """Add what each variable may share memory with; return whether there are loops."""
    loops = False
    for statement in block:
        if isinstance(statement, Equation):
            for target in statement.targets:
                roots[target] = roots.get(target, frozenset()) | equation_roots(
                    statement, target, roots
                )
        elif isinstance(statement, If):
            loops |= _trace(statement.then, roots)
            loops |= _trace(statement.orelse, roots)
            for m in statement.merges:
                roots[m.out] = roots_of(m.then, roots) | roots_of(m.orelse, roots)
        else:
            loops = True
            for c in statement.carried:
                roots[c.param] = roots.get(c.param, frozenset()) | roots_of(c.init, roots)
            _trace(statement.body, roots)
            for c in statement.carried:
                roots[c.param] |= roots_of(c.next, roots)
                roots[c.out] = roots[c.param]
    return loops


def _result_of_call(eq: Equation, target: Var, roots: dict[Var, Roots]) -> Roots:
    """What a result of a called function shares memory with, by looking into that function."""
    own = frozenset([("list" if target.type.kind == "list" else "array", target)])
    function = eq.payload.pair.function
    if function is None:
        return own.union(*(roots_of(a, roots) for a in eq.args))
    inner = eq.payload.pair.roots
    if inner is None:
        eq.payload.pair.roots = {}  # a recursive call sees nothing more of itself
        inner = eq.payload.pair.roots = trace(function.body)
    owner: dict[Var, Value] = {}
    for (_, inside), given in zip(function.params, eq.args, strict=True):
        parts, outside = leaves(inside), leaves(given)
        for j, part in enumerate(parts):  # of an object, the part that it is
            whole = given if len(parts) != len(outside) else outside[j]
            owner |= dict.fromkeys(variables(part), whole)
    outputs = [roots_of(v, inner) for v in leaves(function.result) if is_target(v)]
    mine = eq.targets.index(target)
    others = frozenset().union(*(r for k, r in enumerate(outputs) if k != mine))
    found = own
    for root in outputs[mine]:
        first = origin(root)
        if first == HIDDEN:
            found |= frozenset([HIDDEN])
        elif first[0] != "external":  # made inside: seen where others have it, or a list holds it
            if root in others or (target.type.kind == "list" and root[0] != "list"):
                found |= frozenset([_made_by(eq.targets[0], root)])
        elif first[1] in owner:
            found |= roots_of(owner[first[1]], roots)
        else:
            found |= frozenset([first])
    return found


def _made_by(call: Var, root: Any) -> Any:
    """What stands, where a function is called, for an allocation inside of it."""
    if root[0] == "held":
        return ("held", _made_by(call, root[1]), root[2])
    return (root[0], call, root)


def _result_of_backward(eq: Equation, target: Var, roots: dict[Var, Roots]) -> Roots:
    """What a cotangent that a backward function gives shares memory with: at most its seeds."""
    own = frozenset([("array", target)])
    pair, backward = eq.op.fn.pair, eq.op.fn.pair.patterns[eq.op.fn.pattern]
    if backward.reversed is None:  # a recursive call
        return own.union(*(roots_of(a, roots) for a in eq.args[1:]))
    if backward.shared is None:
        backward.shared = [frozenset(range(len(backward.seeds)))] * len(backward.cotangents(pair))
        inner = trace(backward.reversed.block, loose=True)
        numbers = {("external", v): k for k, s in enumerate(backward.seeds) for v in variables(s)}
        backward.shared = []
        for position, path in backward.cotangents(pair):
            leaf = leaves(pair.function.params[position][1])[path]
            bar = backward.reversed.cotangents.get(leaf)
            found = frozenset() if bar is None else roots_of(bar, inner)
            backward.shared.append(frozenset(numbers[r] for r in found if r in numbers))
    place, sizes = eq.targets.index(target), eq.op.fn.sizes or [1] * len(eq.targets)
    first = sum(sizes[:place])
    shared = frozenset().union(*backward.shared[first : first + sizes[place]])
    return own.union(*(roots_of(eq.args[1 + k], roots) for k in shared))


def _one_of(*operands: Any) -> None:
    """Stands for arithmetic that may be simplified to one of its operands."""


def _with_shortcuts(block: Block, folding: set[Value]) -> Block:
    """Mark the arithmetic with numbers, which a factor of 1 or a term of 0 may come out of.

    Args:
        block: the statements.
        folding: the variables that may turn out to be constants.
    """

    def change(eq: Equation) -> Block:
        known = [isinstance(arg, Const) or arg in folding for arg in eq.args]
        if _folds(eq, known):
            folding.update(eq.targets)
        one = eq.op.fn in _ARITHMETIC and any(known)
        return (replace(eq, op=Op(_one_of)) if one else eq,)

    return with_equations(block, change)


def _folds(eq: Equation, known: list[bool]) -> bool:
    """Whether what an equation gives may turn out to be a constant, given which operands are."""
    if eq.op.fn not in _ARITHMETIC:
        return any(isinstance(arg, Const) for arg in eq.args)
    if all(known) or len(set(map(id, eq.args))) < len(eq.args):
        return True
    deciding = _MADE_ZERO.get(eq.op.fn, ())
    return any(known[k] and not _is_other_than_zero(eq.args[k]) for k in deciding)


# the operands each of which makes a constant of what comes out if it is 0
_MADE_ZERO = {operator.mul: (0, 1), operator.truediv: (0,), operator.pow: (1,)}


def _is_other_than_zero(value: Value) -> bool:
    return isinstance(value, Const) and type(value.value) in (int, float) and value.value != 0


_REMOVED = "removed"  # marks a list that is not in the other one any more
_DEEPEST = 3  # lists in lists in lists; what is deeper is not told apart


def _depth(root: Any) -> int:
    return 1 + _depth(root[1]) if root[0] == "held" else 0


def origin(root: Any) -> Any:
    """The list or the array itself, of what lists hold."""
    while root[0] == "held":
        root = root[1]
    return root


def lists_seen(mine: Roots, theirs: Roots) -> bool:
    """Whether a list that is changed is another one, or is held by it.

    Args:
        mine: what the first one may be. What was removed from a list is held by it no
            more.
        theirs: what the other one may be, and what it holds.
    """
    named = {list_itself(r) for r in theirs if r[0] == "list"}
    inside = {list_itself(origin(r)) for r in theirs if r[0] == "held"}
    changed = [r for r in mine if r[0] == "list"]
    return any(list_itself(r) in named or (r[-1] != _REMOVED and r in inside) for r in changed)


def list_itself(root: Any) -> Any:
    """The root of a list, wherever it was removed from."""
    return root[:-1] if root[-1] == _REMOVED else root


def _held(roots: Roots, place: tuple[int, int] | None = None) -> Roots:
    """What a list holds: arrays are shared with it, lists inside it are not the list itself."""
    return frozenset(
        ("held", r, place) if r[0] in ("list", "held") and _depth(r) < _DEEPEST else r
        for r in roots
    )


def _taken_out(roots: Roots, place: tuple[int, int]) -> Roots:
    """What a part of an element of a list shares memory with, given the list's roots."""
    found: set[Any] = set()
    for root in roots:
        if root[0] != "held":
            found |= set() if root[0] == "list" else {root}
            continue
        if root[2] is None or root[2][1] != place[1] or root[2] == place:
            found.add(root[1])
        if _depth(root) == _DEEPEST:
            found.add(root)
    return frozenset(found)


def _is_array(value: Value) -> bool:
    return isinstance(value, Var) and value.type.kind == "array"


def equation_roots(eq: Equation, target: Var, roots: dict[Var, Roots]) -> Roots:
    """The allocations that a result of an equation may share memory with."""
    fn = eq.op.fn
    if target.type.is_immutable:
        return frozenset()
    text = fn is OPAQUE or target.type.kind == "opaque"  # a sum of lists holds what they do
    plain = not text and (isinstance(fn, np.ufunc) or fn in _ARITHMETIC)  # as most are
    if plain and eq.payload is None and is_fresh(eq):
        return frozenset([("array", target)])
    if fn in ZERO_MAKERS and all(t.is_number for t in flat_types(target.type.element)):
        return frozenset([("list", target), ("array", target)])
    if fn in LIST_MAKERS and target.type.kind == "list":
        return frozenset([("list", target)]).union(*(_held(roots_of(a, roots)) for a in eq.args))
    if fn is LIST_NEW or fn is LIST_REVERSED or (fn is list and target.type.kind == "list"):
        found = frozenset([("list", target)])
        if fn is LIST_NEW:
            return found.union(*(_held(roots_of(a, roots)) for a in eq.args))
        return found | frozenset(r for r in roots_of(eq.args[0], roots) if r[0] != "list")
    if fn in WRITES or eq.payload == MemoryNote.IN_PLACE:
        found = roots_of(eq.args[0], roots)
        # of what may be a number, ``x += v`` makes an array, which the next one writes into
        unsure = fn not in WRITES and not _is_array(eq.args[0])
        return found | {("array", target)} if unsure else found
    if fn in (LIST_APPEND, LIST_SET, LIST_INSERT):
        own = roots_of(eq.args[0], roots)
        parts = eq.args[1:] if fn is LIST_APPEND else eq.args[2:]
        rows = enumerate(roots_of(a, roots) for a in parts)
        return own.union(*(_held(part, (k, len(parts))) for k, part in rows))
    if fn in (LIST_POP, LIST_TAKE) and target is eq.targets[0]:
        return roots_of(eq.args[0], roots)
    if fn in (LIST_POP, LIST_TAKE, LIST_ITEM):
        parts = eq.targets if fn is LIST_ITEM else eq.targets[1:]
        taken = _taken_out(roots_of(eq.args[0], roots), (parts.index(target), len(parts)))
        if fn is LIST_ITEM:
            return taken
        return frozenset((*list_itself(r), _REMOVED) if r[0] == "list" else r for r in taken)
    if fn in (INTERCEPT, PERTURB, READ):
        return roots_of(eq.args[0], roots)
    if fn in (INTERCEPTED, FINAL):  # whoever was given it may have kept it
        return frozenset([("external", target)]) | roots_of(eq.args[0], roots)
    if fn is PAIR:
        return _result_of_call(eq, target, roots)
    if hasattr(fn, "pair") and hasattr(fn, "pattern"):  # it hands on no residual as it is
        return _result_of_backward(eq, target, roots)
    if isinstance(fn, Part):  # nothing else reads that part
        return frozenset([("array", target)]) | roots_of(eq.args[0], roots) - {
            ("array", eq.args[0])
        }
    if (is_fresh(eq) and not text) or (fn is OPAQUE and eq.payload == MemoryNote.OWN):
        return frozenset([("array", target)])
    if may_be_locked(fn):
        return frozenset([("external", target)]) | roots_of(eq.args[0], roots)
    own = frozenset([("array", target)])
    if fn is OPAQUE and len(eq.targets) > 1:
        own |= {("array", eq.targets[0])}  # they may share memory with each other
    if fn is OPAQUE and eq.payload in (MemoryNote.HIDDEN, MemoryNote.KEPT):
        own |= {HIDDEN}
    options = dict(eq.options)
    seen = [*eq.args, *options.values()] if text else shared_by(fn, eq.args, options)
    return own.union(*(roots_of(value, roots) for value in seen))
