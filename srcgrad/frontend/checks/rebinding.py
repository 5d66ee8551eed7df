"""Global and captured numbers that a function gives other values while it runs.

The backward part reads such a number under its name, when the forward part is over. A call
that gives the name another value in between would change the derivative: it is refused.
"""

from __future__ import annotations

import dis
import functools
import sysconfig
import types
from collections.abc import Iterable, Iterator, Set
from typing import TYPE_CHECKING, Any

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.text.names import identifiers, names_in
from srcgrad.ir.nodes import Closure, Known
from srcgrad.library.libraries import home
from srcgrad.program import facts

if TYPE_CHECKING:
    from srcgrad.frontend.state.builder import Builder

_LIBRARIES = {"numpy", "scipy", "cupy", "srcgrad"}
_BUILT_IN = {*_LIBRARIES, "builtins"}
_INSTALLED = tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))
Name = tuple[int, str]


def note_read(b: Builder, namespace: Any, name: str, node: Any) -> None:
    """Note that the code reads a number from outside of the function."""
    key = id(namespace), name
    b.context.outer_numbers.add(key)
    if key in b.context.rebound:
        raise _refusal(b, name, node)


def note_calls(b: Builder, node: Any, values: list[Any]) -> None:
    """Note the names from outside that are given values when code that is kept runs."""
    if b.formula is not None:
        return
    outside = identifiers(node) - b.env.keys()
    values = [*values, *(_held(_namespace(b, name), name) for name in sorted(outside))]
    for key in {key for value in values for key in _bound_by(b, value, node)}:
        b.context.rebound.add(key)
        if key in b.context.outer_numbers:
            raise _refusal(b, key[1], node)


def _refusal(b: Builder, name: str, node: Any) -> UnsupportedSyntaxError:
    return b.refuse(
        node,
        f"a call that gives {name!r} another value, which the derivative reads,",
        "hand the number on as an argument, or return its new value",
    )


def _bound_by(b: Builder, value: Any, node: Any) -> Iterator[Name]:
    own = home(b.source.function)
    if not isinstance(value, Closure):
        held = value.object if isinstance(value, Known) else value
        yield from _stored(_found(held, names_in(node)), own)
        return
    names = names_in(value.node)
    for name in identifiers(value.node):
        yield from _stored(_found(_held(_namespace(b, name), name), names), own)


def _namespace(b: Builder, name: str) -> Any:
    return b.source.cells.get(name, b.source.globals)


def _stored(things: Iterable[Any], own: str) -> Iterator[Name]:
    """The names that are not local which functions, or what they call, give values."""
    stack, seen = list(things), set()
    while stack:
        thing = stack.pop()
        thing = facts.parts_of_partial(thing)[0] if isinstance(thing, functools.partial) else thing
        thing = getattr(thing, "__func__", thing)
        if not isinstance(thing, types.FunctionType) or thing in seen or _is_foreign(thing, own):
            continue
        seen.add(thing)
        own_code = facts.code(thing)
        spaces = dict(zip(own_code.co_freevars, thing.__closure__ or (), strict=True))
        for code in _codes(own_code):
            for step in dis.get_instructions(code):
                name = step.argval
                if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                    yield id(thing.__globals__), name
                elif step.opname in ("STORE_DEREF", "DELETE_DEREF") and name in spaces:
                    yield id(spaces[name]), name
            names = {*code.co_names, *code.co_freevars}
            for name in names:
                stack += _found(_held(spaces.get(name, thing.__globals__), name), names)


def _held(namespace: Any, name: str) -> Any:
    """What a name stands for; it may be one of an attribute, and then stands for nothing."""
    if isinstance(namespace, dict) and name not in namespace:
        return None
    return facts.read_name(namespace, name)


def _is_foreign(fn: types.FunctionType, own: str) -> bool:
    """Whether a function is of a library that knows nothing of the code with the numbers."""
    installed = fn.__code__.co_filename.startswith(_INSTALLED)
    return home(fn) in _LIBRARIES or (installed and home(fn) != own)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of a function, and of those that are defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _found(thing: Any, names: Set[str]) -> Iterator[Any]:
    """A function, or those of a module or an object that code with some names may call."""
    if isinstance(thing, types.FunctionType | types.MethodType | functools.partial):
        yield thing
    elif isinstance(thing, types.ModuleType):
        if thing.__name__.partition(".")[0] in _LIBRARIES:
            return
        yield from (facts.static(thing, name) for name in names)
    elif isinstance(thing, type) or home(type(thing)) not in _BUILT_IN:
        owner = thing if isinstance(thing, type) else type(thing)
        for name in (*names, "__init__", "__call__"):
            yield facts.in_class(owner, name)
