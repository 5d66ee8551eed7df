"""Arguments and results that hold others: containers and objects, shared and recursive ones too."""

from __future__ import annotations

import enum
import gc
import itertools
import threading
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from srcgrad.ir.structures import is_foreign, register_tree
from srcgrad.program import containers
from srcgrad.program.containers import CONTAINERS, SEQUENCES
from srcgrad.program.device_arrays import CLASSES, is_array
from srcgrad.program.namespaces import held_by
from srcgrad.program.registered import TREES, registered
from srcgrad.tape.recording import Box, raw

_ATOMS = (str, bytes, int, float, complex, np.generic, np.ndarray, type(None), type, slice, range)


def _is_atom(kind: type) -> bool:
    return issubclass(kind, _ATOMS) or kind in CLASSES


# for classes of this engine's own, what the program would hold in the place of a value
STANDING: dict[type, Callable[[Any], Any]] = {}


class Rebuilding:
    """Makes values like others, with other leaves.

    Args:
        leaf: gives the leaf that takes the place of one.
        keep: whether a value of which no leaf changes stays the same object.

    Attributes:
        made: for each container or object it and its copy, by its identity.
    """

    def __init__(self, leaf: Callable[[Any], Any], keep: bool = False) -> None:
        self.leaf = leaf
        self.keep = keep
        self.made: dict[int, tuple[Any, Any]] = {}

    def __call__(self, value: Any) -> Any:
        """Return a value like another one."""
        kind = type(value)
        if kind is Box or _is_atom(kind) or (callable(value) and _is_code(value)):
            return self.leaf(value)
        if id(value) in self.made:
            return self.made[id(value)][1]
        if self.keep and not holds_box(value, set()):
            return value
        if isinstance(value, tuple):
            made = containers.made(kind, [self(part) for part in tuple.__iter__(value)])
            self.made[id(value)] = value, made
            return self._with_attributes(made, value)
        if isinstance(value, (dict, *SEQUENCES)):
            made = containers.empty_like(value)
            self.made[id(value)] = value, made
            containers.fill(made, [(key, self(part)) for key, part in containers.rows(value)])
            return self._with_attributes(made, value)
        if isinstance(value, frozenset) and self.keep:
            return containers.made(kind, map(self, containers.parts(value)))
        if isinstance(value, set | frozenset):
            return value
        if kind in TREES:
            flatten, unflatten = registered(kind)
            children, aux = flatten(value)
            made = unflatten(aux, tuple(self(part) for part in children))
            self.made[id(value)] = value, made
            return made
        names = names_of(value)
        if names is None:
            return self.leaf(value)
        made = containers.made(kind)
        self.made[id(value)] = value, made
        return self._with_attributes(made, value)

    def _with_attributes(self, made: Any, value: Any) -> Any:
        for name in _fields(value):
            object.__setattr__(made, name, self(getattr_plain(value, name)))
        return made


def _is_code(value: Any) -> bool:
    return names_of(value) is None


def getattr_plain(value: Any, name: str) -> Any:
    """Return an attribute that an object itself holds."""
    held = held_by(value)
    if name in held:
        return held[name]
    return getattr(value, name)


def names_of(value: Any) -> list[str] | None:
    """Return the attributes that an object of the user's holds; None for any other value."""
    plain = isinstance(value, types.SimpleNamespace)  # has nothing but attributes
    if (is_foreign(type(value)) and not plain) or isinstance(value, type | enum.Enum):
        return None
    names = _attributes(value)
    return names if names or hasattr(value, "__dict__") else None


def parts_of(value: Any) -> list[Any] | None:
    """Return the parts of a container or an object, in order; None for anything else."""
    if isinstance(value, set | frozenset):
        return None
    names = _fields(value) if isinstance(value, CONTAINERS) else names_of(value)
    held = containers.parts(value) if isinstance(value, CONTAINERS) else []
    return None if names is None else [*held, *(getattr_plain(value, name) for name in names)]


def _fields(value: Any) -> list[str]:
    """Return the attributes that a container, or an object of the user's, holds."""
    return _attributes(value) if isinstance(value, CONTAINERS) else names_of(value) or []


