"""Arrays that are made of lists and tuples: ``np.array``, ``np.stack``, ``np.vstack`` and so on."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.containers.attributes import metadata
from srcgrad.frontend.state import recursion
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.outer_names import held_outside
from srcgrad.ir.nodes import Const, Items, Known, Op, Slice, Value, Var, is_active
from srcgrad.ir.types import Parts, Type

_NONE = Const(None)


def lower_array(b: Builder, args, options, node) -> Value | None:
    """``np.array([a, b], dtype)`` of active scalars or arrays is a stack of them."""
    if len(args) == 2 and "dtype" not in options:
        args, options = args[:1], {"dtype": args[1], **options}
    if len(args) == 1 and isinstance(args[0], Known) and not options:
        kind = type_of_list(b, args[0])
        return None if kind is None else b.opaque(node, [args[0]], kind)
    if len(args) != 1 or not is_active(args[0]):
        return None
    if not isinstance(args[0], Items) and not _is_active_list(args[0]):
        return None
    for name, value in options.items():
        plain = isinstance(value, Const | Known)
        if name == "dtype" and plain and not _is_inexact(value):
            raise b.refuse(
                node,
                "an array of whole numbers made of active values",
                "leave dtype= out, or wrap the values in stop_gradient",
            )
        if not plain or name not in ("dtype", "copy", "order"):
            raise b.refuse(node, f"the option {name}= of np.array of a list", "leave it out")
    if isinstance(args[0], Var):
        return stack_of_list(b, args[0], Const(0), node, "array")
    return array_of(b, args[0], node)


def split_of_known(b: Builder, args, options, node) -> Value | None:
    """Generated code: the parts of the cotangent of a junction, where they are plain slices."""
    parts = args[1] if len(args) > 1 else None
    if not isinstance(parts, Items) or not all(isinstance(p, Var | Const) for p in parts.items):
        return None
    if len(parts.items) == 1 and isinstance(parts.items[0], Var):
        shape = metadata(b, parts.items[0], "shape", None)
        made = b.emit(Op(np.reshape), (args[0],), node, (("shape", shape),))
        return Items((made,))
    axis = options.get("axis", Const(0))
    places = _places(b, type_of(args[0]).ndim, parts.items, axis)
    if places is None:
        return None
    made = [Const(None) if p is None else recursion.read_item(b, args[0], p, None) for p in places]
    return Items(tuple(made))


def _places(b: Builder, rank: int | None, parts: Any, axis: Value) -> list[Value | None] | None:
    """The indices of the parts of a junction; None for those without a derivative."""
    resolved = [b.context.lengths.resolve(type_of(part).shape) for part in parts]
    if rank is None or not isinstance(axis, Const) or axis.value not in range(rank):
        return None
    shapes = [shape for shape in resolved if isinstance(shape, tuple)]
    if len(shapes) != len(resolved):
        return None
    lead = (Slice(_NONE, _NONE, _NONE),) * axis.value
    if rank == 2 and all(len(shape) == 1 for shape in shapes):  # vectors as rows or columns
        return [_index(lead, Const(k)) for k in range(len(parts))]
    if any(len(shape) != rank and (rank, len(shape)) != (2, 1) for shape in shapes):
        return None
    sizes = [1 if len(shape) < rank else shape[axis.value] for shape in shapes]
    if len(parts) == 2 and not any(isinstance(size, int) for size in sizes):
        shape = metadata(b, parts[0], "shape", None)
        size = recursion.read_item(b, shape, axis, None)
        halves = Slice(_NONE, size, _NONE), Slice(size, _NONE, _NONE)
        return [_index(lead, half) for half in halves]
    found: list[Value | None] = []
    for k, (part, size) in enumerate(zip(parts, sizes, strict=True)):
        before, after = _sum(sizes[:k]), _sum(sizes[k + 1 :])
        if before is not None and isinstance(size, int):
            bounds = before or None, before + size
        elif before is not None and after is not None:
            bounds = before or None, -after or None
        elif after is not None and isinstance(size, int) and size:
            bounds = -after - size, -after or None
        elif is_active(part) or b.formula is None:  # generated code may read all of them
            return None
        else:
            found.append(None)
            continue
        whole = Slice(Const(bounds[0]), Const(bounds[1]), _NONE)
        row = Const(bounds[0] or 0)  # of a vector among matrices
        found.append(_index(lead, row if len(shapes[k]) < rank else whole))
    return found


def _index(lead: tuple[Value, ...], last: Value) -> Value:
    return Items((*lead, last)) if lead else last


def _sum(sizes: list[Any]) -> int | None:
    return sum(sizes) if all(isinstance(size, int) for size in sizes) else None


def type_of_list(b: Builder, value: Known) -> Type | None:
    """The type of the array that a list or tuple of a module stands for, if it stands for one."""
    if not isinstance(value.object, list | tuple | range):
        return None
    held = held_outside(b, value)
    known = None if held is None else held.array()
    if known is not None:
        return known
    try:
        array = np.asarray(value.object)
    except ValueError:
        return None
    return Type("array", (None,) * array.ndim, "?") if array.dtype.kind in "fiubc" else None


def _is_inexact(dtype: Value) -> bool:
    given = dtype.object if isinstance(dtype, Known) else dtype.value  # type: ignore[union-attr]
    return given is None or np.dtype(given).kind in "fc"


def array_of(b: Builder, rows: Items, node: Any) -> Var:
    """The array of a list or tuple, whose elements may be lists and tuples again."""
    parts = tuple(array_of(b, row, None) if isinstance(row, Items) else row for row in rows.items)
    if not parts or not all(isinstance(part, Var | Const) for part in parts):
        raise b.refuse(node, "this argument of np.array", "build it with np.stack")
    if any(part is not row for part, row in zip(parts, rows.items, strict=True)):
        return b.emit(Op(np.stack), (Items(parts),), node)  # type: ignore[return-value]
    first = type_of(parts[0])
    dtype = "c" if any(type_of(part).dtype == "c" for part in parts) else "f"
    shape = (len(parts), *first.shape) if isinstance(first.shape, tuple) else None
    kind = Type("array", shape, dtype)
    return b.emit(Op(np.stack, "call", "array"), (rows,), node, type_=kind)  # type: ignore


def as_array(b: Builder, value: Value) -> Value:
    """A value that is written into an array; of a tuple or list, the array of its parts."""
    if isinstance(value, Items) and is_active(value):
        return array_of(b, value, None)
    if b.formula is None and _is_active_list(value):
        return stack_of_list(b, value, Const(0), None, "array")
    return value


def is_list(value: Value) -> bool:
    """Whether a value is an active list whose elements are single values."""
    return _is_active_list(value) and not isinstance(value.type.element, tuple)  # type: ignore


def _is_active_list(value: Value) -> bool:
    return isinstance(value, Var) and value.type.kind == "list" and value.type.active


def is_constant(value: Value) -> bool:
    """Whether a value is a list of arrays or numbers that are not differentiated."""
    if not isinstance(value, Var) or value.type.kind != "list" or value.type.active:
        return False
    element = value.type.element
    return isinstance(element, Type) and element.is_number


def _row(element: Any) -> Type | None:
    """The type of the array that an element of a list is or becomes; None where there is none."""
    if isinstance(element, Type) and element.kind != "list":
        return element if element.is_number else None
    if isinstance(element, Parts) and element.form is not list:
        return None
    inside, length = (
        (element, len(element))
        if isinstance(element, tuple)
        else ((element.element,), _length(element))
    )
    parts = [t for t in map(_row, inside) if t is not None]
    if not parts or len(parts) < len(inside) or len({t.shape for t in parts}) > 1:
        return None
    dtype = "c" if any(t.dtype == "c" for t in parts) else "f"
    shape = parts[0].shape
    return Type("array", (length, *shape) if isinstance(shape, tuple) else None, dtype)


def _length(type_: Type) -> Any:
    """How many elements a list of a type has, where that has a name."""
    return type_.shape[0] if isinstance(type_.shape, tuple) and type_.shape else None


def stack_of_list(b: Builder, value: Value, axis: Value, node: Any, name: str) -> Value:
    """Lower the stacking of a list's elements."""
    element = _row(type_of(value).element)
    if element is None or (axis != Const(0) and not type_of(value).element.is_number):
        raise b.refuse(
            node, "an array of these lists or tuples", "make each row an array when it is appended"
        )
    shape = element.shape
    if isinstance(shape, tuple) and isinstance(axis, Const) and isinstance(axis.value, int):
        place = axis.value % (len(shape) + 1)
        shape = (*shape[:place], _length(type_of(value)), *shape[place:])
    else:
        shape = None
    kind = Type("array", shape, element.dtype)
    options = (("axis", axis),) if axis != Const(0) else ()
    return b.emit(Op(np.stack, "call", name), (value,), node, options, type_=kind)


