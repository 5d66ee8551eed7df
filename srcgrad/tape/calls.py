"""The one place that every call goes through, and what is recorded of it."""

from __future__ import annotations

import functools
import operator
import struct
import types
from numbers import Rational
from typing import Any

import numpy as np

import srcgrad.tape.rewriting as rewriting
from srcgrad import registry
from srcgrad.errors import MissingFormulaError, SrcgradError
from srcgrad.library.libraries import calls_compiled_code, home
from srcgrad.program.device_arrays import (
    has_devices,
    is_array,
    is_number_or_array,
    is_on_device,
    overlap,
    same_entries,
)
from srcgrad.program.foreign import holding, makes_foreign, require_plain
from srcgrad.runtime import stop_gradient
from srcgrad.tape.conversions import as_array, as_number, is_of_user
from srcgrad.tape.errors import Lost, lost, note_text, require_no_text
from srcgrad.tape.formulas import (
    Plan,
    has_box,
    in_python,
    missing,
    options_of,
    plan_of,
    with_options_as_arguments,
)
from srcgrad.tape.memory import (
    LOCKED,
    Item,
    all_seen,
    as_numbers,
    copy_of_constant,
    copy_of_records,
    fresh,
    memory_of,
    protected,
    read,
    refresh,
    seen,
    view,
    write,
)
from srcgrad.tape.recording import Box, Call, Leaf, flat, mapped, owner_of, raw, unboxed, whole
from srcgrad.tape.rewriting import HELPERS
from srcgrad.tape.session import Session, state
from srcgrad.tape.steps.watching import recorded_call
from srcgrad.tape.trees import Rebuilding, Replaced, contents, holds_box, inside, unbox_inside

_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType)
AT_FRAMES: dict[Any, Any] = {}  # functions that look at the frame they are called in; see frames.py
SPECIAL: dict[Any, Any] = {}  # functions that are called in a way of their own; see library.py

_ALIASING = frozenset(
    fn
    for name in [
        "reshape",
        "ravel",
        "transpose",
        "swapaxes",
        "moveaxis",
        "rollaxis",
        "squeeze",
        "expand_dims",
        "diagonal",
        "broadcast_to",
        "split",
        "array_split",
        "hsplit",
        "vsplit",
        "dsplit",
        "atleast_1d",
        "atleast_2d",
        "atleast_3d",
        "asarray",
        "asanyarray",
        "ascontiguousarray",
        "asfortranarray",
        "real",
        "imag",
        "flip",
        "fliplr",
        "flipud",
        "rot90",
        "matrix_transpose",
        "permute_dims",
        "unstack",
        "diag",
        "broadcast_arrays",
        "require",
        "trim_zeros",
        "real_if_close",
        "asarray_chkfinite",
    ]
    if (fn := getattr(np, name, None)) is not None
) | {np.diff, np.linalg.diagonal, np.linalg.matrix_power, np.linalg.matrix_transpose}
_COPYING = frozenset((np.array, np.meshgrid))  # that copy, unless they are told not to


def _may_alias(fn: Any, values: Any, keywords: Any) -> bool:
    """Tell whether what a function gives may be memory of its arguments."""
    if fn is np.diff:  # of no order
        return len(values) > 1 and raw(values[1]) == 0
    if fn is np.einsum:  # of one array, such as its diagonal
        return sum(is_array(raw(value)) for value in values) == 1
    if fn not in _COPYING:
        return fn in _ALIASING
    copy = raw(keywords.get("copy", True))
    return getattr(copy, "value", copy) not in (True, 1)  # one of NumPy's modes, or a bool


def call(fn: Any, /, *args: Any, **options: Any) -> Any:
    """Call a function, and record what it does with values that are differentiated."""
    session = state.session
    if session is None:
        own = AT_FRAMES.get(fn) if type(fn) in _FUNCTIONS else None
        return fn(*args, **options) if own is None else own(None, fn, args, options)
    kind = type(fn)
    if kind is types.FunctionType and id(fn.__code__) in rewriting.CONVERTED:
        return fn(*args, **options)
    if kind not in _KINDS and _answers_itself(kind):
        return (_class if isinstance(fn, type) else unknown)(session, fn, args, options)
    try:
        special = SPECIAL.get(fn)
        known = _kinds.get(fn)
    except TypeError:  # it cannot be looked up
        special = known = None
    if special is not None:
        return special(session, fn, args, options)
    if known is None:
        known = _kind_of(fn, kind)
    return known(session, fn, args, options)


_ASKED = (
    "__hash__",
    "__eq__",
    "__getattr__",
    "__getattribute__",
    "__bool__",
    "__len__",
    "__repr__",
)


@functools.lru_cache(maxsize=1024)
def _answers_itself(kind: type) -> bool:
    """Whether code of the user's runs where an object is looked up, or asked for an attribute."""
    parts = [part for part in kind.__mro__ if not rewriting.is_library(part)]
    return any(
        isinstance(vars(part).get(name), types.FunctionType) for part in parts for name in _ASKED
    )


_Handler = Any
_kinds: dict[Any, _Handler] = {}


def _kind_of(fn: Any, kind: type) -> _Handler:
    """Return how a function is called; that of functions is worked out once."""
    found = _handler(fn, kind)
    holder = getattr(fn, "__self__", None)
    lasting = kind is np.ufunc or kind is DISPATCHED or isinstance(fn, type)
    lasting = lasting or found is HELPERS["namesake"]
    if lasting or (kind is types.BuiltinFunctionType and type(holder) in _LASTING):
        _kinds[fn] = found
    return found


