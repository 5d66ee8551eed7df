"""Solvers of SciPy's on a tape: what they find as a function of what their function depends on."""

from __future__ import annotations

import functools
import inspect
from importlib import import_module
from typing import Any

import numpy as np

import srcgrad.tape.libraries.implicit as implicit
import srcgrad.tape.rewriting as rewriting
from srcgrad.errors import MissingFormulaError
from srcgrad.tape.calls import call
from srcgrad.tape.derivatives import grad
from srcgrad.tape.formulas import has_box
from srcgrad.tape.memory import Item, Read
from srcgrad.tape.recording import Box, Call, mapped, raw, unboxed
from srcgrad.tape.session import Session
from srcgrad.tape.trees import Rebuilding

_MOST = 4000  # steps of a path, or pieces of an integral
_SCALAR = ("brentq", "brenth", "bisect", "ridder", "toms748", "newton", "root_scalar")
_VECTOR = ("fsolve", "root")
_MINIMA = ("minimize", "minimize_scalar", "least_squares", "fmin", "fmin_bfgs")
_PATHS = ("solve_ivp", "odeint")
_NAMES = {
    "scipy.optimize": (*_SCALAR, *_VECTOR, *_MINIMA),
    "scipy.integrate": (*_PATHS, "quad"),
}


@functools.cache
def _solvers() -> dict[Any, str]:
    found = {}
    for module, names in _NAMES.items():
        try:
            library = import_module(module)
        except ImportError:
            continue
        found |= {getattr(library, name): name for name in names}
    return found


def is_solver(fn: Any) -> bool:
    """Tell whether a function is a solver that is known here."""
    try:
        return fn in _solvers()
    except TypeError:
        return False


class _Given:
    """What a solver is given.

    Attributes:
        arguments: its arguments by name.
        f: the function, with its further arguments.
        active: whether what it gives depends on what is differentiated.
    """

    def __init__(self, session: Session, fn: Any, args: Any, options: Any) -> None:
        bound = inspect.signature(fn).bind(*args, **options)
        self.session = session
        self.fn = fn
        self.arguments = dict(bound.arguments)
        self.arguments |= self.arguments.pop("options", {}) if fn is None else {}
        self.name = _solvers()[fn]
        first = next(iter(self.arguments))
        self.first = first
        self.active = has_box((args, options))
        own = self.arguments[first]
        further = self.arguments.get("args", ())
        self.further = further if isinstance(further, tuple) else (further,)
        self.own = own

    def f(self, *args: Any) -> Any:
        """Call the function that is given."""
        return call(self.own, *args, *self.further)

    def solve(self) -> Any:
        """Run the solver on numbers; steps that were recorded meanwhile are dropped."""
        marks = [(tape, len(tape.entries)) for tape in self.session.tapes]
        given = {name: self._plain(value) for name, value in self.arguments.items()}
        bound = inspect.signature(self.fn).bind_partial()
        bound.arguments.update(given)
        found = self.fn(*bound.args, **bound.kwargs)
        for tape, count in marks:
            if all(type(entry) in (Call, Item, Read) for entry in tape.entries[count:]):
                del tape.entries[count:]
        return found

    def _plain(self, value: Any) -> Any:
        """Return an argument without boxes; a function, so that it gives none."""
        if callable(value) and not isinstance(value, type):
            rewriting.prepare_all(self.session, value)

            def run(*args: Any, **options: Any) -> Any:
                found = call(value, *args, **options)
                self.active = self.active or _holds_box(found)
                return mapped(_number, found)

            return run
        return Rebuilding(raw)(value) if _holds_box(value) else value

    def refuse(self, what: str, fix: str) -> MissingFormulaError:
        """Return the error for a call that is not differentiated."""
        return MissingFormulaError(
            f"scipy's {self.name} with {what}",
            why="What it is given depends on what is being differentiated.",
            fixes=[fix],
        )


def _holds_box(value: Any) -> bool:
    found: list[Any] = []
    Rebuilding(lambda part: found.append(part) if type(part) is Box else None)(value)
    return bool(found)


