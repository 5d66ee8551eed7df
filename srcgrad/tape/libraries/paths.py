"""Integrals and paths of SciPy's on a tape: as sums over nodes, and as steps from the start."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import srcgrad.tape.libraries.implicit as implicit
from srcgrad.tape.calls import call
from srcgrad.tape.libraries.solving import Entries, Given, as_tuple, exact, recording, report
from srcgrad.tape.operators import get_item
from srcgrad.tape.recording import Box, raw

_MOST = 4000  # steps of a path, or pieces of an integral
_ROUGH = ("a function that is not smooth", "give the points where it is not, by points=")


def integral(given: Given, found: Any) -> Any:
    """Return an integral that ``quad`` found."""
    arguments = given.arguments
    if arguments.get("complex_func"):
        raise given.refuse("complex_func", "integrate real and imaginary part")
    a, b = arguments["a"], arguments["b"]
    f = _weighted(given, a, b)
    points = arguments.get("points")
    if not (np.isfinite(raw(a)) and np.isfinite(raw(b))):
        a, b = (end if np.isfinite(raw(end)) else raw(end) for end in (a, b))  # constants
        f, a, b = recording(implicit.whole_line, f, a, b), 0.0, 1.0
    ends = [a, b]
    if points is not None:
        inside = [get_item(points, k) for k in range(len(raw(points)))]
        low, high = sorted((raw(a), raw(b)))
        inside = sorted((p for p in inside if low < raw(p) < high), key=raw)
        ends = [a, *(inside if raw(a) <= raw(b) else reversed(inside)), b]

    def number(x: Any) -> float:
        return float(raw(f(x)))

    made: Any = 0.0
    for low, high in itertools.pairwise(ends):
        cuts = given.unrecorded(implicit.cuts_of, number, raw(low), raw(high), 1e-11, _MOST)
        if cuts is None or _is_rough(cuts, 1e-8 if given.steps() == 1 else 3e-4):
            raise given.refuse(*_ROUGH)
        made = made + recording(implicit.integral, f, low, high, cuts)
    if not np.isclose(raw(made), found[0], rtol=1e-6, atol=1e-9):
        raise given.refuse(*_ROUGH)
    return exact(made, found[0]), *found[1:]


def _is_rough(cuts: Any, least: float) -> bool:
    """Tell whether pieces inside an interval are small beside their distance from its ends.

    A function that jumps there has no derivative that a sum over nodes shows, one with a kink
    no second one.
    """
    begins, ends = np.array(cuts[:-1]), np.array(cuts[1:])
    return bool(np.any(ends - begins < least * np.minimum(begins, 1.0 - ends)))


def _weighted(given: Given, a: Any, b: Any) -> Any:
    """Return what is integrated: the function, with its weight."""
    weight, wvar = given.arguments.get("weight"), given.arguments.get("wvar")
    if weight is None:
        return given.f
    finite = np.isfinite(raw(a)) and np.isfinite(raw(b))
    if weight not in ("cos", "sin") or not finite:
        raise given.refuse(
            f"weight={weight!r}" + ("" if finite else " over an interval without an end"),
            "write the weight into the function, and integrate it without",
        )
    wave = np.cos if weight == "cos" else np.sin
    return lambda x: given.f(x) * call(wave, wvar * x)


class Path:
    """The path that ``solve_ivp`` or ``odeint`` found, as a function of what it depends on.

    Args:
        given: what the solver was given.
        begin: where it begins.
        first: whether the function takes the time first.
    """

    def __init__(self, given: Given, begin: Any, first: bool) -> None:
        self.given = given
        self.begin = begin
        self.first = first
        start = call(np.atleast_1d, call(np.asarray, given.arguments["y0"]))
        self.start = start if type(start) is Box else np.asarray(start, np.result_type(start, 1.0))

    def slope(self, t: Any, y: Any) -> Any:
        """Return the slope of the state."""
        found = self.given.f(t, y) if self.first else self.given.f(y, t)
        return call(np.atleast_1d, call(np.asarray, found))

    def states(self, times: Any) -> Any:
        """Return the states at several times, one after the other."""
        whole = [self.begin, *times]

        def numbers(t: Any, y: Any) -> Any:
            return raw(self.slope(t, y))

        plain = [float(raw(t)) for t in whole]
        pieces = self.given.unrecorded(
            implicit.pieces_of, numbers, raw(self.start), plain, 1e-8, _MOST
        )
        if pieces is None:
            raise self.given.refuse("a stiff path", "use a shorter one, or scale the state")
        # a time that is differentiated moves, also where there is no way to another one
        moving = [type(one) is Box or type(two) is Box for one, two in itertools.pairwise(whole)]
        pieces = [ends or [1.0] * moved for ends, moved in zip(pieces, moving, strict=True)]
        return get_item(
            recording(implicit.path, self.slope, self.start, whole, pieces), slice(1, None)
        )

    def found_by(self, made: Any, wanted: Any) -> Any:
        """Return states with the values that the solver found."""
        size = np.max(np.abs(wanted), initial=0.0)
        if not np.allclose(raw(made), wanted, rtol=1e-2, atol=1e-2 * size):
            raise self.given.refuse(
                "a path that its steps do not determine", "ask for less tolerance"
            )
        return exact(made, wanted)


def path_at(given: Given, found: Any) -> Any:
    """Return what ``odeint`` found."""
    times = given.arguments["t"]
    whole = [get_item(times, k) for k in range(len(raw(times)))]
    path = Path(given, whole[0], bool(given.arguments.get("tfirst")))
    states, *told = found if isinstance(found, tuple) else (found,)
    made = path.found_by(path.states(whole), states)
    return (made, Entries({"message": told[0]["message"]})) if told else made


def path(given: Given, found: Any) -> Any:
    """Return what ``solve_ivp`` found."""
    arguments = given.arguments
    begin, end = (get_item(arguments["t_span"], k) for k in (0, 1))
    path = Path(given, begin, True)
    events = _events(arguments)
    known: dict[str, Any] = {"sol": None, "t_events": found.t_events, "y_events": found.y_events}
    moments: list[Any] = []
    if events:
        known["t_events"], known["y_events"], moments = _noted(path, events, found)
    times = arguments.get("t_eval")
    if times is None:
        if found.status == 1:  # an event ended it, the last one that came
            end = max(moments, key=lambda t: abs(raw(t) - raw(begin)))
        whole = [begin, *found.t[1:-1].tolist(), end]
        known["t"] = exact(call(np.stack, whole), found.t) if _moves(begin, end) else found.t
    else:
        whole = [get_item(times, k) for k in range(len(found.t))]
        known["t"] = get_item(times, slice(None, len(found.t)))
    if whole:
        known["y"] = call(np.transpose, path.found_by(path.states(whole), found.y.T))
    else:
        known["y"] = found.y
    if arguments.get("dense_output"):
        known["sol"] = Dense(path, found.sol)
    return report(found, **known)


def _moves(*values: Any) -> bool:
    return any(type(value) is Box for value in values)


def _events(arguments: Any) -> list[Any]:
    """Return the functions whose roots end a path, or are noted."""
    found = arguments.get("events")
    events = [] if found is None else [found] if callable(found) else list(found)
    further = as_tuple(arguments.get("args") or ())
    return [lambda t, y, event=event: call(event, t, y, *further) for event in events]


def _noted(path: Path, events: Any, found: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Return when events came, the states then, and all the times one after the other.

    A time is a root of the event near the time that was found, along a step from there.
    """
    times = sorted({float(t) for row in found.t_events for t in row})
    if times and times[-1] < raw(path.begin):
        times.reverse()
    states = path.states(times) if times else None
    steps, moments = path.given.steps(), []
    when: list[Any] = []
    where: list[Any] = []
    for event, plain, plain_states in zip(events, found.t_events, found.y_events, strict=True):
        row, own = [], []
        for t, y in zip(plain.tolist(), plain_states, strict=True):
            state = get_item(states, times.index(t))

            def near(s: Any, t: Any = t, state: Any = state) -> Any:
                return recording(implicit.step, path.slope, t, state, s - t)[0]

            def value(s: Any, near: Any = near, event: Any = event) -> Any:
                return call(np.reshape, event(s, near(s)), ())

            row.append(path.given.found_by(recording(implicit.root, value, t, steps), t))
            own.append(path.found_by(near(row[-1]), y))
        when.append(call(np.stack, row) if row else plain)
        where.append(call(np.stack, own) if own else plain_states)
        moments += row
    return when, where, moments


