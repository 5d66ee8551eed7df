"""Asking NumPy what a call gives back: kind, rank and element type.

A call is evaluated when code is generated, on tiny arrays of the known ranks.
Each length that has a name is given a number of its own; a length of the result that
is the same number again, in two evaluations with different numbers, is that
length. What differs between the two evaluations is unknown. The user's
function itself is never run.
"""

from __future__ import annotations

import functools
import itertools
import types
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.analysis.shapes.examples import (
    DIVISIBLE,
    DTYPES,
    Count,
    Trial,
    Unknown,
    call,
    is_whole,
    of_some_rank,
    types_in,
)
from srcgrad.analysis.shapes.linear import is_length
from srcgrad.effects import computes_only, effects_of, is_declared
from srcgrad.formulas.numpy.arrays.shapes import (
    LENGTHS_UNKNOWN,
    RANK_UNKNOWN,
    SEVERAL_RESULTS,
    WEIGHTED,
)
from srcgrad.ir.nodes import Const, Items, Known, Slice, Value, Var, variables
from srcgrad.ir.types import OPAQUE, Type, join
from srcgrad.library.libraries import home
from srcgrad.registry import find_formula, find_in_python, is_nondifferentiable, method_of

if TYPE_CHECKING:
    from srcgrad.analysis.shapes.lengths import Lengths

_SPECTRA = frozenset(
    ["fft", "ifft", "rfft", "ihfft", "fft2", "ifft2", "rfft2", "fftn", "ifftn", "rfftn"]
)
_SIGNALS = frozenset(["irfft", "hfft", "irfft2", "irfftn"])


def _dtype_of_transform(fn: Any) -> str | None:
    """Return what a Fourier transform gives, whatever its options are; None for others."""
    module = getattr(fn, "__module__", None) or ""
    if not module.startswith(("numpy.fft", "scipy.fft")):
        return None
    return "c" if fn.__name__ in _SPECTRA else "f" if fn.__name__ in _SIGNALS else None


@functools.lru_cache(maxsize=4096)
def element_dtype(fn: Any, dtypes: str) -> str:
    """Return the element type that an elementwise function gives, for those of its arguments.

    Where one of these is unknown, it is what all of them lead to: a comparison gives
    truth values whatever is compared.
    """
    if "?" in dtypes:
        found = {element_dtype(fn, dtypes.replace("?", d, 1)) for d in "fcib"}
        return found.pop() if len(found) == 1 else "?"
    samples = [np.ones((), DTYPES[d]) for d in dtypes]
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            kind = np.asarray(fn(*samples)).dtype.kind
    except Exception:  # noqa: BLE001 - whatever it is, the answer is "unknown"
        return "?"
    return {"u": "i"}.get(kind, kind) if kind in "ufcib" else "?"


def ask(
    lengths: Lengths, fn: Any, args: tuple[Value, ...], options: tuple[tuple[str, Value], ...]
) -> Any:
    """Return the type of a call's result; see ``analysis.shapes.infer``."""
    if not may_be_asked(fn):
        return Type("numeric", lengths.fresh_shape())
    known = _asked(lengths, fn, args, options)
    if not isinstance(known, Type) or known.dtype != "?" or not known.is_number:
        return known
    transformed = _dtype_of_transform(fn)
    if transformed is not None:
        return replace(known, dtype=transformed)
    return replace(known, dtype=_kind_without_unknown(lengths, fn, args, options))


def _asked(
    lengths: Lengths, fn: Any, args: tuple[Value, ...], options: tuple[tuple[str, Value], ...]
) -> Any:
    if fn in WEIGHTED:  # weights that are written out do not fit the lengths that are tried
        options = tuple((k, v) for k, v in options if k != "weights")
    plain = tuple((k, v) for k, v in options if k != "dtype" or not isinstance(v, Var))
    if plain != options:  # an element type that is read from an array
        known = ask(lengths, fn, args, plain)
        return replace(known, dtype="?") if isinstance(known, Type) else known
    try:
        sized = fn in _SIZED
        question = tuple(_question(lengths, a, sized) for a in args)
        named = tuple((name, _question(lengths, v, sized)) for name, v in options)
    except Unknown:
        return Type("numeric", lengths.fresh_shape())
    try:
        answer = _answer(fn, question, named)
    except TypeError:  # something in the question cannot be hashed
        answer = _answer.__wrapped__(fn, question, named)
    return _with_fresh_shapes(lengths, answer)


def _runs_users(thing: Any, depth: int = 3) -> bool:
    """Whether code of the user's may run where something is called, compared or gone through."""
    if isinstance(thing, list | tuple | dict) and depth:
        parts = thing.values() if isinstance(thing, dict) else thing
        return any(_runs_users(part, depth - 1) for part in parts)
    return home(thing) not in {*_LIBRARIES, "builtins", ""}


