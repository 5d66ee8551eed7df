"""``try`` statements whose arms say which of them was carried out.

``try: y = f(x)`` with ``except ValueError: y = 0.0`` gets ``failed = False`` at the end of its
body and ``failed = True`` at that of its handler. Of several handlers, each only assigns the
number of its arm, and what they do is done behind the statement.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.frontend.text.exits import arms_of_try, block, exit_kind, parse
from srcgrad.frontend.text.names import bound_names, names_in
from srcgrad.frontend.text.trees import children


def handlers_of(node: cst.Try) -> list[cst.ExceptHandler]:
    """Return the handlers behind which a function goes on."""
    return [h for h in node.handlers if exit_kind(list(h.body.body)) is not cst.Raise]


def flag_of(node: cst.Try) -> tuple[str, Any] | None:
    """Return the name that tells which arm was taken, and what it is where no exception was."""
    handlers, body = handlers_of(node), list(node.body.body)
    completed = dict(_constants(body) + _constants(arms_of_try(node)[0][len(body) :]))
    failed = [dict(_constants(list(handler.body.body))) for handler in handlers]
    for name, value in completed.items():
        others = [found.get(name) for found in failed]
        if len(handlers) == 1 and {value, *others} == {True, False}:
            return name, value
        if len(handlers) > 1 and others == [*range(1, len(handlers) + 1)]:
            if all(len(handler.body.body) == 1 for handler in handlers):
                return name, value
    return None


def with_flag(node: cst.Try, name: str) -> list[Any] | None:
    """Return a ``try`` statement that assigns a name in its body and its handlers.

    None where a handler of several needs its exception.
    """
    going_on = handlers_of(node)
    several, orelse = len(going_on) > 1, node.orelse
    handlers, behind = [], orelse
    for handler in node.handlers:
        if handler not in going_on:
            handlers.append(handler)
            continue
        code = str(going_on.index(handler) + 1) if several else "True"
        before = [] if several else list(handler.body.body)
        handlers.append(handler.with_changes(body=block([*before, parse(f"{name} = {code}")])))
    for k, handler in reversed([*enumerate(going_on)] if several else []):
        caught = handler.name
        if _raises_again(handler) or (caught and names_in(caught) & names_in(handler.body)):
            return None
        test = cst.parse_expression(f"{name} == {k + 1}")
        behind = cst.If(test, block(list(handler.body.body)), orelse=behind)
    ending = parse(f"{name} = {0 if several else False}")
    made = node.with_changes(body=block([*node.body.body, ending]), handlers=handlers)
    last, lines = node.finalbody, node.leading_lines
    if last is not None:
        made = made.with_changes(finalbody=None, leading_lines=())
    parts = [made.with_changes(orelse=None), behind] if several else [made]
    return parts if last is None else [cst.Try(block(parts), finalbody=last, leading_lines=lines)]


def _raises_again(node: Any) -> bool:
    if isinstance(node, cst.Raise):
        return node.exc is None
    return any(map(_raises_again, children(node)))


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
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
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
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    if isinstance(small, cst.AnnAssign | cst.AugAssign) and isinstance(small.target, cst.Name):
        return frozenset({small.target.value})
    if not isinstance(small, cst.Assign) or len(small.targets) != 1:
        return frozenset()
    target = small.targets[0].target
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
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    if not isinstance(small, cst.Assign) or len(small.targets) != 1:
        return None
    target, value = small.targets[0].target, small.value
    words = {"True": True, "False": False, "None": None}
    if not isinstance(target, cst.Name):
        return None
    if isinstance(value, cst.Integer):
        return target.value, int(value.value)
    if not isinstance(value, cst.Name) or value.value not in words:
        return None
    return target.value, words[value.value]
