"""Cotangents of lists, tuples and dicts: handed on as they are, where they need not be taken apart.

A backward function gives the cotangent of such an argument in the argument's structure. What
calls it returns that, appends it to a list, reads an entry, or takes it apart.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from srcgrad.analysis.flow.counting import count_uses
from srcgrad.ir.blocks import exchanged
from srcgrad.ir.forms import Form, Skeleton, dict_form
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import (
    LIST_APPEND,
    LIST_NEW,
    LIST_POP,
    LIST_REVERSED,
    Block,
    Compound,
    Const,
    Equation,
    Items,
    Loop,
    Op,
    Part,
    Struct,
    Value,
    Var,
    equations,
)
from srcgrad.ir.structures import name_for
from srcgrad.ir.types import Type
from srcgrad.transform.parts import PairBackward

_SEQUENCES = (list, tuple)


def slots_of(backward: Any, pair: Any) -> list[tuple[Skeleton, str]]:
    """What a backward function gives: structures of cotangents, with the parameters they are of.

    Of a dict, the entries that have cotangents. A list or tuple is taken apart where a part of
    it has none, and so is what holds one number or array only, or an object.
    """
    given = set(backward.cotangents(pair))
    return [
        (slot, name)
        for k, (name, value) in enumerate(pair.function.params)
        for slot in _spliced(
            _slot(value, iter([(k, j) in given for j in range(len(leaves(value)))]))
        )
    ]


class _Slot(Skeleton):
    """A structure; ``whole`` is whether there is a cotangent of all of it that has one."""

    whole = True


def _slot(value: Value, given: Iterator[bool]) -> _Slot:
    """The structure of an argument, with the parts that have a cotangent."""
    if not isinstance(value, Compound):
        made = _Slot(None, live=next(given))
        made.whole = made.live or not (isinstance(value, Var) and value.type.active)
        return made
    parts = [_slot(part, given) for part in value.items]
    form: Any = value.form if isinstance(value, Struct) else list if value.is_list else tuple
    if type(form) is Form:
        rows = [(n, p) for n, p in zip(form.names, parts, strict=True) if any(p.live_leaves())]
        return _Slot(dict_form([n for n, _ in rows]), [p for _, p in rows])
    made = _Slot(form, parts)
    made.whole = form in _SEQUENCES and all(part.whole for part in parts)
    return made


def _spliced(slot: Any) -> list[Skeleton]:
    if slot.form is None:
        return [slot] if slot.live else []
    if slot.whole and sum(slot.live_leaves()) > 1 and _is_plain(slot):
        return [slot]
    return [one for part in slot.parts for one in _spliced(part)]


def _is_plain(slot: Skeleton) -> bool:
    """Whether a structure is one of lists, tuples and dicts."""
    known = slot.form in (None, *_SEQUENCES) or type(slot.form) is Form
    return known and all(map(_is_plain, slot.parts))


@dataclass(eq=False)
class _Tree:
    """What a call gives: a structure of variables."""

    slot: Skeleton  # the structure
    parts: list[_Tree]  # the trees of its parts
    leaves: tuple[Var, ...]  # the variables in it
    name: str  # what it is called
    whole: Var | None = None  # the variable that stands for all of it, where it is not taken apart


def _tree(slot: Skeleton, leaves: Iterator[Var], name: str) -> _Tree:
    if slot.form is None:
        return _Tree(slot, [], (next(leaves),) if slot.live else (), name)
    parts = [_tree(part, leaves, label) for part, label in _labelled(slot, name)]
    return _Tree(slot, parts, tuple(v for part in parts for v in part.leaves), name)


def _labelled(slot: Skeleton, name: str) -> Iterator[tuple[Skeleton, str]]:
    """The parts of a structure, each with what it is called."""
    for k, part in enumerate(slot.parts):
        key = slot.form.names[k] if isinstance(slot.form, Form) else k
        yield part, name_for(key, name) if isinstance(key, str) else f"{name}_{k}"


def with_wholes(
    block: Block, results: list[Value], slots: list[tuple[Skeleton, str]], lists: bool
) -> Handed:
    """Let cotangents of lists, tuples and dicts be handed on as they are.

    Args:
        block: the backward part.
        results: what it gives, leaf by leaf.
        slots: the structures of these leaves, and what they are called.
        lists: whether a list that is returned may be one of any length.
    """
    return _Wholes(block, results).run(slots, lists)


@dataclass(frozen=True, eq=False)
class Handed:
    """A backward part that hands on structures."""

    block: Block  # its statements
    results: list[Value]  # what it gives
    slots: list[Skeleton]  # the structure of that
    lists: bool  # whether there is a list of any length in it


class _Wholes:
    def __init__(self, block: Block, results: list[Value]) -> None:
        self.block, self.before, self.left = block, results, list(results)
        self.trees: dict[Equation, list[_Tree]] = {}
        self.found: dict[tuple[Value, ...], _Tree] = {}
        self.results: list[Value] = []
        self.elements: dict[Equation, Skeleton] = {}  # of the lists that are given as they are
        takes = (e for e in block if isinstance(e, Equation) and e.op.fn is LIST_POP)
        self.pops: dict[Any, Equation] = {e.targets[1:]: e for e in takes if len(e.args) == 1}
        self.new: dict[Equation, list[Equation]] = {}
        for eq in equations(block):
            if isinstance(eq.op.fn, PairBackward):
                self.note(eq)

    @functools.cached_property
    def counts(self) -> dict[Var, int]:
        """How often each variable is read."""
        return count_uses(self.block, self.before)

    def note(self, eq: Equation) -> None:
        """Note what structures a call gives."""
        fn, targets = eq.op.fn, iter(eq.targets)
        slots = slots_of(fn.pair.patterns[fn.pattern], fn.pair)
        self.trees[eq] = [_tree(slot, targets, name) for slot, name in slots]
        pending = list(self.trees[eq])
        while pending:
            tree = pending.pop()
            if tree.slot.form is not None and len(tree.leaves) > 1:
                self.found.setdefault(tree.leaves, tree)
            pending += tree.parts

    def run(self, slots: list[tuple[Skeleton, str]], lists: bool) -> Handed:
        made = [self.result(slot, name, lists) for slot, name in slots]
        found = bool(self.new)
        for eq in equations(self.block):
            if eq.op.fn is LIST_APPEND:
                self.appended(eq)
        for eq, trees in self.trees.items():
            if any(tree.slot.form is not None for tree in trees):
                self.new[eq] = self.taken_apart(eq, trees)
        return Handed(exchanged(self.block, self.new), self.results, made, found)

    def result(self, slot: Skeleton, name: str, lists: bool) -> Skeleton:
        """Return a structure of results, in which those are leaves that are there as they are."""
        leaves = self.left[: sum(slot.live_leaves())]
        whole = self.whole(slot, tuple(leaves), name)
        if whole is not None:
            return self.given(whole, len(leaves))
        if slot.form is None:
            return self.given(leaves[0], 1) if slot.live else slot
        parts: list[Skeleton] = []
        rows = list(_labelled(slot, name))
        while rows:
            found = (
                self.collected([part for part, _ in rows]) if lists and slot.form is list else None
            )
            if found is None:
                parts.append(self.result(*rows.pop(0), lists))
                continue
            whole, count, width = found
            made = self.given(whole, width)
            if count == len(slot.parts):
                return made
            parts.append(_Starred(None))
            del rows[:count]
        return Skeleton(slot.form, parts, slot.live)

    def given(self, value: Value, count: int) -> Skeleton:
        """Give a value as a result, in the place of some leaves."""
        self.results.append(value)
        del self.left[:count]
        return Skeleton(None)

    def whole(self, slot: Skeleton, leaves: tuple[Value, ...], name: str) -> Var | None:
        """The variable for what a call gives, where it is handed on as these leaves."""
        tree = self.found.get(leaves)
        if tree is None or tree.whole is not None or not _alike(tree.slot, slot):
            return None
        if any(self.counts[leaf] != 1 for leaf in tree.leaves):
            return None
        tree.whole = Var(f"{name}_bar", Type("opaque"), bool(name))
        return tree.whole

    def appended(self, eq: Equation) -> None:
        """Append an element to a list in its structure, and as a call gives it, if one does."""
        leaves = eq.args[1:]
        slot = self.elements.get(eq)
        if slot is None and leaves not in self.found:
            return
        slot = slot or Skeleton(tuple, [Skeleton(None)] * len(leaves))
        value = self.element(slot, iter(leaves), "")
        if isinstance(value, Var) or eq in self.elements:
            self.new[eq] = [replace(eq, args=(eq.args[0], value), payload=(Type("opaque"),))]

    def element(self, slot: Skeleton, leaves: Iterator[Value], name: str) -> Value:
        """A value of a structure of leaves."""
        if slot.form is None:
            return next(leaves) if slot.live else Const(None)
        mine = tuple(itertools.islice(leaves, sum(slot.live_leaves())))
        tree = self.found.get(mine)
        whole = self.whole(slot, mine, name or (tree.name if tree is not None else ""))
        if whole is not None:
            return whole
        rest = iter(mine)
        parts = tuple(self.element(part, rest, label) for part, label in _labelled(slot, name))
        if isinstance(slot.form, Form):
            return Struct(slot.form, parts)
        return Items(parts, slot.form is list)

    def collected(self, slots: list[Skeleton]) -> tuple[Var, int, int] | None:
        """The list of cotangents that the next results were only taken out of, from its end on.

        Returns:
            The list, of how many of the structures it is, and of how many leaves.
        """
        width = sum(slots[0].live_leaves())
        alike = list(itertools.takewhile(lambda slot: _alike(slot, slots[0]), slots))
        rows = [tuple(self.left[k * width : (k + 1) * width]) for k in range(len(alike))]
        chain = list(itertools.takewhile(lambda eq: eq is not None, map(self.pops.get, rows)))
        takes: list[Equation] = chain  # type: ignore[assignment]
        while takes and not self.is_chain(takes):
            takes = takes[:-1]
        if not takes or not all(all(slot.live_leaves()) for slot in slots[len(takes) :]):
            return None  # of what nobody takes, the list may have a cotangent, too
        first = takes[0]
        of: Any = first.args[0]
        if slots[0].form is not None and not _is_row(slots[0]):
            append = self.append_of(of)
            if append is None:
                return None
            self.elements[append] = slots[0]
        whole = Var(of.name, of.type)
        self.new.update((eq, []) for eq in takes)
        self.new[first] = [Equation((whole,), Op(LIST_REVERSED), first.args, (), first.origin)]
        return whole, len(takes), len(takes) * width

    def append_of(self, made: Var) -> Equation | None:
        """The one equation that appends to a list that a loop makes."""
        new = {e.targets[0] for e in equations(self.block) if e.op.fn is LIST_NEW and not e.args}
        for loop in (each for each in self.block if isinstance(each, Loop)):
            for c in loop.carried:
                if c.out is not made or c.init not in new or self.counts[c.param] != 1:
                    continue
                for eq in equations(loop.body):
                    if (
                        eq.op.fn is LIST_APPEND
                        and eq.args[0] is c.param
                        and eq.targets == (c.next,)
                    ):
                        return eq
        return None

    def is_chain(self, takes: list[Equation]) -> bool:
        """Whether a list is taken apart by these, one behind the other, and nothing reads it."""
        rests = [eq.targets[0] for eq in takes]
        linked = all(eq.args[0] is rest for eq, rest in zip(takes[1:], rests, strict=False))
        alone = all(self.counts.get(v, 0) == 1 for eq in takes for v in eq.targets[1:])
        return (
            linked and alone and all(self.counts.get(r, 0) == (r is not rests[-1]) for r in rests)
        )

    def taken_apart(self, eq: Equation, trees: list[_Tree]) -> list[Equation]:
        """A call that gives structures, and what reads the parts of dicts."""
        targets: list[Var] = []
        sizes: list[int] = []
        reads: list[Equation] = []

        def read(tree: _Tree, base: Var, path: tuple[Any, ...]) -> None:
            if tree.whole is not None or tree.slot.form is None:
                found = tree.leaves if tree.whole is None else (tree.whole,)
                read_here = (v for v in found if self.counts.get(v, 1))
                op = Op(Part(path))
                reads.extend(Equation((v,), op, (base,), (), eq.origin) for v in read_here)
                return
            for k, part in enumerate(tree.parts):
                key = tree.slot.form.names[k] if isinstance(tree.slot.form, Form) else k
                read(part, base, (*path, key))

        def target(tree: _Tree) -> Any:
            if tree.whole is None and tree.slot.form in _SEQUENCES:
                return tuple(map(target, tree.parts))
            var = tree.whole
            if tree.slot.form is None:
                var = tree.leaves[0] if tree.leaves else Var("_", Type("opaque"))
            elif var is None:
                var = Var(f"{tree.name}_bar", Type("opaque"), True)
                read(tree, var, ())
            targets.append(var)
            sizes.append(len(tree.leaves))
            return var

        template = tuple(map(target, trees)) if len(trees) > 1 else target(trees[0])
        op = Op(replace(eq.op.fn, template=template, sizes=tuple(sizes)))
        return [replace(eq, targets=tuple(targets), op=op), *reads]


def _alike(a: Skeleton, b: Skeleton) -> bool:
    """Whether two structures are the same."""
    if a.form != b.form or a.live != b.live or len(a.parts) != len(b.parts):
        return False
    return all(map(_alike, a.parts, b.parts))


def _is_row(slot: Skeleton) -> bool:
    """Whether a structure is a tuple of leaves, as lists of cotangents hold them anyway."""
    return slot.form is tuple and all(part.form is None and part.live for part in slot.parts)


class _Starred(Skeleton):
    """Several elements of a list, which are one value."""

    def text(self, leaves: Iterator[str], namer: Any) -> str:
        return f"*{next(leaves)}"