def _kind_without_unknown(lengths: Lengths, fn: Any, args: Any, options: Any) -> str:
    """The element type for complex operands, where some options, but not ``dtype``, are unknown."""
    if not any(t.dtype == "c" for a in args for t in _operands(a)):
        return "?"
    known = tuple((name, v) for name, v in options if not isinstance(v, Var))
    if len(known) == len(options) or "dtype" in dict(options):
        return "?"
    answer = _asked(lengths, fn, args, known)
    return answer.dtype if isinstance(answer, Type) else "?"


def _operands(value: Value) -> Iterator[Type]:
    """The types of the variables in a value."""
    for var in variables(value):
        yield var.type


# whose whole numbers are lengths of the result, and no axes, places or orders
_SIZED = frozenset(
    getattr(np, name)
    for name in [
        "zeros",
        "ones",
        "empty",
        "full",
        "eye",
        "identity",
        "tri",
        "linspace",
        "hanning",
        "hamming",
        "blackman",
    ]
)


def _question(lengths: Lengths, value: Value, sized: bool) -> Any:
    """Return what matters of a value: equal questions have equal answers."""
    if isinstance(value, Const):
        return value
    if isinstance(value, Known):
        if _runs_users(value.object):
            raise Unknown
        return Const(value.object)
    if isinstance(value, Items):
        return value.like(_question(lengths, item, sized) for item in value.items)
    if isinstance(value, Slice):
        parts = (value.lower, value.upper, value.step)
        return Slice(*(_question(lengths, part, sized) for part in parts))
    if not isinstance(value, Var):
        raise Unknown
    if value in lengths.values:
        length = lengths.whole(value)
        if sized or not isinstance(length, str) or is_length(length):
            return Count(length if lengths.example(length) != 1 or length == 1 else None)
    shape = lengths.resolve(value.type.shape)
    return Type(value.type.kind, shape if isinstance(shape, tuple) else None, value.type.dtype)


@functools.lru_cache(maxsize=4096)
def _answer(fn: Any, args: tuple[Any, ...], options: tuple[tuple[str, Any], ...]) -> Any:
    telling = dict(options).get(RANK_UNKNOWN.get(fn, ""), Const(None))
    if fn in RANK_UNKNOWN and telling == Const(None):
        return _structure(fn, args, options)
    for distinct, alike in ((True, False), (False, False), (False, True)):
        try:
            known, trial = _tried(fn, args, options, distinct=distinct, alike=alike)
        except Unknown:
            break
        except Exception:  # noqa: BLE001 - the question did not fit; ask another way
            continue
        for way in _other_ways(fn, trial):
            try:
                other, _ = _tried(fn, args, options, distinct=distinct, alike=alike, **way)
            except Exception:  # noqa: BLE001 - there is no such call
                continue
            known = _both(known, other)
        return _without_lengths(known) if fn in LENGTHS_UNKNOWN else known
    return _structure(fn, args, options)


def _without_lengths(known: Any) -> Any:
    """A description of a result of which only the numbers of axes are known."""
    if isinstance(known, tuple):
        return tuple(map(_without_lengths, known))
    if not isinstance(known.shape, tuple):
        return known
    return replace(known, shape=(None,) * len(known.shape))


def _tried(fn: Any, args: Any, options: Any, **choices: Any) -> tuple[Any, Trial]:
    """What two evaluations of a call have in common, and how their operands were chosen."""
    trials = [Trial(sample, **choices) for sample in (0, 1)]
    first, second = (call(fn, args, options, trial.example) for trial in trials)
    return _describe(first, second, trials[0].table(trials[1])), trials[0]


_WHOLE = (0, -1, 1, 2, 3)


def _other_ways(fn: Any, trial: Trial) -> Iterator[dict[str, Any]]:
    """Other choices of operands, which a result may depend on.

    Axes and numbers of parts are not known where they are variables. Where lengths had to
    be alike, some of them may differ: the result may be as long as they differ by.
    """
    if not _may_be_varied(fn):
        return
    if trial.met:
        for whole in itertools.product(_WHOLE, repeat=min(trial.met, 2)):
            yield {"whole": whole}
    if not trial.distinct:
        for place in range(len(trial.names)):
            yield {"odd": place}


def _may_be_varied(fn: Any) -> bool:
    """Whether a function may be called with anything: some of SciPy's routines would crash."""
    module = getattr(fn, "__module__", None) or "numpy"  # ufuncs have none
    return module.startswith(("numpy", "builtins", "_operator", "scipy.signal"))


def _both(a: Any, b: Any) -> Any:
    """What two descriptions of a result have in common."""
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(map(_both, a, b))
    return join(a, b) if isinstance(a, Type) and isinstance(b, Type) else OPAQUE


def _with_fresh_shapes(lengths: Lengths, answer: Any) -> Any:
    """Give each unknown shape of an answer a name that no other value has."""
    if isinstance(answer, tuple):
        return tuple(_with_fresh_shapes(lengths, part) for part in answer)
    if answer.kind == "numeric" and answer.shape is None:
        return Type("numeric", lengths.fresh_shape(), answer.dtype)
    return answer


