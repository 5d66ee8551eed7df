"""``deque``, ``defaultdict`` and ``Counter`` of the standard library, as lists and dicts.

A deque is written as a list with the same elements; the others are dicts that know what
a missing key gives. What holds nothing that is differentiated stays what it is: whether
that is so is known when something is put into it, so the function is then read again.
"""

from __future__ import annotations

import collections
from typing import Any

import libcst as cst

from srcgrad.frontend.containers.structures import new_dict, with_part
from srcgrad.frontend.state import recursion
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import in_place_of, way_to
from srcgrad.frontend.text.names import identifiers
from srcgrad.frontend.text.templates import expression
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.nodes import Const, Items, Known, Struct, Value, is_active
from srcgrad.program import facts

_CLASSES = (collections.deque, collections.defaultdict, collections.Counter)
_FACTORIES = {float: 0.0, int: 0}
_AS_LISTS = {"popleft": ("pop", "0"), "appendleft": ("insert", "0")}


def require_contents(b: Builder, node: Any) -> None:
    """Read the function again, with its collections followed, if that was not done."""
    names = identifiers(b.source.lowered_tree)
    held = [facts.read_name(b.source.cells.get(n, b.source.globals), n) for n in names]
    made = any(h in _CLASSES or h is collections for h in held if callable(h) or h is collections)
    followed = b.context.demands.asks_of(What.CONTENTS, b.source)
    if made and b.formula is None and not followed:
        raise Specialise(What.CONTENTS, b.source, node)


def _followed(b: Builder, args: Any) -> bool:
    if b.formula is not None:
        return False
    return b.context.demands.asks_of(What.CONTENTS, b.source) or is_active(Items(tuple(args)))


def _kept(b: Builder, args: Any, options: dict[str, Value], node: Any) -> Value | None:
    """Keep the making of a collection as text; None where that is not about constants."""
    values = [*args, *options.values()]
    if b.formula is not None or is_active(Items(tuple(values))):
        return None
    b.layout.impure.add(id(node))
    return b.opaque(node, values)


def lower_deque(b: Builder, args, options: dict[str, Value], node: Any) -> Value | None:
    """Write ``deque(items)`` as ``list(items)``."""
    if not _followed(b, args):
        return _kept(b, args, options, node)
    if options or len(args) > 1 or way_to(b.statement, node) is None:
        raise b.refuse(node, "a deque with maxlen, or made here,", "use a list")
    first = node.args[0].value if args else cst.List([])
    listed = first if isinstance(first, cst.List) else expression("list(_t)", _t=first)
    raise in_place_of(node, listed)


def as_list_method(b: Builder, name: str, node: Any) -> None:
    """Write a method of deques as that of lists."""
    if name not in _AS_LISTS or not isinstance(node, cst.Call):
        return
    if way_to(b.statement, node) is None:
        raise b.refuse(node, f"the method .{name} here", "put it into a statement of its own")
    method, place = _AS_LISTS[name]
    func = node.func.with_changes(attr=cst.Name(method))  # type: ignore[union-attr]
    space = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    comma = space if node.args else cst.MaybeSentinel.DEFAULT
    new = node.with_changes(func=func, args=[cst.Arg(cst.Integer(place), comma=comma), *node.args])
    raise in_place_of(node, new)


def lower_default_dict(b: Builder, args, options: dict[str, Value], node: Any) -> Value | None:
    """``defaultdict(float)`` and ``Counter()``: dicts that know what a missing key gives."""
    counts = len(args) == 0
    if not _followed(b, ()) or options or len(args) > 1:
        return _kept(b, args, options, node)
    factory = collections.Counter if counts else getattr(args[0], "object", None)
    if not counts and (not isinstance(args[0], Known) or factory not in (*_FACTORIES, list)):
        return _kept(b, args, options, node)
    made = new_dict([], [])
    assert isinstance(made, Struct)
    b.factories[made.token] = factory
    return made


def lower_counter(b: Builder, args, options: dict[str, Value], node: Any) -> Value | None:
    """``Counter()``; one that counts something is followed no further."""
    if args:
        return _kept(b, args, options, node)
    return lower_default_dict(b, (), options, node)


def _listed(names: tuple[Any, ...]) -> str:
    return ", ".join(repr(name) for name in names) or "none"


@recursion.missing.define
def missing(b: Builder, value: Struct, key: Any, node: Any) -> Value:
    """What reading a missing key of a dict gives."""
    factory = b.factories.get(value.token)
    if factory is None:
        raise b.refuse(
            node,
            f"reading the key {key!r} of a dict that has {_listed(value.form.names)}",
            "check its spelling",
        )
    if factory is collections.Counter:
        return Const(0)
    made = Items((), True, object()) if factory is list else Const(_FACTORIES[factory])
    with_part(b, value, key, made, node)
    return made
