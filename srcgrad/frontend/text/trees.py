"""Walking libcst trees without their layout.

``children`` of libcst goes through a visitor, which makes the nodes anew, and
gives all whitespace, commas and brackets too. Reading the fields is many times
faster, and what is left out here holds no names and no expressions.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Collection
from typing import Any

import libcst as cst

_LAYOUT = {
    "asynchronous",
    "colon",
    "comma",
    "dot",
    "equal",
    "footer",
    "header",
    "indent",
    "lbrace",
    "lbracket",
    "leading_lines",
    "leading_whitespace",
    "lines_after_decorators",
    "lpar",
    "operator",
    "rbrace",
    "rbracket",
    "rpar",
    "semicolon",
    "trailing_whitespace",
}
_NO_NODES = frozenset((type(None), str, bool, cst.MaybeSentinel))


@functools.cache
def _fields(kind: type) -> tuple[str, ...]:
    found = (f.name for f in dataclasses.fields(kind) if f.type not in ("str", str))
    return tuple(n for n in found if n not in _LAYOUT and not n.startswith("whitespace"))


def children(node: Any) -> list[Any]:
    """Return the nodes directly below a node, layout left out, field by field."""
    found: list[Any] = []
    for name in _fields(type(node)):
        value = getattr(node, name)
        kind = type(value)
        if kind is list or kind is tuple:
            found += value
        elif kind not in _NO_NODES:
            found.append(value)
    return found


def below(node: Any, around: Collection[type] = (), variables: bool = False) -> list[Any]:
    """Return a node and those below it.

    Args:
        node: the node.
        around: the kinds of nodes that are not gone into, but for this one.
        variables: whether to leave out what names no variable: attributes and keywords.
    """
    found: list[Any] = []
    stack = [node]
    while stack:
        part = stack.pop()
        found.append(part)
        kind = type(part)
        if kind is cst.Name:  # most are, and nothing is below
            continue
        if variables and (kind is cst.Attribute or kind is cst.Arg):
            stack.append(part.value)
        elif kind not in around or part is node:
            for name in _fields(kind):  # as in ``children``: nothing is gone through so often
                value = getattr(part, name)
                held = type(value)
                if held is list or held is tuple:
                    stack += value
                elif held not in _NO_NODES:
                    stack.append(value)
    return found


# Lets a function remember what it found about a node: nodes never change, and the passes ask
# the same of a statement many times, for itself, for each loop and branch around it, and
# again when a loop is lowered again. What it gives must not be changed either.
per_node = functools.lru_cache(maxsize=8192)


@per_node
def nodes_in(node: Any) -> tuple[Any, ...]:
    """Return a node and those below it, as ``below`` goes through them.

    Simple statements are gone through once, in whichever trees they stand.
    """
    found: list[Any] = []
    for part in below(node, (cst.SimpleStatementLine,)):
        line = type(part) is cst.SimpleStatementLine and part is not node
        found += nodes_in(part) if line else (part,)
    return tuple(found)


@per_node
def kinds_in(node: Any) -> frozenset[type]:
    """Return the kinds of the nodes in a tree."""
    return frozenset(map(type, nodes_in(node)))


def replaced(node: Any, new: dict[int, Any]) -> Any:
    """Return a tree with other nodes in the place of some, given by the ids of these."""
    return rewritten(node, lambda part, _: new.get(id(part)))


def rewritten(node: Any, rule: Callable[[Any, Any], Any]) -> Any:
    """Return a tree with other nodes in the place of some.

    Other than what a visitor of libcst gives, the parts that stay as they are
    stay the same objects: their places in the text are known by that.

    Args:
        node: the tree.
        rule: called with each node and with what it becomes when the nodes below it are
            rewritten; gives what to put there, or None. A node that is replaced before
            the ones below it are looked at is one for which it is given None there.
    """
    early = rule(node, None)
    if early is not None:
        return early
    changes: dict[str, Any] = {}
    for name in _fields(type(node)):
        value = getattr(node, name)
        kind = type(value)
        if kind is list or kind is tuple:
            parts = [rewritten(part, rule) for part in value]
            if any(p is not q for p, q in zip(parts, value, strict=True)):
                changes[name] = parts
        elif kind not in _NO_NODES:
            part = rewritten(value, rule)
            if part is not value:
                changes[name] = part
    made = changed(node, **changes) if changes else node
    late = rule(node, made)
    return made if late is None else late


def changed(node: Any, **changes: Any) -> Any:
    """Return a node with other parts, in parentheses where words stand close to them.

    The name of a value is no longer apart from the word in ``f(x)or y`` and ``return(f(x))``.
    """
    try:
        return node.with_changes(**changes)
    except cst.CSTValidationError:
        held = {"lpar": [cst.LeftParen()], "rpar": [cst.RightParen()]}
        for name, part in changes.items():
            if isinstance(part, cst.BaseExpression) and not part.lpar:
                changes[name] = part.with_changes(**held)
        return node.with_changes(**changes)


_TIGHT = (cst.Name, cst.Call, cst.Attribute, cst.Subscript)


def small_of(statement: Any) -> Any:
    """The simple statement of a line, None for other statements."""
    return statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None


def assigned(statement: Any) -> tuple[Any, Any]:
    """The target and the value of an assignment to one target; for other statements None twice."""
    small = statement if isinstance(statement, cst.Assign) else small_of(statement)
    if not isinstance(small, cst.Assign) or len(small.targets) > 1:
        return None, None
    return small.targets[0].target, small.value


def negated(test: cst.BaseExpression) -> cst.BaseExpression:
    """Return the expression of the opposite truth value."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return test.expression
    if not isinstance(test, _TIGHT) and not getattr(test, "lpar", ()):
        test = test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.UnaryOperation(cst.Not(), test)
