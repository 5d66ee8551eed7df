"""What calls of SciPy's solvers stand for: functions of data and of derived functions.

A call such as ``brentq(f, a, b, args=(p,))`` takes a function. When code is
generated, the functions that its derivative needs are generated for the types of
the call, and the call becomes one of a function below; the text stays the user's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

FAR = 1e-2  # how long a step of Newton's method from what a search has found may be
_NEVER = "the text of the call stands where this is called"


def root(slope: Any, pullback: Any, pushforward: Any, moving: Any, still: Any, rest: Any) -> Any:
    """Stand for the number x at which f(x, *moving, *still) is 0.

    Args:
        slope: the derivative of f in x.
        pullback: from x, moving, still and the cotangent of f to those of moving.
        pushforward: from x, moving, still and the tangents of moving to that of f.
        moving: what f is given and is differentiated.
        still: what else it is given.
        rest: what else the call reads.
    """
    raise NotImplementedError(_NEVER)


def roots(
    jacobian: Any, pullback: Any, pushforward: Any, moving: Any, still: Any, rest: Any
) -> Any:
    """Stand for the vector x at which f(x, *moving, *still) is 0; see ``root``."""
    raise NotImplementedError(_NEVER)


def roots_between(
    jacobian: Any,
    value: Any,
    pullback: Any,
    pushforward: Any,
    moving: Any,
    still: Any,
    rest: Any,
    bounds: Any,
) -> Any:
    """Stand for the least point between bounds of a function whose slope is f; see ``root``.

    Args:
        jacobian: the derivative of f in x.
        value: f itself.
        pullback: see ``root``.
        pushforward: see ``root``.
        moving: see ``root``.
        still: see ``root``.
        rest: see ``root``.
        bounds: for each variable the lowest and the highest value, or None.
    """
    raise NotImplementedError(_NEVER)


def slope_at_root(slope: Any, value: Any, x: Any) -> Any:
    """Return the derivative of a function at a root, if it is one.

    The rule for the derivative of a root holds where the search has come to its end. A step
    of Newton's method from there tells how far it was.

    Args:
        slope: the derivative, a number or a matrix.
        value: the value there, which should be 0.
        x: what the search has found.

    Raises:
        ValueError: where the step is longer than a hundredth of ``1 + abs(x)``.

    Example:
        >>> slope_at_root(4.0, 1e-9, 2.0)
        4.0
    """
    if np.ndim(x) == 0:
        far, step = abs(value) > FAR * (1 + abs(x)) * abs(slope), value
    else:
        try:
            step = np.linalg.solve(slope, value)
        except np.linalg.LinAlgError:
            return slope  # the rule itself raises it
        far = np.any(np.abs(step) > FAR * (1 + np.abs(x)))
    if far:
        raise ValueError(
            "the search stopped before it came to its end, so that what it found has no "
            "derivative by the rule of roots and minima: start nearer, or allow for more steps"
        )
    return slope


def free_variables(x: Any, slope: Any, curvature: Any, bounds: Any) -> Any:
    """Return 1 for each variable of a minimum that no bound holds, 0 for each other one.

    A variable is held where a step of Newton's method for it alone would go past its bound,
    so that it may come near its bound without reaching it.

    Args:
        x: the minimum, a vector.
        slope: the derivative there.
        curvature: the second derivative there, a matrix.
        bounds: for each variable the lowest and the highest value, or None.

    Raises:
        ValueError: where ``x`` is not between the bounds: some methods ignore them.

    Example:
        >>> x, slope = np.array([0.0, 0.5]), np.array([2.0, 1e-9])
        >>> free_variables(x, slope, np.eye(2), ((0, 1), (None, 1)))
        array([0., 1.])
    """
    low = np.array([-np.inf if pair[0] is None else pair[0] for pair in bounds], x.dtype)
    high = np.array([np.inf if pair[1] is None else pair[1] for pair in bounds], x.dtype)
    room = 1e-6 * np.maximum(1.0, np.abs(x))
    if np.any(x < low - room) or np.any(x > high + room):
        raise ValueError("the minimum is not between its bounds: its method ignores them")
    size = np.abs(np.diagonal(curvature))
    below, above = (x - low), (high - x)
    held = (below * np.where(below < np.inf, size, 1) < slope) & (below < np.inf)
    held |= (above * np.where(above < np.inf, size, 1) < -slope) & (above < np.inf)
    return np.where(held | (low == high), 0.0, 1.0).astype(x.dtype)


def integral(
    value: Any,
    integrals: Any,
    pushforward: Any,
    a: Any,
    b: Any,
    moving: Any,
    still: Any,
    rest: Any,
) -> Any:
    """Stand for the integral of f(x, *moving, *still) over x from a to b, and its error.

    Args:
        value: the function f.
        integrals: from a, b, moving, still and a cotangent to those of moving.
        pushforward: from a, b, moving, still and the tangents of moving to that of the integral.
        a: the lower end.
        b: the upper end.
        moving: what f is given and is differentiated.
        still: what else it is given.
        rest: what else the call reads.
    """
    raise NotImplementedError(_NEVER)


def integral_of_array(
    value: Any,
    integrals: Any,
    pushforward: Any,
    a: Any,
    b: Any,
    moving: Any,
    still: Any,
    rest: Any,
) -> Any:
    """Stand for the integral of an array, and its error; see ``integral``."""
    raise NotImplementedError(_NEVER)


def path(
    cotangents: Any, tangents: Any, y0: Any, when: Any, moving: Any, still: Any, rest: Any
) -> Any:
    """Stand for states y with dy/dt = f(y, t, *moving, *still), one row for each time.

    Args:
        cotangents: from y0, when, moving, still and that of the states to those of y0 and
            of moving.
        tangents: from y0, when, moving, still and the tangents of y0 and of moving to that
            of the states.
        y0: the first state.
        when: what says at which times the states are wanted.
        moving: what f is given and is differentiated.
        still: what else it is given.
        rest: what else the call reads.
    """
    raise NotImplementedError(_NEVER)


def columns_of_path(
    cotangents: Any, tangents: Any, y0: Any, when: Any, moving: Any, still: Any, rest: Any
) -> Any:
    """Stand for the states of ``path``, one column for each time."""
    raise NotImplementedError(_NEVER)
