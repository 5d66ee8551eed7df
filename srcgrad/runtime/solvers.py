"""What calls of SciPy's solvers stand for: functions of data and of derived functions.

A call such as ``brentq(f, a, b, args=(p,))`` takes a function. When code is
generated, the functions that its derivative needs are generated for the types of
the call, and the call becomes one of a function below; the text stays the user's.
"""

from __future__ import annotations

from typing import Any

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
