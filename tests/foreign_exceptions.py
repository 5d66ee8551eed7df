"""What a call raises that is neither the program's own nor a refusal.

Programs are called in all modes at their own arguments and at arguments that were not
meant: other types, shapes, lengths and structures, too few and too many. An exception
is the program's own if the function itself raises one of that type there.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcgrad import grad, hessian, hvp, jacfwd, jacrev, jvp, source, value_and_grad, vjp
from srcgrad.errors import InternalError, SrcgradError


def mutations(args: tuple[Any, ...]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Give arguments that differ in one place from those of a program, with what differs."""
    yield "as they are", args
    yield "one less", args[:-1]
    yield "one more", (*args, 1.0)
    for k, arg in enumerate(args):
        for how, changed in others(arg):
            yield f"argument {k} {how}", (*args[:k], changed, *args[k + 1 :])


def others(arg: Any) -> Iterator[tuple[str, Any]]:
    """Give values of other kinds in the place of an argument, with what they are."""
    yield "is None", None
    yield "is text", "text"
    yield "is True", True
    yield "is a list", [0.5, 1.5]
    yield "is a dict", {"a": 0.5}
    yield "is a function", np.sin
    yield "is an object array", np.array([0.5, None], dtype=object)
    if isinstance(arg, np.ndarray):
        if arg.ndim:
            yield "is empty", arg[:0]
            yield "is shorter", arg[:-1]
        yield "has one more axis", arg[np.newaxis]
        yield "has no axes", np.array(0.5)
        yield "is single", arg.astype(np.float32) if arg.dtype.kind in "fc" else arg
        yield "is complex", arg + 0j
        yield "is whole", np.ones(arg.shape, dtype=int)
        yield "is boolean", arg > 0
        yield "is transposed", arg.T
        yield "is nested lists", arg.tolist()
        yield "is nan", arg * np.nan
    elif isinstance(arg, list | tuple):
        yield "is shorter", arg[:-1]
        yield "is empty", arg[:0]
        yield "is the other sequence", tuple(arg) if isinstance(arg, list) else list(arg)
    elif isinstance(arg, dict):
        yield "is empty", {}
        yield "has another key", {**arg, "another key": 0.5}
    elif isinstance(arg, int | float):
        yield "is zero", 0 * arg
        yield "is negative", -arg
        yield "is a NumPy number", np.float64(arg)
        yield "is an array", np.array([0.5, 1.5])
        yield "is complex", arg + 0j


def run_vjp(f: Any, wrt: Any, args: tuple[Any, ...]) -> None:
    """Call the backward function with a cotangent like the value."""
    value, backward = vjp(f, *args, wrt=wrt)
    if isinstance(value, float | np.ndarray):
        backward(np.ones_like(value))


def run_jvp(f: Any, wrt: Any, args: tuple[Any, ...]) -> None:
    """Let the differentiated arguments move along themselves."""
    moving = wrt if isinstance(wrt, tuple) else (wrt,)
    jvp(f, args, tuple(arg if k in moving else None for k, arg in enumerate(args)))


MODES: dict[str, Callable[[Any, Any, tuple[Any, ...]], Any]] = {
    "grad": lambda f, wrt, args: grad(f, wrt)(*args),
    "value_and_grad": lambda f, wrt, args: value_and_grad(f, wrt)(*args),
    "vjp": run_vjp,
    "jvp": run_jvp,
    "jacfwd": lambda f, wrt, args: jacfwd(f, wrt)(*args),
    "jacrev": lambda f, wrt, args: jacrev(f, wrt)(*args),
    "hessian": lambda f, wrt, args: hessian(f, wrt)(*args),
    "hvp": lambda f, wrt, args: hvp(f, wrt)(*args, 1.0),
    "source": lambda f, wrt, args: source(f, wrt=wrt),
    "source of vjp": lambda f, wrt, args: source(f, "vjp", wrt=wrt),
}


def raised(run: Callable[[], Any]) -> BaseException | None:
    """Return what a call raises, None where it returns."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            run()
    except Exception as error:  # noqa: BLE001 - it is told
        return error
    return None


def foreign(f: Any, wrt: Any, args: tuple[Any, ...], mode: str) -> BaseException | None:
    """Return what a mode raises at some arguments, unless it is a refusal or the program's own."""
    own = raised(lambda: f(*copy.deepcopy(args)))
    error = raised(lambda: MODES[mode](f, wrt, copy.deepcopy(args)))
    if error is None or (own is not None and isinstance(error, type(own))):
        return None
    refusal = isinstance(error, SrcgradError) and not isinstance(error, InternalError)
    return None if refusal or _is_of_binding(error, own) else error


def _is_of_binding(error: BaseException, own: BaseException | None) -> bool:
    """Whether a call does not match the parameters, or its value is no real number."""
    words = ("positional argument", "required argument", "the result is")
    return isinstance(error, TypeError) and any(part in str(error) for part in words)
