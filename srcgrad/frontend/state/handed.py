"""Objects that the text has handed on, so that they may be reached by what it gave for them.

Of a list, a dict or an object that the function has made it is known what it holds, by every
name. ``t = sorted(c)`` is text, of whose result no more is known than that ``c`` or its parts
may be in it: a write to ``c`` may then be one to ``t``, and one to ``t`` one to ``c``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from srcgrad.errors import MutationError
from srcgrad.frontend.state import recursion
from srcgrad.frontend.text.unnamed import is_named
from srcgrad.ir.leaves import parts_of
from srcgrad.ir.nodes import Compound, Value, Var, is_active, variables
from srcgrad.ir.types import flat_types


def hand(b: Any, values: Iterable[Value], result: Any) -> list[Var]:
    """Note that a result of some types may hold the objects among some values.

    Returns:
        What stands for those of the objects of which nothing is known any more.
    """
    if not any(map(may_hold, flat_types(result))):
        return []
    found: list[Var] = []
    for part in parts_of(values):
        token = part if isinstance(part, Var) and part.type.kind == "list" else None
        token = part.token if isinstance(part, Compound) else token
        if token is not None and not is_active(part):
            b.handed.add(token)
        if token in b.forgotten:
            found.append(b.forgotten[token])
    return found


def handed_on(b: Any, before: dict[str, Value], params: dict[str, Value]) -> set[Any]:
    """What an iteration has handed on of the objects that were there before the loop."""
    tokens = {part.token for part in parts_of(before.values()) if isinstance(part, Compound)}
    lists = {before.get(name) for name, param in params.items() if param in b.handed}
    return (b.handed & tokens) | {v for v in lists if isinstance(v, Var)}


def may_hold(type_: Any) -> bool:
    """Whether what has a type may be, or hold, a list or an object."""
    unknown = type_.kind == "numeric" and type_.dtype == "?"
    return not type_.active and (unknown or type_.kind in ("opaque", "list"))


def holders(b: Any) -> list[Var]:
    """What has a name, and may hold what was handed on."""
    found = dict.fromkeys(v for value in b.env.values() for v in variables(value))
    apart = {*b.outer.values(), *b.handed}
    items = {new for old, new in b.newer.items() if may_hold(old.type)}  # what has been written
    return [v for v in found if (may_hold(v.type) or v in items) and v not in apart]


def written(b: Any, token: Any, new: Value, names: list[str]) -> None:
    """Note a write to an object.

    Args:
        b: the builder.
        token: what tells the object from others.
        new: its next version.
        names: the names that are known to hold it; those of what may hold it see the write, too.
    """
    b.rewritten.append(token)
    if token not in b.handed:
        return
    if isinstance(new, Var):
        b.handed.add(new)
    others = [v for v in holders(b) if v is not new]
    if others and is_active(new):
        raise MutationError(
            "what is differentiated is put into an object that was handed on, "
            "which is not supported yet",
            spots=[b.source.spot(b.statement)],
            why=f"{others[0].name!r} may hold it, too, without its derivative.",
            fixes=["put it into a copy"],
        )
    shown = (n for n, held in b.env.items() if not set(others).isdisjoint(variables(held)))
    b.layout.together.append({*names, *filter(is_named, shown)})
    for var in others:
        recursion.may_write(b, var)


def forget_handed(b: Any, var: Var) -> None:
    """Know nothing more of the objects that may be written through something that may hold them."""
    if not b.handed or not may_hold(var.type) or var in b.handed:
        return
    for part in list(parts_of(b.env.values())):
        if isinstance(part, Compound) and part.token in b.handed:
            recursion.forget(b, part)
        elif isinstance(part, Var) and part in b.handed:
            recursion.may_write(b, part)
