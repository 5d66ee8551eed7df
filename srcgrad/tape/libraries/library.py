"""Functions that are called in a way of their own: what writes, what takes functions, text."""

from __future__ import annotations

import ast
import cmath
import contextlib
import decimal
import fractions
import functools
import itertools
import json
import logging
import math
import numbers
import operator
import re
import statistics
import types
import warnings
from typing import Any

import numpy as np

import srcgrad.runtime.numpy.folds as folds
import srcgrad.tape.calls as calls
import srcgrad.tape.devices as devices
import srcgrad.tape.libraries.prelude as prelude
import srcgrad.tape.operators as operators
import srcgrad.tape.rewriting as rewriting
from srcgrad.errors import MissingFormulaError, SrcgradError
from srcgrad.formulas.numpy.arrays.axes import along_axis
from srcgrad.formulas.numpy.einsum import letters
from srcgrad.program.device_arrays import (
    is_array,
    is_on_device,
    is_writeable,
    overlap,
    same_entries,
)
from srcgrad.runtime.choosing import choose_row
from srcgrad.runtime.placing import place as put_in_place
from srcgrad.runtime.scipy.special import unit
from srcgrad.runtime.transposes import gradient_along
from srcgrad.tape.calls import SPECIAL, as_exact, call, record
from srcgrad.tape.conversions import as_array, as_number
from srcgrad.tape.errors import lost, note_text, require_no_text
from srcgrad.tape.formulas import has_box, missing, parameters, plan_of
from srcgrad.tape.memory import all_seen, as_numbers, as_objects, seen, viewed, write, write_by
from srcgrad.tape.recording import Box, flat, mapped, raw, unboxed
from srcgrad.tape.session import Session


def special(*functions: Any) -> Any:
    """Declare how functions are called."""

    def declare(handler: Any) -> Any:
        SPECIAL.update(dict.fromkeys(functions, handler))
        return handler

    return declare


# What functions write into arrays


def outputs(fn: Any, args: Any, options: Any) -> list[Any]:
    """Return the arrays that a call writes its results into."""
    found = options.get("out")
    given = list(found) if isinstance(found, tuple) else [found]
    if type(fn) is np.ufunc:
        given += args[fn.nin :]
    elif "output" in options and _module(fn).startswith("scipy.ndimage"):
        given.append(options["output"])
    elif len(args) > 1:
        names = list(parameters(fn)[0])[: len(args)]
        written = "output" if _module(fn).startswith("scipy.ndimage") else "out"
        if written in names:
            given.append(args[names.index(written)])
    return [part for part in given if is_array(raw(part))]


def _module(fn: Any) -> str:
    return getattr(fn, "__module__", None) or ""


