"""Generated code that is shared: among derivatives of one function, and among closures.

A derivative that is made each time that it is called (``grad(f)(x)`` in a loop) is another one,
and has the code that was generated for the one before.

A local function that is differentiated is another one each time that the function around it is
called. What is generated for it depends on its text, on the arguments, and on what was read of
the program, its cells among it. So code that was generated for one such function is that of
another one where all tests hold with the cells of the latter in the place of the former's.
"""

from __future__ import annotations

import collections
import functools
import types
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.calling.recorded import holding, mode_in_force
from srcgrad.calling.reuse.finished import Flags, finished
from srcgrad.calling.reuse.stored import stored
from srcgrad.library.libraries import home, is_of_library
from srcgrad.load.observers import WATCHING
from srcgrad.program.guards import ArgumentTests, Facts

if TYPE_CHECKING:
    from srcgrad.calling.reuse.specialisation import Specialisation
    from srcgrad.calling.transformed import Transform

_MOST, _EACH = 256, 16  # how many texts are known, and how many signatures of each
_known: collections.OrderedDict[Any, list[Template]] = collections.OrderedDict()
_own: collections.OrderedDict[Any, list[Specialisation]] = collections.OrderedDict()
_FIXED = (type, types.ModuleType, types.BuiltinFunctionType, types.MethodDescriptorType)


class _Unfit(Exception):
    """Two functions that cannot share code, or code that nobody can share."""


class Template:
    """Generated code of a closure, without its cells.

    Args:
        transform: the derivative that it was generated for.
        checks: see ``Specialisation``.
        functions: the generated functions, by name.
        special: the names of those that are called, in the place of them, with what is known of
            their results.
        flags: what has to be tested of its results.

    Raises:
        _Unfit: where the code refers to what may have a cell of the function.
    """

    def __init__(
        self,
        transform: Transform,
        checks: tuple[tuple[ArgumentTests, Facts], ...],
        functions: dict[str, Any],
        special: Specialisation,
        flags: Flags,
    ) -> None:
        own = _closure_of(transform)
        self.function = _blank(own, {})
        pairs = _pairs(own, self.function)
        held: dict[int, tuple[Any, Any]] = {}
        self.checks = _about(checks, pairs)
        self.functions = {n: _copied(f, pairs, held) for n, f in functions.items()}
        self.special = special
        self.flags = flags

    def bound(self, transform: Transform) -> Specialisation:
        """Return the code for another function.

        Raises:
            _Unfit: when the functions do not correspond to each other.
        """
        pairs = _pairs(self.function, _closure_of(transform))
        made: dict[int, tuple[Any, Any]] = {}
        run, backward = (
            None if name is None else _copied(self.functions[name], pairs, made)
            for name in (self.special.run, self.special.backward)
        )
        run, backward = finished(transform, self.flags, run, backward)
        guards = [tests.guard(facts) for tests, facts in _about(self.checks, pairs)]
        guard = guards[0] if len(guards) == 1 else functools.partial(_all_hold, guards)
        return replace(self.special, guard=guard, run=run, backward=backward)


def _about(
    checks: tuple[tuple[ArgumentTests, Facts], ...], pairs: dict[int, tuple[Any, Any]]
) -> tuple[tuple[ArgumentTests, Facts], ...]:
    """Return the same checks about the cells that take the places of others."""
    others = {number: other for number, (_, other) in pairs.items()}
    return tuple((tests, facts.about(others)) for tests, facts in checks)


def _all_hold(guards: list[Callable[..., bool]], *arguments: Any) -> bool:
    return all(guard(*arguments) for guard in guards)


def _chain(transform: Transform) -> list[Transform]:
    """Return a derivative, the one that it is a derivative of, and so on."""
    chain = [transform]
    while (inner := getattr(chain[-1].plain, "__srcgrad__", None)) is not None:
        chain.append(inner)
    return chain


def _closure_of(transform: Transform) -> Any:
    """Return the function of the user's that something is a derivative of, at any order."""
    return _chain(transform)[-1].plain