def _number(part: Any) -> Any:
    part = raw(part)
    if isinstance(part, np.ndarray) and part.dtype == object:
        return np.array([raw(entry) for entry in part.flat]).reshape(part.shape)
    return part


def solve(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a solver."""
    given = _Given(session, fn, args, options)
    found = given.solve()
    if not given.active:
        return found
    if given.name in _SCALAR:
        return _root(given, found)
    if given.name in _VECTOR:
        return _roots(given, found)
    if given.name in _MINIMA:
        return _minimum(given, found)
    if given.name == "quad":
        return _integral(given, found)
    return _path(given, found)


def _steps(session: Session) -> int:
    """Return how many steps of Newton's method give derivatives of the order that is asked for."""
    return max(1, int(np.ceil(np.log2(len(session.tapes) + 1))))


def _exact(made: Any, found: Any) -> Any:
    """Return a value with the derivatives of one that it differs from by rounding."""
    return made + (np.asarray(found) - raw(made))[()]


def _same(run: Any, *args: Any) -> Any:
    return rewriting.rewritten(run)(*args)


def _root(given: _Given, found: Any) -> Any:
    if given.arguments.get("full_output"):
        place, report = found
        return _root_of(given, place), _without(report, root=_root_of(given, place))
    if hasattr(found, "root"):
        return _without(found, root=_root_of(given, found.root))
    if np.ndim(found):
        raise given.refuse("several starting points", "go through them one by one")
    return _root_of(given, found)


def _root_of(given: _Given, place: Any) -> Any:
    return _exact(_same(implicit.root, given.f, float(place), _steps(given.session)), place)


def _without(report: Any, **known: Any) -> Any:
    """Return what a solver reports, but for what would have to be differentiated and is not."""
    constant = ("success", "status", "message", "nit", "nfev", "njev", "nhev", "converged", "flag")
    kept = {name: getattr(report, name) for name in (*constant, *_COUNTS) if hasattr(report, name)}
    return Report({**kept, **known})


_COUNTS = ("iterations", "function_calls", "t", "t_events", "nlu", "method")


class Report(dict):
    """What a solver reports: entries that are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def _roots(given: _Given, found: Any) -> Any:
    place = found.x if hasattr(found, "x") else found[0] if isinstance(found, tuple) else found
    place = np.asarray(place)
    free = np.ones(place.size, bool)

    def f(x: Any) -> Any:
        return call(np.asarray, given.f(x))

    made = _exact(_same(implicit.roots, f, place, free, _steps(given.session)), place)
    if hasattr(found, "x"):
        return _without(found, x=made, fun=f(made))
    if isinstance(found, tuple):
        raise given.refuse("full_output", "leave it out")
    return made


def _minimum(given: _Given, found: Any) -> Any:
    name = given.name
    if given.arguments.get("constraints") or given.arguments.get("full_output"):
        raise given.refuse("constraints or full_output", "leave them out")
    if name == "least_squares" and given.arguments.get("loss", "linear") != "linear":
        raise given.refuse("a loss", "minimize the loss itself")
    place = np.asarray(found.x if hasattr(found, "x") else found)
    jac = given.arguments.get("jac") is True

    def f(x: Any) -> Any:
        value = given.f(x)
        if jac:
            value = value[0]
        if name == "least_squares":
            value = call(np.asarray, value)
            value = 0.5 * call(np.sum, value * value)
        return call(np.reshape, value, ()) if np.ndim(raw(value)) else value

    steps = _steps(given.session)
    if name == "minimize_scalar":
        made = _exact(_same(implicit.root, grad(f), float(place), steps), place)
        return _without(found, x=made, fun=f(made))
    slope = grad(f)
    free = _free(given, slope, place)
    made = _exact(_same(implicit.roots, slope, np.atleast_1d(place), free, steps), place)
    if name.startswith("fmin"):
        return made
    if name == "least_squares":
        return _without(found, x=made, cost=f(made), fun=call(np.asarray, given.f(made)))
    return _without(found, x=made, fun=f(made))


def _free(given: _Given, slope: Any, place: Any) -> Any:
    """Return which variables of a minimum no bound holds."""
    bounds = unboxed(given.arguments.get("bounds"))
    if bounds is None:
        return np.ones(place.size, bool)
    if hasattr(bounds, "lb"):
        low, high = bounds.lb, bounds.ub
    elif given.name == "least_squares":
        low, high = bounds
    else:
        low = [-np.inf if pair[0] is None else pair[0] for pair in bounds]
        high = [np.inf if pair[1] is None else pair[1] for pair in bounds]
    low, high = np.broadcast_to(low, place.shape), np.broadcast_to(high, place.shape)
    room = 1e-7 * np.maximum(1.0, np.abs(place))
    pull = raw(slope(place))
    held = ((place - low < room) & (pull > 0)) | ((high - place < room) & (pull < 0))
    return ~held


def _integral(given: _Given, found: Any) -> Any:
    arguments = given.arguments
    for name in ("weight", "points", "full_output", "complex_func"):
        if arguments.get(name):
            raise given.refuse(name, "leave it out")
    a, b = arguments["a"], arguments["b"]
    f: Any = given.f
    if not (np.isfinite(raw(a)) and np.isfinite(raw(b))):
        f, a, b = _same(implicit.whole_line, f, a, b), 0.0, 1.0

    def number(x: Any) -> float:
        return float(raw(f(x)))

    cuts = _unrecorded(given, implicit.cuts_of, number, raw(a), raw(b), 1e-11, _MOST)
    if cuts is None:
        raise given.refuse("a function that is not smooth", "cut the interval where it is not")
    made = _same(implicit.integral, f, a, b, cuts)
    if not np.isclose(raw(made), found[0], rtol=1e-6, atol=1e-9):
        raise given.refuse("a function that is not smooth", "cut the interval where it is not")
    return _exact(made, found[0]), found[1]


def _unrecorded(given: _Given, run: Any, *args: Any) -> Any:
    """Run a function, and drop the steps that were recorded meanwhile."""
    marks = [(tape, len(tape.entries)) for tape in given.session.tapes]
    found = run(*args)
    for tape, count in marks:
        if all(type(entry) in (Call, Item, Read) for entry in tape.entries[count:]):
            del tape.entries[count:]
    return found


def _path(given: _Given, found: Any) -> Any:
    arguments = given.arguments
    for name in ("events", "dense_output", "full_output"):
        if arguments.get(name):
            raise given.refuse(name, "leave it out")
    if given.name == "odeint":
        times, first = arguments["t"], bool(arguments.get("tfirst"))
        wanted = found
    else:
        times = arguments.get("t_eval")
        times = found.t if times is None else times
        first, wanted = True, found.y.T
    start = call(np.atleast_1d, call(np.asarray, arguments["y0"]))
    start = start if type(start) is Box else np.asarray(start, float)

    def f(t: Any, y: Any) -> Any:
        slope = given.f(t, y) if first else given.f(y, t)
        return call(np.atleast_1d, call(np.asarray, slope))

    early = given.name == "solve_ivp"
    begin = arguments["t_span"][0] if early else times[0]
    whole = [begin, *[times[k] for k in range(len(raw(times)))]] if early else times
    whole = whole if isinstance(whole, list) else [times[k] for k in range(len(raw(times)))]

    def numbers(t: Any, y: Any) -> Any:
        return raw(f(t, y))

    plain = [float(raw(t)) for t in whole]
    pieces = _unrecorded(given, implicit.pieces_of, numbers, raw(start), plain, 1e-8, _MOST)
    if pieces is None:
        raise given.refuse("a stiff path", "use a shorter one, or scale the state")
    made = _same(implicit.path, f, start, whole, pieces)
    made = made[1:] if early else made
    if not np.allclose(raw(made), wanted, rtol=1e-2, atol=1e-2 * np.max(np.abs(wanted))):
        raise given.refuse("a path that its steps do not determine", "ask for less tolerance")
    made = _exact(made, wanted)
    if not early:
        return made
    return _without(found, t=found.t, y=call(np.transpose, made))


HANDLERS = {"is_solver": is_solver, "solve": solve}
