"""What stands in rewritten code for operators, subscripts, attributes and writes."""

from __future__ import annotations

import operator
import sys
import types
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

import srcgrad.tape.rewriting as rewriting
from srcgrad.errors import SrcgradError
from srcgrad.library.libraries import home
from srcgrad.program.device_arrays import (
    CLASSES,
    copied,
    is_array,
    is_array_class,
    is_number_or_array,
    is_on_device,
)
from srcgrad.program.foreign import require_plain
from srcgrad.tape.arrays import Flat, attribute_of, set_attribute_of
from srcgrad.tape.calls import (
    apply,
    call,
    item,
    record,
    require_own,
    settled,
)
from srcgrad.tape.conversions import as_array, has_priority
from srcgrad.tape.errors import Lost, lost, note_text
from srcgrad.tape.formulas import has_box, plan_of
from srcgrad.tape.memory import accumulate, all_seen, known_memory, seen, write
from srcgrad.tape.recording import (
    Box,
    flat,
    is_sequence,
    owner_of,
    raw,
    unboxed,
    whole,
)
from srcgrad.tape.session import Session, state

# Numbers and text, which are neither recorded nor have methods of the user's
_PLAIN = frozenset(
    {int, float, bool, complex, str, bytes, type(None), np.float64, np.int64, np.bool_, np.float32}
)
_CONTAINERS = frozenset({list, tuple, dict, set})
_COMMON = _PLAIN | _CONTAINERS | {Box, np.ndarray}  # operands that are no sparse matrices
_NUMBERS = (int, float, complex, np.generic)


# Classes whose operators come before those of a left operand, as a subclass's do
FIRST: set[type] = set()


