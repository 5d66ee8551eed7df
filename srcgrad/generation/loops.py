"""Array expressions of generated code as calls, each of which Numba compiles as one loop.

Numba writes an array for each part of an expression, through loops that do not use what it knows
of the order of memory. So expressions that are computed entry by entry, with what they are
written to or summed up in, are handed on as texts: ``x * np.sin(y)`` becomes
``elementwise("a0 * sin(a1)", x, y)``. What the calls mean is in ``loops_in_numba``, which knows
the ranks; so what turns out to be about single numbers stays what it was.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from typing import Any

BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.BitAnd, ast.BitOr)
UNARY = (ast.USub, ast.UAdd)
ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
FUNCTIONS = {
    **dict.fromkeys(
        ("abs", "absolute", "arctan", "cos", "cosh", "exp", "expm1", "log", "log1p", "sin"), 1
    ),
    **dict.fromkeys(("sinh", "sqrt", "square", "tan", "tanh"), 1),
    **dict.fromkeys(("maximum", "minimum", "arctan2", "hypot", "outer"), 2),
    "where": 3,
}
_IN_PLACE = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.Div: "/="}
_SUMS = ("sum", "mean")
_LITERAL = ast.Constant | ast.Tuple | ast.UnaryOp | ast.USub | ast.Load


def in_loops(
    function: ast.FunctionDef,  # the function
    is_numpy: Callable[[str], bool],  # whether a name that it reads of the outside is NumPy
    ranks: dict[str, int],  # those parameters whose ranks are known, with their ranks
    names: dict[str, str],  # the names of the calls: of ``elementwise``, ``written`` and ``total``
    python_errors: bool,  # whether a number that is divided by zero is an error
) -> None:
    """Write the array expressions of a function as calls, in place."""
    single = _Numbers(function, is_numpy, ranks)
    _Loops(single, names, "!" if python_errors else "").visit(function)


class _Numbers:
    """Which expressions of a function are single numbers, as far as its text tells.

    Nothing depends on it but how much there is to compile.
    """

    def __init__(
        self, function: ast.FunctionDef, is_numpy: Callable[[str], bool], ranks: dict[str, int]
    ) -> None:
        self.is_numpy = is_numpy
        self.sources: dict[str, list[Any]] = {}
        self.kept: dict[str, list[ast.expr]] = {}
        parameters = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        self.given = {name: ranks.get(name) for name in parameters}
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "append":
                name = getattr(getattr(node.func, "value", None), "id", "")
                self.kept.setdefault(name, []).extend(node.args)
        for node in ast.walk(function):
            self._note(node)
        self.names = {name for name in self.sources if self.given.get(name, 0) == 0}
        self.names |= {name for name, rank in self.given.items() if rank == 0}
        while True:
            others = {n for n in self.names if not all(map(self.holds, self.sources.get(n, ())))}
            if not others:
                break
            self.names -= others

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value)
        elif isinstance(node, ast.AugAssign | ast.NamedExpr):
            self._bind(node.target, node.value)
        elif isinstance(node, ast.For):
            if getattr(getattr(node.iter, "func", None), "id", "") == "range":
                self._bind(node.target, ast.Constant(0))
                return
            base = node.iter.value if _is_reversed(node.iter) else node.iter  # type: ignore
            for element in self.kept.get(getattr(base, "id", ""), [None]):
                self._bind(node.target, element)
        elif isinstance(node, ast.comprehension | ast.withitem | ast.ExceptHandler):
            for name in ast.walk(node):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                    self._bind(name, None)

    def _bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.sources.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Tuple | ast.List):
            parts: list[Any] = [None] * len(target.elts)
            if isinstance(value, ast.Tuple) and len(value.elts) == len(parts):
                parts = list(value.elts)
            elif isinstance(value, ast.Attribute) and value.attr == "shape":
                parts = [ast.Constant(0)] * len(parts)
            for part, each in zip(target.elts, parts, strict=True):
                self._bind(part, each)

    def holds(self, node: Any) -> bool:
        """Tell whether an expression is known to be a number."""
        match node:
            case ast.Constant(value):
                return isinstance(value, int | float | complex)
            case ast.Name(name):
                return name in self.names
            case ast.UnaryOp(_, operand):
                return self.holds(operand)
            case ast.BinOp(left, _, right) | ast.IfExp(_, left, right):
                return self.holds(left) and self.holds(right)
            case ast.Compare(left, _, others):
                return all(map(self.holds, (left, *others)))
            case ast.Attribute(value, name):
                return name in ("size", "ndim") or (name in ("real", "imag") and self.holds(value))
            case ast.Subscript(ast.Attribute(_, "shape")):
                return True
            case ast.Subscript(ast.Name(name), index):
                parts = list(_index(index))
                return self.given.get(name) == len(parts) and all(map(self.holds, parts))
            case ast.Call(ast.Name(name)):
                return name in ("len", "float", "int")
            case ast.Call(function, args):
                name = self.numpy_name(function)
                if name in _SUMS or (not name and getattr(function, "attr", "") in _SUMS):
                    return len(args) == bool(name) and not node.keywords
                return name in FUNCTIONS and name != "outer" and all(map(self.holds, args))
        return False

    def numpy_name(self, function: ast.expr) -> str:
        """Return the name of a function of NumPy's, or nothing."""
        if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)):
            return ""
        name = function.value.id
        own = name in self.sources or name in self.given
        return function.attr if not own and self.is_numpy(name) else ""


