"""Functions that are given to solvers, as functions of numbers and arrays alone.

What is solved for depends on data, and a derivative moves each of them by itself. So a
method, an object that is called, and a function that reads or is given objects, lists or
dicts stand behind a function of all numbers and arrays in them, which puts them together:

    def rhs_of_parts(t, y, model_rate, model_limit):
        model = object_of(Model, rate=model_rate, limit=model_limit)
        return model.rhs(t, y)
"""

from __future__ import annotations

import textwrap
from types import FunctionType
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.frontend.calls.inactive_calls import inactive_type
from srcgrad.frontend.containers.objects import as_method
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import fresh_name
from srcgrad.frontend.text.names import names_in
from srcgrad.ir.nodes import Closure, Compound, Const, Items, Known, Method, Struct, Value, Var
from srcgrad.ir.structures import name_for
from srcgrad.ir.types import Type
from srcgrad.library.attributes import plainly
from srcgrad.load.compile import load
from srcgrad.load.texts import FunctionText
from srcgrad.program.primals import primal_of


def of_leaves(
    b: Builder,
    function: Value,
    args: tuple[tuple[Value, ...], tuple[Value, ...]],
    lead: tuple[str, ...],
    node: Any,
    of_states: bool,
) -> tuple[Value, tuple[Value, ...]]:
    """Return a function that is given nothing but numbers and arrays, and what it is given."""
    held = [part for _, part in function.captured] if isinstance(function, Closure) else []
    plain = isinstance(function, Closure) or isinstance(_function(function), FunctionType)
    if plain and not any(isinstance(part, Compound | Closure) for part in (*args[1], *held)):
        listed = of_states and inactive_type(b, function, (*args[0], *args[1]), {}, node)
        if isinstance(listed, bool) or (isinstance(listed, Type) and listed.is_number):
            return function, args[1]
    made = _Writer(b, node, lead)
    return made.written(function, args[1], of_states), tuple(made.leaves)


def _function(value: Value) -> Any:
    thing = getattr(value, "object", None)
    return primal_of(thing)


class _Writer:
    """Writes one function."""

    def __init__(self, b: Builder, node: Any, lead: tuple[str, ...]) -> None:
        self.b, self.node = b, node
        self.leaves: dict[Var, str] = {}
        self.externals: dict[str, Any] = {}
        self.lines: list[str] = []
        self.held: dict[str, Value] = {}
        self.lead = [fresh_name(b, name) for name in lead]

    def written(self, function: Value, args: tuple[Value, ...], of_states: bool) -> Known:
        """Return the function that calls another one with what it puts together."""
        function = as_method(function)
        if isinstance(function, Method):
            callee = f"{self.object(function.receiver)}.{function.name}"
        else:
            callee = self.object(function)
        given = [self.text(value, f"arg_{k}") for k, value in enumerate(args)]
        result = f"{callee}({', '.join([*self.lead, *given])})"
        if of_states:
            result = f"{self.external(np.asarray)}({result})"
        self.lines.append(f"return {result}")
        label = self.name(f"{callee.rpartition('.')[2]}_of_parts")
        head = ", ".join([*self.lead, *self.leaves.values()])
        body = textwrap.indent("\n".join(self.lines), "    ")
        text = f'def {label}({head}):\n    """{label}, of numbers and arrays."""\n{body}\n'
        source = function.source if isinstance(function, Closure) else self.b.source
        made = load([FunctionText(label, text, source, self.externals)], label)[0][label]
        return Known(made, label)

    def closure(self, function: Closure) -> str:
        """The name of a local function, after lines that define it with what it captured."""
        if function.derivatives or function.again:
            raise self.refusal()
        for name, value in function.captured:
            if name in self.held and self.held[name] is not value:
                raise self.refusal()
            if name in self.held:
                continue
            self.held[name] = value
            text = self.text(value, name, name)
            self.lines += [] if text == name else [f"{name} = {text}"]
        node, callee = function.node, self.name("inner")
        if isinstance(node, cst.FunctionDef):
            callee = function.name if function.name not in self.held else self.name(function.name)
            if callee != function.name and function.name in names_in(node.body):
                raise self.refusal()
            node = node.with_changes(name=cst.Name(callee))
        self.held[callee] = function
        code = cst.Module([]).code_for_node(node).strip()
        self.lines.append(code if isinstance(node, cst.FunctionDef) else f"{callee} = {code}")
        return callee

    def object(self, value: Value) -> str:
        """The name of something that is called, or whose method is."""
        if not isinstance(value, Struct):
            return self.text(value, "function")
        name = self.name(value.form.cls.__name__.lower())
        self.lines.append(f"{name} = {self.text(value, name)}")
        return name

    def text(self, value: Value, base: str, label: str = "") -> str:
        """The expression of a value, of the parameters that its leaves become."""
        if isinstance(value, Var):
            if value not in self.leaves:
                self.leaves[value] = label or self.name(base)
            return self.leaves[value]
        if isinstance(value, Const):
            return repr(value.value)
        if isinstance(value, Known):
            return self.external(value.object)
        if isinstance(value, Items):
            parts = [self.text(part, f"{base}_{k}") for k, part in enumerate(value.items)]
            comma = "," if len(parts) == 1 and not value.is_list else ""
            return ("[{}]" if value.is_list else "({})").format(", ".join(parts) + comma)
        if isinstance(value, Closure):
            return self.closure(value)
        if not isinstance(value, Struct):
            raise self.refusal()
        rows = zip(value.items, value.form.names, strict=True)
        parts = [self.text(part, name_for(name, base)) for part, name in rows]
        return value.form.text(parts, self.external)

    def external(self, thing: Any) -> str:
        """The name of something that is not made here."""
        known = next((name for name, held in self.externals.items() if held is thing), None)
        if known is None:
            known = self.name(plainly(thing, "__name__", "thing").strip("<>"))
            self.externals[known] = thing
        return known

    def name(self, wanted: str) -> str:
        """A name that nothing has yet."""
        return fresh_name(
            self.b, wanted, {*self.leaves.values(), *self.externals, *self.lead, *self.held}
        )

    def refusal(self) -> Exception:
        """The error for what no text can put together."""
        what = "a function given to a solver that reads what is not known when code is generated"
        return self.b.refuse(self.node, what, "write a function of numbers and arrays")
