"""Results of recursive functions that contain results of their own recursive calls."""

from __future__ import annotations

from typing import Any

from srcgrad.analysis.shapes.results import type_of
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.containers.lists import template
from srcgrad.frontend.containers.structures import any_structs
from srcgrad.frontend.state.builder import Builder
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import (
    RECORD_ITEMS,
    RECORD_NEW,
    Compound,
    Const,
    Equation,
    Function,
    Items,
    Op,
    Value,
    Var,
)
from srcgrad.ir.records import Record
from srcgrad.ir.types import OPTIONAL, Type, like

Path = tuple[int, ...]


def is_record(value: Any) -> bool:
    """Whether a value is a record."""
    return isinstance(value, Var) and value.type.kind == "record"


def open_record(b: Builder, value: Var, node: Any) -> Value:
    """Take a record apart."""
    template = value.type.element.template
    if template is None:  # it is being found out
        return b.emit(Op(RECORD_ITEMS), (value,), node, type_=(Type("numeric", None, "?", True),))
    return b.emit(Op(RECORD_ITEMS), (value,), node, type_=template)


def growth(assumed: Value, result: Value) -> Path | None:
    """Where a result contains itself.

    Returns:
        The path of the part that the result contains once more further inside,
        where nothing of the kind was assumed; None if there is none.
    """
    before, after = template(assumed), template(result)

    def walk(old: Any, new: Any, path: Path) -> Path | None:
        if not isinstance(new, tuple):
            return None
        if not isinstance(old, tuple):
            around = (path[:k] for k in range(len(path)))
            return next((p for p in around if _form(_part(before, p)) == _form(new)), None)
        if len(old) != len(new):
            return None
        found = (walk(p, q, (*path, k)) for k, (p, q) in enumerate(zip(old, new, strict=True)))
        return next((p for p in found if p is not None), None)

    return walk(before, after, ())


def pack(function: Function, records: dict[Path, Record]) -> bool:
    """Let parts of a function's result be records, in place.

    Returns:
        Whether a record had to be widened, so that what was lowered before is void.
    """
    changed = False
    extra: list[Equation] = []

    def walk(value: Value, path: Path) -> Value:
        nonlocal changed
        record = records.get(path)
        if record is not None and any_structs(value):
            raise UnsupportedSyntaxError(
                f"{function.source.name} returns dicts or objects inside of each other to a depth "
                "that is not known when code is generated, which is not supported",
                spots=[function.source.spot(function.source.tree)],
                fixes=["return tuples"],
            )
        if record is not None and isinstance(value, Items):
            changed |= record.widen(general(template(value)))
            packed = Var("residuals", record.type)
            parts = leaves(value)
            extra.append(Equation((packed,), Op(RECORD_NEW), parts, (), None, template(value)))
            return packed
        if isinstance(value, Compound):
            parts = (walk(part, (*path, k)) for k, part in enumerate(value.items))
            return value.like(parts)
        return value

    function.result = walk(function.result, ())
    function.body = (*function.body, *extra)
    return changed


def holders(result: Value) -> list[Path]:
    """Return where the parts of a result are that hold records themselves.

    In mutual recursion, what one function keeps contains what the other one
    keeps; it may be absent as a whole, so it is one value as well.
    """
    found: list[Path] = []

    def walk(value: Value, path: Path) -> None:
        if isinstance(value, Items):
            if path and any(is_record(part) for part in value.items):
                found.append(path)
                return
            for k, part in enumerate(value.items):
                walk(part, (*path, k))

    walk(result, ())
    return found


def assume(value: Value, records: dict[Path, Record], path: Path = ()) -> Value:
    """What recursive calls may assume of a result: its structure, shapes unknown."""
    if path in records:
        return Var("residuals", records[path].type)
    if isinstance(value, Compound):
        parts = (assume(part, records, (*path, k)) for k, part in enumerate(value.items))
        return value.like(parts)
    if isinstance(value, Const) and not isinstance(value.value, int | float | complex):
        return value
    type_ = type_of(value)
    return Var("value", general(type_)) if type_.is_number else value


def general(part: Any) -> Any:
    """The template of values that need not have the shapes of this one's."""
    if isinstance(part, tuple):
        return like(part, (general(p) for p in part))
    if not part.is_number:
        return part
    shape = part.shape if part.shape == () else None
    mark = OPTIONAL if part.element is OPTIONAL else None
    return Type(part.kind, shape, part.dtype, part.dtype not in ("i", "b"), mark)


def _form(part: Any) -> Any:
    return tuple(_form(p) for p in part) if isinstance(part, tuple) else None


def _part(part: Any, path: Path) -> Any:
    for k in path:
        part = part[k]
    return part