def _is_reversed(node: ast.expr) -> bool:
    """Whether an expression is a sequence from its end, ``saved[::-1]``."""
    if not (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)):
        return False
    held = node.slice
    step = ast.unparse(held.step) if held.step is not None else ""
    return held.lower is None and held.upper is None and step == "-1"


class _Text:
    """The text of an expression that is computed entry by entry, and its operands."""

    def __init__(self, single: _Numbers) -> None:
        self.single = single
        self.operands: list[ast.expr] = []
        self.numbers: dict[str, int] = {}
        self.count = 0
        self.acts = False

    def of(self, node: ast.expr) -> ast.expr:
        """Return an expression with names of operands in the place of what is not computed so."""
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return node
        if isinstance(node, ast.BinOp) and isinstance(node.op, BINARY):
            self.count += 1
            return ast.BinOp(self.of(node.left), node.op, self.of(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, UNARY):
            self.count += 1
            return ast.UnaryOp(node.op, self.of(node.operand))
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ORDER):
            self.count += 1
            return ast.Compare(self.of(node.left), node.ops, [self.of(node.comparators[0])])
        if isinstance(node, ast.Call) and not node.keywords:
            name = self.single.numpy_name(node.func)
            if FUNCTIONS.get(name) == len(node.args) and not _has_star(node.args):
                self.count += 1
                return ast.Call(ast.Name(name, ast.Load()), [self.of(x) for x in node.args], [])
        if isinstance(node, ast.Subscript) and _only_adds_axes(node.slice):
            return ast.Subscript(self._operand(node.value), node.slice, ast.Load())
        return self._operand(node)

    def _operand(self, node: ast.expr) -> ast.expr:
        key = ast.dump(node)
        self.acts = self.acts or any(map(self._may_act, ast.walk(node)))
        if any(isinstance(n, ast.Call | ast.NamedExpr | ast.Await) for n in ast.walk(node)):
            key = f"{len(self.operands)}"
        if key not in self.numbers:
            self.numbers[key] = len(self.operands)
            self.operands.append(node)
        return ast.Name(f"a{self.numbers[key]}", ast.Load())

    def may_be_one(self) -> bool:
        """Whether all operands may be computed before anything else is.

        What a called function writes, Python reads behind it, and not before.
        """
        return not (self.acts and self.count and len(self.operands) > 1)

    def _may_act(self, node: ast.AST) -> bool:
        """Whether a call may write what other operands read."""
        if isinstance(node, ast.NamedExpr | ast.Await):
            return True
        if not isinstance(node, ast.Call):
            return False
        if self.single.numpy_name(node.func) or (
            isinstance(node.func, ast.Name) and (node.func.id in ("len", "range", "float", "int"))
        ):
            return False
        return not (isinstance(node.func, ast.Attribute) and node.func.attr in _PURE)