def _structure(fn: Any, args: tuple[Any, ...], options: tuple[tuple[str, Any], ...]) -> Any:
    """Find out how many results a call gives, where nothing else can be told of it."""
    numpys = (getattr(fn, "__module__", None) or "").startswith(("numpy", "_operator"))
    if isinstance(fn, np.ufunc):
        return Type("numeric") if fn.nout == 1 else (Type("numeric"),) * fn.nout
    mixed = any(t.dtype == "c" for t in types_in((args, options)))
    if numpys and fn not in SEVERAL_RESULTS and not mixed:
        return Type("numeric")
    counts: set[int | None] = set()
    kinds: list[tuple[str, ...]] = []
    slow = (getattr(fn, "__module__", None) or "").startswith("numpy.linalg")
    known = {n for t in types_in((args, options)) for n in _lengths_of(t) if n}
    for sizes in (*DIVISIBLE[: 1 if slow else None], *((n, n) for n in sorted(known))):
        for rank, trial in itertools.product((1, 2, 3), _trials(fn, types_in((args, options)))):
            size = sizes[trial.sample]
            try:
                made = call(fn, args, options, lambda t, k=(size, rank, trial): of_some_rank(t, *k))
            except Exception:  # noqa: BLE001 - it does not work with such arrays
                continue
            counts.add(len(made) if isinstance(made, tuple | list) else None)
            parts = made if isinstance(made, tuple | list) else (made,)
            kinds.append(tuple(np.asarray(part).dtype.kind for part in parts))
        if counts:
            break
    if len(counts) > 1 or (not counts and fn in SEVERAL_RESULTS):
        return OPAQUE  # it depends on values
    count = counts.pop() if counts else None
    common = [_common(k) for k in zip(*kinds, strict=True)] or ["?"]
    dtypes = [kind if mixed or kind == "i" else "?" for kind in common]
    made = tuple(Type("numeric", None, dtype) for dtype in dtypes)
    return made[0] if count is None else made


def _lengths_of(type_: Type) -> Iterator[int]:
    """The lengths of an array that are numbers, which those of others may have to be, too."""
    if isinstance(type_.shape, tuple):
        yield from (n for n in type_.shape if isinstance(n, int))


def _trials(fn: Any, types: Iterator[Type]) -> list[Trial]:
    """Ways of choosing the whole numbers that are not known, of which at most two differ."""
    count = sum(map(is_whole, types)) * _may_be_varied(fn)
    ways = itertools.product(_WHOLE, repeat=min(count, 2)) if count else ((),)
    return [Trial(sample, whole=whole) for whole in ways for sample in (0, 1)]


def _common(kinds: tuple[str, ...]) -> str:
    """The element type that several evaluations of a call agree on."""
    kind = {"u": "i"}.get(kinds[0], kinds[0])
    return kind if len(set(kinds)) == 1 and kind in DTYPES else "?"


_LIBRARIES = {"numpy", "math", "_operator", "operator", "srcgrad", "scipy"}
_BUILTINS = {abs, min, max, sum, pow, round, float, int, len, divmod, bool, complex}


def may_be_asked(fn: Any) -> bool:
    """Whether a call of this function may be made to see what it gives: it has no effect."""
    if isinstance(fn, np.ufunc):
        return True
    if isinstance(getattr(fn, "__self__", None), np.ufunc):
        return find_formula(fn) is not None
    if getattr(fn, "__module__", None) == "builtins":
        return fn in _BUILTINS
    if home(fn) not in _LIBRARIES or not computes_only(fn, (), {}):
        return False
    if find_formula(fn) is not None or is_nondifferentiable(fn) or method_of(fn) is not None:
        return True
    if isinstance(fn, types.MethodType):  # of a distribution, which goes element by element
        return find_in_python(fn) is not None
    return is_declared(fn) and not effects_of(fn).writes


def _describe(a: Any, b: Any, table: dict) -> Any:
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        if len(a) != len(b):
            return OPAQUE
        return tuple(_describe(p, q, table) for p, q in zip(a, b, strict=True))
    if isinstance(a, str) or a is None or isinstance(a, np.dtype | type):
        return OPAQUE
    try:
        p, q = np.asarray(a), np.asarray(b)
    except ValueError:
        return OPAQUE
    kinds = {x.dtype.kind for x in (p, q)}
    if not kinds <= set("fciub"):
        return OPAQUE
    dtype = {"u": "i"}.get(p.dtype.kind, p.dtype.kind) if len(kinds) == 1 else "?"
    if p.ndim != q.ndim:
        return Type("numeric", None, dtype)
    shape = tuple(m if m == n else table.get((m, n)) for m, n in zip(p.shape, q.shape, strict=True))
    if isinstance(a, np.ndarray):
        return Type("array", shape, dtype)
    return Type("scalar", shape, dtype)