_LASTING = (type(None), types.ModuleType)
registry.on_change(_kinds.clear)


DISPATCHED = type(np.sum)
_KINDS = frozenset(  # of what is called most
    {
        type,
        np.ufunc,
        DISPATCHED,
        functools.partial,
        types.FunctionType,
        types.MethodType,
        types.BuiltinFunctionType,
    }
)


@functools.cache
def _of_all_seen(name: str) -> _Handler:
    """Return what calls a library, with boxes for arrays that hold what is recorded."""
    handler = HELPERS[name]

    def handle(session: Session, fn: Any, args: Any, options: Any) -> Any:
        if session.active:
            args, options = all_seen(args), all_seen(options)
        return handler(session, fn, args, options)

    return handle


def _handler(fn: Any, kind: type) -> _Handler:
    if kind is functools.partial:
        return _partial
    if kind in PICKING:
        return HELPERS["picked"]
    if isinstance(fn, np.vectorize):
        return HELPERS["vectorized"]
    holder = getattr(fn, "__self__", None)
    if has_devices():
        if is_on_device(holder):
            return HELPERS["method_there"]
        if HELPERS["known_as"](fn) is not fn:
            return HELPERS["namesake"]
    holder = fn if holder is None and kind not in _COMMON else holder
    if holds_recorded(holder):  # formulas of objects are of those that hold constants
        own = kind not in _COMMON and registry.form_of(fn) is not None
        return _of_all_seen("evaluate_spline") if own else _method if holder is not fn else unknown
    if HELPERS["makes_spline"](fn):
        return _of_all_seen("make_spline")
    if kind not in _COMMON and registry.form_of(fn) is not None:
        return _of_all_seen("evaluate_spline")
    holder = getattr(fn, "__self__", None)
    if kind is types.BuiltinFunctionType and isinstance(holder, np.ufunc):
        return _of_all_seen("ufunc_method")
    if HELPERS["is_telling"](fn):
        return HELPERS["tell"]
    if HELPERS["is_sparse"](fn):
        return _of_all_seen("of_sparse")
    if HELPERS["is_solver"](fn):
        return _of_all_seen("solve")
    if HELPERS["communicates"](fn):
        return HELPERS["communicate"]
    if HELPERS["draws"](fn):
        return _of_all_seen("draw")
    if HELPERS["frozen"](fn):
        return _of_all_seen("of_frozen")
    if HELPERS["is_distribution"](fn):
        return _of_all_seen("distribution")
    if _has_own(fn, "__srcgrad__") or _has_own(fn, "__srcgrad_of__"):
        return _derivative
    if _has_own(fn, "__srcgrad_primal__"):
        return _primal
    if registry.find_formula(fn) is not None:
        return recorded
    if registry.find_in_python(fn) is not None:
        return recorded
    if registry.is_nondifferentiable(fn):
        return _constant
    if _stands_for_derivative(fn):
        return _derivative
    if registry.method_of(fn) is not None:
        return _method_with_formula
    if kind is types.MethodType:
        return _method
    if isinstance(fn, _Cached):
        return _keeping
    if kind is types.FunctionType and not rewriting.is_library(fn):
        return _function
    if kind is types.FunctionType and fn.__module__.startswith(_HELPERS):
        return _helper
    if isinstance(fn, type):
        return _foreign_array if makes_foreign(fn) else _class
    if kind is types.BuiltinFunctionType or kind in _METHODS:
        return _builtin
    return unknown


def _has_own(thing: Any, name: str) -> bool:
    """Tell whether a thing itself has an attribute; its class may answer any."""
    try:
        return name in object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return False


PICKING = (operator.itemgetter, operator.attrgetter, operator.methodcaller)
_COMMON = frozenset({types.FunctionType, types.MethodType, types.BuiltinFunctionType, type})
_Cached = type(functools.lru_cache(max))
_METHODS = (types.MethodWrapperType, types.MethodDescriptorType, types.WrapperDescriptorType)


def _stands_for_derivative(fn: Any) -> bool:
    return HELPERS["is_derivative"](fn)


def _partial(session: Session, fn: Any, args: Any, options: Any) -> Any:
    return call(fn.func, *fn.args, *args, **{**fn.keywords, **options})


def _derivative(session: Session, fn: Any, args: Any, options: Any) -> Any:
    made = HELPERS["stand_in"](fn)
    return made(*args, **options)


def _primal(session: Session, fn: Any, args: Any, options: Any) -> Any:
    return call(fn.__srcgrad_primal__, *args, **options)


