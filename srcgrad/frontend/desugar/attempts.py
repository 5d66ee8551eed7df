"""``try`` statements whose arms say which of them was carried out.

``try: y = f(x)`` with ``except ValueError: y = 0.0`` gets ``failed = False`` at the end of its
body and ``failed = True`` at that of its handler.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.frontend.text.exits import arms_of_try, block, exit_kind, parse
from srcgrad.frontend.text.names import bound_names
from srcgrad.frontend.text.trees import assigned, small_of


def handlers_of(node: cst.Try) -> list[cst.ExceptHandler]:
    """Return the handlers behind which a function goes on."""
    return [h for h in node.handlers if exit_kind(list(h.body.body)) is not cst.Raise]


def flag_of(node: cst.Try) -> tuple[str, Any] | None:
    """Return the name that tells which arm was taken, and what it is where no exception was."""
    handlers, body = handlers_of(node), list(node.body.body)
    completed = dict(_constants(body) + _constants(arms_of_try(node)[0][len(body) :]))
    failed = dict(_constants(list(handlers[0].body.body))) if len(handlers) == 1 else {}
    found = (
        name for name, value in completed.items() if {value, failed.get(name)} == {True, False}
    )
    name = next(found, None)
    return None if name is None else (name, completed[name])


def with_flag(node: cst.Try, name: str) -> list[Any] | None:
    """Return a ``try`` statement that assigns a name in its body and its handler.

    None where it goes on behind several handlers.
    """
    going_on, last, lines = handlers_of(node), node.finalbody, node.leading_lines
    if len(going_on) > 1:
        return None
    handlers = [
        h.with_changes(body=block([*h.body.body, parse(f"{name} = True")])) if h in going_on else h
        for h in node.handlers
    ]
    body = block([*node.body.body, parse(f"{name} = False")])
    made = node.with_changes(body=body, handlers=handlers)
    if last is None:
        return [made]
    inner = made.with_changes(finalbody=None, leading_lines=())
    return [cst.Try(block([inner]), finalbody=last, leading_lines=lines)]


def may_raise(body: list[Any]) -> int:
    """Return how many statements of a body there are up to the last one that may raise."""
    count = len(body)
    while count and (_constant(body[count - 1]) is not None or _keeps_names(body[count - 1])):
        count -= 1
    return count


def torn_names(body: list[Any]) -> frozenset[str]:
    """Return the names that a body may have bound when it raises.

    What is bound by the last statement that may raise is not among them.
    """
    count = may_raise(body)
    if not count:
        return frozenset()
    earlier = frozenset[str]().union(*map(bound_names, body[: count - 1]))
    return earlier | (bound_names(body[count - 1]) - _bound_at_once(body[count - 1]))


def appended_to(body: list[Any]) -> str | None:
    """Return the name whose list the last statement of a body appends to, as its last act."""
    call = _appending(body[-1]) if body else None
    return None if call is None else call.func.value.value


def _appending(statement: Any) -> Any:
    """The call of ``append`` of a name that a statement is, or None."""
    small = small_of(statement)
    call = small.value if isinstance(small, cst.Expr) else None
    func = call.func if isinstance(call, cst.Call) else None
    named = isinstance(func, cst.Attribute) and isinstance(func.value, cst.Name)
    return call if named and func.attr.value == "append" else None  # type: ignore[union-attr]


def _keeps_names(statement: Any) -> bool:
    """Whether a statement puts what names stand for into a list of a name."""
    call = _appending(statement)
    return call is not None and all(_only_names(arg.value) for arg in call.args)


def _only_names(node: Any) -> bool:
    if isinstance(node, cst.Tuple):
        return all(_only_names(element.value) for element in node.elements)
    return isinstance(node, cst.Name)


def _bound_at_once(statement: Any) -> frozenset[str]:
    small = small_of(statement)
    if isinstance(small, cst.AnnAssign | cst.AugAssign) and isinstance(small.target, cst.Name):
        return frozenset({small.target.value})
    target, _ = assigned(small)
    parts = [e.value for e in target.elements] if isinstance(target, cst.Tuple) else [target]
    names = frozenset(part.value for part in parts if isinstance(part, cst.Name))
    return names if len(names) == len(parts) else frozenset()


def _constants(body: list[Any]) -> list[tuple[str, Any]]:
    """The names that the last statements of a suite make True or False."""
    found = []
    for statement in reversed(body):
        pair = _constant(statement)
        if pair is None:
            break
        found.append(pair)
    return found[::-1]


def _constant(statement: Any) -> tuple[str, Any] | None:
    """The name and the constant, where a statement only assigns True, False or None to a name."""
    target, value = assigned(statement)
    words = {"True": True, "False": False, "None": None}
    if not isinstance(target, cst.Name) or not isinstance(value, cst.Name):
        return None
    return (target.value, words[value.value]) if value.value in words else None
