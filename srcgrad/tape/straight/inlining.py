"""A formula as lines of a straight-line program, with what the recorded call decides folded in."""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from srcgrad.registry import primal, running_for
from srcgrad.tape.rewriting import tree_of
from srcgrad.tape.straight.words import Words
from srcgrad.tape.syntax import of_some_arguments


class NotStraight(Exception):
    """The formula has to be called: it is no straight line, or keeps values of its own."""


class Lines(NamedTuple):
    """The backward part of a formula at one call.

    Attributes:
        assigned: the values that have names, in order: name in the formula, and expression.
        cotangents: for the arguments that have one, by position, the expression.
    """

    assigned: list[tuple[str, ast.expr]]
    cotangents: dict[int, ast.expr]


class Reading:
    """A formula as it was read for the operands of one call.

    Args:
        plan: the function, and its formula.
        held: the operands.
        options: the options of the call.
        needed: the positions of the operands that get cotangents.

    Attributes:
        likes: the cotangents, by position, where that of the result is made of ones.

    Raises:
        NotStraight: where the formula has to be called.
    """

    def __init__(self, plan: Any, held: Any, options: Any, needed: tuple[int, ...]) -> None:
        rule = plan.rule
        node = tree_of(rule)
        if node is None or plan.variadic:
            raise NotStraight
        self.space: dict[str, Any] = dict(rule.__globals__)
        closure = zip(rule.__code__.co_freevars, rule.__closure__ or (), strict=True)
        self.space |= {name: cell.cell_contents for name, cell in closure}
        bound = inspect.signature(rule).bind(*held, **options)
        bound.apply_defaults()
        self.parameters = bound.arguments
        self.space |= bound.arguments
        self.own: set[str] = set()  # what the forward part computes
        self.result = self.bar = ""
        self.value: Any = None
        self.assigned: list[tuple[str, ast.expr]] = []
        with running_for(plan.fn):
            backward = self._forward(of_some_arguments(copy.deepcopy(node), needed).body)
        self.space[self.bar] = ones_like(self.value)
        returned = self._backward(backward)
        parts = [returned] if plan.single else getattr(returned, "elts", [])
        if len(parts) < len(held):
            raise NotStraight
        chosen = _Chosen(self)
        self.assigned = [(name, chosen.visit(part)) for name, part in self.assigned]
        self.parts: dict[int, ast.expr] = {k: chosen.visit(parts[k]) for k in needed}
        self.likes = {k: self.evaluated(part) for k, part in self.parts.items()}

    def lines(
        self, operand: Callable[[str], ast.expr], result: ast.expr, z_bar: ast.expr, words: Words
    ) -> Lines:
        """Return the backward part as lines.

        Args:
            operand: gives the expression of a parameter of the formula.
            result: that of the result.
            z_bar: that of its cotangent.
            words: the names of the text.

        Raises:
            NotStraight: where the formula keeps values of its own.
        """
        fold = _Fold(self, operand, result, z_bar, words)
        found = Lines([], {})
        expressions = (*self.parts.values(), *(value for _, value in self.assigned))
        uses = [part.id for e in expressions for part in ast.walk(e) if isinstance(part, ast.Name)]
        for name, value in self.assigned:
            made: Any = fold.visit(copy.deepcopy(value)) if uses.count(name) else None
            if uses.count(name) == 1 or isinstance(made, ast.Name | ast.Constant):
                fold.texts[name] = made
            elif made is not None:
                found.assigned.append((name, made))
        for k, part in self.parts.items():
            if self.likes[k] is not None:
                found.cotangents[k] = fold.visit(copy.deepcopy(part))
        return found

    def _forward(self, body: list[ast.stmt]) -> Any:
        """Go through the forward part; return the backward function."""
        functions: dict[str, Any] = {}
        for statement in self._straight(body):
            if isinstance(statement, ast.FunctionDef):
                functions[statement.name] = statement
                continue
            if isinstance(statement, ast.Return):
                return self._end(statement.value, functions)
            name = self._assign(statement)
            if name in self.parameters:
                raise NotStraight
            self.own.add(name)
        raise NotStraight

    def _end(self, value: Any, functions: dict[str, Any]) -> Any:
        if not isinstance(value, ast.Tuple) or len(value.elts) < 2:
            raise NotStraight
        z, backward = value.elts[:2]
        self.value = self.evaluated(z)
        self.result = z.id if isinstance(z, ast.Name) else ""
        if isinstance(backward, ast.Name):
            backward = functions.get(backward.id)
        if not isinstance(backward, ast.Lambda | ast.FunctionDef) or len(backward.args.args) != 1:
            raise NotStraight
        self.bar = backward.args.args[0].arg
        return backward

    def _backward(self, backward: Any) -> ast.expr:
        """Go through the backward part; return what it returns."""
        if isinstance(backward, ast.Lambda):
            return backward.body
        for statement in self._straight(backward.body):
            if isinstance(statement, ast.Return) and statement.value is not None:
                return statement.value
            if not isinstance(statement, ast.Assign):
                raise NotStraight
            name = self._assign(statement)
            if name in self.own or any(name == known for known, _ in self.assigned):
                raise NotStraight
            self.assigned.append((name, statement.value))
        raise NotStraight

    def _straight(self, body: list[ast.stmt]) -> Any:
        """Go through statements, of branches those that are taken."""
        for statement in body:
            if isinstance(statement, ast.If):
                taken = statement.body if self.evaluated(statement.test) else statement.orelse
                yield from self._straight(taken)
            elif not (isinstance(statement, ast.Pass) or _is_text(statement)):
                yield statement

    def _assign(self, statement: Any) -> str:
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            raise NotStraight
        (target,) = statement.targets
        if not isinstance(target, ast.Name):
            raise NotStraight
        self.space[target.id] = self.evaluated(statement.value)
        return target.id

    def evaluated(self, node: ast.expr) -> Any:
        """Return the value that an expression has in the formula."""
        whole = ast.Expression(ast.fix_missing_locations(copy.deepcopy(node)))
        code = compile(whole, "<formula>", "eval")
        try:
            with np.errstate(all="ignore"):
                return eval(code, self.space)
        except Exception as error:
            raise NotStraight from error


