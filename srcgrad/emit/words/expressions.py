"""Writing values and operations of the backward part as Python expressions."""

from __future__ import annotations

import ast
import builtins
import functools
import math
import operator
import types
from typing import Any

import numpy as np

from srcgrad.analysis.kept.otherwise import Again
from srcgrad.analysis.kept.plans import Names
from srcgrad.analysis.shapes.results import type_of
from srcgrad.emit.words.products import (
    is_inexact,
    is_quotient,
    leads,
    makes_number,
    negated,
    product,
    scaled,
    sum_of,
)
from srcgrad.emit.words.text import (
    by_position,
    is_float,
    is_usual,
    new_axes,
    new_axis,
    whole,
    without_defaults,
)
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.ir.metadata import Metadata
from srcgrad.ir.nodes import (
    LIST_ITEM,
    LIST_NEW,
    LIST_REVERSED,
    Const,
    Equation,
    Items,
    Known,
    Marker,
    Method,
    Part,
    Slice,
    Struct,
    Value,
    Var,
)
from srcgrad.ir.types import GENERATOR, OPAQUE, OPTIONAL
from srcgrad.library.cupy_names import in_cupy
from srcgrad.program import facts
from srcgrad.runtime import list_along
from srcgrad.runtime.generators import same_draws
from srcgrad.transform.parts import (
    FormulaBackward,
    PairAgain,
    PairBackward,
    RecordedBackward,
    forward_name,
)
from srcgrad.transformation.library_names import numpy_names, place_in_scipy, qualified_name

_BINARY = {
    operator.add: ast.Add,
    operator.sub: ast.Sub,
    operator.mul: ast.Mult,
    operator.truediv: ast.Div,
    operator.floordiv: ast.FloorDiv,
    operator.mod: ast.Mod,
    operator.pow: ast.Pow,
    operator.matmul: ast.MatMult,
    operator.and_: ast.BitAnd,
    operator.or_: ast.BitOr,
    operator.xor: ast.BitXor,
    operator.lshift: ast.LShift,
    operator.rshift: ast.RShift,
}
_UNARY = {
    operator.neg: ast.USub,
    operator.pos: ast.UAdd,
    operator.invert: ast.Invert,
    operator.not_: ast.Not,
}
_COMPARE = {
    operator.lt: ast.Lt,
    operator.le: ast.LtE,
    operator.gt: ast.Gt,
    operator.ge: ast.GtE,
    operator.eq: ast.Eq,
    operator.ne: ast.NotEq,
}


# What costs half as much by the array's own method
_METHODS = {
    np.reshape: "reshape",
    np.swapaxes: "swapaxes",
    np.sum: "sum",
    np.prod: "prod",
    np.max: "max",
    np.min: "min",
    np.mean: "mean",
    np.any: "any",
    np.all: "all",
}


