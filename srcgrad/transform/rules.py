"""The reverse rules of the operations that have no formula."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.ir.nodes import (
    ADD_AT,
    INDEX_ADD,
    INDEX_SET,
    INTERCEPT,
    LIST_APPEND,
    LIST_INSERT,
    LIST_ITEM,
    LIST_NEW,
    LIST_POP,
    LIST_REVERSED,
    LIST_SET,
    LIST_TAKE,
    PAIR,
    PERTURB,
    READ,
    RECORDED,
)
from srcgrad.runtime import add_lists, list_along, list_like, spread_over, zeros_in, zeros_of_active
from srcgrad.transform import calls, indexing, lists, stacks

# Each takes the pass, the equation and the cotangents of its targets, and returns
# whether it applies; where it does not, the formula of the operation is asked.
RULES: dict[Any, Any] = {
    operator.getitem: indexing.getitem,
    INDEX_ADD: indexing.index_add,
    ADD_AT: indexing.index_add,
    INDEX_SET: indexing.index_set,
    LIST_NEW: stacks.list_new,
    LIST_APPEND: stacks.list_append,
    LIST_POP: stacks.list_pop,
    LIST_INSERT: stacks.list_insert,
    LIST_TAKE: stacks.list_pop,
    LIST_ITEM: stacks.list_item,
    LIST_REVERSED: stacks.list_reversed,
    LIST_SET: lists.list_set,
    np.stack: lists.stacked,
    np.concatenate: lists.joined,
    sum: lists.added_up,
    list_along: lists.parts_of,
    list_like: lists.pieces_of,
    spread_over: lists.shares_of,
    add_lists: lists.summands_of,
    list: lists.copied,
    PAIR: calls.pair_call,
    RECORDED: calls.recorded_call,
    INTERCEPT: calls.intercepted,
    PERTURB: calls.perturbed,
    READ: calls.perturbed,
    zeros_in: lists.of_zeros,
    zeros_of_active: lists.of_zeros,
}
