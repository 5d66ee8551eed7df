"""Loops that change the list they go through: ``for i, r in enumerate(rows): rows[i] = 2 * r``.

An element is what the list holds when its turn comes. Such a loop is written as one over the
places of the list, ``for i in range(len(rows))``, in which each element is read.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.analysis.memory.list_versions import changes_of_lists, is_list
from srcgrad.errors import MutationError
from srcgrad.frontend.arrays.carrying import Iterable
from srcgrad.frontend.expressions.unrolling import assignment, is_path
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import Rewriting, fresh_name
from srcgrad.frontend.text.names import bound_names, names_in
from srcgrad.ir.nodes import LIST_SET, Block, Carried


def require_places(
    b: Builder, node: cst.For, iterable: Iterable, carried: list[Carried], body: Block
) -> None:
    """Have a loop written as one over places, where it changes a list that it goes through.

    Args:
        b: the builder.
        node: the loop.
        iterable: what it goes through.
        carried: what its iterations hand on.
        body: its lowered statements.

    Raises:
        Rewriting: when it replaces elements of such a list.
        MutationError: when it makes such a list longer or shorter.
    """
    lists = {v for v in iterable.values() if is_list(v)}
    again = [c for c in carried if c.init in lists and c.next is not c.param]
    if not again:
        return
    changed = set()
    for c in again:
        made = changes_of_lists(body, [c.param])
        if any(eq.op.fn is not LIST_SET for eq in made):
            raise _of_another_length(b, node)
        if made:
            changed.add(c.init)
    if changed:
        writer = _Places(b, node, changed)
        raise Rewriting(lambda statement: writer.statements(iterable))


def _of_another_length(b: Builder, node: cst.For) -> MutationError:
    return MutationError(
        "a list is made longer or shorter by the loop that goes through it",
        spots=[b.source.spot(node.iter)],
        why="Which elements the loop reads is known while it runs, and not before.",
        fixes=["go through a copy: for r in list(rows)", "write a while loop over the places"],
    )


class _Places:
    """Writes one loop as a loop over places.

    Args:
        b: the builder.
        node: the loop.
        changed: the lists that it changes.
    """

    def __init__(self, b: Builder, node: cst.For, changed: set[Any]) -> None:
        self.b, self.node, self.changed = b, node, changed
        self.names: list[str] = []  # those that are made up
        self.given: list[Any] = []  # statements before the loop
        self.reads: list[Any] = []  # and those that an iteration begins with

    def statements(self, iterable: Iterable) -> list[Any]:
        """The loop in other words."""
        source = self.b.source
        for name, fn in (("range", range), ("len", len)):
            hidden = name in self.b.locals or name in source.cells
            if hidden or source.globals.get(name, fn) is not fn:
                raise self.refuse(f"{name} is another function here")
        new, target = self.of(iterable, self.node.iter, self.node.target)
        body = self.node.body.with_changes(body=[*self.reads, *self.node.body.body])
        loop = self.node.with_changes(iter=new, target=target, body=body)
        self.b.source.derive(self.node, loop)
        for made in (*self.given, *self.reads):
            self.b.source.derive_all(self.node, made)
        if self.given:
            first = self.given[0].with_changes(leading_lines=self.node.leading_lines)
            return [first, *self.given[1:], loop.with_changes(leading_lines=())]
        return [loop]

    def of(self, iterable: Iterable, text: Any, target: Any) -> tuple[Any, Any]:
        """What the loop goes through instead, and the names that it binds."""
        if not self.changed.intersection(iterable.values()):
            return text, target
        if iterable.kind == "value":
            place = self.fresh("place")
            return self.read(text, target, place), place
        args = [a.value for a in text.args if a.keyword is None]
        if iterable.kind == "reversed":
            parts, targets = [(iterable.parts[0], args[0])], [target]
        elif not isinstance(target, cst.Tuple | cst.List):
            raise self.refuse("its elements have no names of their own")
        elif iterable.kind == "enumerate":
            inner = iterable.parts[0]
            count, element = [e.value for e in target.elements]
            if inner.kind == "value" and len(text.args) == 1 and isinstance(count, cst.Name):
                return self.read(args[0], element, count), count
            parts, targets = [(inner, args[0])], [element]
        else:
            parts = list(zip(iterable.parts, args, strict=True))
            targets = [e.value for e in target.elements]
        made = [self.of(*part, own) for part, own in zip(parts, targets, strict=True)]
        values = iter([value for value, _ in made])
        new = [
            a.with_changes(value=next(values)) if a.keyword is None and k < len(made) else a
            for k, a in enumerate(text.args)
        ]
        if iterable.kind == "reversed":
            return text.with_changes(args=new), made[0][1]
        names = [name for _, name in made]
        names = [target.elements[0].value, *names] if iterable.kind == "enumerate" else names
        elements = [e.with_changes(value=n) for e, n in zip(target.elements, names, strict=True)]
        return text.with_changes(args=new), target.with_changes(elements=elements)

    def read(self, rows: Any, target: Any, place: cst.Name) -> Any:
        """Read an element at its place; return what gives the places."""
        if not is_path(rows) or self.leads_elsewhere(rows):
            name = self.fresh("items")
            self.given.append(assignment(name, rows))
            rows = name
        entry = cst.SubscriptElement(cst.Index(place.deep_clone()))
        self.reads.append(assignment(target, cst.Subscript(rows.deep_clone(), [entry])))
        count = cst.Call(cst.Name("len"), [cst.Arg(rows.deep_clone())])
        return cst.Call(cst.Name("range"), [cst.Arg(count)])

    def leads_elsewhere(self, path: Any) -> bool:
        """Whether the loop lets a path lead to another list."""
        if names_in(path) & bound_names(self.node):
            return True
        code = cst.Module([]).code_for_node
        written = {code(target) for target in _targets(self.node.body)}
        while not isinstance(path, cst.Name):
            if code(path) in written:
                return True
            path = path.value
        return False

    def refuse(self, why: str) -> Exception:
        return self.b.refuse(
            self.node.iter,
            "a loop that changes the list that it goes through",
            "go through its places: for k in range(len(rows))",
            f"{why[0].upper()}{why[1:]}.",
        )

    def fresh(self, wanted: str) -> cst.Name:
        self.names.append(fresh_name(self.b, wanted, self.names))
        return cst.Name(self.names[-1])


def _targets(node: Any) -> list[Any]:
    """What statements assign to."""
    own = [node.target] if isinstance(node, cst.AssignTarget) else []
    return [*own, *(found for child in node.children for found in _targets(child))]


__all__ = ["require_places"]