class Expressions:
    """Writes expressions for one generated function."""

    def __init__(self, source: Any, context: Any, taken: set[str]) -> None:
        # whether the function is a derivative, whose residuals may hold a number in the place of
        # an array that was not assigned
        self.is_generated = facts.is_made(source.function)
        self.globals = source.globals  # the globals that the function will run in
        self.cells = source.cells
        self.context = context
        self.taken = taken
        self.local: Names | None = (
            None  # hands out names of local variables; None where no one does
        )
        self.where: dict[Var, str] = {}  # the text of each forward variable
        self.names: dict[Var, str] = {}  # the name of each backward variable
        # forward variables that are computed again where they are read
        self.again: dict[Var, Equation] = {}
        # names that may hold a number in the place of an array that was not assigned
        self.absent: frozenset[str] = frozenset()
        # backward variables that are written where they are read
        self.inlined: dict[Var, Equation] = {}
        # what the text refers to besides those globals, by name
        self.externals: dict[str, Any] = {}

    def value(self, value: Value) -> ast.expr:
        """Return the expression of a value."""
        if isinstance(value, Var):
            if value in self.inlined:
                return self.operation(self.inlined[value])
            if value in self.names:
                return ast.Name(self.names[value], ast.Load())
            if value in self.again:
                return self.operation(self.again[value])
            text = self.where[value]
            if text.isidentifier():
                return ast.Name(text, ast.Load())
            return ast.parse(text, mode="eval").body
        if isinstance(value, Const):
            return self.constant(value.value)
        if isinstance(value, Items):
            parts = [self.value(v) for v in value.items]
            return ast.List(parts, ast.Load()) if value.is_list else ast.Tuple(parts, ast.Load())
        if isinstance(value, Struct):
            parts = [ast.unparse(self.value(v)) for v in value.items]
            text = value.form.text(parts, self.namer)
            return ast.parse(text, mode="eval").body
        if isinstance(value, Slice):
            bounds = [self.value(p) for p in (value.lower, value.upper, value.step)]
            return ast.Call(ast.Name("slice", ast.Load()), bounds, [])
        if isinstance(value, Known):
            if value.name not in self.taken and self._stands_for(value.name, value.object):
                return ast.Name(value.name, ast.Load())  # of the module, or of what is around
            return self._entry(value) or self.function(value.object)
        if isinstance(value, Method):
            raise UnsupportedSyntaxError(
                f"what the attribute {value.name!r} of an object holds is needed, and not known "
                "when code is generated",
                fixes=["read it into a name before, from an object that is an argument"],
            )
        raise TypeError(f"cannot write {value!r}")

    def _entry(self, value: Known) -> ast.expr | None:
        """Return how a global list, tuple or dict is read for what it holds; None if none does."""
        whole = value.name.partition("[")[0]
        if whole == value.name or whole in self.taken:
            return None
        held = facts.read_name(self.cells.get(whole, self.globals), whole)
        path = ast.parse(value.name, mode="eval").body
        keys: list[Any] = []
        node: Any = path
        while isinstance(node, ast.Subscript):
            keys.insert(0, ast.literal_eval(node.slice))
            node = node.value
        for key in keys:
            if type(held) not in (list, tuple, dict):
                return None
            facts.read_contents(held)
            held = held[key]
        return path if held is value.object else None

    def namer(self, thing: Any) -> str:
        """Return the name of a class or function."""
        return ast.unparse(self.function(thing))

    def constant(self, value: Any) -> ast.expr:
        """Return the expression of a constant."""
        if isinstance(value, int | float) and not isinstance(value, bool):
            if value != value or value in (math.inf, -math.inf):
                return ast.Call(ast.Name("float", ast.Load()), [ast.Constant(repr(value))], [])
            if value < 0:
                return ast.UnaryOp(ast.USub(), self.constant(-value))
            if value == math.pi:
                return ast.Attribute(ast.Name(self.module(np, "np"), ast.Load()), "pi", ast.Load())
        if isinstance(value, complex) and value.real == 0 and value.imag.is_integer():
            size = ast.Name(repr(complex(0, abs(value.imag))), ast.Load())  # astor: 1.0j
            return ast.UnaryOp(ast.USub(), size) if value.imag < 0 else size
        if isinstance(value, slice):
            return ast.Call(
                ast.Name("slice", ast.Load()),
                [self.constant(v) for v in (value.start, value.stop, value.step)],
                [],
            )
        if isinstance(value, tuple | list):
            parts = [self.constant(v) for v in value]
            kind = ast.List if isinstance(value, list) else ast.Tuple
            return kind(parts, ast.Load())
        return ast.Constant(value)

    def module(self, module: types.ModuleType, usual: str) -> str:
        """Return the name under which the function sees a module."""
        for name in (usual, module.__name__):
            if name not in self.taken and self._is_global(name, module):
                return name
        for name, value in self.globals.items():
            if value is module and name.isidentifier() and name not in self.taken:
                facts.read_name(self.globals, name)
                return name
        return self.external(usual, module)

    def external(self, wanted: str, thing: Any) -> str:
        """Return a name for something that the globals do not have."""
        for name, known in self.externals.items():
            if known is thing:
                return name
        if wanted not in self.taken and self._is_global(wanted, thing):
            return wanted
        if wanted in self.cells and self._stands_for(wanted, thing):
            return wanted
        taken = self.taken | set(self.globals) | set(self.names.values())
        name = self.context.name(
            wanted, thing, taken if self.local is None else taken | self.local.handed
        )
        if self.local is not None:
            self.local.taken.add(name)
        self.externals[name] = thing
        return name

    def _stands_for(self, name: str, thing: Any) -> bool:
        """Whether a name that is not local stands for something, which is relied on then."""
        cell = self.cells.get(name)
        if cell is None:
            return self._is_global(name, thing)
        return facts.read_name(cell, name) is thing

    def _is_global(self, name: str, thing: Any) -> bool:
        if self.globals.get(name, self) is not thing:
            return False
        facts.read_name(self.globals, name)
        return True

    def function(self, fn: Any) -> ast.expr:
        """Return the expression that names a function."""
        if isinstance(fn, FormulaBackward):
            name = fn.pair.backward_name
            self.externals[name] = fn
            return ast.Name(name, ast.Load())
        if isinstance(fn, PairBackward):
            name = fn.pair.patterns[fn.pattern].name
            self.externals[name] = fn
            return ast.Name(name, ast.Load())
        path = numpy_names().get(id(fn))
        if path is not None and getattr(np, path.split(".")[0], None) is not None:
            cupy = in_cupy("numpy", path) if self.context.of_cupy else None
            name = self.module(np, "np") if cupy is None else self.module(cupy, "cp")
            expression: ast.expr = ast.Name(name, ast.Load())
            for part in path.split("."):
                expression = ast.Attribute(expression, part, ast.Load())
            return expression
        name = getattr(fn, "__name__", "")
        if isinstance(getattr(fn, "__self__", None), np.ufunc):
            return ast.Attribute(self.function(fn.__self__), name, ast.Load())
        found = place_in_scipy(fn)
        if found is not None:
            cupyx = in_cupy(found[0].__name__, found[1]) if self.context.of_cupy else None
            module = self.module(cupyx or found[0], found[0].__name__.rsplit(".", 1)[-1])
            return ast.parse(f"{module}.{found[1]}", mode="eval").body
        if getattr(math, name, None) is fn:
            return ast.Attribute(ast.Name(self.module(math, "math"), ast.Load()), name, ast.Load())
        if getattr(builtins, name, None) is fn and name not in self.globals:
            return ast.Name(name, ast.Load())
        if isinstance(fn, types.ModuleType):
            return ast.Name(self.module(fn, name.rsplit(".", 1)[-1]), ast.Load())
        wanted = name if name.isidentifier() else qualified_name(fn).rsplit(".", 1)[-1]
        wanted = wanted if wanted.isidentifier() else "fixed"  # what has no name of its own
        return ast.Name(self.external(wanted, fn), ast.Load())

    def operation(self, eq: Equation) -> ast.expr:
        """Return the expression that an equation computes."""
        fn, args = eq.op.fn, eq.args
        if fn is LIST_NEW:
            return self.new_list(eq)
        if fn is list_along and eq.payload is not None:
            return _rows_of(self.value(args[0]), eq.payload)
        if fn is list_along and all(v == Const(0) for _, v in eq.options):
            return ast.Call(ast.Name("list", ast.Load()), [self.value(args[0])], [])
        if fn is LIST_ITEM:
            return ast.Subscript(self.value(args[0]), self.index(args[1]), ast.Load())
        if fn is LIST_REVERSED:
            step = ast.Slice(None, None, ast.UnaryOp(ast.USub(), ast.Constant(1)))
            return ast.Subscript(self.value(args[0]), step, ast.Load())
        if isinstance(fn, Part):
            part = self.value(args[0])
            for key in fn.path:
                part = ast.Subscript(part, self.constant(key), ast.Load())
            return part
        if isinstance(fn, Metadata):
            return self.metadata(fn, args[0])
        if fn is operator.getitem:
            return ast.Subscript(self.value(args[0]), self.index(args[1]), ast.Load())
        if fn is operator.mul and len(eq.targets) == 1 and not isinstance(eq.payload, Again):
            if eq.targets[0] not in self.context.compared:
                return self.product(eq)
        if isinstance(fn, PairAgain):
            return self.called_again(eq)
        if isinstance(fn, RecordedBackward):
            return ast.Call(self.value(args[0]), [self.value(a) for a in args[1:]], [])
        if isinstance(fn, Marker):
            raise _only_in_its_place(eq)
        binary = self.operator(fn, args)
        if binary is not None:
            return binary
        if eq.op.style == "attribute":
            return ast.Attribute(self.value(args[0]), eq.op.name, ast.Load())
        first = type_of(args[0]) if args else OPAQUE
        if fn is np.transpose and len(args) == 1 and not eq.options and first.kind == "array":
            return ast.Attribute(self.value(args[0]), "T", ast.Load())
        if fn is np.stack and not eq.options:
            display = self.display(args[0])
            if display is not None:
                return ast.Call(self.function(np.array), [display], [])
        args, options = by_position(eq)
        args, named = without_defaults(fn, args)
        positional = [self.value(a) for a in args]
        keywords = [
            ast.keyword(k, self.value(v)) for k, v in (*named, *options) if not is_usual(fn, k, v)
        ]
        if fn is np.expand_dims and first.kind == "array" and first.ndim:
            axis = args[1] if len(args) > 1 else None
            if isinstance(axis, Const) and type(axis.value) is int:
                return ast.Subscript(positional[0], new_axis(axis.value, first.ndim), ast.Load())
            parts = axis.items if isinstance(axis, Items) else ()
            places = [p.value for p in parts if isinstance(p, Const) and type(p.value) is int]
            if parts and len(places) == len(parts):
                return ast.Subscript(positional[0], new_axes(places, first.ndim), ast.Load())
        if fn is np.zeros_like and first.kind == "array" and first.ndim and not eq.options:
            there = first.element is not OPTIONAL  # None has no shape
            there &= not any(
                isinstance(n, ast.Name) and n.id in self.absent for n in ast.walk(positional[0])
            )
            there &= not (self.is_generated and args[0] in self.where)  # it may be a residual
            if self.context.all_double and first.dtype == "f" and there:
                shape = ast.Attribute(positional[0], "shape", ast.Load())
                return ast.Call(self.function(np.zeros), [shape], [])
        if fn is np.copy and first.kind == "array" and not eq.options:
            return ast.Call(ast.Attribute(positional[0], "copy", ast.Load()), [], [])
        method = eq.op.name if eq.op.style == "method" else first.ndim and self.method_of(fn)
        if method and first.kind == "array":
            head, *rest = positional
            return ast.Call(ast.Attribute(head, method, ast.Load()), rest, keywords)
        named = np.array if fn is np.stack and eq.op.name == "array" else fn  # may be empty
        return ast.Call(self.function(named), positional, keywords)

    def method_of(self, fn: Any) -> str | None:
        """Return the method of arrays that does what a function does."""
        return next((name for known, name in _METHODS.items() if known is fn), None)

    def display(self, rows: Value) -> ast.expr | None:
        """Numbers, and arrays of them that are written here, as lists in lists."""
        if not isinstance(rows, Items):
            return None
        parts = []
        for row in rows.items:
            inner = self.inlined.get(row) if isinstance(row, Var) else None
            if type_of(row).is_scalar and isinstance(row, Var | Const):
                parts.append(self.value(row))
            elif inner is not None and inner.op.fn is np.stack and not inner.options:
                parts.append(self.display(inner.args[0]))
            elif inner is not None and inner.op.fn is np.zeros and isinstance(inner.args[0], Const):
                parts.append(_zeros(inner.args[0].value))
            else:
                return None
        return ast.List(parts, ast.Load()) if None not in parts else None

    def called_again(self, eq: Equation, part: int = 1) -> ast.expr:
        """Return what a forward function keeps, or gives, when it is called again."""
        name = forward_name(self.context, eq.op.fn.pair)
        self.externals[name] = eq.op.fn
        copied = eq.op.fn.copied
        written = (a for k, a in enumerate(eq.args) if k in copied)
        arrays = not part and any(map(_may_be_array, written))  # it may give any of its arrays

        def given(key: int | str, value: Value) -> ast.expr:
            made = self.value(value)
            copy = key in copied or (arrays and type(key) is int and _may_be_array(value))
            return self.copy_of(made, value) if copy else made

        keywords = [ast.keyword(k, given(k, v)) for k, v in eq.options]
        args = [given(k, a) for k, a in enumerate(eq.args)]
        call = ast.Call(ast.Name(name, ast.Load()), args, keywords)
        return ast.Subscript(call, ast.Constant(part), ast.Load())

    def copy_of(self, text: ast.expr, value: Value) -> ast.expr:
        """A copy of an array, of what may be a number as well, or of a generator."""
        if type_of(value).element is GENERATOR:
            return ast.Call(self.function(same_draws), [text], [])
        if type_of(value).kind == "numeric":
            return ast.BinOp(text, ast.Mult(), ast.Constant(1))
        return ast.Call(ast.Attribute(text, "copy", ast.Load()), [], [])

    def new_list(self, eq: Equation) -> ast.expr:
        """Return a list, each of whose elements is made of as many values as the payload says."""
        parts = [self.value(a) for a in eq.args]
        width = eq.payload
        if parts and width > 1:
            rows = [parts[k : k + width] for k in range(0, len(parts), width)]
            return ast.List([ast.Tuple(row, ast.Load()) for row in rows], ast.Load())
        return ast.List(parts, ast.Load())

    def written(self, value: Value) -> Equation | None:
        """The equation of an operand that is written where it is read."""
        if not isinstance(value, Var):
            return None
        return self.inlined.get(value) or (None if value in self.names else self.again.get(value))

    def product(self, eq: Equation) -> ast.expr:
        """Return the expression of a multiplication."""
        parts = product(self, eq)
        factors = [self.value(v) for v in parts.factors]
        number, negative = parts.coefficient, parts.negative
        if len(factors) == 1 and number is not None and is_quotient(factors[0]):
            negative, number = negative != (number < 0), abs(number)
            signed = leads(self, parts.factors[0])
            if number == 1 and negative and not signed:
                return ast.UnaryOp(ast.USub(), factors[0])
            scale = self.constant(whole(number) if signed else float(number))
            made = factors[0] if number == 1 else scaled(scale, factors[0])
            return negated(made) if negative else made
        if number is not None:
            negative, number = negative != (number < 0), abs(number)
            if number != 1 or not is_float(parts.factors) or makes_number(eq, parts.factors):
                if isinstance(number, int) and factors and is_inexact(eq.targets[0]):
                    if not leads(self, parts.factors[0]):
                        number = float(number)  # whole numbers may wrap around
                written = self.constant(number)
                if factors:
                    written = self.tidy(Const(number), parts.factors[0], written)
                factors.insert(0, written)
        made = functools.reduce(lambda a, b: ast.BinOp(a, ast.Mult(), b), factors)
        return negated(made) if negative else made

    def metadata(self, fn: Metadata, value: Value) -> ast.expr:
        """Return ``value.shape`` and its kind; numbers may lack the attribute."""
        type_ = type_of(value)
        if type_.kind == "array" or (type_.kind != "scalar" and fn.__name__ == "dtype"):
            return ast.Attribute(self.value(value), fn.__name__, ast.Load())
        if fn.__name__ in ("shape", "size", "ndim"):
            name = ast.Attribute(
                ast.Name(self.module(np, "np"), ast.Load()), fn.__name__, ast.Load()
            )
            return ast.Call(name, [self.value(value)], [])
        return ast.Attribute(self.value(value), fn.__name__, ast.Load())

    def operator(self, fn: Any, args: tuple[Value, ...]) -> ast.expr | None:
        """Return the expression of an operator, None if the function is none."""
        try:
            kind = _BINARY.get(fn) or _UNARY.get(fn) or _COMPARE.get(fn)
        except TypeError:
            return None
        if kind is None:
            return None
        if fn is operator.neg:
            written = self.value(args[0])
            return negated(written) if leads(self, args[0]) else ast.UnaryOp(ast.USub(), written)
        if fn in _UNARY:
            return ast.UnaryOp(kind(), self.value(args[0]))
        left, right = (self.value(a) for a in args)
        if fn in (operator.mul, operator.truediv, operator.add, operator.sub):
            left = self.tidy(args[0], args[1], left)
            right = self.tidy(args[1], args[0], right)
        if fn in _COMPARE:
            return ast.Compare(left, [kind()], [right])
        if fn in (operator.add, operator.sub):
            return sum_of(left, right, fn is operator.sub)
        return ast.BinOp(left, kind(), right)

    def tidy(self, value: Value, other: Value, written: ast.expr) -> ast.expr:
        """Write ``2.0`` as ``2`` beside an operand that is floating-point anyway."""
        if isinstance(value, Const) and isinstance(value.value, float) and value.value.is_integer():
            if isinstance(other, Var) and other.type.dtype in ("f", "c") and abs(value.value) < 1e6:
                return self.constant(int(value.value))
        return written

    def index(self, index: Value) -> ast.expr:
        """Return what stands between the brackets of a subscript."""
        if isinstance(index, Slice):
            return ast.Slice(
                *(
                    None if p == Const(None) else self.value(p)
                    for p in (index.lower, index.upper, index.step)
                )
            )
        if isinstance(index, Items) and not index.is_list:
            if len(index.items) == 1 and isinstance(index.items[0], Slice):
                return self.index(index.items[0])
            return ast.Tuple([self.index(v) for v in index.items], ast.Load())
        return self.value(index)


