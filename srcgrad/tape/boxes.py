"""What stands for a number or an array on a tape, and how calls and writes of it are recorded."""

from __future__ import annotations

import operator
import weakref
from functools import partial
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentError, MissingFormulaError
from srcgrad.formulas.numpy import methods as known
from srcgrad.formulas.numpy.axes import along_axis
from srcgrad.registry import running_for
from srcgrad.runtime import cast_like
from srcgrad.runtime.choosing import choose_row
from srcgrad.runtime.overwriting import entries_of, read_entries
from srcgrad.runtime.special import unit
from srcgrad.runtime.transposes import gradient_along
from srcgrad.tape.binding import (
    bind,
    formula_of,
    parameters,
    with_options_as_arguments,
    written_in_python,
)
from srcgrad.tape.recording import Entry, Node, leaves, mapped, nodes_in, raw

# The boxes of arrays that there are; a write to one changes all that share its memory.
_held: weakref.WeakValueDictionary[int, Box] = weakref.WeakValueDictionary()


class Box:
    """A value that may be recorded. It behaves like what it holds.

    Args:
        array: the number or the array itself, written to as NumPy does it.
        node: what it is on a tape; None while it is a constant.
    """

    def __init__(self, array: Any, node: Node | None = None) -> None:
        self.array = array
        self.node = node
        if isinstance(array, np.ndarray):
            _held[id(self)] = self

    __srcgrad_node__ = property(lambda self: self.node)
    __srcgrad_raw__ = property(lambda self: self.array)
    shape = property(lambda self: np.shape(self.array))
    ndim = property(lambda self: np.ndim(self.array))
    size = property(lambda self: np.size(self.array))

    def __float__(self) -> float:
        return float(self._leaving("turned into a float"))

    def __array__(self, *args: Any, **options: Any) -> Any:
        return np.asarray(self._leaving("turned into an array of NumPy"), *args, **options)

    def _leaving(self, how: str) -> Any:
        if self.node:
            raise _lost(how)
        return self.array

    def __iter__(self) -> Any:
        return (self[k] for k in range(len(self.array)))

    def __getitem__(self, index: Any) -> Any:
        return call(operator.getitem, (self, raw(index)))

    def __setitem__(self, index: Any, value: Any) -> None:
        write(operator.setitem, (self, index, value))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self.array, name)
        if name in known.METADATA:
            return found
        if name in known.ATTRIBUTES:
            return call(known.ATTRIBUTES[name], (self,))
        if name in known.NONDIFFERENTIABLE_METHODS:
            return lambda *args, **options: boxed(found(*raw(args), **raw(options)))
        if name in known.METHODS or name in known.WRITING_METHODS:
            return partial(self._method, name)
        raise MissingFormulaError(f"no formula for the array method .{name}")

    def _method(self, name: str, *args: Any, **options: Any) -> Any:
        if name == "put":
            return write(np.put, (self, *args), options)
        if name == "fill":
            return write(operator.setitem, (self, ..., *args), options)
        if name == "sort":
            return write(operator.setitem, (self, ..., call(np.sort, (self, *args), options)))
        if name == "item":
            place = np.arange(self.size).reshape(self.shape).item(*args)
            return call(float, (self.reshape(-1)[place],))
        if name in known.VARIADIC_METHODS and args:
            whole = len(args) == 1 and isinstance(args[0], tuple | list | None)
            args = args if whole else (tuple(args),)
        own = getattr(type(self.array), name)  # it may copy where the function does not
        return call(known.METHODS[name], (self, *args), options, own)

    def __deepcopy__(self, memo: Any = None) -> Box:
        return call(np.copy, (self,)) if isinstance(self.array, np.ndarray) else self

    __copy__ = __deepcopy__

    # NumPy's protocols

    def __array_function__(self, fn: Any, types: Any, args: Any, options: Any) -> Any:
        return dispatched(fn, args, options)

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **options: Any) -> Any:
        if method == "at":
            return _at(ufunc, *args)
        if method == "outer":
            wide = (*np.shape(raw(args[0])), *[1] * np.ndim(raw(args[1])))
            args, method = (call(np.reshape, (args[0], wide)), args[1]), "__call__"
        return dispatched(ufunc if method == "__call__" else getattr(ufunc, method), args, options)


def _operator(fn: Any, reflected: bool = False, in_place: bool = False) -> Any:
    def apply(self: Box, *other: Any) -> Any:
        made = call(fn, (*other, self) if reflected else (self, *other))
        if in_place and isinstance(self.array, np.ndarray):  # numbers are never written
            write(np.copyto, (self, made))
            made = self
        return made

    return apply


def _constant(fn: Any) -> Any:
    return lambda self, *args: fn(self.array, *args)