def _keeping(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a function that keeps its results; those that are differentiated until the end.

    Numbers that are differentiated are no keys: others that are equal to them are so here alone.
    """
    inner = fn.__wrapped__
    plain = type(inner) is types.FunctionType and not has_box((args, options))
    if not plain or not rewriting.prepare(session, inner):
        return call(inner, *args, **options)
    before = fn.cache_info()
    found = fn(*args, **options)
    made = fn.cache_info().misses > before.misses  # what was kept before holds nothing recorded
    if made and not all(map(_is_number_or_text, flat(found))):
        session.note(fn)
        session.caches.setdefault(id(fn), before)
    return seen(found)


def _is_number_or_text(part: Any) -> bool:
    kind = type(part)
    if kind is Box or (kind is np.ndarray and part.dtype.kind == "O"):
        return False
    return kind in _PLAIN or isinstance(part, np.generic)


def _method_with_formula(session: Session, fn: Any, args: Any, options: Any) -> Any:
    method, owner = registry.method_of(fn)  # type: ignore[misc]  # it was asked before
    return recorded(session, method, (owner, *args), options)


def _method(session: Session, fn: Any, args: Any, options: Any) -> Any:
    if isinstance(fn.__func__, _Cached):
        return _keeping(session, fn.__func__, (fn.__self__, *args), options)
    if rewriting.is_library(fn.__func__):
        if session.undo is not None:
            session.undo.holder(fn.__self__)
        if registry.find_in_python(fn.__func__) is not None:
            return record(session, fn.__func__, (fn.__self__, *args), options)
        handed_over = HELPERS["at_threads"](fn)
        return (handed_over or unknown)(session, fn, args, options)
    rewriting.prepare_all(session, fn)
    return fn(*args, **options)


def _function(session: Session, fn: Any, args: Any, options: Any) -> Any:
    if not rewriting.prepare(session, fn) and not fn.__name__.startswith("_"):
        raise rewriting.unreadable(fn.__name__)
    return fn(*args, **options)


# what formulas and the functions of this engine call is read as they are
_HELPERS = (
    "srcgrad.runtime",
    "srcgrad.formulas",
    "srcgrad.tape.libraries.implicit",
    "srcgrad.tape.libraries.prelude",
)


def _helper(session: Session, fn: Any, args: Any, options: Any) -> Any:
    return rewriting.rewritten(fn)(*args, **options)


def _class(session: Session, fn: Any, args: Any, options: Any) -> Any:
    if not rewriting.is_library(fn):
        rewriting.prepare_class(session, fn)
    elif issubclass(fn, tuple):
        return fn(*(map(seen, args) if fn is tuple else args), **options)
    return unknown(session, fn, args, options)


def _foreign_array(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Make an array that means something else, which nothing that is differentiated may be in."""
    if has_box((args, options)):
        raise holding(fn)
    return _class(session, fn, args, options)


def _builtin(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a function written in C; a method may store what it is given."""
    if type(fn) in _UNBOUND and args:
        return _unbound(session, fn, args, options)
    holder: Any = getattr(fn, "__self__", None)
    if session.undo is not None:
        session.undo.holder(holder)
    if issubclass(type(holder), np.ndarray):
        if holder.dtype.kind in "US" and fn.__name__ == "astype":
            for part in holder.flat:
                require_no_text(session, str(part))
        if holder.dtype.kind == "O" and fn.__name__ == "astype":
            dtype = args[0] if args else options["dtype"]
            if np.dtype(dtype).kind in "fc":
                return call(np.array, as_numbers(holder), dtype=dtype)
        box = seen(holder)
        if fn.__name__ == "__setitem__":
            HELPERS["store"](args[1], box, args[0])
            return None
        if fn.__name__ in IN_PLACE:
            return HELPERS["in_place"](fn.__name__.strip("_"), box, *args)
        if type(box) is Box or has_box((args, options)) or fn.__name__ in WRITING:
            return HELPERS["method"](session, box, fn.__name__, args, options)
        return watched(session, fn, args, options) if options or len(args) > 1 else fn(*args)
    if type(holder) in _HOLDERS and fn.__name__ not in _READING:
        session.note(holder)
    if isinstance(holder, _Cached) and fn.__name__ == "cache_clear":
        session.caches[id(holder)] = None
    if fn.__name__ in _SEARCHING and args:
        args = (HELPERS["held_as"](args[0], holder), *args[1:])
    found = unknown(session, fn, args, options)
    if isinstance(holder, dict) and fn.__name__ in _LOOKING_UP and found is not args[-1]:
        require_own(args[0], found)
    return found


def require_own(key: Any, found: Any) -> None:
    """Refuse a number kept under a differentiated one, if this recording did not put it there.

    Args:
        key: that of an entry of a dict; a number, a tuple, or what a number is as text.
        found: the entry. What an earlier call of the program kept knows nothing of its key.
    """
    if type(key) is str:
        made_of = state.session is not None and key in state.session.texts
    else:
        made_of = has_box(key)
    if made_of and not has_box(found) and _holds_numbers(found):
        raise Lost(
            "a number is found in a dict by one that is differentiated, and was not put there by "
            "this call, so that its derivative is not known",
            fixes=[
                "empty the dict before the call",
                "take stop_gradient(v) for the key if the entry is meant as a constant",
            ],
        )


def _holds_numbers(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_holds_numbers, value))
    return isinstance(value, float | complex | np.inexact) or (
        is_array(value) and value.dtype.kind in "fc"
    )


def _unbound(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a method of a class written in C with its object: ``list.append(rows, x)``."""
    holder, kind = args[0], type(args[0])
    if kind is Box or (kind is np.ndarray and fn.__objclass__ is np.ndarray):
        return call(HELPERS["attribute"](holder, fn.__name__), *args[1:], **options)
    if fn.__name__ in _SEARCHING and len(args) > 1:
        args = (holder, HELPERS["held_as"](args[1], holder), *args[2:])
    if fn.__objclass__ in _HOLDERS and isinstance(holder, fn.__objclass__):
        if fn.__name__ not in _READING:
            session.note(holder)
        return seen(fn(*args, **options))
    return unknown(session, fn, args, options)


_UNBOUND = (types.MethodDescriptorType, types.WrapperDescriptorType)
IN_PLACE = frozenset(
    f"__i{name}__" for name in ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"]
)
_HOLDERS = frozenset({list, dict, set})
_LOOKING_UP = frozenset({"get", "pop", "setdefault", "__getitem__"})
_READING = frozenset({"get", "keys", "values", "items", "index", "count", "copy"})
_SEARCHING = frozenset({"index", "count", "remove", "__contains__"})
WRITING = frozenset(
    {"fill", "put", "sort", "itemset", "partition", "resize", "setfield", "byteswap"}
)


def _constant(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a function whose results do not depend differentiably on anything."""
    _prepare(session, args, options)
    if fn in _ASKING:
        return fn(raw(args[0]), *args[1:], **options)
    if fn in _LOOKING:
        return fn(*args, **options)
    if home(fn) == "_operator" and any(is_of_user(part) for part in args):
        return fn(*args, **options)  # what their classes say of it
    if home(fn) == "numpy":
        args = as_array(args)
    if fn in _IDENTIFYING:
        return fn(*map(HELPERS["itself"], args), **options)
    if fn is stop_gradient or not rewriting.is_library(fn):
        return _unrecorded(session, fn, list(args), dict(options))
    if not has_box((args, options)):
        if _only_reads(fn, args, options):
            return fn(*args, **options)
        return watched(session, fn, args, options)
    found = fn(*unboxed(args), **unboxed(options))
    if isinstance(found, str):
        note_text(session, found)
        return found
    if is_array(found) and any(_overlap(found, part) for part in flat(args)):
        return copy_of_constant(session, found)
    return found


def _unrecorded(session: Session, fn: Any, args: list[Any], options: dict[str, Any]) -> Any:
    """Call a function of the user's that is not differentiated, with nothing recorded in it.

    What holds boxes holds numbers and arrays meanwhile; what the function writes into arrays is
    recorded as written by the call.
    """
    replaced = Replaced()
    arrays: list[tuple[Any, Any, Any]] = []
    found: list[Any] = []

    def plain(box: Any) -> Any:
        value = raw(box)
        if not is_array(value):
            return operator.neg(operator.neg(value))  # one of its own, known by its identity
        made = value.view()
        arrays.append((made, box, value.copy()))
        return made

    def is_recorded(part: Any) -> bool:
        if type(part) is Box:
            return True
        return is_array(part) and any(overlap(part, made) for made, *_ in arrays)

    def constant(part: Any) -> Any:
        if not is_recorded(part):
            return part
        return copy_of_constant(session, raw(part)) if is_array(raw(part)) else raw(part)

    given = [fn, args, options]
    unbox_inside(given, plain, set(), replaced)
    before = _before(session, inside(given)[0])
    try:
        found.append(fn(*args, **options))
    finally:
        for holder in [*replaced.holders.values(), *inside(found)[1].values()]:
            replaced.put_back(holder)
    _record_writes(session, before + arrays)
    if replaced.parts and isinstance(found[0], str):
        note_text(session, found[0])
    if not any(map(is_recorded, inside(found)[0])):
        return found[0]
    copies = Rebuilding(constant)
    made = copies(found[0])
    for own, copy in copies.made.values():
        session.copies[id(copy)] = copy, own, contents(copy), contents(own)
    return made


_LOOKING = frozenset({print, repr, str, format, range})
_IDENTIFYING = frozenset({id, operator.is_, operator.is_not})
_ASKING = frozenset({isinstance, callable, hasattr})  # of what kind the number itself is


def _only_reads(fn: Any, args: Any, options: Any) -> bool:
    """Tell whether it is known that a function of NumPy's writes into none of its arguments."""
    if "out" in options or type(fn) not in (np.ufunc, DISPATCHED):
        return False
    if type(fn) is np.ufunc:
        return len(args) <= fn.nin
    return sum(is_array(part) for part in (*flat(args), *flat(options))) < 2


def _overlap(array: Any, part: Any) -> bool:
    return type(part) is Box and overlap(array, part.array)


def unknown(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call what has no formula. What needs the number in a box refuses it there."""
    _prepare(session, args, options)
    own = type(fn) is not type and rewriting.is_library(type(fn)) is False
    if own and not calls_compiled_code(fn):
        rewriting.prepare_all(session, fn)
        return fn(*args, **options)
    if session.active:
        args, options = all_seen(args), all_seen(options)
    followed = rewriting.is_seen_through(fn) and _is_given_own(fn, args, options)
    if registry.find_in_python(type(fn).__call__) is not None:
        if followed or has_box((args, options)):
            try:
                return record(session, type(fn).__call__, (fn, *args), options)
            except MissingFormulaError:
                if not holds_recorded(fn):  # what stands for it may be for constants only
                    raise
    if followed:
        if rewriting.prepare_library(session, fn):
            found = _seen_through(fn, args, options)
            if holds_recorded(found):
                rewriting.prepare_library(session, type(found))
            return found
    if rewriting.is_library(fn) and registry.refusal_of(fn) is not None:
        if has_box(as_array(args)) or any(map(holds_recorded, args)):
            raise missing(fn)
    if has_box((args, options)):
        own = home(fn) == "srcgrad"  # derivatives ask this of the calls in them
        for part in () if own else (*args, *options.values()):
            if type(part) not in _PLAIN:
                require_plain(part, role=f"an argument of {getattr(fn, '__name__', fn)}")
        if (getattr(fn, "__module__", None) or "").startswith("numpy"):
            raise missing(fn)
        if isinstance(fn, np.ufunc):
            return HELPERS["elementwise"](session, fn, args, options)
    try:
        return seen(watched(session, fn, args, options))
    except _OF_BOXES as error:
        if has_box((args, options)) and _is_lost(fn, args, options, error):
            raise missing(fn) from error
        raise


def holds_recorded(thing: Any) -> bool:
    """Tell whether an object of a library holds something that is recorded."""
    if not _may_hold(type(thing)):
        return False
    seen_before, waiting = {id(thing)}, [thing]
    while waiting:
        holder = waiting.pop()
        parts = list(getattr(holder, "__dict__", {}).values())
        parts += [getattr(holder, n) for n in _slots(type(holder)) if hasattr(holder, n)]
        if has_box(parts):
            return True
        for part in parts:
            if type(part) not in _PLAIN and id(part) not in seen_before:
                seen_before.add(id(part))
                if _may_hold(type(part)):
                    waiting.append(part)
    return False


_may_hold = functools.lru_cache(maxsize=1024)(rewriting.is_seen_through)  # of classes


@functools.lru_cache(maxsize=1024)
def _slots(kind: type) -> tuple[str, ...]:
    named = [vars(part).get("__slots__", ()) for part in kind.__mro__]
    return tuple(n for names in named for n in ([names] if isinstance(names, str) else names))


def _is_given_own(fn: Any, args: Any, options: Any) -> bool:
    """Tell whether something that is recorded comes into a call, or a function of the user's."""
    given = (*args, *options.values())
    holders = (getattr(fn, "__self__", None), fn)
    return (
        has_box(as_array(given))
        or any(_is_of_user(part) for part in given)
        or any(map(holds_recorded, (*holders, *given)))
    )


def _is_of_user(part: Any) -> bool:
    if type(part) is functools.partial:
        return _is_of_user(part.func)
    if type(part) in (types.FunctionType, types.MethodType):
        return not rewriting.is_library(part)
    return False


# what compiled code may raise where it is given a box in the place of a number or an array
_OF_BOXES = (
    *(TypeError, ValueError, AttributeError, IndexError, SystemError),
    *(struct.error, SrcgradError),
)


def _seen_through(fn: Any, args: Any, options: Any) -> Any:
    """Call a function of a library that runs rewritten code."""
    run = fn._implementation if type(fn) is DISPATCHED else fn  # noqa: SLF001 - NumPy's own
    try:
        return run(*args, **options)
    except _OF_BOXES as error:
        if isinstance(error, MissingFormulaError) or _is_lost(fn, args, options, error):
            raise missing(fn) from error
        raise


def _is_lost(fn: Any, args: Any, options: Any, error: Exception) -> bool:
    """Tell whether a library function raised an error because of a box, not by itself."""
    if home(fn) == "srcgrad":  # which says itself what is the matter
        return False
    of_library = rewriting.is_library(fn) or rewriting.is_library(type(fn))
    if not of_library and not calls_compiled_code(fn):
        return False
    if isinstance(error, SrcgradError):
        return isinstance(error, Lost)
    try:
        fn(*unboxed(args), **unboxed(options))
    except Exception as plain:  # noqa: BLE001 - whatever it raises by itself
        return type(plain) is not type(error)
    return True


def _prepare(session: Session, args: Any, options: Any) -> None:
    for part in (*args, *options.values()) if options else args:
        if type(part) not in _PLAIN:
            rewriting.prepare_all(session, part)


_PLAIN = frozenset(
    {int, float, complex, bool, str, bytes, type(None), np.ndarray, np.float64, Box, slice, range}
    | {np.ufunc, types.BuiltinFunctionType, DISPATCHED}
)


# Functions with a formula


def recorded(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a function that has a formula."""
    if session.active:
        args, options = all_seen(args), all_seen(options)
    for place, part in enumerate(args):
        kind = type(part)
        if kind is Box:
            break
        if kind is float or kind is int:
            continue
        if kind not in _NUMBERS:
            if has_box(part):
                break
            taken = _as_taken(fn, part, options)
            if taken is not part:  # asking it again might have an effect again
                args = (*args[:place], taken, *args[place + 1 :])
            if has_box(taken):
                break
    else:
        if not options or not has_box(options):
            return _without_boxes(session, fn, args, options)
    return record(session, fn, args, options)


def _as_taken(fn: Any, value: Any, options: Any) -> Any:
    """Return what a function takes an argument for: a number, the array of a sequence, or it."""
    if type(value) in _KNOWN:
        return value
    if home(fn) == "math":
        return mapped(lambda part: as_number(float, part), as_array(value))
    if not rewriting.is_library(fn) and type(value) not in (list, dict):
        return mapped(as_array, value) if isinstance(value, tuple) else as_array(value)
    dtype = options.get("dtype")
    taken = as_array(value, "" if dtype is None else np.dtype(dtype).kind)
    return as_number(float, taken) if isinstance(taken, Rational) else taken


_NUMBERS = frozenset(
    {float, int, bool, str, np.float64, np.float32, np.ndarray, slice, type(None), type(...)}
)
_KNOWN = _NUMBERS | {Box}


def _without_boxes(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a function with constants; it may write into one of them."""
    if options or type(fn) is np.ufunc or _takes_output(fn, args):
        if HELPERS["outputs"](fn, args, options):
            return HELPERS["written"](session, fn, args, options)
        if any(name.startswith("overwrite") and options[name] for name in options):
            return watched(session, fn, args, options)
    _prepare(session, args, options)
    if type(fn) is types.FunctionType and not rewriting.is_library(fn):
        rewriting.prepare(session, fn)
    return fn(*args, **options)


def _takes_output(fn: Any, args: Any) -> bool:
    """Tell whether a call may give by position where its result is to be written."""
    plan = plan_of(fn)
    return plan is not None and plan.output is not None and len(args) > plan.output


def watched(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a function that may write into the arrays that it is given, and record what it wrote.

    Only arrays that steps hold, or whose memory is known, have to be watched.
    """
    before = _before(session, flat((args, options)))
    found = fn(*args, **options)
    if isinstance(found, type) and found.__module__ == __name__:
        found.__module__ = HELPERS["frame_at"]().f_globals.get("__name__")  # where it was made
    _record_writes(session, before)
    return found


def _before(session: Session, parts: list[Any]) -> list[tuple[Any, Any, Any]]:
    """Return the arrays that steps hold, or whose memory is known, as themselves and as a copy."""
    if not session.captured and not session.memories:
        return []
    found = [part for part in parts if is_array(part) and type(part) is not Box]
    numbers = [id(owner_of(part)) for part in found]
    return [
        (part, part, part.copy())
        for part, number in zip(found, numbers, strict=True)
        if number in session.captured or number in session.memories
    ]


def _record_writes(session: Session, before: list[tuple[Any, Any, Any]]) -> None:
    """Record what was written into arrays since copies were made of them.

    Args:
        session: what is recorded.
        before: each array, what it is written as, and what it held.
    """
    for part, target, copy in before:
        if not same_entries(part, copy):
            after = part.copy()
            part[...] = copy
            write(session, target, ..., after)


def record(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Record a call with boxes among its arguments.

    Raises:
        MissingFormulaError: when there is no formula for the function.
        ArgumentError: when a value of a function that has returned comes in, or
            a complex one into a function whose derivative is that of real numbers.
    """
    if not _KNOWN.issuperset(map(type, (*args, *options.values()))):
        args = [_as_taken(fn, part, options) for part in args]
        options = {name: _as_taken(fn, part, options) for name, part in options.items()}
    if options or type(fn) is np.ufunc or _takes_output(fn, args):
        done, fn, args, options = HELPERS["with_options"](session, fn, args, options)
        if done:
            return fn
    own = in_python(fn, args, options)
    if own is not None:
        try:
            return call(own, *args, **options_of(own, fn, options))
        except NotImplementedError as error:  # how an option is refused
            raise MissingFormulaError.of_option(error) from None
    plan = plan_of(fn)
    if plan is None:
        if registry.is_nondifferentiable(fn):
            return _constant(session, fn, args, options)
        if registry.find_in_python(fn) is not None:  # for other options
            return unknown(session, fn, args, options)
        raise missing(fn)
    if options or len(args) > plan.count:
        plan, args, options = with_options_as_arguments(plan, args, options)
    values, keywords = plan.bind(args, options)
    if plan.collapses and not np.ndim(raw(values[0])):
        keywords = plan.of_number(keywords)
    if plan.refusal is not None:
        plan.require_real((values, keywords))
    if plan.of_numbers and has_devices():
        values = [_as_number(v) if is_on_device(raw(v)) else v for v in values]
    return apply(session, plan, values, keywords)


def _as_number(value: Any) -> Any:
    """Return an array as what a function of numbers takes: a number, or a list of them."""
    if not np.ndim(raw(value)):
        return call(float, value)
    return [call(float, HELPERS["item"](value, k)) for k in range(len(raw(value)))]


def apply(session: Session, plan: Plan, values: Any, keywords: Any) -> Any:
    """Record a call of a function whose arguments are those of its formula."""
    for value in values:
        if type(value) is Box and value.tape is not None and not value.tape.running:
            values = mapped(lambda part: fresh(part) if type(part) is Box else part, values)
            break
    tape: Any = None
    trees = others = False
    for value in values:
        kind = type(value)
        if kind is Box:
            memory = value.memory
            if memory is not None and value.version != memory.version:
                if _may_alias(plan.fn, values, keywords):
                    found = _alias(plan, values, keywords, value)
                    if found is not None:
                        return found
                refresh(value)
            elif memory is not None and memory.written and _may_alias(plan.fn, values, keywords):
                found = _alias(plan, values, keywords, value)
                if found is not None:
                    return found
            own = value.tape
            if own is not None and (tape is None or own.level > tape.level):
                tape = own
        elif kind is list or kind is dict or issubclass(kind, tuple):
            trees = True
            for part in flat(value):
                if type(part) is Box:
                    if part.memory is not None and part.version != part.memory.version:
                        refresh(part)
                    own = part.tape
                    if own is not None and (tape is None or own.level > tape.level):
                        tape = own
                elif type(part) not in _NUMBERS:
                    require_plain(
                        part, role=f"an argument of {getattr(plan.fn, '__name__', plan.fn)}"
                    )
                elif type(part) is np.ndarray and part.dtype.kind == "O":
                    return apply(session, plan, mapped(as_numbers, values), keywords)
        elif kind is not float and kind is not int:
            others = True
            if kind is np.ndarray and value.dtype.kind == "O":
                return apply(session, plan, mapped(as_numbers, values), keywords)
            if kind not in _NUMBERS:
                made = _by_class(plan.fn, value, values) if is_of_user(value) else NotImplemented
                if made is not NotImplemented:  # as of a class of whole numbers
                    return made
                require_plain(value, role=f"an argument of {getattr(plan.fn, '__name__', plan.fn)}")
                if holds_recorded(value):
                    raise missing(plan.fn)
                if holds_box(value, set()):
                    raise lost("in an object that a formula is given,")
    if tape is None:  # what was read is constant by now
        return plan.plain(values, keywords)
    nested = len(session.tapes) > 1
    inputs = []
    held = []
    for position, value in enumerate(values):
        kind = type(value)
        if kind is Box:
            if value.tape is tape:
                inputs.append((position, value.index))
                value = value.value
            elif value.tape is None:
                value = value.value
            if plan.shaped:
                if type(value) in (float, complex):
                    value = _shaped(plan, value, values)
                elif type(value) is Box and type(value.array) in (float, complex):
                    number = _shaped(plan, value.array, values)
                    value = Box(number, value.tape, value.index, value.value)
        elif plan.shaped and (kind is float or kind is complex):
            value = _shaped(plan, value, values)
        elif trees and (kind is list or kind is dict or issubclass(kind, tuple)):
            if has_box(value):
                inputs.append((position, mapped(lambda part: _index(part, tape), value)))
            value = mapped(lambda part: _held(session, part, tape), value)
        elif others and (kind is np.ndarray or is_array(value)):
            value = protected(session, value)
        held.append(value)
    if plan.constant and any(_name(plan, position) in plan.constant for position, _ in inputs):
        raise missing(plan.fn)
    if keywords:
        if any(map(_holds_lost, keywords.values())):
            raise lost("in an object that a formula is given,")
        keywords = mapped(lambda part: protected(session, raw(part)), keywords)
    actual = None
    if _may_alias(plan.fn, values, keywords):
        actual = plan.plain(values, keywords)
        for value in values:
            if type(value) is Box and actual is value.array:
                return value
    found = plan.run(held, keywords, inputs, nested)
    value, backward = found[0], found[1]
    made, index = _result(tape, value)
    if index is not None:
        tape.entries.append(Call(index, inputs, backward, plan, held, keywords, nested))
        if tape.watch is not None:
            recorded_call(tape.watch, tape.entries[-1], plan.fn, held, value)
        if actual is not None:  # it shares memory as NumPy has it, whatever the formula does
            for box, array in zip(flat(made), flat(actual), strict=True):
                if type(box) is Box:
                    box.array = array
        _link(session, plan, made, values)
    return made


def _holds_lost(option: Any) -> bool:
    """Tell whether an object that is given as an option holds something recorded."""
    kind = type(option)
    return kind not in _KNOWN and is_of_user(option) and holds_box(option, set())


# Functions beside ufuncs that take Python's numbers for as exact as the arrays beside them
_YIELDING = frozenset(
    (
        "where", "clip", "linspace", "geomspace", "logspace", "select", "trapezoid", "gradient",
        "quantile", "percentile", "nanquantile", "nanpercentile",
    )
)  # fmt: skip


def _shaped(plan: Plan, number: Any, values: Any) -> Any:
    """Return a number of Python's as one of NumPy's, as exact as the function takes it for."""
    yields = isinstance(plan.fn, np.ufunc) or plan.fn.__name__ in _YIELDING
    if not yields or plan.fn is np.float_power:
        return np.array(number)[()]
    return as_exact(number, values)


def as_exact(number: Any, values: Any) -> Any:
    """Return a number of Python's as one of NumPy's, as exact as what stands beside it."""
    dtypes = {v.dtype for v in map(raw, flat(values)) if is_number_or_array(v)}
    beside = [dtype for dtype in dtypes if dtype.kind in "fciub"]
    if all(dtype.kind not in "fc" or dtype == np.float64 for dtype in beside):
        return np.array(number)[()]
    dtype = np.result_type(number, *beside)
    return dtype.type(number) if type(number) is complex else np.finfo(dtype).dtype.type(number)


def _name(plan: Plan, position: int) -> str:
    names = list(plan.names)
    return names[position] if position < len(names) else ""


def _by_class(fn: Any, value: Any, values: Any) -> Any:
    """What the class of an object says of a function of numbers: divmod, pow, or a ufunc."""
    name = _OPERATORS.get(fn, fn.__name__)
    before, after = value is values[0], value is values[-1] and len(values) == 2
    if before and hasattr(type(value), f"__{name}__"):
        return getattr(value, f"__{name}__")(*values[1:])
    if after and hasattr(type(value), f"__r{name}__"):
        return getattr(value, f"__r{name}__")(values[0])
    return NotImplemented


_OPERATORS = {
    np.subtract: "sub", np.multiply: "mul", np.divide: "truediv", np.floor_divide: "floordiv",
    np.power: "pow", np.remainder: "mod", np.negative: "neg", np.absolute: "abs",
}  # fmt: skip


def _index(part: Any, tape: Any) -> int | None:
    return part.index if type(part) is Box and part.tape is tape else None


def _held(session: Session, part: Any, tape: Any) -> Any:
    if type(part) is Box:
        return part.value if part.tape is tape or part.tape is None else part
    return protected(session, part)


def _result(tape: Any, value: Any) -> tuple[Any, Any]:
    """Return a result with boxes around what is differentiated in it, and the nodes of these."""
    kind = type(value)
    if kind is float or kind is np.float64:
        index = tape.node()
        return Box(value, tape, index, value), index
    number = value.array if kind is Box else value
    if type(number) is np.ndarray or is_array(number):
        sort = number.dtype.kind
        if sort not in "fc":
            if sort not in "iub":
                raise lost(f"put into an array of dtype {number.dtype}")
            return value, None
        if sort == "c":
            tape.complex = True
        index = tape.node()
        return Box(number, tape, index, value), index
    if isinstance(number, float | complex | np.inexact):
        if isinstance(number, complex | np.complexfloating):
            tape.complex = True
        index = tape.node()
        return Box(number, tape, index, value), index
    if isinstance(value, tuple | list):
        boxes, nodes = [], []
        for part in value:
            box, index = _result(tape, part)
            boxes.append(box)
            if type(index) is int:
                index = Leaf((index, np.shape(box.array), np.result_type(box.array)))
            elif index is None and is_array(part):
                # of whole numbers: a formula may go through all its results
                index = Leaf((tape.node(), part.shape, np.dtype(float)))
            nodes.append(index)
        whole = type(value)
        if hasattr(value, "_fields"):
            return whole(*boxes), whole(*nodes)
        return whole(boxes), whole(nodes)
    if not isinstance(value, _DISCRETE):
        raise lost(f"turned into a {type(value).__name__}")
    return value, None


_DISCRETE = (int, np.integer, np.bool_, str, type(None))  # what has no derivative by its nature


def _link(session: Session, plan: Plan, made: Any, values: Any) -> None:
    """Let results that are views share the memory of the arguments."""
    for box in (made,) if type(made) is Box else flat(made):
        if type(box) is not Box:
            continue
        array = box.array
        if type(array) is not np.ndarray and not is_array(array):
            continue
        if array.base is None and not any(array is raw(part) for part in values):
            if type(array) is np.ndarray or owner_of(array) is array:
                continue
        owner = owner_of(array)
        for part in flat(values):
            if type(part) is Box and is_array(part.array):
                if owner_of(part.array) is owner:
                    box.memory = memory_of(session, part)
                    box.version = box.memory.version
                    break
                inner = raw(part.value)
                if is_array(inner) and owner_of(inner) is owner:
                    box.memory = LOCKED  # a view of what was copied when it was read
                    break


def _alias(plan: Plan, values: Any, keywords: Any, box: Box) -> Any:
    """Return the views that a function gives of memory that was written to; None if it copies."""
    found = plan.plain(values, keywords)
    owner = box.memory.owner
    for part in flat(found):
        if not is_array(part) or owner_of(part) is not owner:
            return None
    return mapped(lambda part: view(part, box.memory), found)


# Items, the most frequent operation, in a way of their own


def item(session: Session, box: Box, key: Any) -> Any:
    """Return an item of an array, or a view of a part of it."""
    if type(key) not in _SETTLED:
        key = settled(key)
    array = box.array
    memory = box.memory
    if memory is not None and memory.written:
        if type(key) is int and array.ndim == 0 and array.dtype.names is not None:
            key = array.dtype.names[key]  # of a record
        part = whole(array[key])
        if type(part) is not np.float64 and is_array(part) and part.base is not None:
            if owner_of(part) is memory.owner:
                return view(part, memory)
        if array.dtype.names is not None:
            return copy_of_records(session, box, key)
        return read(memory, array, key)
    tape = box.tape
    if tape is None:
        return array[key]
    if not tape.running:
        return HELPERS["item"](fresh(box), key)
    part = array[key]
    value = box.value
    if type(value) is Box:
        inner = item(session, value, key)
    else:
        inner = part if value is array else value[key]
    index = tape.node()
    made = Box(part, tape, index, inner)
    tape.entries.append(Item(index, box.index, key, array))
    if type(part) is not np.float64 and is_array(part) and part.base is not None:
        if owner_of(part) is owner_of(array):
            made.memory = memory_of(session, box)
            made.version = made.memory.version
    return made


_SETTLED = {int, bool, str, np.ndarray, np.int64, np.intp, type(None), type(...)}


def settled(key: Any) -> Any:
    """Return an index as what it stands for, asked once: a step reads it again.

    Of a number that is differentiated only the value counts; an object of the user's is asked for
    its ``__index__``, which may have effects.
    """
    kind = type(key)
    if kind in _SETTLED:
        return key
    if kind is Box:
        return key.array
    if kind is tuple or kind is list:
        return kind(map(settled, key))
    if kind is slice:
        return slice(settled(key.start), settled(key.stop), settled(key.step))
    if is_number_or_array(key) or not hasattr(kind, "__index__"):
        return key
    return operator.index(key)


__all__ = ["call", "record", "recorded", "settled"]