def _attributes(value: Any) -> list[str]:
    slots = [
        name
        for cls in type(value).__mro__
        for name in _slots(cls)
        if name not in ("__dict__", "__weakref__") and hasattr(value, name)
    ]
    return [*held_by(value), *slots]


def _slots(cls: type) -> list[str]:
    found = vars(cls).get("__slots__", ())
    names = [found] if isinstance(found, str) else list(found)
    hidden = f"_{cls.__name__.lstrip('_')}"
    return [hidden + n if n.startswith("__") and not n.endswith("__") else n for n in names]


def holds_box(value: Any, around: set[int], depth: int = 0) -> bool:
    """Tell whether there is a box in a value."""
    kind = type(value)
    if kind is Box:
        return True
    if _is_atom(kind):
        return (
            kind is np.ndarray
            and value.dtype.kind == "O"
            and any(type(part) is Box for part in value.flat)
        )
    if id(value) in around or depth > 50:
        return False
    around.add(id(value))
    parts = [getattr_plain(value, name) for name in _fields(value)]
    parts += containers.parts(value) if isinstance(value, CONTAINERS) else ()
    return any(holds_box(part, around, depth + 1) for part in parts)


def inside(value: Any) -> tuple[list[Any], dict[int, Any]]:
    """Return the leaves of a value, and the containers and objects in it by their identity."""
    found: list[Any] = []
    holders: dict[int, Any] = {}
    waiting = [value]
    while waiting:
        part = waiting.pop()
        kind = type(part)
        if id(part) in holders:
            continue
        names = None if kind is Box or _is_atom(kind) else names_of(part)
        if isinstance(part, CONTAINERS):
            holders[id(part)] = part
            waiting += containers.parts(part)
        elif names is None:
            found.append(part)
        else:
            holders[id(part)] = part
            waiting += [getattr_plain(part, name) for name in names]
    return found, holders


_IN_CELLS = (tuple, list, dict, set, types.FunctionType)


def _replace_in_cell(cell: Any, part_of: Callable[[Any], Any]) -> None:
    """Replace what is recorded in the cell of a function; objects are looked into elsewhere."""
    try:
        found = cell.cell_contents
    except ValueError:
        return
    kind = type(found)
    if kind is Box or isinstance(found, _IN_CELLS) or _is_atom(kind):
        new = part_of(found)
        if new is not found:
            cell.cell_contents = new


def unbox_inside(
    value: Any, leaf: Callable[[Any], Any], around: set[int], replaced: Replaced | None = None
) -> None:
    """Replace the boxes in a container or an object, which stays the same one.

    Args:
        value: the container or object.
        leaf: gives what takes the place of a box.
        around: the identities of what was looked into already.
        replaced: notes what was replaced, for whoever puts it back.
    """
    if type(value) is Box or id(value) in around:
        return
    around.add(id(value))
    rebuilding = Rebuilding(lambda part: leaf(part) if type(part) is Box else part, keep=True)

    def new_of(part: Any) -> Any:
        if isinstance(part, tuple | frozenset):
            return rebuilding(part)
        if type(part) is Box:
            return leaf(part)
        if type(part) in STANDING:
            return STANDING[type(part)](part)
        if not _is_atom(part.__class__):
            unbox_inside(part, leaf, around, replaced)
        return part

    def part_of(part: Any) -> Any:
        new = new_of(part)
        if replaced is not None and new is not part:
            replaced.parts[id(new)] = new, part
            replaced.holders[id(value)] = value
        return new

    replace_parts(value, part_of)


class Replaced:
    """What was put in the place of boxes.

    Attributes:
        parts: what was put there, and what was there before, by its identity.
        holders: the containers, objects and functions that hold it, by their identity.
    """

    def __init__(self) -> None:
        self.parts: dict[int, tuple[Any, Any]] = {}
        self.holders: dict[int, Any] = {}

    def put_back(self, holder: Any) -> None:
        """Let a holder hold what was there before in the place of what took its place."""
        replace_parts(holder, lambda part: self.parts.get(id(part), (None, part))[1])


