"""Building a libcst tree from an ast: the code of a function without its layout.

The parser of libcst keeps every space and every comment in a node of its own,
which takes most of the time in which a formula is read. A formula that is
inlined is only lowered, so nobody sees its text; this tree, which shares one
node among all places of equal layout, is there ten times sooner.

Whatever stands inside another expression is put into parentheses, so that the
tree says the same as the ast even where it is written out.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Any

import libcst as cst


class NotCovered(Exception):
    """The code uses syntax that is not rebuilt here, and must be parsed."""


def definition(node: ast.FunctionDef) -> cst.FunctionDef:
    """Return a function definition as a libcst tree."""
    return _make(cst.FunctionDef)(
        name=_name(node.name), params=_parameters(node.args), body=_suite(node.body)
    )


@functools.cache
def _make(kind: type) -> Callable[..., Any]:
    """A constructor of nodes that all share the default layout of their kind."""
    factories = {
        f.name: f.default_factory()
        for f in dataclasses.fields(kind)
        if f.default_factory is not dataclasses.MISSING
    }
    return functools.partial(kind, **factories)


def _name(text: str) -> cst.Name:
    return _make(cst.Name)(text)


def _parameters(node: ast.arguments) -> cst.Parameters:
    if node.kwarg is not None or node.posonlyargs:
        raise NotCovered
    star: Any = cst.MaybeSentinel.DEFAULT
    if node.vararg is not None:
        star = _make(cst.Param)(_name(node.vararg.arg), star="*")
    elif node.kwonlyargs:
        star = _make(cst.ParamStar)()
    missing = [None] * (len(node.args) - len(node.defaults))
    return cst.Parameters(
        params=[*map(_parameter, node.args, [*missing, *node.defaults])],
        star_arg=star,
        kwonly_params=[*map(_parameter, node.kwonlyargs, node.kw_defaults)],
    )


def _parameter(node: ast.arg, default: ast.expr | None) -> cst.Param:
    value = None if default is None else _expression(default)
    return _make(cst.Param)(_name(node.arg), default=value)


def _suite(nodes: list[ast.stmt]) -> cst.IndentedBlock:
    return _make(cst.IndentedBlock)([_statement(node) for node in nodes])


def _statement(node: ast.stmt) -> Any:
    if isinstance(node, ast.If):
        return _branch(node)
    if isinstance(node, ast.FunctionDef):
        return definition(node)
    if isinstance(node, ast.Return) and node.value is not None:
        part = _make(cst.Return)(_expression(node.value))
    elif isinstance(node, ast.Assign):
        targets = [_make(cst.AssignTarget)(_expression(target)) for target in node.targets]
        part = _make(cst.Assign)(targets, _expression(node.value))
    elif isinstance(node, ast.Expr):
        part = _make(cst.Expr)(_expression(node.value))
    else:
        raise NotCovered
    return _make(cst.SimpleStatementLine)([part])


def _branch(node: ast.If) -> cst.If:
    orelse: Any = None
    if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        orelse = _branch(node.orelse[0])
    elif node.orelse:
        orelse = _make(cst.Else)(_suite(node.orelse))
    return _make(cst.If)(_expression(node.test), _suite(node.body), orelse)


def _expression(node: ast.expr) -> Any:
    rule = _RULES.get(type(node))
    if rule is None:
        raise NotCovered
    return rule(node)


_OPEN, _CLOSE = [cst.LeftParen()], [cst.RightParen()]


def _bracketed(kind: type, *parts: Any) -> Any:
    return _make(kind)(*parts, lpar=_OPEN, rpar=_CLOSE)


def _constant(node: ast.Constant) -> Any:
    value = node.value
    if value is None or isinstance(value, bool):
        return _name(str(value))
    if value is ...:
        return _make(cst.Ellipsis)()
    if isinstance(value, int):
        return cst.Integer(repr(value))
    if isinstance(value, float) and math.isfinite(value):
        return cst.Float(repr(value))
    if isinstance(value, complex) and math.isfinite(value.imag):  # a literal has no real part
        return cst.Imaginary(repr(value))
    if isinstance(value, str):
        return cst.SimpleString(repr(value))
    raise NotCovered


def _call(node: ast.Call) -> cst.Call:
    args = [_argument(arg) for arg in node.args]
    for keyword in node.keywords:
        if keyword.arg is None:
            raise NotCovered
        args.append(_make(cst.Arg)(_expression(keyword.value), _name(keyword.arg)))
    return _make(cst.Call)(_expression(node.func), args)


def _argument(node: ast.expr) -> cst.Arg:
    if isinstance(node, ast.Starred):
        return _make(cst.Arg)(_expression(node.value), star="*")
    return _make(cst.Arg)(_expression(node))


@functools.cache
def _operator(kind: type) -> Any:
    return getattr(cst, _OPERATORS[kind])()


def _operation(node: ast.BinOp | ast.UnaryOp) -> Any:
    operator = _operator(type(node.op))
    if isinstance(node, ast.UnaryOp):
        return _bracketed(cst.UnaryOperation, operator, _expression(node.operand))
    left, right = _expression(node.left), _expression(node.right)
    return _bracketed(cst.BinaryOperation, left, operator, right)


def _boolean(node: ast.BoolOp) -> Any:
    operator = _operator(type(node.op))
    *first, last = (_expression(value) for value in node.values)
    left = functools.reduce(
        lambda left, right: _make(cst.BooleanOperation)(left, operator, right), first
    )
    return _bracketed(cst.BooleanOperation, left, operator, last)


def _comparison(node: ast.Compare) -> Any:
    targets = [
        cst.ComparisonTarget(_operator(type(op)), _expression(value))
        for op, value in zip(node.ops, node.comparators, strict=True)
    ]
    return _bracketed(cst.Comparison, _expression(node.left), targets)


def _subscript(node: ast.Subscript) -> cst.Subscript:
    index = node.slice
    several = isinstance(index, ast.Tuple) and index.elts
    parts = index.elts if several else [index]  # type: ignore[union-attr]
    elements = [cst.SubscriptElement(_index(part)) for part in parts]
    if several and len(elements) == 1:
        raise NotCovered
    return _make(cst.Subscript)(_expression(node.value), elements)


def _index(node: ast.expr) -> cst.Index | cst.Slice:
    if not isinstance(node, ast.Slice):
        return cst.Index(_expression(node))
    bounds = (node.lower, node.upper, node.step)
    return _make(cst.Slice)(*(None if part is None else _expression(part) for part in bounds))


def _elements(nodes: list[ast.expr]) -> list[Any]:
    return [
        _make(cst.StarredElement)(_expression(node.value))
        if isinstance(node, ast.Starred)
        else cst.Element(_expression(node))
        for node in nodes
    ]


def _conditional(node: ast.IfExp) -> Any:
    parts = (node.test, node.body, node.orelse)
    return _bracketed(cst.IfExp, *(_expression(part) for part in parts))


def _lambda(node: ast.Lambda) -> Any:
    return _bracketed(cst.Lambda, _parameters(node.args), _expression(node.body))


_OPERATORS: dict[type, str] = {
    ast.Add: "Add",
    ast.Sub: "Subtract",
    ast.Mult: "Multiply",
    ast.Div: "Divide",
    ast.FloorDiv: "FloorDivide",
    ast.Mod: "Modulo",
    ast.Pow: "Power",
    ast.MatMult: "MatrixMultiply",
    ast.BitAnd: "BitAnd",
    ast.BitOr: "BitOr",
    ast.BitXor: "BitXor",
    ast.LShift: "LeftShift",
    ast.RShift: "RightShift",
    ast.USub: "Minus",
    ast.UAdd: "Plus",
    ast.Invert: "BitInvert",
    ast.Not: "Not",
    ast.And: "And",
    ast.Or: "Or",
    ast.Lt: "LessThan",
    ast.LtE: "LessThanEqual",
    ast.Gt: "GreaterThan",
    ast.GtE: "GreaterThanEqual",
    ast.Eq: "Equal",
    ast.NotEq: "NotEqual",
    ast.Is: "Is",
    ast.IsNot: "IsNot",
    ast.In: "In",
    ast.NotIn: "NotIn",
}
_RULES: dict[type, Callable[[Any], Any]] = {
    ast.Name: lambda node: _name(node.id),
    ast.Constant: _constant,
    ast.Attribute: lambda node: _make(cst.Attribute)(_expression(node.value), _name(node.attr)),
    ast.Call: _call,
    ast.BinOp: _operation,
    ast.UnaryOp: _operation,
    ast.BoolOp: _boolean,
    ast.Compare: _comparison,
    ast.Subscript: _subscript,
    ast.Tuple: lambda node: cst.Tuple(_elements(node.elts)),
    ast.List: lambda node: _make(cst.List)(_elements(node.elts)),
    ast.IfExp: _conditional,
    ast.Lambda: _lambda,
}
