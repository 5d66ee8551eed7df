"""Python's functions that active arguments cannot go through, and why."""

from __future__ import annotations

import operator

from srcgrad.registry import refused

refused("it gives a list; use np.sort", sorted)
refused(
    "it writes into its argument; use the operator",
    operator.iadd, operator.iand, operator.iconcat, operator.ifloordiv, operator.ilshift,
    operator.imatmul, operator.imod, operator.imul, operator.ior, operator.ipow,
    operator.irshift, operator.isub, operator.itruediv, operator.ixor,
    operator.setitem, operator.delitem,
)  # fmt: skip
refused(
    "it works on sequences; use np.concatenate and indexing",
    operator.concat, operator.length_hint, views="*",
)  # fmt: skip
refused(
    "what it calls is not known when code is generated; write the call out",
    operator.attrgetter, operator.itemgetter, operator.methodcaller,
    *([operator.call] if hasattr(operator, "call") else []),
)  # fmt: skip