def replace_parts(value: Any, part_of: Callable[[Any], Any]) -> None:
    """Let a container, an object or a function hold other parts; it stays the same one."""
    for name in _fields(value):
        part = getattr_plain(value, name)
        new = part_of(part)
        if new is not part:
            object.__setattr__(value, name, new)
    if isinstance(value, types.FunctionType):
        for cell in value.__closure__ or ():
            _replace_in_cell(cell, part_of)
        for name in ("__defaults__", "__kwdefaults__"):
            part = getattr(value, name)
            new = part if part is None else part_of(part)
            if new is not part:
                setattr(value, name, new)
    elif is_array(value):
        if value.dtype.kind == "O":
            for place, part in np.ndenumerate(value):
                value[place] = part_of(part)
    elif isinstance(value, (dict, *SEQUENCES)):
        rows = containers.rows(value)
        containers.fill(value, [(part_of(key), part_of(part)) for key, part in rows])
    elif isinstance(value, set):
        for part in containers.parts(value):
            new = part_of(part)
            if new is not part:
                set.discard(value, part)
                set.add(value, new)
    elif isinstance(value, type):
        for name, part in list(vars(value).items()):
            if type(part) is Box or _is_atom(type(part)):
                new = part_of(part)
                if new is not part:
                    setattr(value, name, new)


def refill(cache: Any, leaf: Callable[[Any], Any], around: set[int], before: Any) -> None:
    """Let a cache of ``functools.lru_cache`` hold what it held, without boxes.

    Nothing can be put into one that forgets but what its function returns, which returns it for
    once.

    Args:
        cache: the function that keeps its results.
        leaf: gives what takes the place of a box.
        around: see ``unbox_inside``.
        before: its ``cache_info()`` when it held nothing that is recorded; None where it was
            cleared since.
    """
    forgets = cache.cache_parameters()["maxsize"] is not None
    first = 0 if forgets or before is None else before.currsize
    held = [[list(args), options, value] for args, options, value in _entries(cache, first)]
    unbox_inside(held, leaf, around)
    if not forgets:
        table = _table(cache)
        keys = list(itertools.islice(table, first, None))
        table.update(zip(keys, (value for *_, value in held), strict=True))
        return
    cache.cache_clear()
    inner = cache.__wrapped__
    code = inner.__code__
    try:
        for args, options, value in held:
            inner.__code__ = _NOTHING.replace(co_consts=(value,), co_freevars=code.co_freevars)
            cache(*args, **options)
    finally:
        inner.__code__ = code


_NOTHING = (lambda *args, **options: None).__code__


def _table(cache: Any) -> dict[Any, Any]:
    """Return where a cache finds what it holds."""
    found = gc.get_referents(cache)
    (table,) = (part for part in found if type(part) is dict and part is not vars(cache))
    return table


def _entries(cache: Any, first: int) -> list[tuple[Any, dict[str, Any], Any]]:
    """Return what a cache holds, as arguments by position, by name, and a result; oldest first.

    Where that cannot be told, nothing, and it is computed again.

    Args:
        cache: the function that keeps its results.
        first: how many of the oldest are left out, of a cache that forgets nothing.
    """
    told = cache.cache_parameters()
    found, table = gc.get_referents(cache), _table(cache)
    if told["maxsize"] is None:
        pairs = list(itertools.islice(table.items(), first, None))
    else:
        places = [k for k, part in enumerate(found) if part is type(next(iter(table.values()), 0))]
        pairs = [(found[k - 2], found[k - 1]) for k in places if k >= 2 and found[k - 2] in table]
        pairs = pairs if len(pairs) == len(table) else []
    mark = next((part for part in found if type(part) is object), None)
    return [(*_arguments(key, mark, told["typed"]), value) for key, value in pairs]