class _Chosen(ast.NodeTransformer):
    """Writes of expressions with conditions the side that is taken."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        """Write the side that is taken."""
        return self.visit(node.body if self.reading.evaluated(node.test) else node.orelse)


class _Fold(ast.NodeTransformer):
    """Writes an expression of a formula for one call."""

    def __init__(
        self, reading: Reading, operand: Any, result: Any, z_bar: Any, words: Words
    ) -> None:
        self.reading = reading
        self.operand = operand
        self.words = words
        self.texts: dict[str, ast.expr] = {reading.bar: z_bar}
        if reading.result:
            self.texts[reading.result] = result

    def visit_Name(self, node: ast.Name) -> Any:
        """Write a name as that of an operand, of a constant, or of what is imported."""
        name, reading = node.id, self.reading
        if name in self.texts:
            return copy.deepcopy(self.texts[name])
        if any(name == known for known, _ in reading.assigned):
            return node
        if name in reading.parameters:
            return self.operand(name)
        value = reading.space.get(name, _builtin(name))
        if value is primal or (name in reading.own and not _is_small(value)):
            raise NotStraight
        return self.words.constant(value)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """Write shapes as what they are in this call."""
        if node.attr in ("shape", "ndim", "size"):
            return self.words.constant(self.reading.evaluated(node))
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        """Write what is made of numbers alone as one."""
        return _folded(self.generic_visit(node))

    def visit_Compare(self, node: ast.Compare) -> Any:
        """Write a comparison of numbers as what it is."""
        return _folded(self.generic_visit(node))

    def visit_Call(self, node: ast.Call) -> Any:
        """Leave out options that are what they are by default."""
        try:
            known = inspect.signature(self.reading.evaluated(node.func)).parameters
        except (TypeError, ValueError):
            known = {}
        made: Any = self.generic_visit(node)
        made.keywords = [k for k in made.keywords if not _is_default(k, known)]
        return made

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        """Leave functions inside to the formula."""
        raise NotStraight

    visit_ListComp = visit_GeneratorExp = visit_DictComp = visit_SetComp = visit_Lambda  # noqa: N815  # pyright: ignore[reportAssignmentType]
    visit_NamedExpr = visit_JoinedStr = visit_Lambda  # noqa: N815  # pyright: ignore[reportAssignmentType]


def _is_default(keyword: ast.keyword, parameters: Any) -> bool:
    """Whether an option has the value that it has by default; NumPy's may stand for False."""
    if keyword.arg not in parameters or not isinstance(keyword.value, ast.Constant):
        return False
    default, value = parameters[keyword.arg].default, keyword.value.value
    return value is default or (default is np._NoValue and value is False)  # noqa: SLF001


def _folded(node: Any) -> Any:
    """Return an operation on numbers as its result, and a value to the power of 1 as itself."""
    parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    if all(isinstance(part, ast.Constant) for part in parts):
        whole = ast.Expression(ast.fix_missing_locations(node))
        try:
            value = eval(compile(whole, "<formula>", "eval"), {})
        except ArithmeticError:
            return node
        return ast.Constant(value) if np.isfinite(value) and value >= 0 else node
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        power = node.right.value if isinstance(node.right, ast.Constant) else None
        return node.left if power == 1 and type(power) is int else node
    return node


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_small(value: Any) -> bool:
    """Whether a value is no array: a shape, an axis, a truth value."""
    if isinstance(value, tuple | list):
        return all(map(_is_small, value))
    return value is None or isinstance(value, int | str | bool | slice)


def _builtin(name: str) -> Any:
    return getattr(__import__("builtins"), name, None)


def ones_like(value: Any) -> Any:
    """Return a cotangent of ones.

    Raises:
        NotStraight: when the value is no array or number.
    """
    if not isinstance(value, np.ndarray | np.generic | float | complex):
        raise NotStraight
    made = np.ones_like(value)
    return made if isinstance(value, np.ndarray) else made[()]


__all__ = ["Lines", "NotStraight", "Reading", "ones_like"]
