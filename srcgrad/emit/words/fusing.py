"""Chains of elementwise operations as functions of their own, which CuPy compiles to one kernel.

``e_bar * x * np.cos(z)`` is three kernels on a GPU, each of which goes through memory. In text for
speed such an expression is a call of a function beside the derivative, under ``@cp.fuse()``.
"""

from __future__ import annotations

import ast
import operator
import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.emit.words.text import to_text
from srcgrad.ir.nodes import Equation, Var

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.BitAnd, ast.BitOr)
_FUNCTIONS = (
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.neg),
    *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge),
    *(operator.and_, operator.or_),
)
_ASKING = frozenset({"isfinite", "isinf", "isnan", "signbit"})
_FEWEST = 2  # operations that are worth a function


@dataclass(eq=False)
class Fused:
    """A function that was taken out of an expression."""

    name: str  # its name
    text: str  # its text, with the decorator
    externals: dict[str, Any] = field(default_factory=dict)  # what it refers to


class Fuser:
    """Takes elementwise operations out of the expressions of one generated function.

    Args:
        expressions: writes the expressions, with names for what they refer to.
        name: what the functions are called, with a number behind it.
    """

    def __init__(self, expressions: Any, name: str) -> None:
        self.e, self.name = expressions, name
        self.made: list[Fused] = []

    @staticmethod
    def takes(eq: Any) -> bool:
        """Tell whether an equation gives an array that is computed entry by entry."""
        if not isinstance(eq, Equation) or len(eq.targets) != 1 or eq.options:
            return False
        if eq.targets[0].type.kind != "array" or not eq.targets[0].type.ndim:
            return False
        return _is_elementwise(eq.op.fn) or any(eq.op.fn is fn for fn in _FUNCTIONS)

    def fused(self, eq: Equation, node: ast.expr) -> ast.expr:
        """Return the call of a fused function in the place of an expression, or the expression."""
        if not self.takes(eq):
            return node
        kinds = self._kinds(eq)
        leaves: dict[str, ast.expr] = {}
        parameters: dict[str, str] = {}
        taken = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        count = 0

        def body(part: ast.expr) -> ast.expr:
            nonlocal count
            if isinstance(part, ast.Constant):
                return part
            operands = self._operands(part)
            if operands and self._kind(part, kinds) in ("real", "mask"):
                count += not (
                    isinstance(part, ast.UnaryOp) and isinstance(operands[0], ast.Constant)
                )
                made = [body(operand) for operand in operands]
                if isinstance(part, ast.BinOp):
                    return ast.BinOp(made[0], part.op, made[1])
                if isinstance(part, ast.UnaryOp):
                    return ast.UnaryOp(part.op, made[0])
                if isinstance(part, ast.Compare):
                    return ast.Compare(made[0], part.ops, made[1:])
                assert isinstance(part, ast.Call)
                return ast.Call(part.func, made, [])
            text = ast.unparse(part)
            if text not in parameters:
                free = (f"a{k}" for k in range(len(parameters), 99))
                own = (
                    part.id
                    if isinstance(part, ast.Name)
                    else next(name for name in free if name not in taken)
                )
                parameters[text], leaves[text] = own, part
            return ast.Name(parameters[text], ast.Load())

        made = body(node)
        if count < _FEWEST or any(
            isinstance(part, ast.List | ast.Tuple) for part in leaves.values()
        ):
            return node
        known = self.known(made, list(parameters.values()))
        return ast.Call(ast.Name(known, ast.Load()), list(leaves.values()), [])

    def _kinds(self, eq: Equation) -> dict[str, str]:
        """What the operands of an expression are, and of those written inside of it, by text."""
        found: dict[str, str] = {}
        queue = list(eq.args)
        while queue:
            value = queue.pop()
            inner = self.e.written(value)
            queue += inner.args if inner is not None else ()
            if isinstance(value, Var):
                type_ = type_of(value)
                kind = "real" if type_.dtype in ("f", "c") else "mask" if type_.dtype == "b" else ""
                is_array = type_.kind == "array" and type_.ndim
                found[ast.unparse(self.e.value(value))] = kind if is_array else "number"
        return found

    def _operands(self, node: ast.expr) -> list[ast.expr]:
        """The operands of what a fused function can compute."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, _OPERATORS):
            return [node.left, node.right]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return [node.operand]
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            if not isinstance(node.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn):
                return [node.left, *node.comparators]
        if isinstance(node, ast.Call) and not node.keywords and self.is_elementwise(node):
            return node.args
        return []

    def _kind(self, node: ast.expr, kinds: dict[str, str]) -> str:
        """Return whether CuPy computes it in a fused function in the same precision as outside.

        A number meets arrays there as one of the smallest type that holds it, so that two
        numbers, or a number and an array of booleans, are computed in half precision.

        Returns:
            ``"real"`` for such an array of real or complex numbers, ``"mask"`` for one of
            booleans, ``"number"`` for a number; empty for what is computed outside.
        """
        if isinstance(node, ast.Constant):
            return "number"
        operands = self._operands(node)
        if not operands:
            return kinds.get(ast.unparse(node), "")
        of = [self._kind(operand, kinds) for operand in operands]
        logical = isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr)
        asks = isinstance(node, ast.Compare)
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Attribute)
            if node.func.attr == "where":
                fits = of[0] == "mask" and "real" in of[1:] and {*of[1:]} <= {"real", "number"}
                return "real" if fits else ""
            logical = node.func.attr.startswith("logical")
            asks = node.func.attr in _ASKING
        if logical:
            return "mask" if {*of} == {"mask"} else "number" if {*of} == {"number"} else ""
        if {*of} == {"number"}:
            return "number"
        if "real" not in of or "" in of:
            return ""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and of[0] != "real":
            return ""
        return "mask" if asks else "real"

    def known(self, body: ast.expr, parameters: list[str]) -> str:
        """Return the name of a function with this body: one that is there, or a new one."""
        cupy = sys.modules["cupy"]
        module = self.e.module(cupy, "cp")
        lines = to_text(ast.Return(body), 4)
        rest = "\n".join("    " + line for line in lines)
        for each in self.made:
            if (
                each.text.partition("\n")[2].partition("(")[2]
                == f"{', '.join(parameters)}):\n{rest}\n"
            ):
                return each.name
        name = self.e.context.name(
            f"{self.name}_fused", object(), self.e.taken | set(self.e.globals)
        )
        text = f"@{module}.fuse()\ndef {name}({', '.join(parameters)}):\n{rest}\n"
        self.made.append(Fused(name, text, dict(self.e.externals)))
        return name

    def is_elementwise(self, call: ast.Call) -> bool:
        """Tell whether a call is one of a function of CuPy's that goes entry by entry."""
        func = call.func
        if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
            return False
        if func.value.id != self.e.module(sys.modules["cupy"], "cp"):
            return False
        return _is_elementwise(getattr(np, func.attr, None))


def _is_elementwise(fn: Any) -> bool:
    if isinstance(fn, np.ufunc):
        return fn.nout == 1 and fn.signature is None
    return fn is np.where