def _arguments(key: Any, mark: object, typed: bool) -> tuple[Any, dict[str, Any]]:
    """Return the arguments that a key of a cache stands for."""
    if type(key) is not tuple:
        return (key,), {}
    count = next((k for k, part in enumerate(key) if part is mark), len(key))
    named = key[count + 1 :]
    if typed:  # the types of all arguments stand behind them
        named = named[: 2 * (len(named) - count) // 3] if count < len(key) else ()
        count = count if named else count // 2
    return key[:count], dict(zip(named[::2], named[1::2], strict=True))


def same(some: Iterable[Any], others: Iterable[Any]) -> bool:
    """Tell whether two series hold the same objects."""
    end = object()
    return all(a is b for a, b in itertools.zip_longest(some, others, fillvalue=end))


class Held:
    """The containers and objects of arguments, which hold boxes while a function runs.

    They stay the objects that they are, so that the function sees what it does to them under
    every name: in another argument, in a global, through a bound method. What another thread
    has begun to record meanwhile is copied.

    Args:
        made: for each container or object of the arguments it and its copy, by its identity;
            what holds the leaves that are differentiated.
        leaf: gives what the function is given for a leaf of a copy.
    """

    def __init__(self, made: dict[int, tuple[Any, Any]], leaf: Callable[[Any], Any]) -> None:
        self.given = Rebuilding(leaf)
        self.before: dict[int, list[Any]] = {}
        me = threading.get_ident()
        fixed = [pair for pair in made.values() if _is_fixed(pair[0])]
        self.held = [pair for pair in made.values() if not _is_fixed(pair[0])]
        self.new = [id(own) for own, _ in self.held if id(own) not in _HOLDERS]
        if all(_HOLDERS.setdefault(id(own), me) == me for own, _ in self.held):
            self.given.made |= {id(copy): (copy, own) for own, copy in self.held}
            for own, copy in self.held:
                _fill(own, copy, self.given)
            self.held = [(own, own) for own, _ in self.held]
        else:
            self.held = [(own, self.given(copy)) for own, copy in self.held]
            self.before = {id(copy): contents(copy) for _, copy in self.held}
        self.owns = {id(self.given(copy)): own for own, copy in fixed if isinstance(own, tuple)}
        self.owns |= {id(copy): own for own, copy in self.held}

    def end(self, leaf: Callable[[Any], Any]) -> None:
        """Let them hold what the function left in them.

        Args:
            leaf: gives what takes the place of a box.
        """

        def back(part: Any) -> Any:
            if type(part) is Box:
                return leaf(part)
            if type(part) in STANDING:
                return STANDING[type(part)](part)
            if id(part) in self.owns:
                return self.owns[id(part)]
            if isinstance(part, tuple) and not isinstance(part, _ATOMS):
                held = containers.parts(part)
                parts = [back(inner) for inner in held]
                return part if same(parts, held) else containers.made(type(part), parts)
            if not _is_atom(part.__class__):
                unbox_inside(part, leaf, set())
            return part

        for own, copy in self.held:
            if not same(self.before.get(id(copy), ()), contents(copy)):
                _fill(own, copy, back)
        self.held, self.owns, self.given = [], {}, Rebuilding(leaf)  # which hold each other
        for number in self.new:
            if _HOLDERS.get(number) == threading.get_ident():
                del _HOLDERS[number]


_HOLDERS: dict[int, int] = {}  # the threads that record what is done to an object, by its identity


def contents(value: Any) -> list[Any]:
    """Return what a container or an object holds: keys, entries, names and attributes."""
    held = containers.parts(value) if isinstance(value, CONTAINERS) else []
    keys = list(dict.keys(value)) if isinstance(value, dict) else []
    names = _fields(value)
    return [*keys, *held, *names, *(getattr_plain(value, name) for name in names)]


def _is_fixed(value: Any) -> bool:
    return isinstance(value, tuple) or type(value) in TREES


def _fill(own: Any, copy: Any, part_of: Callable[[Any], Any]) -> None:
    """Let a container or an object hold what another one holds, or what stands for it."""
    if isinstance(own, CONTAINERS):
        containers.fill(own, [(raw(key), part_of(part)) for key, part in containers.rows(copy)])
    names = _fields(copy)
    for name in set(_fields(own)) - set(names):
        object.__delattr__(own, name)
    for name in names:
        part = part_of(getattr_plain(copy, name))
        if not hasattr(own, name) or getattr_plain(own, name) is not part:
            object.__setattr__(own, name, part)


__all__ = [
    "Held",
    "Rebuilding",
    "Replaced",
    "contents",
    "holds_box",
    "inside",
    "parts_of",
    "refill",
    "register_tree",
    "replace_parts",
    "same",
    "unbox_inside",
]
