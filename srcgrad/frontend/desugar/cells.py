"""Names that local functions assign for the function around them.

Under ``nonlocal count``, ``count += 1`` becomes ``count[0] += 1``: the name stands for a list of
one element, which all these functions have.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportReturnType=false

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import libcst as cst

from srcgrad.frontend.text.exits import block, small_of
from srcgrad.frontend.text.names import bound_names, names_in
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.templates import item
from srcgrad.frontend.text.trees import below, changed, rewritten


def names_in_cells(tree: cst.FunctionDef) -> frozenset[str]:
    """The names that local functions assign; none where these cannot be lists of one element.

    The function assigns each of them in a statement of its own before anything else is done
    with it, and whatever else assigns it is a statement, too.
    """
    names = _rebound(below(tree))
    plain = not any(names & _given_otherwise(part) for part in below(tree) if part is not tree)
    return names if plain and names == _first_statements(tree, names).keys() else frozenset()


def _rebound(parts: Iterable[Any]) -> frozenset[str]:
    found = (part.names for part in parts if type(part) is cst.Nonlocal)
    return frozenset(name.name.value for names in found for name in names)


def _given_otherwise(part: Any) -> frozenset[str]:
    """The names that a part of a function gives a value in another way than by a statement."""
    kind = type(part)
    if kind is cst.FunctionDef or kind is cst.Lambda:
        own = frozenset() if kind is cst.Lambda else bound_names(part.body)
        return names_in(part.params) | own - _rebound(below(part.body, {cst.FunctionDef}))
    if kind is cst.For or kind is cst.CompFor or kind is cst.NamedExpr or kind is cst.Del:
        return names_in(part.target)
    return names_in(part) if kind is cst.AsName else frozenset()


def _first_statements(tree: cst.FunctionDef, names: frozenset[str]) -> dict[str, Any]:
    """The statements that assign names, where nothing else is done with these before."""
    found: dict[str, Any] = {}
    for statement in tree.body.body:
        new = names_in(statement) & names - found.keys()
        if not new:
            continue
        pairs = _assigned_in(small_of(statement))
        for name in new:
            if [target for target, _ in pairs if name in names_in(target)] and not any(
                name in names_in(value) for _, value in pairs
            ):
                found[name] = statement
            else:
                return {}
    return found


def _assigned_in(small: Any) -> list[tuple[Any, Any]]:
    """The names that an assignment is to, each with what it is given."""
    if not isinstance(small, cst.Assign) or len(small.targets) > 1:
        return []
    target, value = small.targets[0].target, small.value
    if isinstance(target, cst.Name):
        return [(target, value)]
    if not isinstance(target, cst.Tuple) or not isinstance(value, cst.Tuple):
        return []
    pairs = [(t.value, v.value) for t, v in zip(target.elements, value.elements, strict=False)]
    same = len(target.elements) == len(value.elements)
    return pairs if same and all(isinstance(t, cst.Name) for t, _ in pairs) else []


def with_cells(source: Source, tree: cst.FunctionDef) -> cst.FunctionDef:
    """Return a function with lists of one element for the names that local functions assign."""
    names = names_in_cells(tree)
    if not names:
        return tree
    first = _first_statements(tree, names)

    def rule(part: Any, made: Any) -> Any:
        kind = type(part)
        if made is None and kind is cst.Name:
            return item(part, 0) if part.value in names else None
        if made is None and (kind is cst.Attribute or kind is cst.Arg):
            return changed(part, value=rewritten(part.value, rule))  # their names are no variables
        if made is None and kind is cst.FunctionDef:
            made = part.with_changes(body=rewritten(part.body, rule))
        if made is None:
            return None
        if kind is cst.IndentedBlock:
            kept = [line for line in made.body if not isinstance(small_of(line), cst.Nonlocal)]
            made = made if len(kept) == len(made.body) else block(kept)
        if made is not part:
            source.derive(part, made)
        return made

    def begun(statement: Any) -> Any:
        small: Any = small_of(statement)
        held = {id(v) for t, v in _assigned_in(small) if first.get(t.value) is statement}
        value = rewritten(
            small.value,
            lambda part, made: (
                made
                and (cst.List([cst.Element(rewritten(part, rule))]) if id(part) in held else None)
            ),
        )
        new = statement.with_changes(body=[changed(small, value=value)])
        source.derive(statement, new)
        return new

    body = [
        begun(line) if line in first.values() else rewritten(line, rule) for line in tree.body.body
    ]
    new = tree.with_changes(body=block(body))
    source.derive(tree, new)
    return new
