"""Arguments and results that hold others: containers and objects, shared and recursive ones too."""

from __future__ import annotations

import collections
import enum
import gc
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.ir.structures import is_foreign, register_tree
from srcgrad.library.libraries import home
from srcgrad.program.device_arrays import CLASSES, is_array
from srcgrad.program.namespaces import held_by
from srcgrad.program.registered import TREES, registered
from srcgrad.tape.recording import Box, raw

_ATOMS = (str, bytes, int, float, complex, np.generic, np.ndarray, type(None), type, slice, range)


def _is_atom(kind: type) -> bool:
    return issubclass(kind, _ATOMS) or kind in CLASSES


_SEQUENCES = (list, collections.deque)
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
            parts = [self(part) for part in value]
            made = kind(*parts) if hasattr(value, "_fields") else kind(parts)
            self.made[id(value)] = value, made
            return made
        if isinstance(value, dict):
            made = _empty_like(value)
            self.made[id(value)] = value, made
            for key, part in value.items():
                dict.__setitem__(made, key, self(part))
            return made
        if isinstance(value, _SEQUENCES):
            made = _empty_like(value)
            self.made[id(value)] = value, made
            made.extend([self(part) for part in value])
            return made
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
        made = kind.__new__(kind) if kind.__new__ is object.__new__ else object.__new__(kind)  # pyright: ignore[reportCallIssue]
        self.made[id(value)] = value, made
        for name in names:
            object.__setattr__(made, name, self(getattr_plain(value, name)))
        return made


def _is_code(value: Any) -> bool:
    return names_of(value) is None


def _empty_like(value: Any) -> Any:
    kind = type(value)
    if kind is collections.defaultdict:
        return kind(value.default_factory)
    if kind is collections.deque:
        return kind(maxlen=value.maxlen)
    return kind()


def getattr_plain(value: Any, name: str) -> Any:
    """Return an attribute that an object itself holds."""
    held = held_by(value)
    if name in held:
        return held[name]
    return getattr(value, name)


def names_of(value: Any) -> list[str] | None:
    """Return the attributes that an object of the user's holds; None for any other value."""
    kind = type(value)
    if is_foreign(kind) or isinstance(value, type | enum.Enum):
        return None
    held = held_by(value)
    slots = [
        name
        for cls in kind.__mro__
        for name in _slots(cls)
        if name not in ("__dict__", "__weakref__") and hasattr(value, name)
    ]
    if not slots and not hasattr(value, "__dict__"):
        return None
    return [*held, *slots]


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
    if isinstance(value, dict):
        parts: Any = value.values()
    elif isinstance(value, (tuple, set, frozenset, *_SEQUENCES)):
        parts = value
    else:
        names = names_of(value)
        parts = [getattr_plain(value, name) for name in names or ()]
    return any(holds_box(part, around, depth + 1) for part in list(parts))


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
        if isinstance(part, (dict, tuple, set, frozenset, *_SEQUENCES)):
            holders[id(part)] = part
            waiting += part.values() if isinstance(part, dict) else part
        elif names is None:
            found.append(part)
        else:
            holders[id(part)] = part
            waiting += [getattr_plain(part, name) for name in names]
    return found, holders


_IN_CELLS = (tuple, list, dict, set, types.FunctionType)


def _unbox_cell(cell: Any, part_of: Callable[[Any], Any]) -> None:
    """Replace what is recorded in the cell of a function; objects are looked into elsewhere."""
    try:
        found = cell.cell_contents
    except ValueError:
        return
    if type(found) is Box or isinstance(found, _IN_CELLS):
        new = part_of(found)
        if new is not found:
            cell.cell_contents = new