def _with_cells(function: Any, cells: list[Any]) -> Any:
    made = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        tuple(cells),
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _blank(function: Any, made: dict[int, Any]) -> Any:
    """Return what stands for a closure, and for those in its cells, and holds nothing else.

    ``made``: the cells that were made before, by the identity of their own.
    """
    cells = []
    for cell in function.__closure__:
        new = made.get(id(cell))
        if new is None:
            new = made[id(cell)] = types.CellType()
            inner = _content(cell)
            if inner is not function and _is_closure(inner):
                new.cell_contents = _blank(inner, made)
        cells.append(new)
    blank = _with_cells(function, cells)
    for cell, new in zip(function.__closure__, cells, strict=True):
        if _content(cell) is function:
            new.cell_contents = blank
    return blank


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _is_closure(thing: Any) -> bool:
    """Whether something is a function of the user's with nothing of its own but its cells."""
    if type(thing) is not types.FunctionType or not thing.__closure__ or vars(thing):
        return False
    return not (thing.__defaults__ or thing.__kwdefaults__ or is_of_library(thing))


def _pairs(one: Any, other: Any) -> dict[int, tuple[Any, Any]]:
    """Return what corresponds to each other in two closures, by the identity of the former.

    Raises:
        _Unfit: when cells are one and the same in one of them, and two in the other.
    """
    found = {id(one): (one, other)}
    waiting = [(one, other)]
    while waiting:
        first, second = waiting.pop()
        for p, q in zip(first.__closure__, second.__closure__, strict=True):
            if found.setdefault(id(p), (p, q))[1] is not q:
                raise _Unfit
            a, b = _content(p), _content(q)
            if _is_closure(a) and _is_closure(b) and a.__code__ is b.__code__:
                if a.__globals__ is b.__globals__ and id(a) not in found:
                    found[id(a)] = a, b
                    waiting.append((a, b))
    if len({id(q) for _, q in found.values()}) != len(found):
        raise _Unfit
    return found


def _copied(
    function: Any, pairs: dict[int, tuple[Any, Any]], made: dict[int, tuple[Any, Any]]
) -> Any:
    """Return a generated function with other cells, and so those that it calls.

    Args:
        function: the function.
        pairs: the cells, and those that take their places.
        made: the functions that were copied before, by identity.

    Raises:
        _Unfit: where it refers to what may have such a cell itself.
    """
    if id(function) in made:
        return made[id(function)][1]
    own = function.__closure__ or ()
    cells = [pairs[id(cell)][1] if id(cell) in pairs else types.CellType() for cell in own]
    copy: Any = _with_cells(function, cells)
    copy.__module__ = function.__module__
    copy.__srcgrad_shared__ = True
    made[id(function)] = function, copy
    for cell, new in zip(own, cells, strict=True):
        if id(cell) in pairs:
            continue
        try:
            inner = cell.cell_contents
        except ValueError:
            continue
        if _is_generated(inner):
            new.cell_contents = _copied(inner, pairs, made)
        elif id(inner) in pairs:
            new.cell_contents = pairs[id(inner)][1]
        elif _may_hold_cells(inner):
            raise _Unfit
        else:
            new.cell_contents = inner
    return copy


def _is_generated(thing: Any) -> bool:
    marks = ("__srcgrad_generated__", "__srcgrad_shared__")
    return type(thing) is types.FunctionType and any(hasattr(thing, mark) for mark in marks)


def _may_hold_cells(thing: Any) -> bool:
    """Whether something that generated code refers to may have been made for the function."""
    if type(thing) is types.FunctionType:
        return bool(thing.__closure__) and not (is_of_library(thing) or home(thing) == "srcgrad")
    return callable(thing) and not (isinstance(thing, _FIXED) or home(type(thing)) == "numpy")


def _key(transform: Transform) -> Any:
    """Return what the code of a closure is known by; None for what shares none."""
    chain = _chain(transform)
    function = chain[-1].plain
    if not _is_closure(function) or any(map(_is_special, chain)):
        return None
    return function.__code__, id(function.__globals__), *_what(transform, chain)


def _key_of_own(transform: Transform, arguments: tuple[Any, ...]) -> Any:
    """Return what the code of a function without cells is known by; None for any other.

    That of a derivative of a derivative is not shared: its text has both, and the inner one is
    that of the function in the call.
    """
    chain = _chain(transform)
    function = chain[-1].plain
    plain = type(function) is types.FunctionType and not function.__closure__
    if not plain or len(chain) > 1 or _is_special(transform) or any(transform.memory):
        return None
    seen = _seen_as(arguments)
    return None if seen is None else (function, *_what(transform, chain), seen)


