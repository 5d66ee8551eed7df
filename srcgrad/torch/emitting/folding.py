"""A formula with what is known of a call put into it: options, and numbers of axes."""

from __future__ import annotations

import ast
import inspect
import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.registry import find_formula, is_static, primal


class NotFoldable(Exception):
    """A formula that is no straight line of statements, for a call of this kind."""


@dataclass(frozen=True)
class Straight:
    """A formula as two straight lines of statements."""

    name: str  # what the formula is called
    doc: str  # its docstring
    parameters: tuple[str, ...]  # the names of the arguments
    # the statements before ``backward``, as pairs of a name and an expression
    forward: tuple[tuple[str, ast.expr], ...]
    result: ast.expr  # the expression of the result
    bar: str  # the name of the cotangent
    backward: tuple[tuple[str, ast.expr], ...]  # the statements of ``backward``
    # the expressions of the cotangents, None where there is none
    cotangents: tuple[ast.expr | None, ...]
    names: dict[str, Any]  # what names from outside stand for


def folded(target: Any, options: dict[str, Any], ranks: dict[str, int]) -> Straight:
    """Return the formula of a function for some options and numbers of axes.

    Args:
        target: the function.
        options: values of options and of positional parameters that are none of tensors.
        ranks: the numbers of axes of arguments, by name.

    Raises:
        NotFoldable: where a branch stays, or there is something else than assignments.
    """
    formula = find_formula(target)
    if formula is None:
        raise NotFoldable("no formula")
    tree = ast.parse(textwrap.dedent(inspect.getsource(formula))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    known = {
        p.name: p.default
        for p in inspect.signature(formula).parameters.values()
        if p.kind is p.KEYWORD_ONLY and p.default is not p.empty
    } | options
    parameters = tuple(
        p.name
        for p in inspect.signature(formula).parameters.values()
        if p.kind is p.POSITIONAL_OR_KEYWORD and p.name not in options
    )
    names = dict(formula.__globals__)
    folder = _Folder(known, ranks, names, target)
    forward, inner, returned = _split(tree.body, folder)
    if isinstance(returned, ast.Tuple):
        result, backward = folder.visit(returned.elts[0]), returned.elts[1]
    else:
        raise NotFoldable("returns no pair")
    if isinstance(backward, ast.Lambda):
        body: list[ast.stmt] = [ast.Return(backward.body)]
        bar = backward.args.args[0].arg
    else:
        definition = inner["backward"]
        bar, body = definition.args.args[0].arg, definition.body
    statements, _, value = _split(body, folder)
    every = [p.name for p in inspect.signature(formula).parameters.values()]
    value = folder.visit(value)
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    positional = [n for n in every if n in parameters or n in options]
    if isinstance(value, ast.Tuple):
        paired = dict(zip(positional, parts, strict=False))
        parts = [paired.get(n) for n in parameters]
    cotangents = tuple(
        None if p is None or (isinstance(p, ast.Constant) and p.value is None) else p for p in parts
    )
    if len(cotangents) != len(parameters):
        raise NotFoldable("cotangents for other parameters")
    doc = (ast.get_docstring(tree) or "").splitlines()[0]
    return Straight(
        tree.name,
        doc,
        parameters,
        tuple(forward),
        result,
        bar,
        tuple(statements),
        cotangents,
        names,
    )


def _split(body: list[ast.stmt], folder: _Folder) -> tuple[list[Any], dict[str, Any], ast.expr]:
    """Return the assignments of a body, the functions in it, and what it returns."""
    found: list[tuple[str, ast.expr]] = []
    inner: dict[str, Any] = {}
    for statement in body:
        match statement:
            case ast.Expr(ast.Constant(str())):
                continue
            case ast.Expr(ast.Call(ast.Name(name))) if is_static(folder.names.get(name)):
                continue  # refuses what is not there in these options
            case ast.FunctionDef(name):
                inner[name] = statement
            case ast.Assign([ast.Name(name)], value):
                value = folder.visit(value)
                if isinstance(value, ast.Constant):
                    folder.known[name] = value.value
                else:
                    folder.known.pop(name, None)
                    found.append((name, value))
            case ast.Return(value) if value is not None:
                return found, inner, value
            case ast.If(test, then, other):
                test = folder.visit(test)
                if not isinstance(test, ast.Constant):
                    raise NotFoldable(f"if {ast.unparse(test)}")
                more, functions, value = _split(then if test.value else other, folder)
                found += more
                inner |= functions
                if value is not _NOTHING:
                    return found, inner, value
            case _:
                raise NotFoldable(ast.unparse(statement).splitlines()[0])
    return found, inner, _NOTHING


_NOTHING = ast.Constant("nothing is returned")


class _Folder(ast.NodeTransformer):
    """Puts constants into the places of what is known, and decides what they decide."""

    def __init__(self, known: Any, ranks: Any, names: Any, target: Any) -> None:
        self.known, self.ranks, self.names, self.target = known, ranks, names, target

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.known and _is_literal(self.known[node.id]):
            return ast.Constant(self.known[node.id])
        if self.names.get(node.id) is primal:
            return ast.Constant(primal)  # pyright: ignore[reportArgumentType]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if node.attr == "ndim" and isinstance(node.value, ast.Name):
            if node.value.id in self.ranks:
                return ast.Constant(self.ranks[node.value.id])
        self.generic_visit(node)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        test = self.visit(node.test)
        if isinstance(test, ast.Constant):
            return self.visit(node.body if test.value else node.orelse)
        raise NotFoldable(f"if {ast.unparse(test)}")

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        kept = []
        for value in node.values:
            value = self.visit(value)
            if isinstance(value, ast.Constant):
                if bool(value.value) is isinstance(node.op, ast.Or):
                    return value
                continue
            kept.append(value)
        if not kept:
            return ast.Constant(isinstance(node.op, ast.And))
        return kept[0] if len(kept) == 1 else ast.BoolOp(node.op, kept)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Compare(left, [ast.Is() | ast.IsNot() as op], [ast.Constant(right)]):
                same = isinstance(left, ast.Constant) and left.value is right
                return ast.Constant(same is isinstance(op, ast.Is))
        return self.evaluated(node, [node.left, *node.comparators])

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        return self.evaluated(node, [node.left, node.right])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return self.evaluated(node, [node.operand])

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = ast.unparse(node.func)
        if isinstance(node.func, ast.Constant):  # what was called, in a formula of several
            node.func = ast.Name("PRIMAL", ast.Load())
        if name in ("np.iscomplexobj", "is_boolean", "is_fixed"):
            return ast.Constant(False)
        if name == "np.ndim" and isinstance(node.args[0], ast.Name):
            if node.args[0].id in self.ranks:
                return ast.Constant(self.ranks[node.args[0].id])
        function = self.names.get(name)
        if name == "isinstance" or (function is not None and is_static(function)):
            return self.evaluated(node, node.args[:1] if name == "isinstance" else node.args)
        return node

    def evaluated(self, node: ast.expr, parts: list[ast.expr]) -> ast.expr:
        if not all(isinstance(p, ast.Constant) for p in parts):
            return node
        whole = ast.fix_missing_locations(ast.Expression(node))
        value = eval(compile(whole, "<formula>", "eval"), {"np": np, **self.names})
        return ast.Constant(value) if _is_literal(value) else node


def _is_literal(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_literal, value))
    return value is None or isinstance(value, bool | int | float | str)
