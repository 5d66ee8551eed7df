"""Lists and tuples in the place of arrays.

NumPy makes an array of them wherever it computes with them. The text of the call
stays; the derivative reads that array, which gets a name. What a call gives is made an
array in its place: it is evaluated once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.results import infer, type_of
from srcgrad.frontend.arrays.stacking import lower_array, type_of_list
from srcgrad.frontend.checks.foreign_values import mark_of_value
from srcgrad.frontend.containers.lists import leaves
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import held, in_place_of, way_of, way_to
from srcgrad.frontend.text.templates import expression
from srcgrad.frontend.text.trees import kinds_in
from srcgrad.ir.demands import What
from srcgrad.ir.nodes import Items, Known, Value, Var, is_active
from srcgrad.ir.types import SEQUENCE, Contents, Type
from srcgrad.library.libraries import home
from srcgrad.program import facts
from srcgrad.registry import structured_parameters, takes_arrays

Nodes = dict[int, Any]
# what may give something else, or do something, when it is evaluated again
_DONE_ONCE = (cst.Call, cst.NamedExpr, cst.ListComp, cst.GeneratorExp, cst.Await, cst.Yield)


def as_operands(b: Builder, values: Sequence[Value], nodes: Sequence[Any]) -> tuple[Value, ...]:
    """Return the operands of an operation, with arrays in the place of lists of numbers."""
    if not any(is_active(v) and type_of(v).is_number for v in values) or b.in_formula:
        return tuple(values)
    beside = any(isinstance(v, Var) and v.type.kind == "array" for v in values)
    return tuple(
        array_of(b, v, n) if beside or not is_active(v) else v  # a number times a list is none
        for v, n in zip(values, nodes, strict=True)
    )


def nodes_of(values: Sequence[Value], options: dict[str, Value], node: Any) -> Nodes:
    """Return the expressions of a call's arguments, by the identity of what they stand for."""
    if node is None:  # a part of a call, whose text is not its own
        return {}
    given = getattr(node, "args", ())
    if any(arg.star for arg in given):
        return {}
    plain = [arg.value for arg in given if arg.keyword is None]
    if len(plain) == len(values) - 1 and isinstance(node.func, cst.Attribute):
        plain = [node.func.value, *plain]  # of a method
    found = dict(zip(map(id, values), plain, strict=True)) if len(plain) == len(values) else {}
    for arg in given:
        if arg.keyword is not None and arg.keyword.value in options:
            found[id(options[arg.keyword.value])] = arg.value
    return found


def as_arguments(
    b: Builder,
    fn: Any,
    formula: Callable[..., Any],
    parameters: Sequence[Any],
    values: tuple[Value, ...],
    nodes: Nodes,
) -> tuple[Value, ...]:
    """Return the positional arguments of a formula, with arrays in the place of lists."""
    if not takes_arrays(fn, formula) or b.in_formula or not any(map(is_active, values)):
        return values
    structured = structured_parameters(fn)
    names = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
    names += names[-1:] * (len(values) - len(names))
    made = []
    for name, value in zip(names, values, strict=False):
        node = nodes.get(id(value))
        if name in structured and home(fn) == "math" and type_of(value).kind == "array":
            what = f"an array in the place of the numbers that math.{fn.__name__} takes"
            raise b.refuse(node, what, "use the function of NumPy's that does the same")
        if name not in structured:
            made.append(array_of(b, value, node))
        elif name in ("arrays", "choices", "conditions"):
            made.append(_with_arrays(b, value, node))
        else:
            made.append(value)
    return tuple(made)


def _with_arrays(b: Builder, value: Value, node: Any) -> Value:
    """A sequence of arrays, whose elements may be lists."""
    if not isinstance(value, Items) or node is None:
        return value
    elements: list[Any] = [None] * len(value.items)
    if isinstance(node, cst.List | cst.Tuple) and len(node.elements) == len(elements):
        elements = [e.value if isinstance(e, cst.Element) else None for e in node.elements]
    elif isinstance(node, cst.Name):
        elements = [cst.parse_expression(f"{node.value}[{k}]") for k in range(len(elements))]
        for element in elements:
            b.source.derive(node, element)
    return value.like(array_of(b, v, e) for v, e in zip(value.items, elements, strict=True))


def _numpy(b: Builder) -> str | None:
    """The name that NumPy has in the text, if it has one."""
    hidden = set(b.env) | b.locals | set(b.source.cells)
    found = (n for n, v in b.source.globals.items() if v is np and n not in hidden)
    return next(found, None)


def _type_of_array(b: Builder, value: Value) -> Type | None:
    """The type of the array that a list or tuple stands for, None where it stands for none."""
    if isinstance(value, Known):
        return type_of_list(b, value)
    if isinstance(value, Var) and not value.type.active and _is_sequence(value.type):
        return Type("numeric", b.context.lengths.fresh_shape(), "?")
    if not isinstance(value, Items):
        return None
    if not all(type_of(leaf).is_number for leaf in leaves(value)):
        return None
    return infer(b.context.lengths, np.asarray, (value,), ())


def _is_sequence(type_: Type) -> bool:
    """Whether a value may be a list, or is a range or another sequence that is no array."""
    return (
        type_.kind in ("opaque", "list")
        or isinstance(type_.element, Contents)
        or type_.element == SEQUENCE
    )


def array_of(b: Builder, value: Value, node: Any) -> Value:
    """Return an array in the place of a list or tuple of numbers."""
    if isinstance(value, Var) and value.type.kind == "list" and value.type.active:
        if node is not None and b.context.demands.asks_of(What.STATEMENTS, b.source):
            _write_as_array(b, node)
        return lower_array(b, (value,), {}, None) or value
    if isinstance(value, Items) and is_active(value):
        return lower_array(b, (value,), {}, _call(b, node) if node is not None else None) or value
    type_ = _type_of_array(b, value) if node is not None else None
    if type_ is None or mark_of_value(value) is not None:
        return value
    may_be = type_of(value).element == SEQUENCE
    if not kinds_in(node).isdisjoint(_DONE_ONCE):
        way_of(b, node, "a list in the place of an array here", "make it an array before")
        before, name = held(b, node) if may_be else ([], _call(b, node))
        raise in_place_of(node, name, before)
    made = b.opaque(_call(b, node, may_be), [value], type_)
    if isinstance(made, Var):
        b.layout.roles[made] = f"{node.value}_array" if isinstance(node, cst.Name) else "array"
    return made


def _write_as_array(b: Builder, node: Any) -> None:
    """Have the array of a list written where the list is read, so that it can get a name."""
    way = way_to(b.statement, node)
    if way is None or isinstance(b.statement, cst.While) or _numpy(b) is None:
        return
    call = _call(b, node)
    made = call.with_changes(func=call.func.with_changes(attr=cst.Name("array")))
    raise in_place_of(node, made)


def _call(b: Builder, node: Any, may_be: bool = False) -> Any:
    """What makes an array of an expression that is a list, or may be one."""
    space = b.source.globals
    name = _numpy(b)
    if name is None:
        raise b.refuse(node, "a list or tuple in the place of an array", "make it an array")
    call: Any = cst.Call(cst.Attribute(cst.Name(name), cst.Name("asarray")), [cst.Arg(node)])
    if may_be:
        call = expression("_c if isinstance(_n, (list, tuple)) else _n", _c=call, _n=node)
    b.source.derive(node, call)
    facts.read_name(space, name)
    return call