def along_axis(name: str) -> Any:
    """The rule for ``np.stack(t, axis)`` and ``np.concatenate(t, axis)`` of a list."""

    def lower(b: Builder, args, options, node) -> Value | None:
        known = is_list(args[0]) if args else False
        if not known and not (args and is_constant(args[0]) and set(options) <= {"axis"}):
            return None
        axis = args[1] if len(args) > 1 else options.get("axis", Const(0))
        if set(options) - {"axis"}:
            raise b.refuse(node, f"this option of np.{name}", "leave it out")
        if name == "stack":
            return stack_of_list(b, args[0], axis, node, name)
        return _concatenation(b, args[0], axis, node)

    return lower


# Whether arrays are stacked or joined, and along which axis, by how many axes they have: this many,
# or more than any that is listed
JUNCTIONS: dict[Any, dict[int, tuple[bool, int]]] = {
    np.vstack: {1: (True, 0), 2: (False, 0)},
    np.hstack: {0: (True, 0), 1: (False, 0), 2: (False, 1)},
    np.column_stack: {1: (True, 1), 2: (False, 1)},
    np.dstack: {2: (True, 2), 3: (False, 2)},
}


def junction(fn: Any) -> Any:
    """The rule for functions of a list that join arrays by how many axes they have."""

    def lower(b: Builder, args, options, node) -> Value | None:
        if len(args) != 1 or options or not is_list(args[0]):
            return None
        element = type_of(args[0]).element
        if not element.is_number or not isinstance(element.shape, tuple):
            return None
        stacks, axis = JUNCTIONS[fn].get(min(len(element.shape), max(JUNCTIONS[fn])), (None, 0))
        if stacks is None:
            return None
        if stacks:
            return stack_of_list(b, args[0], Const(axis), node, "stack")
        return _concatenation(b, args[0], Const(axis), node)

    return lower


def _concatenation(b: Builder, value: Value, axis: Value, node: Any) -> Value:
    element = type_of(value).element
    shape = (None,) * len(element.shape) if isinstance(element.shape, tuple) else None
    return b.emit(
        Op(np.concatenate),
        (value,),
        node,
        (("axis", axis),) if axis != Const(0) else (),
        type_=Type("array", shape, element.dtype),
    )