for _fn in (bool, int, round, len, repr, str, format):  # but float: it would be no constant
    setattr(Box, f"__{_fn.__name__}__", _constant(_fn))
for _name in ("neg", "pos", "abs", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Box, f"__{_name}__", _operator(getattr(operator, _name)))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
    setattr(Box, f"__{_name}__", _operator(getattr(operator, _name)))
    setattr(Box, f"__r{_name}__", _operator(getattr(operator, _name), reflected=True))
    setattr(Box, f"__i{_name}__", _operator(getattr(operator, _name), in_place=True))


def call(fn: Any, args: Any, options: Any = None, run: Any = None) -> Any:
    """Call a function, and record the call on the innermost tape among its arguments.

    The function itself runs on the arrays as they are, so that its result shares
    memory with them as NumPy has it. Its formula runs on what the nodes hold,
    which nobody writes to. That may be boxes of the next outer tape: then the
    formula's intermediates, and later its backward function, are recorded there.

    Args:
        fn: the function.
        args: its positional arguments.
        options: its keyword arguments.
        run: what to run in its place; None for the function itself.

    Raises:
        MissingFormulaError: when there is no formula for the function.
        ArgumentError: when a value of a function that has returned comes in, or
            a complex one into a function whose derivative is that of real numbers.
    """
    from srcgrad.tape.seeing import seen

    options = options or {}
    if run is None and nodes_in((args, options)):
        own = written_in_python(fn, args, options)
        if own is not None:
            return seen(own)(*args, **options)
        fn, args, options = with_options_as_arguments(fn, args, options)
    result = (run or fn)(*raw(args), **raw(options))
    active = nodes_in((args, options))
    rule = formula_of(fn, raw((args, options))) if active else None
    if rule is None:
        return boxed(result, leaves((args, options)))
    tape = max((node.tape for node in active), key=lambda tape: tape.level)
    if not tape.running:
        raise ArgumentError("a value of a tape is used after the function has returned")
    given, keywords = bind(fn, rule, args, options)
    inputs = mapped(lambda value: tape.own(value) or kept(value), given)
    held = mapped(lambda value: value.value if isinstance(value, Node) else value, inputs)
    with running_for(seen(fn)):
        value, backward, *_ = seen(rule)(*held, **keywords)
    values = iter(leaves(value))
    made = mapped(lambda leaf: _recorded(leaf, tape, next(values)), result)
    wanted, _, variadic = parameters(rule)
    back = (lambda z_bar: (backward(z_bar),)) if len(wanted) == 1 and not variadic else backward
    tape.entries.append(Entry(fn, inputs, keywords, mapped(tape.own, made), back))
    return made


def is_number(value: Any) -> bool:
    """Tell whether a value is a real or complex number, or an array of them."""
    numeric = isinstance(value, float | complex | np.generic | np.ndarray)
    return numeric and np.asarray(value).dtype.kind in tuple("fc")


def _recorded(value: Any, tape: Any, held: Any) -> Any:
    return Box(value, tape.node(kept(held))) if is_number(value) else value


def kept(value: Any) -> Any:
    """Return a copy of a constant of a tape, which nobody can write to."""
    if nodes_in(value):  # it is recorded on an outer tape
        return Box(kept(value.array), value.node)
    value = raw(value)
    numeric = isinstance(value, np.ndarray | float | complex)
    return np.array(value)[()] if numeric else value  # numbers of NumPy's have a shape


def boxed(result: Any, beside: Any = ()) -> Any:
    """Return a result that is constant, its arrays in boxes, for what is written into them later.

    Args:
        result: what a function returned.
        beside: what it was given. A result that is in the memory of an array without a
            box stays as it is: others could read there what is written into it.
    """
    others = [x for x in beside if isinstance(x, np.ndarray)]

    def box(leaf: Any) -> Any:
        if not isinstance(leaf, np.ndarray) or not is_number(leaf):
            return leaf
        return leaf if any(np.may_share_memory(leaf, x) for x in others) else Box(leaf)

    return mapped(box, result)