def _binary(fn: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    plans: list[Any] = []
    own = f"__{fn.__name__.strip('_')}__"
    reflected = f"__r{fn.__name__.strip('_')}__"
    # what makes arrays of sequences beside it
    makes_arrays = is_array if fn is operator.mul else is_number_or_array

    def operate(left: Any, right: Any) -> Any:
        one, other = type(left), type(right)
        if one in _PLAIN and other in _PLAIN:
            return fn(left, right)
        session = state.session
        if session is None:
            return fn(left, right)
        if one not in _COMMON or other not in _COMMON:
            if _is_sparse(left) or _is_sparse(right):
                left, right = _with_sparse(fn, left, right)
                one, other = type(left), type(right)
                if other in FIRST and one not in FIRST:
                    return getattr(right, reflected)(left)
                if one in FIRST:
                    return fn(left, right)
        if one is Box or other is Box:
            if (one is Box or one in _PLAIN) and (other is Box or other in _PLAIN):
                if one is str or one is bytes:
                    return _formatted(session, fn, left, right)
                plan = plans[0] if plans else None
                if plan is not None and plan.refusal is None:
                    return apply(session, plan, (left, right), {})
            for part in (left, right):
                if type(part) not in _PLAIN and type(part) is not Box:
                    require_plain(part, role=f"an operand of {fn.__name__}")
            if (one is Box and _fits(left, other)) or (other is Box and _fits(right, one)):
                if session.active:
                    left, right = seen(left), seen(right)
                if plan_of(fn) is not None and not plans and _is_own(fn):
                    plans.append(plan_of(fn))
                return record(session, fn, (left, right), {})
            _prepare(session, left, right)
            return fn(left, right)  # a box takes an object as what it holds does
        if (one is str or one is bytes) and other is tuple and has_box(right):
            return _formatted(session, fn, left, right)
        if makes_arrays(left) or makes_arrays(right):
            if one in _COMMON or is_array(left) or not hasattr(one, own):  # which is asked first
                left = _beside_array(session, left)
            right = _beside_array(session, right)
            if type(left) is Box or type(right) is Box:
                return operate(left, right)
        if (one not in _PLAIN and one is not np.ndarray) or other not in _PLAIN:
            if other in FIRST and one not in FIRST and hasattr(other, reflected):
                return getattr(right, reflected)(left)
            _prepare(session, left, right)
        return fn(left, right)

    operate.__name__ = fn.__name__
    return operate


def _beside_array(session: Session, value: Any) -> Any:
    """Return an operand beside an array, a sequence that is differentiated as the array it is."""
    if type(value) not in _COMMON and not has_priority(value):
        value = as_array(value)
    if not isinstance(value, list | tuple):
        return seen(value) if session.active else value
    parts = as_array(all_seen(value) if session.active else value)
    return rewriting.HELPERS["call"](np.array, parts) if has_box(parts) else value


def _is_sparse(value: Any) -> bool:
    """Tell whether a value is a matrix of SciPy's."""
    return home(type(value)) == "scipy" and rewriting.HELPERS["is_sparse_matrix"](value)


def _with_sparse(fn: Any, left: Any, right: Any) -> tuple[Any, Any]:
    """Return operands, a sparse matrix among them as a recorded one if it has to be."""
    as_sparse, sparse_seen = rewriting.HELPERS["as_sparse"], rewriting.HELPERS["sparse_seen"]
    left, right = seen(sparse_seen(left)), seen(sparse_seen(right))
    if Box in (type(left), type(right)) and fn is not operator.matmul:
        left, right = (as_sparse(x) if _is_sparse(x) else x for x in (left, right))
    return left, right


def _formatted(session: Session, fn: Any, words: str, values: Any) -> Any:
    """Do ``words % values``."""
    made = fn(words, unboxed(values))
    note_text(session, made if isinstance(made, str) else made.decode(errors="replace"))
    return made


def _fits(box: Box, kind: type) -> bool:
    """Tell whether NumPy takes an operand beside a value; lists only beside arrays."""
    if issubclass(kind, list | tuple):
        return is_number_or_array(box.array)
    known = issubclass(kind, _NUMBERS) or is_array_class(kind)
    return kind is Box or known or home(kind) in _ARRAYS


_ARRAYS = ("scipy", "cupy", "cupyx", "dask")


def _is_own(fn: Any) -> bool:
    plan = plan_of(fn)
    return plan is not None and plan.own


def _prepare(session: Session, *values: Any) -> None:
    beside = Box in map(type, values)
    for value in values:
        kind = type(value)
        if kind not in _PLAIN and kind not in _CONTAINERS and kind is not np.ndarray:
            if kind is not Box:
                rewriting.prepare_class(session, kind)
                if beside and rewriting.is_seen_through(kind):
                    rewriting.prepare_library(session, kind)


def _unary(fn: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def operate(value: Any) -> Any:
        kind = type(value)
        if kind in _PLAIN:
            return fn(value)
        session = state.session
        if session is None:
            return fn(value)
        if kind is not Box and session.active:
            value = seen(value)
        if type(value) is Box:
            return record(session, fn, (value,), {})
        _prepare(session, value)
        return fn(value)

    return operate


def get_item(holder: Any, key: Any) -> Any:
    """Return ``holder[key]``."""
    kind = type(holder)
    if kind in _CONTAINERS:
        if type(key) is Box or type(key) is tuple or type(key) is str:
            found = holder[key.array if type(key) is Box else key]
            require_own(key, found)
        else:
            found = holder[key]
        return seen(found) if is_array(found) else found
    session = state.session
    if session is None:
        return holder[key]
    if kind is Box:
        if is_number_or_array(holder.array):
            return item(session, holder, key)
        return holder.array[key]
    if kind is np.ndarray or kind in CLASSES:
        if session.active:
            box = seen(holder)
            if type(box) is Box:
                return item(session, box, key)
        return holder[settled(key)]
    if holder is np.r_ or holder is np.c_:
        return rewriting.HELPERS["joined"](session, holder, key)
    if _is_of_array(holder):
        return get_item(np.asarray(holder), key)
    if isinstance(holder, np.void) and type(box := seen(holder)) is Box:
        return item(session, box, key)
    _prepare(session, holder)
    found = seen(holder[key])
    if isinstance(holder, dict):
        require_own(key, found)
    return found


def _is_of_array(holder: Any) -> bool:
    """Tell whether a value shows the memory of an array."""
    return type(holder) is memoryview and isinstance(holder.obj, np.ndarray)


def get_attribute(holder: Any, name: str) -> Any:
    """Return an attribute of an object."""
    kind = type(holder)
    if kind is Box:
        return attribute_of(holder, name)
    session = state.session
    if kind is types.FrameType and name == "f_back":
        return rewriting.HELPERS["frame_before"](holder)
    if session is None or kind in _PLAIN:
        return getattr(holder, name)
    if kind is np.ndarray or kind in CLASSES or isinstance(holder, np.void):
        holder = seen(holder) if session.active else holder
        if name == "flat":
            return Flat(holder)
        return attribute_of(holder, name)
    if kind in _CONTAINERS:
        return getattr(holder, name)
    _prepare(session, holder)
    if isinstance(holder, type):
        rewriting.prepare_class(session, holder)
    found = getattr(holder, name)
    return seen(found) if session.active else found


def may_go(value: Any) -> None:
    """Refuse that a function lets go of an object it was given, where that may tell when it ends.

    The call of the function holds what it was given, and Python's own does not.
    """
    if hasattr(type(value), "__del__") and type(value) is not Box:
        name = type(value).__name__
        raise Lost(
            f"an object of class {name} is let go of by a function that it was given to, and "
            f"when {name}.__del__ is called is not known in recorded functions",
            fixes=["give the parameter no other value, and let the caller end the object"],
        )


def every() -> Any:
    """Return the exceptions that a handler without any catches."""
    return BaseException


def caught(kinds: Any) -> Any:
    """Return the exceptions that a handler of the program's catches.

    Raises:
        SrcgradError: that the handler would catch: the program raises no such exception where
            it is not recorded, and takes another way. Handlers that name it have it.
    """
    error = sys.exception()
    if state.session is None or not isinstance(error, SrcgradError):
        return kinds
    named = kinds if isinstance(kinds, tuple) else (kinds,)
    if any(isinstance(kind, type) and issubclass(kind, SrcgradError) for kind in named):
        return kinds
    raise error


def through(value: Any) -> Any:
    """Return a value, an array that holds what is differentiated as its box."""
    session = state.session
    if session is None:
        return value
    kind = type(value)
    if kind in _PLAIN or kind in _CONTAINERS or kind is Box:
        return value
    if is_array(value) or isinstance(value, np.void):
        return seen(value) if session.active else value
    _prepare(session, value)
    return value


def itself(value: Any) -> Any:
    """Return what the program would hold in the place of a value, as ``is`` asks for it."""
    if type(value) is Box:
        return value.array
    session = state.session
    if session is None or not (session.constants or session.copies):
        return value
    copy, own, *_ = session.copies.get(id(value)) or session.constants.get(id(value), (None, None))
    return own if copy is value else value


_SEARCHED = (list, tuple, deque, type({}.values()))


class _Searched:
    """A sequence, as ``in`` looks into it."""

    __slots__ = ("held",)

    def __init__(self, held: Any) -> None:
        self.held = held

    def __contains__(self, value: Any) -> bool:
        return held_as(value, self.held) in self.held


def searched(value: Any) -> Any:
    """Return what is looked into for something, which is found by its identity first."""
    return _Searched(value) if type(value) in _SEARCHED else value


def held_as(value: Any, holder: Any) -> Any:
    """Return what a sequence holds in the place of a value: it, a box of it, or what is in it."""
    own = itself(value)
    if type(holder) not in _SEARCHED or (own is value and not is_array(own)):
        return value
    return next((part for part in holder if itself(part) is own), value)


def over(value: Any) -> Any:
    """Return what is gone through one by one; an array may be written to meanwhile."""
    value = through(value)
    if is_array(value) and type(value) is not Box and value.ndim:
        if value.dtype.kind in "fcV" and state.session is not None:
            return (get_item(value, k) for k in range(len(value)))
    return value


def store(value: Any, holder: Any, key: Any) -> Any:
    """Do ``holder[key] = value``.

    Returns:
        What the name of ``holder`` stands for from then on: it, or its box.
    """
    session = state.session
    kind = type(holder)
    if session is None:
        holder[key] = value
        return holder
    if kind is Box:
        if not is_array(raw(holder)):
            raw(holder)[settled(key)] = unboxed(value)  # an error of Python's, as of a number
        write(session, holder, settled(key), value)
        return holder
    if is_array(holder):
        write(session, holder, settled(key), value)
        return seen(holder) if session.active else holder
    if isinstance(holder, np.void):
        key = settled(key)
        key = holder.dtype.names[key] if isinstance(key, int) else key  # type: ignore[index]
        write(session, whole(holder)[key], ..., value)
        return holder
    if session.undo is not None:
        session.undo.holder(holder)
    if kind in _CONTAINERS:
        holder[key] = value
        if type(value) not in _PLAIN:
            session.note(holder)
        return holder
    if _is_of_array(holder):
        write(session, np.asarray(holder), settled(key), value)
        return holder
    _prepare(session, holder)
    if type(value) is Box and type(holder) not in FIRST and _is_sparse(holder):
        raise lost("written into a sparse matrix")
    holder[key] = value
    _note(session, holder, value)
    return holder


def set_attribute(value: Any, holder: Any, name: str) -> None:
    """Do ``holder.name = value``."""
    session = state.session
    if session is not None:
        if type(holder) is not Box and session.active:
            holder = seen(holder)
        if type(holder) is Box:
            set_attribute_of(session, holder, name, value)
            return
        if name in ("real", "imag", "flat", "shape") and is_array(holder):
            set_attribute_of(session, holder, name, value)
            return
        _prepare(session, holder)
        if type(value) is Box and _is_sparse(holder):
            raise lost(f"assigned to .{name} of a sparse matrix")
        if session.undo is not None:
            session.undo.attribute(holder, name)
    setattr(holder, name, value)
    if session is not None:
        _note(session, holder, value)


def _note(session: Session, holder: Any, value: Any) -> None:
    """Note an object that a value was stored in."""
    if type(value) not in _PLAIN:
        session.note(holder)


# Assignments with operators


def in_place(op: str, target: Any, value: Any) -> Any:
    """Do ``target op= value``, and return what the target stands for then."""
    fn = getattr(operator, op)
    session = state.session
    kind = type(target)
    if session is None or (kind in _PLAIN and type(value) in _PLAIN):
        return fn(target, value)
    if kind is Box or is_array(target):
        if not is_array(raw(target)):
            return BINARY[_plain_name(op)](target, value)
        if type(raw(target)).__module__ != "numpy" and not is_on_device(raw(target)):
            return fn(target, value)
        if raw(target).dtype.kind == "O":
            return fn(target, value)
        return _array_in_place(session, op, target, value)
    if kind in _PLAIN:
        return BINARY[_plain_name(op)](target, value)
    if kind in _CONTAINERS:
        value = through(value)
        repeats = op == "imul" and isinstance(raw(value), np.generic)
        if (kind is list or kind is tuple) and is_number_or_array(raw(value)) and not repeats:
            return BINARY[_plain_name(op)](target, value)  # NumPy makes an array of both
        if session.undo is not None:
            session.undo.holder(target)
        session.note(target)
        return fn(target, value)
    if _is_sparse(target):
        made = BINARY[_plain_name(op)](target, value)
        if type(made) in FIRST and type(target) not in FIRST and op not in ("iadd", "isub"):
            raise lost("written into a sparse matrix")
        return made
    _prepare(session, target, value)
    found = fn(target, value)
    _note(session, found, value)
    return found


def _plain_name(op: str) -> str:
    return op[1:] if op not in ("iand", "ior") else f"{op[1:]}_"


def _array_in_place(session: Session, op: str, target: Any, value: Any) -> Any:
    value = _beside_array(session, value)
    if op in ("iadd", "isub"):
        if accumulate(session, target, ..., value, 1 if op == "iadd" else -1):
            return seen(target)
    box = seen(target)
    array = raw(target)
    if type(box) is not Box and type(value) is not Box:
        made = getattr(operator, _plain_name(op))(array, value)
    else:
        made = BINARY[_plain_name(op)](box, value)
    _require_same_kind(array, raw(made), op)
    write(session, target, ..., made)
    return seen(target)


def _require_same_kind(array: Any, made: Any, op: str) -> None:
    """Raise what NumPy raises where a result does not fit the array that it is written to."""
    dtype = np.result_type(made)
    if not np.can_cast(dtype, array.dtype, "same_kind") and dtype != array.dtype:
        getattr(operator, op)(array.copy(), copied(made))
    if np.shape(made) != array.shape:
        getattr(operator, op)(array.copy(), copied(made))
        raise ValueError(f"operands could not be broadcast together into {array.shape}")


class Place:
    """A place that an assignment with an operator reads and then writes.

    Attributes:
        holder: what the place is in.
        key: where.
        current: what was there when it was read; None for a view, which is read later.
        version: how often the memory had been written then.
    """

    __slots__ = ("current", "holder", "key", "version")

    def __init__(self, holder: Any, key: Any) -> None:
        self.holder = holder
        self.key = key
        self.current = None
        array = raw(holder)
        if is_array(array) and array.dtype.kind in "fc":
            part = array[settled(key)]
            if is_array(part) and owner_of(part) is owner_of(array):
                return
        self.version = _version(holder)
        self.current = get_item(holder, key)


def _version(holder: Any) -> int:
    """Return how often the memory of an array was written."""
    session = state.session
    array = raw(holder)
    if session is None or not is_array(array):
        return 0
    memory = holder.memory if type(holder) is Box else known_memory(session, array)
    return 0 if memory is None else memory.version


def at_item(holder: Any, key: Any) -> Place:
    """Return the place of ``holder[key]``."""
    return Place(holder, key)


class Member:
    """An attribute that an assignment with an operator reads and then writes."""

    __slots__ = ("current", "holder", "name")

    def __init__(self, holder: Any, name: str) -> None:
        self.holder = holder
        self.name = name
        self.current = get_attribute(holder, name)


def at_attribute(holder: Any, name: str) -> Member:
    """Return the place of an attribute."""
    return Member(holder, name)


def in_place_at(op: str, place: Any, value: Any) -> Any:
    """Do ``place op= value``, and return what the name of the holder stands for then."""
    if type(place) is Member:
        set_attribute(in_place(op, place.current, value), place.holder, place.name)
        return place.holder
    holder, key = place.holder, settled(place.key)
    session = state.session
    array = raw(holder)
    if session is None or not is_array(array) or array.dtype.kind not in "fc":
        current = get_item(holder, key) if place.current is None else place.current
        return store(in_place(op, current, value), holder, key)
    value = seen(value) if session.active else value
    untouched = place.current is None or place.version == _version(holder)
    if untouched and op in ("iadd", "isub"):
        if accumulate(session, holder, key, value, 1 if op == "iadd" else -1):
            return seen(holder)
    if place.current is None:  # a view: its memory is that of the holder
        in_place(op, get_item(holder, key), value)
        return seen(holder)
    write(session, holder, key, BINARY[_plain_name(op)](place.current, value))
    return seen(holder)


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    name: _binary(getattr(operator, name))
    for name in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul",
        "lshift", "rshift", "and_", "or_", "xor",
    )
}  # fmt: skip

rewriting.HELPERS |= BINARY
rewriting.HELPERS |= {name: _unary(getattr(operator, name)) for name in ("neg", "pos", "invert")}
rewriting.HELPERS |= {
    "call": call,
    "item": get_item,
    "attribute": get_attribute,
    "through": through,
    "is_sequence": is_sequence,
    "itself": itself,
    "searched": searched,
    "held_as": held_as,
    "caught": caught,
    "every": every,
    "may_go": may_go,
    "over": over,
    "store": store,
    "set_attribute": set_attribute,
    "in_place": in_place,
    "at_item": at_item,
    "at_attribute": at_attribute,
    "in_place_at": in_place_at,
}

__all__ = ["BINARY", "Place", "flat", "get_attribute", "get_item", "store", "through"]
