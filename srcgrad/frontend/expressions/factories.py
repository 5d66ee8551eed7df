"""Functions that return functions.

Where a function is called that returns one of its local functions, generated
code hands over what the local function captured instead, as a tuple: a call of
it then passes these values on.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false

from __future__ import annotations

import functools
import types
from dataclasses import replace
from typing import Any

import libcst as cst

from srcgrad.errors import SrcgradError
from srcgrad.frontend.state import recursion
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.closures import capture, holds_function
from srcgrad.frontend.state.recursion import call_function
from srcgrad.frontend.state.rewriting import fresh_name, in_place_of, way_of
from srcgrad.frontend.text.source import read
from srcgrad.frontend.text.templates import assignment
from srcgrad.frontend.text.trees import below
from srcgrad.frontend.text.unnamed import is_named
from srcgrad.ir.forms import FunctionForm
from srcgrad.ir.layout import path_text
from srcgrad.ir.nodes import Closure, Compound, Items, Known, Struct, Value, variables


def hand_over(b: Builder, value: Value, node: Any) -> Value:
    """Return what a ``return`` statement hands over in the place of local functions."""
    if isinstance(value, Closure):
        closure = capture(b, value)
        assert isinstance(closure, Closure)
        made, b.layout.exports[id(node)] = _captured(b, closure, node)
        return made
    if isinstance(value, Items) and isinstance(node, cst.Tuple | cst.List):
        if len(node.elements) == len(value.items):
            rows = zip(value.items, node.elements, strict=True)
            return value.like(hand_over(b, v, e.value) for v, e in rows)
    if holds_function(value):
        raise b.refuse(node, "returning a function in this way", "return it by its name")
    return value


def _captured(b: Builder, closure: Closure, node: Any) -> tuple[Struct, str]:
    """What a local function captured, and the text of it."""
    params = closure.node.params
    every = (*params.posonly_params, *params.params, *params.kwonly_params)
    if any(p.default is not None for p in every):
        raise b.refuse(node, "returning a function with defaults", "leave the defaults out")
    items: list[Value] = []
    texts = []
    for name, held in closure.captured:
        if isinstance(held, Closure):
            held, text = _captured(b, held, node)
        elif isinstance(held, Known):
            text = "None"
        else:
            found = name if b.env.get(name) is held else text_of(b, held)
            if found is None:
                raise b.refuse(node, f"returning a function that captured {name!r}", "pass it on")
            text = found
        items.append(held)
        texts.append(text)
    names = tuple(name for name, _ in closure.captured)
    which = closure.node, closure.source, closure.name, closure.derivatives, closure.again
    form = FunctionForm(types.FunctionType, names, *which)
    return Struct(form, tuple(items)), form.text(texts, str)


def text_of(b: Builder, value: Value) -> str | None:
    """How a value is read here: a name, with what leads from it to the value."""

    def inside(held: Value) -> str | None:
        if held is value:
            return ""
        if not isinstance(held, Compound):
            return None
        for k, item in enumerate(held.items):
            step = held.form.access(k) if isinstance(held, Struct) else path_text((k,))
            rest = None if step is None else inside(item)
            if rest is not None:
                return f"{step}{rest}"
        return None

    for name, held in b.env.items():
        rest = inside(held)
        if rest is not None and is_named(name):
            return f"{name}{rest}"
    return None


@recursion.call_handed_over.define
def call_handed_over(b: Builder, value: Struct, args: Any, options: Any, node: Any) -> Value:
    """Lower the call of a function that another function has returned."""
    if any(text_of(b, item) is None for item in value.items if any(variables(item))):
        raise _naming(b, node)
    function = _function_of(value)
    if function.derivatives:
        return recursion.call(b, function, args, options, node)
    plain = replace(function, again=False)
    return call_function(b, plain, args, options, node, always=True, again=function.again)


def _function_of(value: Struct) -> Closure:
    """The function that was handed over; those without data in it are functions as well."""

    def item(held: Value) -> Value:
        handed = isinstance(held, Struct) and isinstance(held.form, FunctionForm)
        return _function_of(held) if handed and not any(variables(held)) else held

    form = value.form
    captured = tuple((n, item(v)) for n, v in zip(form.names, value.items, strict=True))
    how = form.derivatives, form.again
    return Closure(form.node, form.source, captured, form.label, *how)


def _naming(b: Builder, node: Any) -> Exception:
    """Return what to raise for ``make(a)(x)``: the function needs a name."""
    what, fix = "this call of a function without a name", "give it a name"
    way = way_of(b, node, what, fix)
    inside = any(isinstance(outer, cst.Lambda | cst.BaseComp) for outer in way)
    if inside or not isinstance(node, cst.Call):
        raise b.refuse(node, what, fix)
    name = fresh_name(b, "function")
    return in_place_of(node.func, cst.Name(name), [assignment(name, node.func)])


def hands_over(result: Value) -> bool:
    """Whether a result contains what a local function captured, in the place of the function."""
    if isinstance(result, Struct) and isinstance(result.form, FunctionForm):
        return True
    return isinstance(result, Compound) and any(hands_over(item) for item in result.items)


def gives_function(callee: Value) -> bool:
    """Whether a call gives one of the local functions of what is called."""
    if isinstance(callee, Closure):
        return _returns_local(callee.node)
    if isinstance(callee, Known) and isinstance(callee.object, types.FunctionType):
        return _is_factory(callee.object)
    return False


@functools.lru_cache(maxsize=512)
def _is_factory(fn: types.FunctionType) -> bool:
    try:
        return _returns_local(read(fn).tree)
    except SrcgradError:
        return False


def _returns_local(tree: Any) -> bool:
    parts = list(below(tree.body, {cst.FunctionDef, cst.Lambda}))
    made = {part.name.value for part in parts if isinstance(part, cst.FunctionDef)}
    for node in (part for part in parts if isinstance(part, cst.Return)):
        values = [node.value]
        if isinstance(node.value, cst.Tuple | cst.List):
            values = [element.value for element in node.value.elements]
        for value in values:
            if isinstance(value, cst.Lambda):
                return True
            if isinstance(value, cst.Name) and value.value in made:
                return True
    return False
