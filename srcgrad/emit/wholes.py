"""Cotangents of lists, tuples and dicts: handed on as they are, where they need not be taken apart.

A backward function gives the cotangent of such an argument in the argument's structure. What
calls it returns that, appends it to a list, reads an entry, or takes it apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from srcgrad.analysis.flow.counting import count_uses
from srcgrad.ir.blocks import with_blocks
from srcgrad.ir.forms import Form, Skeleton, dict_form
from srcgrad.ir.nodes import (
    LIST_APPEND,
    LIST_POP,
    LIST_REVERSED,
    Block,
    Compound,
    Equation,
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
        for slot in _spliced(_slot(value, iter([(k, j) in given for j in range(_count(value))])))
    ]


def _count(value: Value) -> int:
    return sum(map(_count, value.items)) if isinstance(value, Compound) else 1


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
    form = value.form if isinstance(value, Struct) else list if value.is_list else tuple
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
    """What a call gives: a structure of variables.

    Attributes:
        slot: the structure.
        parts: the trees of its parts.
        leaves: the variables in it.
        name: what it is called.
        whole: the variable that stands for all of it, where it is not taken apart.
    """

    slot: Skeleton
    parts: list[_Tree]
    leaves: tuple[Var, ...]
    name: str
    whole: Var | None = None


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
) -> tuple[Block, list[Value], list[Skeleton]]:
    """Let cotangents of lists, tuples and dicts be handed on as they are.

    Args:
        block: the backward part.
        results: what it gives, leaf by leaf.
        slots: the structures of these leaves, and what they are called.
        lists: whether a list that is returned may be one of any length.

    Returns:
        The block, what it gives, and the structure of that.
    """
    return _Wholes(block, results).run(slots, lists)


class _Wholes:
    def __init__(self, block: Block, results: list[Value]) -> None:
        self.block, self.left = block, list(results)
        self.counts = count_uses(block, results)
        self.trees: dict[Equation, list[_Tree]] = {}
        self.found: dict[tuple[Value, ...], _Tree] = {}
        self.results: list[Value] = []
        takes = (e for e in block if isinstance(e, Equation) and e.op.fn is LIST_POP)
        self.pops: dict[Any, Equation] = {e.targets[1:]: e for e in takes if len(e.args) == 1}
        self.new: dict[Equation, list[Equation]] = {}
        for eq in equations(block):
            if isinstance(eq.op.fn, PairBackward):
                self.note(eq)

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

    def run(self, slots: list[tuple[Skeleton, str]], lists: bool) -> Any:
        made = [self.result(slot, name, lists) for slot, name in slots]
        for eq in equations(self.block):
            if eq.op.fn is LIST_APPEND:
                self.appended(eq)
        for eq, trees in self.trees.items():
            if any(tree.slot.form is not None for tree in trees):
                self.new[eq] = self.taken_apart(eq, trees)
        return self.exchanged(self.block), self.results, made

    def result(self, slot: Skeleton, name: str, lists: bool) -> Skeleton:
        """Return a structure of results, in which those are leaves that are there as they are."""
        leaves = tuple(self.left[: sum(slot.live_leaves())])
        whole = self.whole(slot, leaves, name)
        if whole is None and lists:
            whole = self.collected(slot, leaves)
        if whole is not None:
            self.results.append(whole)
            del self.left[: len(leaves)]
            return Skeleton(None)
        if slot.form is None:
            if slot.live:
                self.results.append(self.left.pop(0))
            return slot
        parts = [self.result(part, label, lists) for part, label in _labelled(slot, name)]
        return Skeleton(slot.form, parts, slot.live)

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
        """Append an element to a list as a call gives it."""
        leaves = eq.args[1:]
        slot = Skeleton(tuple, [Skeleton(None)] * len(leaves))
        tree = self.found.get(leaves)
        whole = self.whole(slot, leaves, tree.name if tree is not None else "")
        if whole is not None:
            self.new[eq] = [replace(eq, args=(eq.args[0], whole), payload=(whole.type,))]

    def collected(self, slot: Skeleton, leaves: tuple[Value, ...]) -> Var | None:
        """The list of cotangents that these leaves were only taken out of, from its end on."""
        chain = [self.pops.get(row) for row in _rows(slot, leaves)]
        if not chain or None in chain or not self.is_chain(chain):  # type: ignore[arg-type]
            return None
        first: Any = chain[0]
        of = first.args[0]
        whole = Var(of.name, of.type)
        self.new.update((eq, []) for eq in chain if eq is not None)
        self.new[first] = [Equation((whole,), Op(LIST_REVERSED), first.args, (), first.origin)]
        return whole

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

    def exchanged(self, block: Block) -> Block:
        """The block, with other equations in the place of some."""
        out: list[Any] = []
        for statement in block:
            if isinstance(statement, Equation):
                out += self.new.get(statement, [statement])
            else:
                out.append(with_blocks(statement, self.exchanged))
        return tuple(out)


def _alike(a: Skeleton, b: Skeleton) -> bool:
    """Whether two structures are the same."""
    if a.form != b.form or a.live != b.live or len(a.parts) != len(b.parts):
        return False
    return all(map(_alike, a.parts, b.parts))


def _rows(slot: Skeleton, leaves: tuple[Value, ...]) -> list[tuple[Value, ...]]:
    """The elements of a list of leaves, or of tuples of as many; no rows for another structure."""
    parts = slot.parts if slot.form is list else ()
    inner = [part.parts if part.form is tuple else (part,) for part in parts]
    plain = all(p.form is None and p.live for row in inner for p in row)
    kinds = {(part.form, len(row)) for part, row in zip(parts, inner, strict=True)}
    if not plain or len(kinds) != 1:
        return []
    width = len(inner[0])
    return [leaves[k * width : (k + 1) * width] for k in range(len(inner))]