def unbox_inside(value: Any, leaf: Callable[[Any], Any], around: set[int]) -> None:
    """Replace the boxes in a container or an object, which stays the same one.

    Args:
        value: the container or object.
        leaf: gives what takes the place of a box.
        around: the identities of what was looked into already.
    """
    if type(value) is Box or id(value) in around:
        return
    around.add(id(value))
    rebuilding = Rebuilding(lambda part: leaf(part) if type(part) is Box else part, keep=True)

    def part_of(part: Any) -> Any:
        if isinstance(part, tuple):
            return rebuilding(part)
        if type(part) is Box:
            return leaf(part)
        if type(part) in STANDING:
            return STANDING[type(part)](part)
        if not _is_atom(part.__class__):
            unbox_inside(part, leaf, around)
        return part

    if isinstance(value, types.FunctionType):
        for cell in value.__closure__ or ():
            _unbox_cell(cell, part_of)
        defaults = value.__defaults__ and rebuilding(value.__defaults__)
        if defaults is not value.__defaults__:
            value.__defaults__ = defaults
        if value.__kwdefaults__:
            unbox_inside(value.__kwdefaults__, leaf, around)
    elif is_array(value):
        if value.dtype.kind == "O":
            for place, part in np.ndenumerate(value):
                value[place] = part_of(part)
    elif isinstance(value, dict):
        for key, part in list(value.items()):
            new = part_of(part)
            if new is not part:
                value[key] = new
            if type(key) is Box:
                value[raw(key)] = value.pop(key)
    elif isinstance(value, _SEQUENCES):
        for k, part in enumerate(list(value)):
            new = part_of(part)
            if new is not part:
                value[k] = new
    elif isinstance(value, set):
        boxes = [part for part in value if type(part) is Box]
        for part in boxes:
            value.discard(part)
            value.add(leaf(part))
    elif isinstance(value, type):
        for name, part in list(vars(value).items()):
            if type(part) is Box:
                setattr(value, name, leaf(part))
    elif hasattr(value, "__dict__") and home(type(value)) == "builtins":
        return
    else:
        names = names_of(value)
        held = [*(names or ())]
        for name in held:
            part = getattr_plain(value, name)
            new = part_of(part)
            if new is not part:
                object.__setattr__(value, name, new)


def refill(cache: Any, leaf: Callable[[Any], Any], around: set[int]) -> None:
    """Let a cache of ``functools.lru_cache`` hold what it held, without boxes.

    Nothing can be put into one but what its function returns, which returns it for once.

    Args:
        cache: the function that keeps its results.
        leaf: gives what takes the place of a box.
        around: see ``unbox_inside``.
    """
    held = [[list(args), options, value] for args, options, value in _entries(cache)]
    unbox_inside(held, leaf, around)
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


def _entries(cache: Any) -> list[tuple[Any, dict[str, Any], Any]]:
    """Return what a cache holds, as arguments by position, by name, and a result; oldest first.

    Where that cannot be told, nothing, and it is computed again.
    """
    told = cache.cache_parameters()
    found = gc.get_referents(cache)
    (table,) = (part for part in found if type(part) is dict and part is not vars(cache))
    if told["maxsize"] is None:
        pairs = list(table.items())
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


def write_back(made: dict[int, tuple[Any, Any]], leaf: Callable[[Any], Any]) -> None:
    """Let containers and objects hold what their copies hold.

    Args:
        made: pairs of an original and its copy.
        leaf: gives what takes the place of a box.
    """
    originals = {id(copy): own for own, copy in made.values()}

    def back(part: Any) -> Any:
        if type(part) is Box:
            return leaf(part)
        if type(part) in STANDING:
            return STANDING[type(part)](part)
        if id(part) in originals:
            return originals[id(part)]
        if isinstance(part, tuple) and not isinstance(part, _ATOMS):
            parts = [back(inner) for inner in part]
            if all(a is b for a, b in zip(parts, part, strict=True)):
                return part
            return type(part)(*parts) if hasattr(part, "_fields") else type(part)(parts)
        if not _is_atom(part.__class__):
            unbox_inside(part, leaf, set())
        return part

    for own, copy in list(made.values()):
        if isinstance(own, dict):
            new = {raw(key): back(part) for key, part in copy.items()}
            if [*new] != [*own] or any(new[key] is not own[key] for key in own):
                own.clear()
                own.update(new)
        elif isinstance(own, _SEQUENCES):
            parts = [back(part) for part in copy]
            if len(parts) != len(own) or any(a is not b for a, b in zip(parts, own, strict=True)):
                own.clear()
                own.extend(parts)
        elif not isinstance(own, tuple) and type(own) not in TREES:
            names = names_of(copy) or []
            for name in set(names_of(own) or ()) - set(names):
                object.__delattr__(own, name)
            for name in names:
                part = back(getattr_plain(copy, name))
                if not hasattr(own, name) or getattr_plain(own, name) is not part:
                    object.__setattr__(own, name, part)


__all__ = [
    "Rebuilding",
    "holds_box",
    "inside",
    "refill",
    "register_tree",
    "unbox_inside",
    "write_back",
]