def dispatched(fn: Any, args: Any, options: Any) -> Any:
    """Call a function of NumPy's, which may write its result into an array."""
    if fn in _WRITTEN and isinstance(args[0], Box):
        return write(fn, args, options)
    if isinstance(fn, np.ufunc) and len(args) > fn.nin:
        args, options = args[: fn.nin], {**options, "out": args[fn.nin :]}
    if fn is np.gradient and any(map(np.ndim, args[1:])):
        return _slopes(*args, **options)
    if fn is np.choose and isinstance(args[1], Box):
        fn = choose_row
    if fn is np.sign and np.iscomplexobj(raw(args[0])):
        fn = unit
    if options.get("dtype") is not None and nodes_in((args, options)):
        args, options = _cast_before(fn, args, options)
    out = options.get("out")
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if out is not None and not isinstance(out, Box) and nodes_in((args, options)):
        raise _lost("written into an array")
    if not isinstance(out, Box):
        return call(fn, args, options)
    options = {name: value for name, value in options.items() if name != "out"}
    where = options.pop("where", True) if isinstance(fn, np.ufunc) else True
    if where is True:
        write(np.copyto, (out, call(fn, args, options)))
    else:  # what is left out is not computed, and has no slope
        where = np.broadcast_to(raw(where), out.shape)
        args = [call(np.broadcast_to, (x, out.shape))[where] for x in args]
        write(operator.setitem, (out, where, call(fn, args, options)))
    return out


# how many of their arguments become arrays of the type that is given as dtype=
_CASTING = {np.cov: 2, np.corrcoef: 2, np.trace: 1}


def _cast_before(fn: Any, args: Any, options: Any) -> tuple[Any, Any]:
    """Make the operands arrays of the type that is given as ``dtype=``, which is left out."""
    count = fn.nin if isinstance(fn, np.ufunc) else _CASTING.get(fn, 0)
    dtype = raw(options["dtype"])
    if not count or np.dtype(dtype).kind not in "fc":
        return args, options
    cast = [call(np.asarray, (x,), {"dtype": dtype}) for x in args[:count]]
    return (*cast, *args[count:]), {k: v for k, v in options.items() if k != "dtype"}


def _slopes(x: Any, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Do what ``np.gradient`` does with coordinates, one axis after the other."""
    axes = along_axis(axis, x.ndim)
    found = [
        call(gradient_along if np.ndim(h) else np.gradient, (x, h), options)
        for h, k in zip(spacing * (len(axes) // len(spacing)), axes, strict=True)
        for options in [{"axis": k, "edge_order": edge_order}]
    ]
    return found[0] if len(axes) == 1 else tuple(found)


# Functions that write into their first argument, and which argument holds what they write
_WRITTEN: dict[Any, int] = dict.fromkeys((np.copyto, np.fill_diagonal), 1)
_WRITTEN |= dict.fromkeys((operator.setitem, np.place, np.put, np.put_along_axis, np.putmask), 2)


def write(fn: Any, args: Any, options: Any = None) -> None:
    """Call a function that writes into an array, for all boxes that share the memory written to.

    NumPy says which value goes where: the function is called again, and writes the
    numbers of the values into an array of whole numbers.

    Args:
        fn: one of ``_WRITTEN``.
        args: its positional arguments.
        options: its keyword arguments.
    """
    target, position, options = args[0], _WRITTEN[fn], raw(options or {})
    if len(args) <= position:
        raise MissingFormulaError(f"{fn.__name__} is given by name what it writes")
    value = args[position]
    value = kept(call(np.array, (value,)) if isinstance(value, tuple | list) else value)
    fn(*raw(args), **options)
    places = np.full(target.shape, -1)
    numbers, behind = entries_of(raw(value)), raw(args[position + 1 :])
    fn(places, *raw(args[1:position]), numbers, *behind, **options)
    written = zip(_addresses(target.array).flat, places.flat, strict=True)
    found = {address: place for address, place in written if place >= 0}
    for box in list(_held.values()) if found else []:
        changes = np.may_share_memory(box.array, target.array)
        if changes and nodes_in((box, value)):
            sources = [found.get(address, -1) for address in _addresses(box.array).flat]
            sources = np.array(sources, int).reshape(box.shape)
            part = call(cast_like, (call(read_entries, (value, sources)), box.array))
            box.node = call(np.where, (sources >= 0, part, box)).node


def _addresses(array: Any) -> Any:
    """Return where the elements of an array are in memory."""
    start = np.full(array.shape, array.__array_interface__["data"][0])
    steps = zip(array.strides, np.indices(array.shape), strict=True)
    return start + sum(stride * place for stride, place in steps)


def _at(ufunc: Any, target: Any, index: Any, *values: Any) -> None:
    """Do what ``ufunc.at`` does, one entry after the other."""
    places = np.arange(target.size).reshape(target.shape)[raw(index)]
    values = tuple(call(np.broadcast_to, (value, places.shape)) for value in values)
    for k, place in np.ndenumerate(places):
        entry = np.unravel_index(place, target.shape)
        target[entry] = call(ufunc, (target[entry], *(value[k] for value in values)))


def _lost(what: str) -> ArgumentError:
    return ArgumentError(
        f"a value that is recorded on a tape is {what} where the tape cannot see it",
        why="Its derivative would be lost.",
        fixes=["use NumPy's functions", "make arrays to write into with np.zeros_like(x)"],
    )
