"""What stands for a number or an array on a tape: operators, methods, protocols."""

from __future__ import annotations

import operator
import weakref
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentError, MissingFormulaError
from srcgrad.formulas.numpy import methods as known
from srcgrad.runtime import cast_like, place, with_diagonal
from srcgrad.runtime.overwriting import with_masked, with_placed, with_put, with_put_along
from srcgrad.tape.calls import call, missing
from srcgrad.tape.recording import Node, raw

# The boxes that a program holds; a write to an array changes all that share its memory.
_held: weakref.WeakValueDictionary[int, Box] = weakref.WeakValueDictionary()


class Box:
    """A value that may be recorded. It behaves like what it holds.

    Args:
        array: the number or the array itself, written to as NumPy does it.
        node: what it is on a tape; None while it is a constant.
        held: whether a program holds it, so that a write to its memory changes it.
    """

    def __init__(self, array: Any, node: Node | None, held: bool = True) -> None:
        self.array = array
        self.node = node
        if held:
            _held[id(self)] = self

    __srcgrad_box__ = property(lambda self: self.node)
    __srcgrad_raw__ = property(lambda self: self.array)

    def snapshot(self, held: bool = False) -> Box:
        """Return a copy, which stays what this box is now unless it is held and written."""
        array = self.array.copy() if isinstance(self.array, np.ndarray) else self.array
        return Box(array, self.node, held)

    def __float__(self) -> float:
        if self.node:
            raise _lost("turned into a float")
        return float(self.array)

    def __array__(self, *args: Any, **options: Any) -> Any:
        if self.node:
            raise _lost("turned into an array of NumPy")
        return np.asarray(self.array, *args, **options)

    # Elements

    def __iter__(self) -> Any:
        return (self[k] for k in range(len(self.array)))

    def __contains__(self, value: Any) -> bool:
        return raw(value) in self.array

    def __getitem__(self, index: Any) -> Any:
        return call(operator.getitem, (self, raw(index)), {})

    def __setitem__(self, index: Any, value: Any) -> None:
        assign(self, raw(index), value)

    # Attributes and methods

    shape = property(lambda self: np.shape(self.array))
    ndim = property(lambda self: np.ndim(self.array))
    size = property(lambda self: np.size(self.array))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self.array, name)
        if name in known.METADATA:
            return found
        if name in known.ATTRIBUTES:
            return call(known.ATTRIBUTES[name], (self,), {})
        if name in known.NONDIFFERENTIABLE_METHODS:
            return lambda *args, **options: found(*raw(args), **raw(options))
        if name in known.METHODS:
            return lambda *args, **options: self._method(name, args, options)
        if name in _WRITES:
            return lambda *args, **options: _write(_WRITES[name], self, args, options)
        raise MissingFormulaError(
            f"no formula for the array method .{name}", fixes=["use the NumPy function instead"]
        )

    def _method(self, name: str, args: Any, options: Any) -> Any:
        if name == "item":
            self.array.item(*args)  # or its error
            part = self[args] if len(args) > 1 else self.reshape(-1)[args[0] if args else 0]
            return call(float, (part,), {})
        if name in known.VARIADIC_METHODS and args:
            whole = len(args) == 1 and isinstance(args[0], tuple | list | None)
            args = args if whole else (tuple(args),)
        method = getattr(self.array, name)  # it may copy where its function does not
        return call(
            known.METHODS[name],
            (self, *args),
            options,
            lambda _, *rest, **named: method(*rest, **named),
        )

    # NumPy's protocols

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **options: Any) -> Any:
        if method == "at" and ufunc is np.add and isinstance(args[0], Box):
            target, index, value = args[0], raw(args[1]), args[2]
            part = call(np.broadcast_to, (value, np.shape(target.array[index])), {})
            return assign(target, ..., target + call(place, (part, index, target), {}))
        if method != "__call__":
            raise missing(getattr(ufunc, method))
        return dispatched(ufunc, args, options)

    def __array_function__(self, fn: Any, types: Any, args: Any, options: Any) -> Any:
        return dispatched(fn, args, options)


def _constant(fn: Any) -> Any:
    return lambda self, *args: fn(self.array, *args)


def _operator(fn: Any, reflected: bool = False) -> Any:
    if reflected:
        return lambda self, other: call(fn, (other, self), {})
    return lambda self, *other: call(fn, (self, *other), {})


