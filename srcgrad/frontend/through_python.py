"""Calls that are differentiated through functions in Python that give the same.

So all columns of q, and the reflections, are had at every order: they depend on how they
are computed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.builder import Builder
from srcgrad.ir.nodes import Const, Items, Known, Value, is_active
from srcgrad.runtime.reflectors import qr
from srcgrad.runtime.steps import linspace_and_step

# a function, the place and the name of an option, its values, and what gives the same with them
_OWN = {
    np.linalg.qr: (1, "mode", (Const("complete"), Const("raw")), qr),
    np.linspace: (4, "retstep", (Const(True),), linspace_and_step),
}


def lower_through_python(
    b: Builder, fn: Any, args: tuple[Value, ...], options: dict[str, Value], node: Any
) -> Value | None:
    """Lower a call of a function with an option that its formula does not have; None for others."""
    from srcgrad.frontend.split import call_function

    if fn not in (np.linalg.qr, np.linspace) or b.formula is not None:
        return None
    place, name, values, own = _OWN[fn]
    given = args[place] if len(args) > place else options.get(name)
    if given not in values or not is_active(Items((*args, *options.values()))):
        return None
    return call_function(b, Known(own, own.__name__), args, options, node)
