"""Syntax that is written down as text, with other syntax in the place of some names."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import libcst as cst

from srcgrad.frontend.text.trees import per_node, rewritten

_ALONE = (cst.Name, cst.Attribute, cst.Subscript, cst.Call, cst.Integer, cst.Float)
_ALONE = (*_ALONE, cst.SimpleString, cst.FormattedString, cst.List, cst.Dict, cst.ListComp)
_LITERALS = cst.Integer | cst.SimpleString


@per_node
def text_of(node: Any) -> str:
    """Return the text of a piece of syntax."""
    return cst.Module([]).code_for_node(node)


def expression(text: str, **parts: Any) -> Any:
    """Return the expression that a text is.

    Args:
        text: the text.
        **parts: what stands in it in the place of names: syntax, or other names. Where it is
            needed more than once, the others are copies: each node stands in one place.
    """
    return _filled(cst.parse_expression(text), parts)


def statements(text: str, **parts: Any) -> list[Any]:
    """Return the statements that a text is, see ``expression``."""
    return list(_filled(cst.parse_module(text), parts).body)


def _filled(tree: Any, parts: dict[str, Any]) -> Any:
    if not parts:
        return tree
    used: set[str] = set()

    def rule(node: Any, made: Any) -> Any:
        if made is None or type(node) is not cst.Name or node.value not in parts:
            return None
        new = parts[node.value]
        if isinstance(new, str):
            return cst.Name(new)
        if node.value in used:
            return new.deep_clone()
        used.add(node.value)
        return new

    return rewritten(tree, rule)


def bracketed(node: Any) -> Any:
    """Return an expression that can stand beside an operator, or in front of brackets."""
    if isinstance(node, _ALONE) or node.lpar:
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def held_together(node: Any) -> Any:
    """Return an expression in brackets, if its lines belonged together by others further out."""
    if node.lpar or not _is_broken(text_of(node)):
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _is_broken(text: str) -> bool:
    if "\n" not in text:
        return False
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return True
    return False


def statement_held_together(node: Any) -> Any:
    """Return a statement, and those in it, with expressions that are ``held_together``."""

    def rule(part: Any, made: Any) -> Any:
        if made is None and isinstance(part, cst.BaseExpression):
            return held_together(part)
        return None

    return rewritten(node, rule) if "\n" in text_of(node).strip() else node


def assignment(target: Any, value: Any) -> cst.SimpleStatementLine:
    """Return the statement ``target = value``; the target may be given as a name."""
    target = cst.Name(target) if isinstance(target, str) else target
    if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple):
        target, value = (v.with_changes(lpar=(), rpar=()) for v in (target, value))
    return cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(target)], value)])


def item(node: Any, k: int) -> Any:
    """Return the expression ``node[k]``."""
    return cst.parse_expression(f"{text_of(node)}[{k}]")


def two_by_two(func: Any, parts: list[Any]) -> Any:
    """Return ``func(func(a, b), c)`` of expressions: each step has one of its own."""
    made = parts[0]
    for part in parts[1:]:
        made = expression("f(a, b)", f=func.deep_clone(), a=made, b=part)
    return made


def is_path(node: Any) -> bool:
    """Whether an expression reads the same, at no cost, as often as it is evaluated."""
    if isinstance(node, cst.Attribute):
        return is_path(node.value)
    if isinstance(node, cst.Subscript) and len(node.slice) == 1:
        index = node.slice[0].slice
        literal = isinstance(index, cst.Index) and isinstance(index.value, _LITERALS)
        return literal and is_path(node.value)
    return isinstance(node, cst.Name)


def spread(call: cst.Call, value: Any, elements: Sequence[Any]) -> cst.Call:
    """Return a call in which arguments stand in the place of one that has a star."""
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    args: list[cst.Arg] = []
    for arg in call.args:
        args += [cst.Arg(part) for part in elements] if arg.value is value else [arg]
    last = [args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)] if args else []
    return call.with_changes(args=[*(a.with_changes(comma=comma) for a in args[:-1]), *last])


def substituted(node: Any, names: dict[str, Any]) -> Any:
    """Return a copy of an expression with other expressions in the place of some names."""

    def rule(part: Any, made: Any) -> Any:
        kind = type(part)
        if made is not None:
            return None
        if kind is cst.Name:
            return names[part.value].deep_clone() if part.value in names else part
        if kind is cst.Attribute or kind is cst.Arg:  # their names are no variables
            return part.with_changes(value=rewritten(part.value, rule))
        if kind is cst.Lambda:
            params = part.params.params
            inner = {n: v for n, v in names.items() if n not in {p.name.value for p in params}}
            given = [
                p if p.default is None else p.with_changes(default=rewritten(p.default, rule))
                for p in params
            ]
            head = part.params.with_changes(params=given)
            return part.with_changes(params=head, body=substituted(part.body, inner))
        return None

    return rewritten(node.deep_clone(), rule)
