"""Methods that were taken from objects before these changed."""

from __future__ import annotations

from typing import Any

from srcgrad.ir.nodes import Method, Value


def require_bound_as_it_was(b: Any, method: Method, receiver: Value) -> None:
    """Refuse a change of an object, a list or an array that some name holds a method of.

    Args:
        b: the builder.
        method: what a name holds, or a part of that.
        receiver: what its receiver is behind the change.
    """
    if receiver is not method.receiver:
        raise b.refuse(
            b.statement,
            f"a change of an object whose method {method.name!r} was taken before",
            "take the method where it is called",
        )