_PURE = frozenset(
    ("sum", "mean", "copy", "reshape", "transpose", "swapaxes", "ravel", "astype", "conj", "max")
)


def _has_star(arguments: list[ast.expr]) -> bool:
    return any(isinstance(each, ast.Starred) for each in arguments)


def _only_adds_axes(index: ast.expr) -> bool:
    """Whether an index is None and whole slices, such as ``[:, None]``."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    new = [isinstance(p, ast.Constant) and p.value is None for p in parts]
    whole = [isinstance(p, ast.Slice) and not (p.lower or p.upper or p.step) for p in parts]
    return any(new) and all(map(any, zip(new, whole, strict=True)))


class _Loops(ast.NodeTransformer):
    """Writes calls in the place of what is computed entry by entry."""

    def __init__(self, single: _Numbers, names: dict[str, str], mark: str) -> None:
        self.single, self.names, self.mark = single, names, mark

    def visit(self, node: ast.AST) -> Any:
        """Change a node."""
        if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", None), ast.Store):
            return self.generic_visit(node)
        if isinstance(node, ast.BinOp | ast.UnaryOp | ast.Compare | ast.Call):
            return self._expression(node)
        return super().visit(node)

    def _expression(self, node: Any) -> ast.expr:
        summed = self._summed(node)
        if summed is not None and not self.single.holds(summed[1]):
            name, array, axes = summed
            text, operands = self._text(array)
            if operands:
                return self._call("total", node, text, name, axes, *operands)
        if not self.single.holds(node):
            held = _Text(self.single)
            text = self.mark + ast.unparse(held.of(node))
            if held.count and held.operands and held.may_be_one():
                return self._call("elementwise", node, text, *map(self.visit, held.operands))
        return self.generic_visit(node)  # pyright: ignore[reportReturnType]

    def _summed(self, node: ast.expr) -> tuple[str, ast.expr, str] | None:
        """What a call sums up: how, what, and along which axes, as a text; empty for all."""
        if not isinstance(node, ast.Call) or _has_star(node.args):
            return None
        options = {word.arg: word.value for word in node.keywords}
        if not set(options) <= {"axis", "keepdims"}:
            return None
        if not all(isinstance(n, _LITERAL) for o in options.values() for n in ast.walk(o)):
            return None
        axes = ", ".join(f"{name}={ast.unparse(value)}" for name, value in options.items())
        name = self.single.numpy_name(node.func)
        if name in _SUMS and len(node.args) == 1:
            return name, node.args[0], axes
        if not name and isinstance(node.func, ast.Attribute) and not node.args:
            base = node.func.value
            module = isinstance(base, ast.Name) and self.single.is_numpy(base.id)
            if node.func.attr in _SUMS and not module:
                return node.func.attr, base, axes
        return None

    def _text(self, node: ast.expr) -> tuple[str, list[Any]]:
        """An expression as a text, and its operands; none where it has to stay as it stands."""
        held = _Text(self.single)
        text = self.mark + ast.unparse(held.of(node))
        if not held.may_be_one():
            return f"{self.mark}a0", [self.visit(node)]
        return text, [self.visit(each) for each in held.operands]

    def _call(self, name: str, node: ast.AST, *arguments: Any) -> ast.expr:
        given = [x if isinstance(x, ast.expr) else ast.Constant(x) for x in arguments]
        return _at(ast.Call(ast.Name(self.names[name], ast.Load()), given, []), node)

    def visit_Assign(self, node: ast.Assign) -> Any:
        """Change an assignment: one to a part of an array is a loop over that part."""
        target = node.targets[0]
        if len(node.targets) == 1 and self._is_part(target):
            assert isinstance(target, ast.Subscript)
            if not isinstance(node.value, ast.Constant):
                return self._write(node, target.value, "=", target.slice, node.value)
        node.targets = [self.visit(each) for each in node.targets]
        node.value = self.visit(node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """Change an assignment that adds to something."""
        target, op = node.target, _IN_PLACE.get(type(node.op))
        if op is not None:
            if self._is_part(target):
                assert isinstance(target, ast.Subscript)
                return self._write(node, target.value, op, target.slice, node.value)
            if isinstance(target, ast.Name) and not self.single.holds(_read(target)):
                text, operands = self._text(node.value)
                if operands:
                    call = self._call("written", node, text, op, _read(target), None, *operands)
                    return _at(ast.Assign([target], call), node)
        node.target, node.value = self.visit(target), self.visit(node.value)
        return node

    def _is_part(self, target: ast.expr) -> bool:
        """Whether something is a part of an array that slices give."""
        if not isinstance(target, ast.Subscript):
            return False
        parts = list(_index(target.slice))
        other = (p for p in parts if not isinstance(p, ast.Slice))
        plain = not any(isinstance(p, ast.Constant) and type(p.value) is not int for p in other)
        return plain and any(isinstance(p, ast.Slice) for p in parts)

    def _write(
        self, node: Any, array: ast.expr, op: str, index: ast.expr, value: ast.expr
    ) -> ast.stmt:
        text, operands = self._text(value)
        parts = [
            self.visit(part) if not isinstance(part, ast.Slice) else self._slice(part)
            for part in _index(index)
        ]
        place = ast.Tuple(parts, ast.Load())
        call = self._call("written", node, text, op, self.visit(array), place, *operands)
        return _at(ast.Expr(call), node)

    def _slice(self, part: ast.Slice) -> ast.expr:
        ends: list[ast.expr]
        ends = [self.visit(e) if e else ast.Constant(None) for e in (part.lower, part.upper)]
        ends += [self.visit(part.step)] if part.step else []
        return ast.Call(ast.Name("slice", ast.Load()), ends, [])


def _read(name: ast.Name) -> ast.Name:
    return ast.Name(name.id, ast.Load())


def _index(index: ast.expr) -> Iterator[ast.expr]:
    yield from index.elts if isinstance(index, ast.Tuple) else [index]


def _at(made: Any, node: ast.AST) -> Any:
    """Return what was made, and all in it, at the lines of what it stands for."""
    for each in ast.walk(made):
        if isinstance(each, ast.stmt | ast.expr) and not hasattr(each, "lineno"):
            ast.copy_location(each, node)
    return made


class Backwards(ast.NodeTransformer):
    """Goes through lists from their ends by numbers, where they would be copied: ``saved[::-1]``.

    Numba's lists in the opposite order are copies.
    """

    def __init__(self, function: ast.FunctionDef) -> None:
        self.taken = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
        self.lists = {
            getattr(node.targets[0], "id", "")
            for node in ast.walk(function)
            if isinstance(node, ast.Assign) and ast.unparse(node.value) == "[]"
        }

    def visit_For(self, node: ast.For) -> Any:
        """Change a loop."""
        self.generic_visit(node)
        iterated = node.iter
        if not (isinstance(iterated, ast.Subscript) and _is_reversed(iterated)):
            return node
        name = getattr(iterated.value, "id", "")
        inside = {n.id for each in node.body for n in ast.walk(each) if isinstance(n, ast.Name)}
        if name not in self.lists or name in inside:
            return node
        place, count = "place", 2
        while place in self.taken:
            place, count = f"place{count}", count + 1
        self.taken.add(place)
        text = f"for {place} in range(len({name}) - 1, -1, -1):\n    pass"
        (made,) = ast.parse(text).body
        assert isinstance(made, ast.For)
        item = ast.Subscript(ast.Name(name, ast.Load()), ast.Name(place, ast.Load()), ast.Load())
        made.body = [ast.Assign([copy.deepcopy(node.target)], item), *node.body]
        made.orelse = node.orelse
        for each in (made, made.target, *ast.walk(made.iter)):
            ast.copy_location(each, node)
        return _at(made, node)