def _in_order(path: Path, times: list[Any]) -> Any:
    """Return the states at times in any order."""
    sign = 1.0 if not times or raw(times[-1]) >= raw(path.begin) else -1.0
    order = np.argsort([sign * float(raw(t)) for t in times], kind="stable")
    states = path.states([times[k] for k in order])
    return get_item(states, np.argsort(order))


class Dense:
    """The path at any time: ``solve_ivp(..., dense_output=True).sol``.

    Args:
        path: the path.
        plain: what SciPy makes of it.
    """

    def __init__(self, path: Path, plain: Any) -> None:
        self.path = path
        self.plain = plain
        self.t_min, self.t_max, self.ts = plain.t_min, plain.t_max, plain.ts

    def __call__(self, t: Any) -> Any:
        t = call(np.asarray, t)
        places = np.asarray(raw(t))
        flat = [get_item(t, k) for k in range(places.size)] if places.ndim else [t]
        room = 1e-9 * (self.t_max - self.t_min)
        if np.any(places < self.t_min - room) or np.any(places > self.t_max + room):
            raise self.path.given.refuse("a time beyond its span", "let the span be longer")
        found = self.plain(places)
        if not flat:
            return found
        made = self.path.found_by(_in_order(self.path, flat), np.atleast_2d(found.T))
        return call(np.transpose, made) if places.ndim else get_item(made, 0)