def _in_place(fn: Any) -> Any:
    def apply(self: Box, other: Any) -> Any:
        made = call(fn, (self, other), {})
        if not isinstance(self.array, np.ndarray):
            return made  # numbers are never written
        np.broadcast_to(raw(made), self.shape)  # it does not grow
        assign(self, ..., made)
        return self

    return apply


for _fn in (bool, int, round, len, repr, str, format):  # but float: it would be no constant
    setattr(Box, f"__{_fn.__name__}__", _constant(_fn))
for _name in ("neg", "pos", "abs", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Box, f"__{_name}__", _operator(getattr(operator, _name)))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
    _fn = getattr(operator, _name)
    setattr(Box, f"__{_name}__", _operator(_fn))
    setattr(Box, f"__r{_name}__", _operator(_fn, reflected=True))
    setattr(Box, f"__i{_name}__", _in_place(_fn))


def assign(target: Box, index: Any, value: Any) -> None:
    """Write to an array, and to all boxes that share the memory written to.

    Args:
        target: the box of the array.
        index: where to write; of two values for one place, the last stays.
        value: what is written, a box or a constant.
    """
    if isinstance(value, tuple | list):
        value = call(np.array, (value,), {})
    target.array[index] = raw(value)
    places = _addresses(target.array)[index]
    source = {address: k for k, address in enumerate(places.ravel().tolist())}
    number = np.ndim(raw(value)) == 0
    if not number:
        lengths = np.shape(raw(value))[-places.ndim :] if places.ndim else ()
        value = call(np.reshape, (value, lengths), {})
        value = call(np.reshape, (call(np.broadcast_to, (value, places.shape), {}), -1), {})
    for box in list(_held.values()):
        changes = isinstance(box.array, np.ndarray) and np.may_share_memory(box.array, target.array)
        if not changes or not (box.node or getattr(value, "node", None)):
            continue
        found = [source.get(address, -1) for address in _addresses(box.array).ravel().tolist()]
        entries = np.array(found, int).reshape(box.shape)
        if np.any(entries >= 0):
            part = value if number else call(operator.getitem, (value, entries.clip(0)), {})
            part = call(cast_like, (part, box.array), {})
            box.node = call(np.where, (entries >= 0, part, box), {}).node


def _addresses(array: Any) -> Any:
    """Return where the elements of an array are in memory."""
    found = np.array(array.__array_interface__["data"][0])
    for length, stride in zip(array.shape, array.strides, strict=True):
        found = found[..., None] + stride * np.arange(length)
    return found


def _result_of(fn: Any) -> Any:
    return lambda x, *args, **options: call(fn, (x, *args), options)


# What functions and methods write into their first argument.
_WRITES: dict[Any, Any] = {
    "sort": _result_of(np.sort),
    "fill": lambda x, value: call(np.broadcast_to, (value, x.shape), {}),
    "put": _result_of(with_put),
    np.put: _result_of(with_put),
    np.copyto: lambda x, value, where=True: call(np.where, (where, value, x), {}),
    np.fill_diagonal: _result_of(with_diagonal),
    np.put_along_axis: _result_of(with_put_along),
    np.place: _result_of(with_placed),
    np.putmask: _result_of(with_masked),
}


def _write(new: Any, target: Box, args: Any, options: Any) -> None:
    try:
        value = new(target, *args, **options)
    except TypeError as error:
        raise MissingFormulaError(f"no formula for this write: {error}") from None
    assign(target, ..., value)


def dispatched(fn: Any, args: Any, options: Any) -> Any:
    """Call a function of NumPy's, which may write its result into an array."""
    if fn in _WRITES and isinstance(args[0], Box):
        return _write(_WRITES[fn], args[0], args[1:], options)
    if isinstance(fn, np.ufunc) and len(args) > fn.nin:
        args, options = args[: fn.nin], {**options, "out": args[fn.nin :]}
    out = options.pop("out", None)
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if out is None:
        return call(fn, tuple(args), options)
    if not isinstance(out, Box):
        raise _lost("written into an array")
    where = options.pop("where", True)
    if where is not True:
        # what is left out has no slope, and no infinite one
        safe = 1.5 if fn is np.arccosh else 0.5
        args = [call(np.where, (where, x, safe), {}) for x in args]
    assign(out, ..., call(np.where, (where, call(fn, tuple(args), options), out), {}))
    return out


def _lost(what: str) -> ArgumentError:
    return ArgumentError(
        f"a value that is recorded on a tape is {what} where the tape cannot see it",
        why="Its derivative would be lost.",
        fixes=["use NumPy's functions", "make arrays to write into with np.zeros_like(x)"],
    )
