"""The functions that generated code may call at run time.

Each is a plain function of arrays, linear in its first argument unless it says
otherwise, with a derivative formula of its own in ``formulas/runtime.py`` or beside
the formulas that use it, so that generated code can be differentiated again. Those
that every program may need are named here; the others stand in modules by topic.
"""

from srcgrad.runtime.broadcasting import (
    arange_like,
    astype,
    cast_like,
    first_columns,
    outside_span,
    over_gaps,
    stop_gradient,
    sum_repeats,
    sum_tiles,
    sum_windows,
    unbroadcast,
    with_added_columns,
)
from srcgrad.runtime.lists import (
    add_lists,
    join_like,
    list_along,
    list_like,
    split_like,
    spread_over,
)
from srcgrad.runtime.placing import (
    is_last_write,
    may_repeat,
    place,
    place_along,
    place_diagonal,
    place_each_along,
    place_flat,
    places_in,
    with_diagonal,
)
from srcgrad.runtime.requirements import (
    require_given,
    require_one_object,
    require_scalar,
    require_separate,
)
from srcgrad.runtime.structures import object_of, tree_of, zeros_in, zeros_of_active

__all__ = [
    "add_lists",
    "arange_like",
    "astype",
    "cast_like",
    "first_columns",
    "is_last_write",
    "join_like",
    "list_along",
    "list_like",
    "may_repeat",
    "object_of",
    "outside_span",
    "over_gaps",
    "place",
    "place_along",
    "place_diagonal",
    "place_each_along",
    "place_flat",
    "places_in",
    "require_given",
    "require_one_object",
    "require_scalar",
    "require_separate",
    "split_like",
    "spread_over",
    "stop_gradient",
    "sum_repeats",
    "sum_tiles",
    "sum_windows",
    "tree_of",
    "unbroadcast",
    "with_added_columns",
    "with_diagonal",
    "zeros_in",
    "zeros_of_active",
]
