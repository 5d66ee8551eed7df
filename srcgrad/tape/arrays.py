"""A box as an array: operators, attributes, methods, writes, and NumPy's protocols.

What takes the number out of a box where nothing can be recorded raises an error.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.errors import MissingFormulaError
from srcgrad.formulas.numpy.arrays import methods as known
from srcgrad.program.device_arrays import is_array, is_on_device, overlap
from srcgrad.tape.calls import call, item, record
from srcgrad.tape.conversions import as_array, as_operands, is_of_user
from srcgrad.tape.errors import Lost, lost, note_text
from srcgrad.tape.formulas import has_box
from srcgrad.tape.memory import copy_of_records, refresh, reshape_in_place, seen, write, write_by
from srcgrad.tape.recording import Box, mapped, raw, unboxed
from srcgrad.tape.rewriting import HELPERS
from srcgrad.tape.session import Session, state


def _session(box: Any) -> Session:
    session = state.session
    if session is None:
        raise _elsewhere(box)
    return session


def _elsewhere(box: Any) -> Lost:
    """Return the error for a box that is used where nothing is recorded."""
    tape = getattr(box, "tape", None)
    if tape is None or not tape.running:
        return lost("used after the function has returned")
    tape.failed = lost("used in a thread that nothing is recorded in,")
    return tape.failed


# Attributes and methods


class Method:
    """A method of an array in a box."""

    __slots__ = ("box", "name")

    def __init__(self, box: Box, name: str) -> None:
        self.box = box
        self.name = name

    def __call__(self, *args: Any, **options: Any) -> Any:
        return method(_session(self.box), self.box, self.name, args, options)


def attribute_of(box: Any, name: str) -> Any:
    """Return an attribute of a box."""
    if type(box) is not Box:
        return getattr(box, name)
    array = box.array
    if name == "shape" or name == "ndim" or name in known.METADATA or name in _LAYOUT:
        return getattr(array, name)
    if name == "base" and array.base is None:
        return None
    if is_array(array) and name in (array.dtype.names or ()):
        return item(_session(box), box, name)
    if name in known.ATTRIBUTES:
        if is_array(array) or hasattr(array, name):
            return record(_session(box), known.ATTRIBUTES[name], (box,), {})
    if name == "flat":
        return Flat(box)
    if name in ("array", "tape", "index", "value", "memory", "version"):
        return object.__getattribute__(box, name)
    if name.startswith("__"):
        if name in _HARMLESS or not hasattr(array, name):
            return getattr(array, name)  # or raises what Python raises where there is none
        return object.__getattribute__(box, name)
    found = getattr(array, name)  # raises what Python raises where there is none
    if callable(found):
        return Method(box, name)
    if name in known.REFUSED_METHODS:
        raise MissingFormulaError(
            f"no formula for the array attribute .{name}", why=known.REFUSED_METHODS[name]
        )
    return found


_LAYOUT = frozenset({"flags", "strides", "device"})
_HARMLESS = frozenset({"__class__", "__name__", "__doc__", "__module__"})


def method(session: Session, box: Any, name: str, args: Any, options: Any) -> Any:
    """Call a method of an array."""
    array = raw(box)
    if name in _IN_PLACE:
        return _IN_PLACE[name](session, box, *args, **options)
    if name in ("tolist", "item"):
        return _TAKEN_OUT[name](session, box, *args)
    if name in known.NONDIFFERENTIABLE_METHODS and name != "round":
        return getattr(array, name)(*unboxed(args), **unboxed(options))
    if name == "is_integer" or name == "setflags":
        return getattr(array, name)(*args, **options)
    if name in ("conj", "conjugate") and not np.iscomplexobj(array):
        return box  # the array itself, where NumPy's function gives a copy
    if name == "copy" and not is_array(array):
        return box  # a number, where NumPy's function would give an array
    if name == "copy" and array.dtype.names is not None:
        return copy_of_records(session, box, ...)
    if name == "view" and not options and args in ((), (np.ndarray,), (array.dtype,)):
        return call(np.reshape, box, np.shape(array))
    if name == "round":
        return call(np.round, box, *args, **options)
    if name == "astype" and np.dtype(args[0] if args else options["dtype"]).kind not in "fc":
        return _as_no_numbers(session, box, *args, **options)
    if name in known.SECOND_METHODS:
        return call(known.SECOND_METHODS[name], args[0], box, *args[1:], **options)
    fn = known.METHODS.get(name)
    if fn is None:
        fn = _MORE.get(name)
    if fn is None:
        raise MissingFormulaError(
            f"no formula for the array method .{name}",
            why=known.REFUSED_METHODS.get(name, ""),
            fixes=["use the function of NumPy's that does the same"],
        )
    if name in known.VARIADIC_METHODS and args:
        whole = len(args) == 1 and isinstance(args[0], tuple | list | None)
        args = args if whole else (tuple(args),)
    if name == "flatten":
        return call(np.copy, call(np.ravel, box, *args, **options))
    if name == "copy":  # by rows, where NumPy's function keeps the order that there is
        return call(np.copy, box, *(args or (options.get("order", "C"),)))
    if name == "astype":
        return _astype(session, fn, box, args, options)
    return call(fn, box, *args, **options)


def _as_no_numbers(session: Session, box: Any, dtype: Any, *args: Any, **options: Any) -> Any:
    """Return an array as one of whole numbers or truth values, of objects, or of texts."""
    kind = np.dtype(dtype).kind
    if kind == "O":
        return call(np.array, box, dtype=object)
    made = raw(box).astype(dtype, *args, **options)
    if kind in "US":
        for part in made.flat:
            note_text(session, str(part))
    elif kind not in "biumM":
        raise lost(f"put into an array of dtype {made.dtype}")
    return made


def _astype(session: Session, fn: Any, box: Any, args: Any, options: Any) -> Any:
    """Return an array in another dtype: the array itself where NumPy gives that."""
    array = raw(box)
    wanted = array.astype(*args, **options)
    if wanted is array or (is_on_device(array) and overlap(wanted, array)):
        return box
    made = record(session, fn, (box, *args[:1]), {k: options[k] for k in options if k == "dtype"})
    views = type(made) is Box and (made.memory is not None or made.array is array)
    if np.shape(wanted) and wanted.strides != raw(made).strides:
        return call(np.copy, made, order="C" if wanted.flags.c_contiguous else "F")
    return call(np.copy, made) if views else made


_MORE = {"choose": np.choose, "conj": np.conjugate, "all": np.all, "any": np.any}


def _fill(session: Session, box: Any, value: Any) -> None:
    array = raw(box)
    if array.dtype.kind == "O":  # the same object in all places, also where it is an array
        array.fill(value)
    else:
        write(session, box, ..., value)


def _sort(session: Session, box: Any, *args: Any, **options: Any) -> None:
    write(session, box, ..., call(np.sort, box, *args, **options))


def _put(session: Session, box: Any, *args: Any, **options: Any) -> None:
    call(np.put, box, *args, **options)


def _partition(session: Session, box: Any, *args: Any, **options: Any) -> None:
    write(session, box, ..., call(np.partition, box, *args, **options))


_IN_PLACE = {"fill": _fill, "sort": _sort, "put": _put, "partition": _partition}


def _item(session: Session, box: Any, *where: Any) -> Any:
    array = raw(box)
    if not where:
        part = box if np.ndim(array) == 0 else call(np.reshape, box, (-1,))[0]
        if np.size(array) != 1:
            array.item()
    elif len(where) == 1 and not isinstance(where[0], tuple):
        part = item(session, box, np.unravel_index(range(np.size(array))[where[0]], array.shape))
    else:
        part = item(session, box, where[0] if isinstance(where[0], tuple) else where)
    return call(complex if np.iscomplexobj(array) else float, part)


def _tolist(session: Session, box: Any) -> Any:
    if np.ndim(box.array) == 0:
        return tuple(box) if np.result_type(box.array).names else _item(session, box)
    return [_tolist(session, box[k]) for k in range(len(box.array))]


_TAKEN_OUT = {"item": _item, "tolist": _tolist}


def set_attribute_of(session: Session, box: Any, name: str, value: Any) -> None:
    """Assign to an attribute of an array, which writes into it."""
    array = raw(box)
    if name == "real" and np.iscomplexobj(array):
        write(session, box, ..., call(np.real, value) + 1j * call(np.imag, box))
    elif name == "imag" and np.iscomplexobj(array):
        write(session, box, ..., call(np.real, box) + 1j * call(np.real, value))
    elif name == "real":
        write(session, box, ..., value)
    elif name == "flat":
        Flat(box)[...] = value
    elif name == "shape":
        reshape_in_place(session, box, value)
    else:
        if not hasattr(array, name):
            setattr(array, name, None)  # raises what Python raises
        raise lost(f"changed by assigning to .{name}")


class Flat:
    """The entries of an array, one after the other: ``x.flat``.

    Args:
        box: the array, or its box.

    Attributes:
        index: which entry comes next.
    """

    __class__ = property(lambda self: np.flatiter)  # type: ignore[assignment]

    def __init__(self, box: Any) -> None:
        self.box = box
        self.index = 0

    @property
    def base(self) -> Any:
        """The array."""
        return self.box

    @property
    def coords(self) -> Any:
        """Where the next entry stands."""
        return tuple(map(int, np.unravel_index(self.index, raw(self.box).shape)))

    def __len__(self) -> int:
        return raw(self.box).size

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.index == len(self):
            raise StopIteration
        self.index += 1
        return self[self.index - 1]

    def __getitem__(self, key: Any) -> Any:
        array = raw(self.box)
        places = np.arange(array.size).reshape(array.shape).flat[mapped(raw, key)]
        where = np.unravel_index(places, array.shape)
        if is_on_device(array) and np.ndim(places):
            where = tuple(np.asarray(part, like=array) for part in where)
        return HELPERS["item"](self.box, where)

    def __setitem__(self, key: Any, value: Any) -> None:
        key = mapped(raw, key)

        def how(array: Any, values: Any) -> None:
            if key is ...:
                array.flat = values
            else:
                array.flat[key] = values

        write_by(_session(self.box), self.box, value, how)

    def copy(self) -> Any:
        """Return the entries as an array."""
        return call(np.copy, call(np.ravel, seen(self.box)))

    def __array__(self, *args: Any, **options: Any) -> Any:
        if type(seen(self.box)) is Box:
            raise lost("taken from .flat as an array")
        return np.array(raw(self.box)).reshape(-1)

    def __array_function__(self, fn: Any, types: Any, args: Any, options: Any) -> Any:
        return call(fn, *mapped(_entries, args), **mapped(_entries, options))

    def __array_ufunc__(self, ufunc: Any, how: str, *args: Any, **options: Any) -> Any:
        return _array_ufunc(None, ufunc, how, *mapped(_entries, args), **options)


def _entries(part: Any) -> Any:
    return part.copy() if type(part) is Flat else part


# What Python does with a box


def _operator(name: str, reflected: bool = False) -> Any:
    def apply(self: Box, *other: Any) -> Any:
        if state.session is None:
            raise _elsewhere(self)
        if not other:
            return record(_session(self), getattr(operator, name), (self,), {})
        taken = as_operands(self, *other)
        if taken is NotImplemented:
            return NotImplemented
        return HELPERS[name](*(reversed(taken) if reflected else taken))

    return apply


def _in_place(name: str) -> Any:
    def apply(self: Box, other: Any) -> Any:
        return HELPERS["in_place"](name, self, other)

    return apply


def _compared(name: str) -> Any:
    fn = getattr(operator, name)

    def compare(self: Box, other: Any) -> Any:
        if is_of_user(other) and not np.ndim(self.array):
            return NotImplemented  # it is asked what its class says of this number
        return fn(self.array, unboxed(as_array(other)))

    return compare


def _constant(fn: Any) -> Any:
    return lambda self, *args: fn(self.array, *args)


def _as_text(fn: Any) -> Any:
    def text(self: Box, *args: Any) -> str:
        made = fn(self.array, *args)
        if state.session is not None:
            note_text(state.session, made.strip())
        return made

    return text


for _fn in (bool, int, len, hash):
    setattr(Box, f"__{_fn.__name__}__", _constant(_fn))
for _fn in (repr, str, format):
    setattr(Box, f"__{_fn.__name__}__", _as_text(_fn))
for _name in ("neg", "pos", "abs"):
    setattr(Box, f"__{_name}__", _operator(_name))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Box, f"__{_name}__", _compared(_name))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
    setattr(Box, f"__{_name}__", _operator(_name))
    setattr(Box, f"__r{_name}__", _operator(_name, reflected=True))
    setattr(Box, f"__i{_name}__", _in_place(f"i{_name}"))


def _leaves(how: str) -> Any:
    def leave(self: Box, *args: Any, **options: Any) -> Any:
        if self.memory is not None and self.version != self.memory.version:
            refresh(self)
        if self.tape is None:
            return getattr(self.array, how)(*args, **options)
        raise lost(_WORDS[how])

    return leave


_WORDS = {
    "__float__": "turned into a number",
    "__complex__": "turned into a number",
    "__array__": "turned into an array of NumPy",
    "__reduce_ex__": "written out",
}
for _name in _WORDS:
    setattr(Box, _name, _leaves(_name))


def _iterate(self: Box) -> Any:
    session = _session(self)
    if np.ndim(self.array):
        return (item(session, self, k) for k in range(len(self.array)))
    keys = np.result_type(self.array).names
    return (item(session, self, k) for k in (iter(self.array) if keys is None else keys))


def _copy(self: Box, memo: Any = None) -> Any:
    return call(np.copy, self) if is_array(self.array) else self


def _contains(self: Box, value: Any) -> bool:
    return raw(value) in self.array


def _round(self: Box, digits: int | None = None) -> Any:
    return round(self.array) if digits is None else round(self.array, digits)


def _set(self: Box, key: Any, value: Any) -> None:
    write(_session(self), self, mapped(raw, key), value)


def _delete(self: Box, key: Any) -> None:
    del self.array[mapped(raw, key)]  # an error, as nothing of an array or a number is deleted


def _divmod(self: Box, other: Any) -> Any:
    return self // other, self % other


def _rdivmod(self: Box, other: Any) -> Any:
    return other // self, other % self


def _array_function(self: Box, fn: Any, types: Any, args: Any, options: Any) -> Any:
    _session(self)  # or an error that says where it is used
    return call(fn, *args, **options)


def _array_ufunc(self: Any, ufunc: Any, how: str, *args: Any, **options: Any) -> Any:
    _session(self)
    if how == "__call__":
        if ufunc in _COMPARISONS and not options:
            return ufunc(*unboxed(args))
        return call(ufunc, *args, **options)
    return call(getattr(ufunc, how), *args, **options)


_COMPARISONS = frozenset(
    {np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal}
)

_MEMBERS: dict[str, Any] = {
    "__iter__": _iterate,
    "__getitem__": lambda self, key: item(_session(self), self, mapped(raw, key)),
    "__setitem__": _set,
    "__delitem__": _delete,
    "__copy__": _copy,
    "__deepcopy__": _copy,
    "__contains__": _contains,
    "__round__": _round,
    "__divmod__": _divmod,
    "__rdivmod__": _rdivmod,
    "__getattr__": attribute_of,
    "__array_function__": _array_function,
    "__array_ufunc__": _array_ufunc,
}
for _name, _value in _MEMBERS.items():
    setattr(Box, _name, _value)

HELPERS["method"] = method

__all__ = ["Flat", "Method", "attribute_of", "has_box", "method", "set_attribute_of"]
