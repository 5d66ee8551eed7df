"""The front end with all of the language: lowering, and the modules that define its parts."""

from __future__ import annotations

from srcgrad.frontend import (
    attributes,
    calls,
    comprehensions,
    factories,
    formula_calls,
    inactive_calls,
    indexing,
    list_parts,
    loops,
    ordering,
    splines,
    split,
    standard_collections,
    statements,
    views,
)
from srcgrad.frontend.functions import lower_function, nested_source, prepare

__all__ = ["DEFINING", "lower_function", "nested_source", "prepare"]

DEFINING = (  # the modules that define what recursion declares
    attributes, calls, comprehensions, factories, formula_calls, inactive_calls, indexing,
    list_parts, loops, ordering, splines, split, standard_collections, statements, views,
)  # fmt: skip
