"""The functions that users wrote, behind what srcgrad makes of them."""

from __future__ import annotations

import functools
import types
from typing import Any


def primal_of(thing: Any) -> Any:
    """Return the function behind one that srcgrad has made, anything else as it is.

    Objects of the user's are not asked: a ``__getattr__`` of theirs would be run.
    """
    made = isinstance(thing, types.FunctionType | functools.partial)
    module = type(thing).__module__  # of compiled functions' type, a descriptor
    if made or (isinstance(module, str) and module.partition(".")[0] == "srcgrad"):
        return getattr(thing, "__srcgrad_primal__", thing)
    return thing
