"""Methods that were taken from objects before these changed."""

from __future__ import annotations

from typing import Any

from srcgrad.ir.nodes import Method, Value


def bound_anew(b: Any, method: Method, receiver: Value) -> Method:
    """Return a method that some name holds as one of the next version of its object."""
    if receiver is method.receiver:
        return method
    if b.loops:
        raise b.refuse(
            b.statement,
            f"a change, in a loop, of an object whose method {method.name!r} was taken before",
            "take the method where it is called",
        )
    return Method(receiver, method.name)