def written(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a function that writes its results into arrays."""
    targets = outputs(fn, args, options)
    where = options.get("where", True) if type(fn) is np.ufunc else True
    rest = {k: v for k, v in options.items() if k not in ("out", "output")}
    casting = "same_kind"
    if type(fn) is np.ufunc:
        rest.pop("where", None)
        casting = rest.pop("casting", casting)
        args = args[: fn.nin]
    else:
        names = list(parameters(fn)[0])[: len(args)]
        for name in ("out", "output"):
            if name in names:
                place = names.index(name)
                rest |= dict(zip(names[place + 1 :], args[place + 1 :], strict=False))
                args = args[:place]
    given = options.get("out")
    slots = list(given) if isinstance(given, tuple) else targets
    if where is not True:
        if len(targets) != fn.nout:
            raise missing(fn)  # what it leaves out of a new array is whatever was in memory
        shape = raw(targets[0]).shape
        mask = np.broadcast_to(raw(where), shape)
        if is_on_device(mask) or mask.any():
            made = call(fn, *(call(np.broadcast_to, x, shape)[mask] for x in args), **rest)
            for target, part in zip(targets, made if fn.nout > 1 else [made], strict=True):
                write(session, target, mask, part)
        return tuple(map(seen, targets)) if fn.nout > 1 else seen(targets[0])
    made = call(fn, *args, **rest)
    several = isinstance(made, tuple)
    results = list(made) if several else [made]
    done = []
    for k, result in enumerate(results):
        target = slots[k] if k < len(slots) else None
        if not is_array(raw(target)):
            done.append(result)
            continue
        array, number = raw(target), raw(result)
        if not np.can_cast(np.result_type(number), array.dtype, casting):
            told = {**unboxed(rest), "casting": casting} if type(fn) is np.ufunc else unboxed(rest)
            fn(*unboxed(args), **{**told, "out": np.empty_like(array)})
        write(session, target, ..., result)
        done.append(seen(target))
    return tuple(done) if several else done[0]


def with_options(session: Session, fn: Any, args: Any, options: Any) -> tuple[bool, Any, Any, Any]:
    """Do what some options of a call ask for.

    Returns:
        Whether it was done; the result then, or the call that is left.
    """
    if outputs(fn, args, options):
        return True, written(session, fn, args, options), (), {}
    if any(name.startswith("overwrite") and options[name] for name in options):
        return True, _overwriting(session, fn, args, options), (), {}
    if isinstance(fn, np.ufunc) and "order" in options:
        return True, _ordered(fn, args, options), (), {}
    dtype = options.get("dtype")
    if dtype is not None and fn not in _CREATING:
        args, options = _cast_before(fn, args, options)
    return False, fn, args, options


def _overwriting(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a function that may use the memory of its arguments for what it computes."""
    copies = mapped(lambda part: part.copy() if is_array(part) else part, unboxed(args))
    fn(*copies, **unboxed(options))
    rest = {k: v for k, v in options.items() if not k.startswith("overwrite")}
    made = call(fn, *args, **rest)
    for part, copy in zip(flat(args), flat(copies), strict=True):
        array = raw(part)
        if not is_array(array) or same_entries(array, copy):
            continue
        results = [r for r in flat(made) if np.shape(raw(r)) == array.shape]
        same = [r for r in results if np.array_equal(raw(r), copy)]
        if not same:
            raise lost("overwritten by what a function computes")
        write(session, part, ..., same[0])
    return made


def _ordered(fn: Any, args: Any, options: Any) -> Any:
    """Call a ufunc that is told how the entries of its results lie in memory."""
    wanted = flat(fn(*unboxed(args), **unboxed(options)))
    orders = iter(["C" if part.flags.c_contiguous else "F" for part in wanted])

    def ordered(part: Any) -> Any:
        order = next(orders)
        return call(np.copy, part, order=order) if np.ndim(raw(part)) else part

    return mapped(ordered, call(fn, *args, **{k: v for k, v in options.items() if k != "order"}))


_CREATING = (np.array, np.asarray, np.asanyarray)

# how many of their arguments become arrays of the type that is given as dtype=
_CASTING = {np.cov: 2, np.corrcoef: 2, np.trace: 1}


def _cast_before(fn: Any, args: Any, options: Any) -> tuple[Any, Any]:
    """Make the operands arrays of the type that is given as ``dtype=``, which is left out."""
    count = fn.nin if isinstance(fn, np.ufunc) else _CASTING.get(fn, 0)
    dtype = options["dtype"]
    if not count or np.dtype(dtype).kind not in "fc":
        return args, options
    cast = [
        x if fn is np.ldexp and k else call(np.asarray, x, dtype=dtype)  # whole numbers stay
        for k, x in enumerate(args[:count])
    ]
    return (*cast, *args[count:]), {k: v for k, v in options.items() if k != "dtype"}


# Functions that write into their first argument, and which argument holds what they write
_WRITTEN: dict[Any, int] = {
    np.copyto: 1,
    np.fill_diagonal: 1,
    np.place: 2,
    np.put: 2,
    np.put_along_axis: 2,
    np.putmask: 2,
}


@special(*_WRITTEN)
def _writing(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a function that writes into an array."""
    position = _WRITTEN[fn]
    names = list(parameters(fn)[0]) or ["dst", "src", "casting", "where"]
    given = [*args, *(options[n] for n in names[len(args) : position + 1] if n in options)]
    rest = {k: v for k, v in options.items() if k not in names[: position + 1]}
    if len(given) <= position:
        return fn(*args, **options)
    target, value = given[0], given[position]
    if raw(target).dtype.kind == "O":
        given[position] = as_objects(value) if type(seen(value)) is Box else value
        return fn(raw(target), *given[1:], **unboxed(rest))
    before, behind = unboxed(given[1:position]), unboxed(given[position + 1 :])
    rest = unboxed(rest)

    def how(array: Any, values: Any) -> None:
        casting = rest
        if fn is np.copyto and not behind and array.dtype.kind == values.dtype.kind == "i":
            casting = {**rest, "casting": "unsafe"}
        fn(array, *before, values, *behind, **casting)

    write_by(session, target, value, how)
    return None


def _at(session: Session, ufunc: Any, target: Any, index: Any, *values: Any) -> None:
    """Do what ``ufunc.at`` does, one entry after the other, with arrays that are read-only, too."""
    array = raw(target)
    index = unboxed(index)
    if is_on_device(array) and ufunc in (np.add, np.subtract):
        _at_there(session, ufunc, target, index, *values)
        return
    made = array.copy()
    if not is_writeable(array):
        made.flags.writeable = False
    ufunc.at(made, index, *unboxed(values))  # it may raise an error
    if not has_box(values) and type(seen(target)) is not Box:
        write(session, target, ..., made, locked=True)
        return
    box = seen(target)
    if is_on_device(array):
        raise missing(ufunc.at)
    places = np.arange(array.size).reshape(array.shape)[index]
    values = tuple(call(np.broadcast_to, value, places.shape) for value in values)
    for k, place in np.ndenumerate(places):
        entry = np.unravel_index(int(place), array.shape)
        current = operators.get_item(box, entry)
        others = (operators.get_item(value, k) for value in values)
        write(session, box, entry, call(ufunc, current, *others), locked=True)
        box = seen(box)


def _at_there(session: Session, ufunc: Any, target: Any, index: Any, value: Any) -> None:
    """Do what ``ufunc.at`` does on a device, where sums are made all at once."""
    array = raw(target)
    added = call(put_in_place, call(np.broadcast_to, value, np.shape(array[index])), index, array)
    write(session, target, ..., call(ufunc, seen(target), added))


def ufunc_method(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a method of a ufunc."""
    ufunc, name = fn.__self__, fn.__name__
    if session.active:
        args = all_seen(args)
    args = as_array(args)
    if name == "at":
        return _at(session, ufunc, *args)
    if name in ("reduce", "accumulate") and not set("".join(ufunc.types)) - set("O->"):
        return rewriting.rewritten(getattr(prelude, name))(ufunc, *args, **options)
    if not has_box((args, options)):
        targets = [part for part in flat([*args[3:], options.get("out")]) if part is not None]
        if any(map(is_array, targets)):
            rest = {k: v for k, v in options.items() if k != "out"}
            write(session, targets[0], ..., fn(*args[:3], **rest))
            return targets[0]
        return fn(*args, **options)
    if name == "outer":
        one, other = (p if type(p) is Box else call(np.asarray, p) for p in args)
        wide = (*np.shape(raw(one)), *[1] * np.ndim(raw(other)))
        return call(ufunc, call(np.reshape, one, wide), other, **options)
    if hasattr(folds, name) and plan_of(fn) is None:
        return call(getattr(folds, name), ufunc, call(np.asarray, args[0]), *args[1:], **options)
    return record(session, fn, args, options)


@special(np.einsum)
def _einsum(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call ``np.einsum``, with letters where lists of labels stand beside the operands."""
    if args and not isinstance(args[0], str):
        pairs = len(args) // 2 * 2
        texts = ",".join(map(letters, args[1:pairs:2]))
        if len(args) > pairs:
            texts += f"->{letters(args[-1])}"
        args = (texts, *args[:pairs:2])
    return calls.recorded(session, fn, args, options)


def _unstack(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Return the parts of an array along an axis."""
    fn(*unboxed(args), **options)  # it may raise an error
    moved = call(np.moveaxis, args[0], options.get("axis", 0), 0)
    return tuple(operators.get_item(moved, k) for k in range(len(raw(moved))))


if hasattr(np, "unstack"):  # since NumPy 2.1
    SPECIAL[np.unstack] = _unstack


# Python's own functions


@special(max, min)
def _extremum(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Take ``max(a, b, c)`` two by two, and an array at once; with a key, it is one of them."""
    if len(args) == 1 and not options and _is_known_row(args[0]):
        return call(np.max if fn is max else np.min, args[0])
    parts = list(operators.through(args[0])) if len(args) == 1 else list(args)
    options = _callbacks(session, options)
    parts = list(map(seen, parts))
    if "key" in options or not parts or not has_box(parts):
        _prepare(session, parts)
        return fn(parts, **options)
    if not all(map(_is_number, map(raw, parts))):
        _prepare(session, parts)
        return fn(parts)  # one of them, as it is
    parts = [float(x) if type(x) is int else x for x in parts]  # it may be the result
    return functools.reduce(
        lambda x, y: record(session, fn, (x, y), {}) if has_box((x, y)) else fn(x, y), parts
    )


def _is_known_row(part: Any) -> bool:
    """Whether something is a differentiated array of one axis without a nan in it."""
    if type(part) is not Box and not is_array(part):
        return False
    array: Any = raw(seen(part))
    if type(array) is not np.ndarray or array.ndim != 1 or array.dtype.kind not in "fc":
        return False
    return not np.any(np.isnan(array))


def _is_number(part: Any) -> bool:
    return isinstance(part, numbers.Number) or (is_array(part) and part.ndim == 0)


def _prepare(session: Session, parts: Any) -> None:
    for part in parts:
        rewriting.prepare_all(session, part)


@special(sum)
def _sum(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Add one after the other."""
    first = operators.through(args[0])
    if type(first) is Box and len(args) == 1 and not options and np.ndim(first.array):
        return record(session, fn, (first,), {})
    rest = [seen(part) for part in args[1:]]
    terms: Any = first
    return seen(fn(map(seen, terms), *rest, **options))


_FOLDING = (math.fsum, math.prod, math.dist, *[getattr(math, "sumprod", math.dist)])


@special(*_FOLDING)
def _folded(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a function of the numbers in sequences, which may give them one by one."""
    args = [operators.through(part) for part in args]
    args = [part if type(part) is Box else [seen(entry) for entry in part] for part in args]
    if "start" in options:
        args, options = [[seen(options["start"]), *args[0]]], {}
    return calls.recorded(session, fn, args, options)


@special(enumerate, iter, zip, itertools.chain, itertools.cycle, itertools.islice)
def _going_through(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call what gives the entries of arrays one by one, later."""
    return calls.unknown(session, fn, tuple(map(operators.over, args)), options)


@special(reversed)
def _reversed(session: Session, fn: Any, args: Any, options: Any) -> Any:
    (parts,) = args
    if is_array(parts):
        return (operators.get_item(parts, k) for k in reversed(range(len(parts))))
    return calls.unknown(session, fn, args, options)


_HIGHER = (
    map, filter, sorted, functools.reduce, itertools.accumulate, itertools.starmap,
    itertools.takewhile, itertools.dropwhile, itertools.filterfalse, itertools.groupby,
)  # fmt: skip


@special(*_HIGHER)
def _higher(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a function of Python's that calls another one."""
    start = args[2:] if fn is functools.reduce else ()  # what it begins with, as a whole
    args = [_callback(session, operators.over(part)) for part in args[: len(args) - len(start)]]
    if fn is not sorted:
        args = [map(seen, part) if session.active and _lazy(part) else part for part in args]
    return seen(fn(*args, *start, **_callbacks(session, options)))


def _lazy(part: Any) -> bool:
    return hasattr(part, "__iter__") and type(part) is not Box and not isinstance(part, type)


def _callback(session: Session, part: Any) -> Any:
    rewriting.prepare_all(session, part)
    kind = type(part)
    known = kind in (types.BuiltinFunctionType, np.ufunc, calls.DISPATCHED, *calls.PICKING)
    if known or any(part is fn for fn in (float, int, abs)):
        return functools.partial(call, part)
    return part


def _callbacks(session: Session, options: Any) -> Any:
    return {name: _callback(session, part) for name, part in options.items()}


@special(float, int, complex)
def _number(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Make a number; of text only if that was not made from a value that is differentiated."""
    for part in args:
        if isinstance(part, str | bytes):
            require_no_text(session, part)
    args = all_seen(args)
    if len(args) == 1 and type(args[0]) is Box and is_on_device(args[0].array) and fn is not int:
        return call(devices.to_host, args[0], fn)
    if fn is float and args and type(args[0]) is Box:
        if np.size(args[0].array) == 1 and np.ndim(args[0].array):
            args = (call(np.reshape, args[0], ()),)
        return record(session, fn, args, options)
    if fn is not int:  # what objects of the user's stand for
        numbers = [as_number(fn, part) for part in args]
        if any(number is not part for number, part in zip(numbers, args, strict=True)):
            return call(fn, *numbers)
    if fn is complex and has_box(args):
        one = args[0] if len(args) > 0 else 0.0
        return one + 0j if len(args) == 1 else one + 1j * args[1]
    _prepare(session, args)
    return fn(*unboxed(args), **options)


@special(np.float64, np.float32, np.float16, np.longdouble, np.complex128, np.complex64)
def _numpy_number(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Make a number of NumPy's."""
    if args and isinstance(args[0], str | bytes):
        require_no_text(session, args[0])
    args = [as_array(part, np.dtype(fn).kind) for part in args]
    if has_box(args):
        return operators.get_item(call(np.asarray, *args, dtype=fn), ())
    _prepare(session, args)
    return fn(*args, **options)


@special(getattr)
def _getattr(session: Session, fn: Any, args: Any, options: Any) -> Any:
    try:
        return operators.get_attribute(*args[:2])
    except AttributeError:
        if len(args) > 2:
            return args[2]
        raise


@special(object.__getattribute__)
def _own_attribute(session: Session, fn: Any, args: Any, options: Any) -> Any:
    rewriting.prepare_class(session, type(args[0]))
    return seen(fn(*args))  # of an object that is asked for each of its attributes otherwise


@special(setattr, object.__setattr__)
def _setattr(session: Session, fn: Any, args: Any, options: Any) -> Any:
    if fn is setattr:
        operators.set_attribute(args[2], args[0], args[1])
    else:
        fn(*args)
        session.note(args[0])


@special(operator.setitem)
def _setitem(session: Session, fn: Any, args: Any, options: Any) -> Any:
    operators.store(args[2], args[0], args[1])


@special(operator.call)
def _called(session: Session, fn: Any, args: Any, options: Any) -> Any:
    return call(*args, **options)


@special(operator.concat)
def _concat(session: Session, fn: Any, args: Any, options: Any) -> Any:
    return operators.BINARY["add"](*args)


@special(operator.delitem)
def _delitem(session: Session, fn: Any, args: Any, options: Any) -> Any:
    fn(*args)
    session.note(args[0])


@special(operator.getitem)
def _getitem(session: Session, fn: Any, args: Any, options: Any) -> Any:
    return operators.get_item(*args)


@special(operator.methodcaller)
def _methodcaller(session: Session, fn: Any, args: Any, options: Any) -> Any:
    return fn(*args, **options)  # which is called with what it holds by picked


def picked(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call what ``operator.itemgetter``, ``attrgetter`` or ``methodcaller`` made."""
    (holder,) = args
    kind, given = fn.__reduce__()
    if type(fn) is operator.methodcaller:
        known = kind.keywords if isinstance(kind, functools.partial) else {}
        name, *given = (*kind.args, *given) if known else given
        return call(operators.get_attribute(holder, name), *given, **known)
    if type(fn) is operator.itemgetter:
        found = [operators.get_item(holder, key) for key in given]
    else:
        found = [
            functools.reduce(operators.get_attribute, path.split("."), holder) for path in given
        ]
    return tuple(found) if len(found) > 1 else found[0]


def _with_operator(name: str) -> Any:
    return lambda session, fn, args, options: operators.BINARY[name](*args)


def _with_in_place(name: str) -> Any:
    return lambda session, fn, args, options: operators.in_place(name, *args)


for _name in operators.BINARY:
    SPECIAL[getattr(operator, _name)] = _with_operator(_name)
    if hasattr(operator, "i" + _name.rstrip("_")):
        _in = "i" + _name.rstrip("_")
        SPECIAL[getattr(operator, _in)] = _with_in_place(_in)
SPECIAL[operator.iconcat] = _with_in_place("iadd")


class _Suppressing(contextlib.suppress):
    """What lets no exceptions of the program's through, and those that refuse a step."""

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        named = (one for one in self._exceptions if issubclass(one, SrcgradError))  # pyright: ignore[reportAttributeAccessIssue]
        if isinstance(error, SrcgradError) and not any(named):
            return False
        return bool(super().__exit__(kind, error, trace))


@special(contextlib.suppress)
def _suppress(session: Session, fn: Any, args: Any, options: Any) -> Any:
    return _Suppressing(*args, **options)


@special(np.fromstring, np.loadtxt, np.genfromtxt)
def _from_text(session: Session, fn: Any, args: Any, options: Any) -> Any:
    for part in args:
        require_no_text(session, part.getvalue() if hasattr(part, "getvalue") else part)
    return fn(*args, **options)


@special(np.array2string, np.array_str, np.array_repr)
def _to_text(session: Session, fn: Any, args: Any, options: Any) -> Any:
    made = fn(*unboxed(all_seen(args)), **options)
    if has_box(all_seen(args)):
        note_text(session, made)
    return made


@special(json.dumps)
def _dumps(session: Session, fn: Any, args: Any, options: Any) -> Any:
    found = all_seen(args)
    made = fn(*unboxed(found), **options)
    if has_box(found):
        note_text(session, made)
    return made


@special(json.loads, ast.literal_eval, decimal.Decimal, fractions.Fraction)
def _parsed(session: Session, fn: Any, args: Any, options: Any) -> Any:
    for part in args:
        require_no_text(session, part)
    if has_box(args):
        raise missing(fn)
    return fn(*args, **options)


@special(warnings.warn)
def _printing(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call what only tells somebody something."""
    return fn(*unboxed(args), **unboxed(options))


def is_telling(fn: Any) -> bool:
    """Tell whether a function only tells somebody something."""
    holder = getattr(fn, "__self__", None)
    return isinstance(holder, logging.Logger | logging.LoggerAdapter) or _module(fn) == "logging"


# NumPy's


@special(np.gradient)
def _gradient(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Do what ``np.gradient`` does with coordinates, one axis after the other."""
    args = all_seen(args)
    if not has_box(args) or not any(map(np.ndim, unboxed(args[1:]))):
        return calls.recorded(session, fn, args, options)
    x, *spacing = args
    axis, order = options.get("axis"), options.get("edge_order", 1)
    axes = along_axis(axis, np.ndim(raw(x)))
    found = [
        call(gradient_along if np.ndim(raw(h)) else np.gradient, x, h, axis=k, edge_order=order)
        for h, k in zip(spacing * (len(axes) // len(spacing)), axes, strict=True)
    ]
    return found[0] if len(axes) == 1 else tuple(found)


@special(np.array, np.asarray, np.asanyarray)
def _array(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Make an array; one of objects holds boxes as they are."""
    for part in flat(args[:1]):
        if type(part) is str:
            require_no_text(session, part)
    dtype = options.get("dtype", args[1] if len(args) > 1 else None)
    if "like" in options:
        options = {**options, "like": raw(options["like"])}
        if not has_box(args):
            return fn(*args, **options)
        if is_on_device(options.pop("like")) != devices.holds_device_array(args[0]):
            raise lost("copied between the host and a device")
    if args and has_box(args[0]) and devices.holds_device_array(args[0]):
        if type(args[0]) is Box and dtype is None and fn is not np.array:
            return args[0]
        return devices.array_of(args[0], dtype)
    kind = "" if dtype is None else np.dtype(dtype).kind
    if args and kind != "O":
        args = (as_array(args[0], kind), *args[1:])
    if args and kind == "O" and has_box(args[0]):
        shape = np.array(unboxed(args[0]), dtype=object).shape
        made = np.empty(shape, dtype=object)
        for place in np.ndindex(shape):
            part = args[0]
            for k in place:
                part = operators.get_item(part, k)
            made[place] = part
        return made
    if kind == "V" and has_box(args[0]):
        if np.dtype(dtype).names is None:
            raise lost(f"put into an array of dtype {dtype}")
        made = np.array(unboxed(args[0]), **{**options, "dtype": dtype})
        write(session, made, ..., args[0])
        return seen(made)
    if kind in ("f", "c"):
        args = (as_numbers(args[0]), *args[1:])
    return calls.recorded(session, fn, args, options)


def joined(session: Session, holder: Any, key: Any) -> Any:
    """Do what ``np.r_[key]`` and ``np.c_[key]`` do."""
    parts = key if isinstance(key, tuple) else (key,)
    parts = tuple(seen(part) for part in parts)
    if not has_box(parts):
        return holder[key]
    if any(isinstance(part, str) for part in parts):
        raise MissingFormulaError(
            "np.r_ with a directive",
            why="What it joins depends on what is being differentiated.",
            fixes=["use np.concatenate or np.stack"],
        )
    parts = tuple(as_exact(p, parts) if type(p) in (float, complex) else p for p in parts)
    name = "columns" if holder is np.c_ else "rows"
    return rewriting.rewritten(getattr(prelude, name))(parts)


@special(np.choose)
def _choose(session: Session, fn: Any, args: Any, options: Any) -> Any:
    args = all_seen(args)
    args = (unboxed(args[0]), *args[1:])
    other = choose_row if len(args) > 1 and type(args[1]) is Box else fn
    return calls.recorded(session, other, args, options)


@special(np.sign)
def _sign(session: Session, fn: Any, args: Any, options: Any) -> Any:
    args = all_seen(args)
    if has_box(args) and np.iscomplexobj(raw(args[0])):
        fn = unit
    return calls.recorded(session, fn, args, options)


def _at_least(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Do what ``np.atleast_1d`` and its like do, to one array or to each of several."""
    if len(args) == 1:
        return calls.recorded(session, fn, args, options)
    return tuple(calls.call(fn, part) for part in args)


for _name in ("atleast_1d", "atleast_2d", "atleast_3d"):
    SPECIAL[getattr(np, _name)] = _at_least


def _in_prelude(name: str) -> Any:
    def run(session: Session, fn: Any, args: Any, options: Any) -> Any:
        return rewriting.rewritten(getattr(prelude, name))(*args, **options)

    return run


for _name in ("apply_along_axis", "apply_over_axes", "fromfunction", "piecewise", "ndenumerate"):
    SPECIAL[getattr(np, _name)] = _in_prelude(_name)
SPECIAL[np.fromiter] = _in_prelude("fromiter")


for _name in ("block",):
    SPECIAL[getattr(np, _name)] = _in_prelude(_name)
for _name in ("mean", "fmean", "stdev", "pstdev", "variance", "pvariance", "median"):
    SPECIAL[getattr(statistics, _name)] = _in_prelude(f"statistics_{_name}")


def _as_numpy(name: str) -> Any:
    def run(session: Session, fn: Any, args: Any, options: Any) -> Any:
        args = [as_number(complex, part) for part in all_seen(args)]
        if not has_box(args):
            return fn(*args, **options)
        found = call(getattr(np, name), args[0] + 0j)
        return found if len(args) == 1 else found / call(getattr(np, name), args[1] + 0j)

    return run


for _name in [
    "exp",
    "log",
    "log10",
    "sqrt",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "asin",
    "acos",
    "atan",
    "asinh",
    "acosh",
    "atanh",
]:
    _other = _name.replace("as", "arcs").replace("ac", "arcc").replace("at", "arct")
    SPECIAL[getattr(cmath, _name)] = _as_numpy(_other if _name[0] == "a" else _name)
SPECIAL[cmath.phase] = _as_numpy("angle")


@special(cmath.polar)
def _polar(session: Session, fn: Any, args: Any, options: Any) -> Any:
    args = [as_number(complex, part) for part in all_seen(args)]
    return (abs(args[0]), call(cmath.phase, args[0])) if has_box(args) else fn(*args)


@special(cmath.rect)
def _rect(session: Session, fn: Any, args: Any, options: Any) -> Any:
    args = [as_number(float, part) for part in all_seen(args)]
    return args[0] * call(np.exp, 1j * args[1]) if has_box(args) else fn(*args)


def elementwise(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a ufunc that was made of a function in Python."""
    if set("".join(fn.types)) - set("O->") or options:
        raise missing(fn)
    shape = np.broadcast_shapes(*map(np.shape, unboxed(args)))
    objects = [as_objects(part) if type(part) is Box else part for part in args]
    wide = [np.broadcast_to(_cells(part), shape) for part in objects]
    found = [np.empty(shape, object) for _ in range(fn.nout)]
    for place in np.ndindex(shape):
        made = fn(*[_cells(part[place]) for part in wide])
        for target, value in zip(found, made if fn.nout > 1 else (made,), strict=True):
            target[place] = value
    results = [part if shape else part[()] for part in found]
    return tuple(results) if fn.nout > 1 else results[0]


def _cells(part: Any) -> Any:
    """Return a value as an array of objects; one that is differentiated is an object."""
    if type(part) is not Box:
        return np.asarray(part, object)
    cell = np.empty((), object)
    cell[()] = part
    return cell


def vectorized(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call what ``np.vectorize`` made."""
    if not callable(fn.pyfunc):  # it is used as a decorator with options
        return fn(*args, **options)
    names = [name for name in options if name not in fn.excluded]
    places = [k for k in range(len(args)) if k not in fn.excluded]
    values = [*(args[k] for k in places), *(options[name] for name in names)]

    def function(*entries: Any) -> Any:
        given = [*args]
        for k, entry in zip(places, entries, strict=False):
            given[k] = entry
        named = dict(zip(names, entries[len(places) :], strict=True))
        return call(fn.pyfunc, *given, **{**options, **named})

    if fn.signature is not None:
        sides = fn.signature.replace(" ", "").split("->")
        groups = [re.findall(r"\(([^)]*)\)", side) for side in sides]
        axes = [[part.split(",") if part else [] for part in side] for side in groups]
        run = rewriting.rewritten(prelude.with_signature)
        return run(function, *axes, fn.otypes, values)
    return rewriting.rewritten(prelude.vectorized)(function, fn.otypes, fn.cache, values)


@special(np.lib.stride_tricks.as_strided, np.lib.stride_tricks.sliding_window_view)
def _viewing(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Look at the memory of an array in another way."""
    given = {**dict(zip(parameters(fn)[0], args, strict=False)), **options}
    x = seen(given.pop("x"))
    x = call(np.asarray, x) if has_box(x) else x
    if type(x) is not Box:
        return fn(x, **unboxed(given))
    return viewed(session, x, lambda array: fn(array, **unboxed(given)))


@special(np.nan_to_num)
def _without_nan(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Replace what is not finite: in the array itself, where no copy is asked for."""
    given = {**dict(zip(parameters(fn)[0], args, strict=False)), **options}
    x = seen(given.pop("x"))
    copied = given.pop("copy", True)
    made = calls.recorded(session, fn, (x,), given) if type(x) is Box else fn(x, **given)
    if copied or np.ndim(raw(x)) == 0:
        return made
    write(session, x, ..., made)
    return x


@special(np.ascontiguousarray, np.asfortranarray, np.require)
def _required(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Return an array itself where its memory is as it has to be, and a copy otherwise."""
    x, *rest = args
    x = seen(x)
    x = call(np.asarray, x) if has_box(x) else x
    if type(x) is not Box:
        return fn(x, *rest, **options)
    if not is_array(x.array):
        x = call(np.array, x)
    made = fn(x.array, *rest, **options)
    if made is x.array:
        return x
    if overlap(made, x.array):
        return viewed(session, x, lambda array: fn(array, *rest, **options))
    order = "F" if made.flags.f_contiguous and not made.flags.c_contiguous else "C"
    return call(np.reshape, call(np.array, x, dtype=made.dtype, order=order), made.shape)


HANDLERS = {
    "outputs": outputs,
    "written": written,
    "with_options": with_options,
    "vectorized": vectorized,
    "ufunc_method": ufunc_method,
    "is_telling": is_telling,
    "tell": _printing,
    "elementwise": elementwise,
    "joined": joined,
    "picked": picked,
}

__all__ = ["Box", "lost", "outputs", "ufunc_method", "vectorized", "with_options", "written"]