def _what(transform: Transform, chain: list[Transform]) -> tuple[Any, Any]:
    """Return what a derivative is of its function, and how it is made."""
    kinds = [
        (each.kind, tuple(each.wanted), isinstance(each.wrt, tuple | list), each.has_aux)
        for each in chain
    ]
    with holding(mode_in_force(transform.mode)):  # as it is while code is generated
        modes = [(mode_in_force(each.mode), each.optimize, *each.memory) for each in chain]
    return tuple(kinds), tuple(modes)


def _is_special(transform: Transform) -> bool:
    """Whether a derivative has something that its text does not tell."""
    made = transform.bound or transform.check_finite or transform.ranks
    return bool(made) or transform.on_final is not None or transform.jit is not None


def offer(transform: Transform, make: Callable[[], Template]) -> None:
    """Let code that was generated for a closure be shared.

    It is called while code is generated, which one thread at a time does.

    Args:
        transform: the derivative that it was generated for.
        make: makes the template of it.
    """
    key = _key(transform)
    if key is None:
        return
    try:
        template = make()
    except _Unfit:
        return
    _put(_known, key, template)


def _put(known: collections.OrderedDict[Any, list[Any]], key: Any, new: Any) -> None:
    found = known.setdefault(key, [])
    found.insert(0, new)
    del found[_EACH:]
    known.move_to_end(key)
    while len(known) > _MOST:
        known.popitem(last=False)


def keep(transform: Transform, special: Specialisation, arguments: tuple[Any, ...]) -> None:
    """Let other derivatives of the same function, made again at each call, have its code."""
    key = None if special.calls else _key_of_own(transform, arguments)
    if key is not None:
        _put(_own, key, special)


def kept(transform: Transform, arguments: tuple[Any, ...]) -> Specialisation | None:
    """Return code that was generated for another derivative of the same function, if it fits.

    It was generated for arguments that look the same, so that which code runs does not depend on
    what was called before.
    """
    key = _key_of_own(transform, arguments) if _own else None
    found = () if key is None else _own.get(key, ())
    return next((special for special in [*found] if special.guard(*arguments)), None)


def _seen_as(value: Any, depth: int = 6) -> Any:
    """What generated code may depend on of a number, an array or a tree; None for all else."""
    cls = type(value)
    if issubclass(cls, np.ndarray):
        return cls, value.shape, value.dtype
    if cls in (list, tuple, dict) and depth:  # a tree may contain itself
        parts = value.items() if cls is dict else value
        seen = tuple(_seen_as(part, depth - 1) for part in parts)
        return None if None in seen else (cls, seen)
    if cls in (int, str, bool):
        return cls, value
    return cls if cls in (float, complex, np.float64, type(None)) else None


def found(transform: Transform, arguments: tuple[Any, ...]) -> Specialisation:
    """Return the code that fits the arguments of a call, generating it if need be.

    ``arguments``: the arguments, one per parameter.
    """
    if WATCHING:
        return transform.find(arguments)
    for special in transform.specialisations:
        if special.guard(*arguments):
            return special if special.recorded is None else transform.find(arguments)
    for special in transform.shared:
        if special.guard(*arguments):
            return special
    if kept(transform, arguments) is None:
        special = _of_closures(transform, arguments) or _of_processes(transform, arguments)
        if special is not None:
            transform.share(special, arguments)
            return special
    return transform.find(arguments)


def _of_processes(transform: Transform, arguments: tuple[Any, ...]) -> Specialisation | None:
    """Return code that another process has made, and let closures share it."""
    known = stored(transform, arguments)
    if known is None:
        return None
    special, read = known
    flags = Flags(*read.code.flags)
    if flags.shared:
        checks = ((read.tests, read.facts),)
        names = replace(special, run=read.code.main, backward=read.code.second, guard=_never)
        offer(transform, lambda: Template(transform, checks, read.functions, names, flags))
    return special


def _never(*arguments: Any) -> bool:
    return False


def _of_closures(transform: Transform, arguments: tuple[Any, ...]) -> Specialisation | None:
    key = None if transform.specialisations else _key(transform)
    for template in list(_known.get(key, ())) if key is not None else ():
        try:
            special = template.bound(transform)
        except _Unfit:
            continue
        if special.guard(*arguments):
            return special
    return None
