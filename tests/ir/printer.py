"""The intermediate representation as text, for people who look at passes.

One equation per line, blocks indented, the line of the forward source behind
a ``#``::

    halved(x: real*):  # halving.py:1
      for i in range(0, 3, 1):  # 2
        carry x.2: real* = x, then x.3, after x.4
        x.3: real* = mul(0.5, x.2)  # 3
      return x.4

``carry p = a, then b, after c`` is an entry of a loop: ``p`` at the start of an
iteration is ``a`` in the first one and ``b`` of the previous one in the others;
``c`` is its value after the loop. ``merge c = a | b`` stands behind a branch.

Variables that share a name in the source are numbered in the order of their
definitions, so the text is the same in every process. A type is an element
type, followed by a shape for an array (``_`` is any length, ``...`` any rank),
by ``~`` where it may be a number too, and by ``*`` where the value is active.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from srcgrad.ir.nodes import (
    Block,
    Carried,
    Closure,
    Const,
    Equation,
    Function,
    If,
    Items,
    Known,
    Loop,
    Merge,
    Op,
    Pullback,
    Slice,
    Statement,
    Struct,
    Value,
    Var,
    variables,
)
from srcgrad.ir.types import Type

_WORDS = {"f": "real", "c": "complex", "i": "integer", "b": "boolean", "?": "any"}
_BARE = {None, "builtins", "operator", "_operator", "srcgrad.ir.nodes"}


def format_function(function: Function) -> str:
    """Return the text of a lowered function."""
    return Printer(function).function_text()


def format_block(block: Block, function: Function | None = None) -> str:
    """Return the text of a block."""
    printer = Printer(function)
    printer.define(block)
    return "\n".join(printer.lines(block, ""))


def printed(function: Function, part: Any) -> str:
    """Return the text of a statement, a merge or a carried entry of a function."""
    printer = Printer(function)
    if isinstance(part, Merge):
        return printer.merge(part)
    if isinstance(part, Carried):
        return printer.carried(part)
    return part or "" if isinstance(part, str | None) else printer.head(part)


def format_type(type_: Type) -> str:
    """Return a type in short form."""
    if type_.kind == "list":
        text = f"list({_element(type_.element)})"
    elif type_.kind in ("slice", "opaque", "shape"):
        text = type_.kind + (_shape(type_.shape) if type_.shape is not None else "")
    else:
        text = _WORDS[type_.dtype]
        if type_.kind != "scalar":
            text += _shape(type_.shape)
        if type_.kind == "numeric":
            text += "~"
    return text + "*" * type_.active


def _shape(shape: Any) -> str:
    if isinstance(shape, tuple):
        return "[" + ", ".join("_" if n is None else str(n) for n in shape) + "]"
    return "[...]" if shape is None else f"[...{shape}]"


def _element(element: Any) -> str:
    if element is None:
        return ""
    if isinstance(element, tuple):
        return ", ".join("-" if part is None else _element(part) for part in element)
    return format_type(element)


class Printer:
    """Writes statements, giving each variable one label throughout.

    ``function``: the function whose variables are labelled first.
    """

    def __init__(self, function: Function | None = None) -> None:
        self.function = function
        self.labels: dict[Var, str] = {}
        self.used: set[str] = set()
        if function is not None:
            for _, value in function.params:
                self.label_all(variables(value))
            self.define(function.body)

    def function_text(self) -> str:
        """Return the text of the printer's function."""
        function = self.function
        assert function is not None
        params = ", ".join(self.parameter(name, value) for name, value in function.params)
        source = function.source
        place = f"{source.short_filename}:{source.line_of(source.tree) or '?'}"
        lines = [f"{source.name}({params}):  # {place}", *self.lines(function.body, "  ")]
        return "\n".join([*lines, f"  return {self.value(function.result)}"])

    def parameter(self, name: str, value: Value) -> str:
        """Return a parameter with what is known of it."""
        if isinstance(value, Var):
            return self.typed(value)
        return f"{name} = {self.value(value)}"

    # labels

    def define(self, block: Block) -> None:
        """Give labels to the variables that a block defines, in their order."""
        for statement in block:
            if isinstance(statement, Equation):
                self.label_all(statement.targets)
            elif isinstance(statement, If):
                self.define(statement.then)
                self.define(statement.orelse)
                self.label_all(m.out for m in statement.merges)
            else:
                self.label_all([statement.index, *(c.param for c in statement.carried)])
                self.define(statement.body)
                self.label_all(c.out for c in statement.carried)

    def label_all(self, found: Iterable[Value]) -> None:
        for var in found:
            if isinstance(var, Var):
                self.label(var)

    def label(self, var: Var) -> str:
        """Return the label of a variable."""
        label = self.labels.get(var)
        if label is None:
            label, count = var.name, 1
            while label in self.used:
                count += 1
                label = f"{var.name}.{count}"
            self.used.add(label)
            self.labels[var] = label
        return label

    def typed(self, var: Value) -> str:
        """Return the label of a variable with its type."""
        if not isinstance(var, Var):  # a fault that the verifier is about to report
            return self.value(var)
        return f"{self.label(var)}: {format_type(var.type)}"

    # values

    def value(self, value: Value) -> str:
        """Return the text of a value."""
        if isinstance(value, Var):
            return self.label(value)
        if isinstance(value, Const):
            return repr(value.value)
        if isinstance(value, Items):
            inner = ", ".join(self.value(v) for v in value.items)
            if value.is_list:
                return f"[{inner}]"
            return f"({inner},)" if len(value.items) == 1 else f"({inner})"
        if isinstance(value, Struct):
            return value.form.text([self.value(v) for v in value.items], _function_name)
        if isinstance(value, Slice):
            parts = [value.lower, value.upper, value.step]
            texts = ["" if p == Const(None) else self.value(p) for p in parts]
            return ":".join(texts if texts[2] else texts[:2])
        if isinstance(value, Known):
            return value.name or _function_name(value.object)
        if isinstance(value, Closure):
            held = ", ".join(f"{name}={self.value(v)}" for name, v in value.captured)
            kinds = "".join(f"_{d.kind}" for d in value.derivatives)
            return f"{value.name}{kinds}{{{held}}}"
        if isinstance(value, Pullback):
            return f"pullback{{{self.value(value.residuals)}}}"
        return f"{self.value(value.receiver)}.{value.name}"

    def operation(self, equation: Equation) -> str:
        args = [self.value(a) for a in equation.args]
        args += [f"{name}={self.value(v)}" for name, v in equation.options]
        return f"{_operator_name(equation.op)}({', '.join(args)})"

    # statements

    def lines(self, block: Block, pad: str) -> list[str]:
        """Return the lines of a block."""
        out: list[str] = []
        for statement in block:
            out.append(f"{pad}{self.head(statement)}{self.line_number(statement)}")
            if isinstance(statement, If):
                out += self.lines(statement.then, pad + "  ")
                if statement.orelse:
                    out.append(f"{pad}else:")
                    out += self.lines(statement.orelse, pad + "  ")
                out += [f"{pad}{self.merge(m)}" for m in statement.merges]
            elif isinstance(statement, Loop):
                out += [f"{pad}  {self.carried(c)}" for c in statement.carried]
                out += self.lines(statement.body, pad + "  ")
        return out

    def head(self, statement: Statement) -> str:
        """Return the first line of a statement."""
        if isinstance(statement, Equation):
            targets = ", ".join(self.typed(t) for t in statement.targets)
            return f"{targets} = {self.operation(statement)}"
        if isinstance(statement, If):
            return f"if {self.value(statement.test)}:"
        return f"{self.header(statement)}:"

    def header(self, loop: Loop) -> str:
        header = loop.header
        if isinstance(header, Loop):
            return f"backwards {self.header(header)}"
        kind = getattr(header, "kind", "loop")
        index = self.label(loop.index)
        if kind == "while":
            return f"while counted by {index}"
        values = ", ".join(self.value(v) for v in getattr(header, "values", ()))
        return f"for {index} in {kind}({values})"

    def merge(self, merge: Merge) -> str:
        sides = f"{self.value(merge.then)} | {self.value(merge.orelse)}"
        return f"merge {self.typed(merge.out)} = {sides}"

    def carried(self, entry: Carried) -> str:
        first, then = self.value(entry.init), self.value(entry.next)
        return f"carry {self.typed(entry.param)} = {first}, then {then}, after " + self.label(
            entry.out
        )

    def line_number(self, statement: Statement) -> str:
        origin = statement.origin
        if origin is None or origin.source is None:
            return ""
        line = origin.source.line_of(origin.statement)
        return "" if line is None else f"  # {line}"


def _operator_name(op: Op) -> str:
    if op.style in ("method", "attribute"):
        return f".{op.name}"
    return _function_name(op.fn)


def _function_name(fn: Any) -> str:
    name = getattr(fn, "__name__", None)
    if name is None:
        return repr(fn) if type(fn).__module__.startswith("srcgrad") else type(fn).__qualname__
    module = getattr(fn, "__module__", None) or getattr(type(fn), "__module__", None)
    return name if module in _BARE else f"{module}.{name}"