def _zeros(shape: tuple[int, ...]) -> ast.expr:
    """Zeros, as lists in lists."""
    if not shape:
        return ast.Constant(0.0)
    return ast.List([_zeros(shape[1:]) for _ in range(shape[0])], ast.Load())


def _only_in_its_place(eq: Equation) -> UnsupportedSyntaxError:
    """The error for a value that the forward text holds, and is read where it does not."""
    source, statement = eq.origin.source, eq.origin.statement  # type: ignore[union-attr]
    spots = [source.spot(statement)] if source is not None and statement is not None else []
    return UnsupportedSyntaxError(
        "a value that is computed here has no name where the derivative needs it",
        spots=spots,
        fixes=["give it a name of its own in a statement before"],
    )


def _may_be_array(value: Value) -> bool:
    return type_of(value).kind in ("array", "numeric")


def _rows_of(array: ast.expr, row: Any) -> ast.expr:
    """The rows of an array as a list: of arrays, of lists, or of tuples of some of their parts."""
    if row is True:
        return ast.Call(ast.Name("list", ast.Load()), [array], [])
    part = _part_of(ast.Name("row", ast.Load()), row)
    each = ast.comprehension(ast.Name("row", ast.Store()), array, [], 0)
    return ast.ListComp(part, [each])


def _part_of(whole: ast.expr, row: Any) -> ast.expr:
    """One row of an array, as what it is taken apart to; see ``transform.lists``."""
    if row is True:
        return whole
    if isinstance(row, list):
        return _rows_of(whole, row[0])
    parts = []
    for place, inner in row:
        part = whole
        for k in place:
            part = ast.Subscript(part, ast.Constant(k), ast.Load())
        parts.append(_part_of(part, inner))
    return parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())
