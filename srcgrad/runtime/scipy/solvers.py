"""What calls that solve differential equations stand for: functions of data and of derived ones.

A call such as ``odeint(f, y0, t, args=(p,))`` takes a function. When code is
generated, the functions that its derivative needs are generated for the types of
the call, and the call becomes one of a function below; the text stays the user's.
"""

from __future__ import annotations

from typing import Any

_NEVER = "the text of the call stands where this is called"


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
