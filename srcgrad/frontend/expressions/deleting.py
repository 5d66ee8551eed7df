"""Lowering of ``del``."""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.frontend.containers import indexing
from srcgrad.frontend.containers.structures import is_dict, key_of, without_part
from srcgrad.frontend.expressions import known_lists
from srcgrad.frontend.expressions.lowering import lower
from srcgrad.frontend.state.builder import Builder
from srcgrad.ir.nodes import Items
from srcgrad.ir.unassigned import UNDEFINED


def delete(b: Builder, target: Any) -> None:
    """Lower ``del`` of a name, or of an element of a list or a dict."""
    if isinstance(target, cst.Name):
        b.layout.tick()
        b.layout.write(target.value, b.frame)
        b.env[target.value] = UNDEFINED
        return
    base = lower(b, target.value)
    index = indexing.lower_index(b, target.slice, lower)
    if isinstance(base, Items) and base.is_list:
        known_lists.delete(b, base, index, target)
        return
    if is_dict(base):
        k = base.form.position(key_of(index))  # type: ignore[union-attr]
        if k is not None:
            without_part(b, base, k, target)  # type: ignore[arg-type]
            return
    raise b.refuse(target, "del of this element", "build a new container without it")
