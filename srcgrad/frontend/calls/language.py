"""The front end with all of the language: lowering, and the modules that define its parts."""

from __future__ import annotations

from srcgrad.frontend.arrays import formula_calls, splines, views
from srcgrad.frontend.calls import inactive_calls, split
from srcgrad.frontend.calls import lowering as calls
from srcgrad.frontend.containers import attributes, indexing
from srcgrad.frontend.expressions import known_lists, ordering
from srcgrad.frontend.statements import comprehensions, loops
from srcgrad.frontend.statements import lowering as statements
from srcgrad.frontend.statements.functions import lower_function, nested_source, prepare

__all__ = ["DEFINING", "lower_function", "nested_source", "prepare"]

DEFINING = (  # the modules that define what recursion declares
    attributes, calls, comprehensions, formula_calls, inactive_calls, indexing,
    known_lists, loops, ordering, splines, split, statements, views,
)  # fmt: skip
