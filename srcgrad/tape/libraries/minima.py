"""Minima of SciPy's on a tape: what bounds and constraints hold, and fits of curves.

A minimum is where the slope vanishes, of the function less multiples of what constraints
hold at zero: a root of both, as a function of what the given functions depend on. A
variable that a bound holds is that bound.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

import srcgrad.tape.libraries.implicit as implicit
from srcgrad.tape.calls import call
from srcgrad.tape.derivatives import grad, vjp
from srcgrad.tape.formulas import has_box
from srcgrad.tape.libraries.solving import (
    Entries,
    Given,
    as_tuple,
    exact,
    in_place_of,
    recording,
    report,
)
from srcgrad.tape.operators import get_item
from srcgrad.tape.recording import raw, unboxed

_NEAR = 1e-5  # how near to zero a constraint is that holds, and a multiplier of one that does not


_OF_ONE = ("minimize_scalar", "brent", "golden", "fminbound")
_SQUARES = ("least_squares", "leastsq")


def minimum(given: Given, found: Any) -> Any:
    """Return the minimum that was found."""
    name, arguments = given.name, given.arguments
    inner = arguments.pop("minimizer_kwargs", None) or {}
    given.arguments = arguments = {**inner, **arguments}
    given.further = as_tuple(arguments.get("args", ()))
    if arguments.get("loss", "linear") != "linear":
        raise given.refuse("a loss", "minimize the loss itself")
    place = np.asarray(found.x if hasattr(found, "x") else _first(found))
    with_slope = arguments.get("jac") is True or (
        name in ("fmin_l_bfgs_b", "fmin_tnc")
        and arguments.get("fprime") is None
        and not arguments.get("approx_grad")
    )

    def f(x: Any) -> Any:
        value = given.f(x)
        if with_slope:
            value = value[0]
        if name in _SQUARES:
            value = call(np.asarray, value)
            value = 0.5 * call(np.sum, value * value)
        return call(np.reshape, value, ()) if np.ndim(raw(value)) else value

    if name in _OF_ONE:
        made = _of_one_number(given, f, place)
        return in_place_of(given, found, made, f, fun=f(made))
    made = _root_of_slope(given, f, np.atleast_1d(place))
    if name == "least_squares":
        return report(found, x=made, cost=f(made), fun=call(np.asarray, given.f(made)))
    if name == "leastsq":
        return _with_spread(given, found, made)
    return in_place_of(given, found, made, None if name == "fmin_tnc" else f, fun=f(made))


def _first(found: Any) -> Any:
    return found[0] if isinstance(found, tuple) else found


def _with_spread(given: Given, found: Any, made: Any) -> Any:
    """Return what ``leastsq`` gave: with ``full_output``, the inverse of J^T J is second."""

    def residuals(p: Any) -> Any:
        return call(np.ravel, call(np.asarray, given.f(p)))

    if len(found) == 2:
        return made, found[1]
    if found[1] is None:
        return made, *found[1:2], Entries({"fvec": residuals(made)}), *found[3:]
    spread = exact(_spread(residuals, made), found[1])
    return made, spread, Entries({"fvec": residuals(made)}), *found[3:]


def _of_one_number(given: Given, f: Any, place: Any) -> Any:
    """Return the least point of a function of one number."""
    bounds: Any = given.arguments.get("bounds") or ()
    if given.name == "fminbound":
        bounds = given.arguments["x1"], given.arguments["x2"]
    slope = float(raw(grad(f)(float(place))))
    for bound, pull in zip(bounds, (slope > 0, slope < 0), strict=False):
        width = abs(float(raw(bounds[1])) - float(raw(bounds[0])))
        if pull and abs(float(place) - float(raw(bound))) <= 1e-4 * width:
            return exact(bound + 0.0, place)
    made = recording(implicit.root, grad(f), float(place), given.steps())
    return given.found_by(made, place)


def _root_of_slope(given: Given, f: Any, place: Any) -> Any:
    """Return the least point of a function of a vector, between bounds and under constraints."""
    conditions = _conditions(given)
    low, high = _bounds(given, place)
    active, rows = _near(conditions, place)
    below, above, multipliers = _held(given, f, place, (raw(low), raw(high)), rows)
    _require_clear(given, [conditions[k][0] for k, _ in active], multipliers, rows)
    start = place
    for bound, where in ((low, below), (high, above)):
        if where.any():
            start = call(np.where, where, bound, start)
    free, count = ~(below | above), place.size

    def held(x: Any) -> list[Any]:
        return [call(np.reshape, get_item(conditions[k][1](x), i), (1,)) for k, i in active]

    def equations(z: Any) -> Any:
        x, scale = get_item(z, slice(None, count)), get_item(z, slice(count, None))

        def lagrangian(x: Any) -> Any:
            if not active:
                return f(x)
            return f(x) - call(np.sum, scale * call(np.concatenate, held(x)))

        slope = grad(lagrangian)(x)
        return call(np.concatenate, [slope, *held(x)]) if active else slope

    whole = call(np.concatenate, [start, multipliers]) if active else start
    free = np.concatenate([free, np.ones(len(active), bool)])
    try:
        made = recording(implicit.roots, equations, whole, free, given.steps())
    except np.linalg.LinAlgError:
        raise given.refuse(
            "a minimum that its equations do not determine", "make the function convex there"
        ) from None
    return given.found_by(get_item(made, slice(None, count)), place)


# Bounds


def _bounds(given: Given, place: Any) -> Any:
    """Return what bounds the variables from below and from above, None where nothing does."""
    bounds = given.arguments.get("bounds")
    if bounds is None:
        return np.full(place.shape, -np.inf), np.full(place.shape, np.inf)
    if hasattr(bounds, "lb"):
        low, high = bounds.lb, bounds.ub
    elif given.name in ("least_squares", "curve_fit", "lsq_linear"):
        low, high = bounds
    else:
        pairs = [(get_item(pair, 0), get_item(pair, 1)) for pair in bounds]
        low = [-np.inf if one is None else one for one, _ in pairs]
        high = [np.inf if other is None else other for _, other in pairs]
    wide = [call(np.broadcast_to, call(np.asarray, part), place.shape) for part in (low, high)]
    return wide[0], wide[1]


def _held(given: Given, f: Any, place: Any, bounds: Any, rows: Any) -> tuple[Any, Any, Any]:
    """Return what holds a minimum.

    Args:
        given: what the solver was given.
        f: the function.
        place: the minimum.
        bounds: the numbers that bound the variables from below and from above.
        rows: the slopes of the constraints that hold.

    Returns:
        Which variables are held from below, which from above, and the multipliers of the
        constraints.
    """
    slope = np.asarray(raw(grad(f)(place)))
    room = 1e-7 * np.maximum(1.0, np.abs(place))
    below, above = place - bounds[0] < room, bounds[1] - place < room
    while True:
        free = ~(below | above)
        if np.linalg.matrix_rank(rows[:, free]) < len(rows):
            raise given.refuse("constraints that depend on each other", "leave out what follows")
        multipliers = np.linalg.lstsq(rows[:, free].T, slope[free], rcond=None)[0]
        pull = slope - multipliers @ rows
        if not np.any(below & (pull <= 0)) and not np.any(above & (pull >= 0)):
            return below, above, multipliers
        below, above = below & (pull > 0), above & (pull < 0)


# Constraints


def _conditions(given: Given) -> list[tuple[bool, Any]]:
    """Return the constraints: whether each holds as an equation, and what is not negative."""
    found: Any = given.arguments.get("constraints") or ()
    found = [found] if isinstance(found, dict) or hasattr(found, "lb") else list(found)
    conditions: list[tuple[bool, Any]] = []
    for part in found:
        if isinstance(part, dict):
            equal = str(part["type"]).lower() == "eq"
            conditions.append((equal, _vector(part["fun"], as_tuple(part.get("args", ())))))
            continue
        inner = part.fun if hasattr(part, "fun") else _product(part.A)
        low, high = call(np.asarray, part.lb), call(np.asarray, part.ub)
        equal = bool(np.all(np.asarray(raw(low)) == np.asarray(raw(high))))
        conditions += _between(inner, low, high, equal)
    for name in ("eqcons", "ieqcons", "cons"):
        parts = given.arguments.get(name) or ()
        for part in [parts] if callable(parts) else parts:
            conditions.append((name == "eqcons", _vector(part, given.further)))
    for name in ("f_eqcons", "f_ieqcons"):
        if given.arguments.get(name) is not None:
            part = _vector(given.arguments[name], given.further)
            conditions.append((name == "f_eqcons", part))
    return conditions


def _vector(fun: Any, further: Any) -> Any:
    return lambda x: call(np.atleast_1d, call(np.asarray, call(fun, x, *further)))


def _product(matrix: Any) -> Any:
    return lambda x: call(np.matmul, matrix, x)


def _between(fun: Any, low: Any, high: Any, equal: bool) -> list[tuple[bool, Any]]:
    inner = _vector(fun, ())
    if equal:
        return [(True, lambda x: inner(x) - low)]
    return [(False, lambda x: inner(x) - low), (False, lambda x: high - inner(x))]


def _near(conditions: list[tuple[bool, Any]], place: Any) -> tuple[list[tuple[int, int]], Any]:
    """Return the constraints that are zero at a minimum.

    Returns:
        Pairs of the number of a constraint and of an entry of it; their slopes as rows.
    """
    near, rows = [], []
    for k, (equal, condition) in enumerate(conditions):
        for i, value in enumerate(np.asarray(raw(condition(place)))):
            if equal or abs(value) < _NEAR * (1.0 + float(np.max(np.abs(place), initial=0.0))):
                near.append((k, i))
                rows.append(np.asarray(raw(_slope_of_entry(condition, place, i))))
    return near, np.reshape(np.array(rows), (len(rows), place.size))


def _require_clear(given: Given, equal: list[bool], multipliers: Any, rows: Any) -> None:
    """Refuse a minimum at a constraint that does not hold it."""
    weak = multipliers * np.linalg.norm(rows, axis=1) < _NEAR * (1.0 + np.abs(multipliers))
    if np.any(weak & ~np.array(equal, bool)):
        raise given.refuse(
            "a constraint of which it cannot be told whether it holds the minimum",
            "ask for less tolerance, or leave it out",
        )


def _slope_of_entry(f: Any, x: Any, i: int) -> Any:
    """Return the slope of an entry of what a function gives."""
    value, backward = vjp(f, x)
    unit = np.zeros(np.shape(raw(value)))
    unit[i] = 1.0
    return backward(unit)


def limits(fn: Any, args: Any, options: Any) -> Any:
    """Make bounds or constraints; what bounds them may be differentiated."""
    made = fn(*unboxed(args), **unboxed(options))
    given = inspect.signature(fn).bind(*args, **options).arguments
    for name in ("lb", "ub", "A"):
        if name in given and has_box(given[name]):
            setattr(made, name, call(np.asarray, given[name]))
    return made


# Fits


def fit(given: Given, found: Any) -> Any:
    """Return the parameters of a curve, and their covariances: ``curve_fit``."""
    arguments = given.arguments
    if arguments.get("nan_policy"):
        raise given.refuse("nan_policy", "leave it out")
    if arguments.get("loss", "linear") != "linear":
        raise given.refuse("a loss", "minimize the loss itself")
    xdata, ydata = arguments["xdata"], call(np.asarray, arguments["ydata"])
    sigma = arguments.get("sigma")
    place, covariance = found[:2]
    own = given.own

    def residuals(p: Any) -> Any:
        values = [get_item(p, k) for k in range(len(place))]
        off = call(np.ravel, call(own, xdata, *values)) - call(np.ravel, ydata)
        if sigma is None:
            return off
        if np.ndim(raw(call(np.asarray, sigma))) < 2:
            return off / sigma
        return call(np.linalg.solve, call(np.linalg.cholesky, sigma), off)

    def half_square(p: Any) -> Any:
        off = residuals(p)
        return 0.5 * call(np.sum, off * off)

    made = _root_of_slope(given, half_square, place)
    rest = found[2:]
    if rest:
        rest = (Entries({"nfev": rest[0]["nfev"], "fvec": residuals(made)}), *rest[1:])
    if not np.isfinite(covariance).all():
        return made, covariance, *rest
    count = np.size(raw(ydata))
    spread = _spread(residuals, made)
    if not arguments.get("absolute_sigma"):
        spread = spread * (2.0 * half_square(made) / (count - len(place)))
    if not np.allclose(raw(spread), covariance, rtol=1e-3, atol=1e-6 * np.abs(covariance).max()):
        raise given.refuse("covariances that are not those of its slopes", "use the parameters")
    return made, exact(spread, covariance), *rest


def _spread(residuals: Any, p: Any) -> Any:
    """Return the inverse of J^T J, where J is the slope of residuals."""
    value, backward = vjp(residuals, p)
    slopes = call(np.stack, [backward(unit) for unit in np.eye(len(raw(value)))])
    return call(np.linalg.inv, call(np.matmul, call(np.transpose, slopes), slopes))


# Linear equations and programs


def nearest(given: Given, found: Any) -> Any:
    """Return the least squares of linear equations under bounds: ``nnls``, ``lsq_linear``."""
    a, b = (call(np.asarray, given.arguments[name]) for name in ("A", "b"))
    if given.name == "nnls":
        given.arguments["bounds"] = [(0.0, None)] * raw(a).shape[1]

    def off(x: Any) -> Any:
        return call(np.matmul, a, x) - b

    def f(x: Any) -> Any:
        return 0.5 * call(np.sum, off(x) ** 2)

    made = _root_of_slope(given, f, np.asarray(found.x if hasattr(found, "x") else found[0]))
    if given.name == "nnls":
        return made, call(np.linalg.norm, off(made))
    return report(found, x=made, cost=f(made), fun=off(made))


def corner(given: Given, found: Any) -> Any:
    """Return the corner that ``linprog`` found: what holds there determines it."""
    arguments = given.arguments
    if arguments.get("integrality") is not None and np.any(arguments["integrality"]):
        raise given.refuse("whole numbers", "leave integrality= out")
    if found.x is None:
        return found
    cost = call(np.asarray, arguments["c"])
    count = raw(cost).size
    bounds = arguments.get("bounds", (0, None))
    if bounds is None:
        bounds = (None, None)
    if not isinstance(bounds[0], list | tuple | np.ndarray):
        bounds = [bounds] * count
    arguments["bounds"] = bounds
    arguments["constraints"] = [
        {"type": kind, "fun": _room, "args": (arguments[f"A_{name}"], arguments[f"b_{name}"])}
        for name, kind in (("ub", "ineq"), ("eq", "eq"))
        if arguments.get(f"A_{name}") is not None
    ]

    def f(x: Any) -> Any:
        return call(np.sum, cost * x)

    made = _root_of_slope(given, f, np.asarray(found.x))
    return report(found, x=made, fun=f(made))


def _room(x: Any, matrix: Any, most: Any) -> Any:
    return call(np.asarray, most) - call(np.matmul, call(np.asarray, matrix), x)
