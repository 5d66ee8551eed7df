"""The functions of lowering that call each other, declared for the modules below them.

A module that has one of them defines it: ``@recursion.lower_call.define``.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportReturnType=false

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import libcst as cst

from srcgrad.declared import declared

if TYPE_CHECKING:
    from srcgrad.frontend.state.builder import Builder
    from srcgrad.ir.nodes import Struct, Value


@declared
def lower_call(b: Builder, node: Any) -> Value:
    """Lower a call expression."""


@declared
def call(
    b: Builder, callee: Value, args: tuple[Value, ...], options: dict[str, Value], node: Any
) -> Value:
    """Lower a call whose callee and arguments are lowered."""


@declared
def call_own(
    b: Builder,
    fn: Any,
    args: tuple[Value, ...],
    options: dict[str, Value],
    node: Any,
    style: str = "method",
) -> Value:
    """Lower a call of a method, whose first argument is not written between the brackets."""


@declared
def lower_comprehension(b: Builder, node: Any, values: list[Value]) -> Value:
    """Lower a comprehension or generator outside of formulas."""


@declared
def written_out(b: Builder, node: Any) -> Exception | None:
    """What to raise for a list comprehension whose elements have to be known one by one.

    None for anything else, and where they are not known.
    """


@declared
def lower_block(b: Builder, statements: Sequence[Any]) -> None:
    """Lower the statements of one region."""


@declared
def assign(b: Builder, target: Any, value: Value, later: frozenset[str] = frozenset()) -> None:
    """Lower an assignment; the names in ``later`` are assigned again by the same statement."""


@declared
def lower_loop(b: Builder, node: cst.For | cst.While) -> None:
    """Lower a loop, finding the types of the variables it carries."""


@declared
def call_pair(
    b: Builder,
    callee: Value,
    args: tuple[Value, ...],
    options: dict[str, Value],
    node: Any,
    *,
    texts: tuple[tuple[str, str], ...] = (),
    skipped: int = 0,
    unpassed: tuple[str, ...] = (),
    style: str = "call",
    always: bool = False,
    again: bool = False,
) -> Value:
    """Lower a call as one of a pair.

    Args:
        b: the lowering.
        callee: a known function or a local one.
        args: its arguments.
        options: those that are passed by name.
        node: the call.
        texts: (parameter, expression text) of options that the text does not have.
        skipped: see ``CallSite``.
        unpassed: see ``CallSite``.
        style: ``method`` where the first argument is the receiver of a method,
            ``pullback`` where it is what the text calls.
        always: see ``CallSite``.
        again: whether nothing is kept of it, and the backward part calls it again.
    """


@declared
def read_item(b: Builder, value: Value, index: Value, node: Any) -> Value:
    """Lower ``value[index]``."""


@declared
def lower_attribute(b: Builder, value: Value, name: str, node: Any) -> Value:
    """Lower ``value.name``."""


@declared
def call_spline(
    b: Builder, spline: Struct, args: tuple[Value, ...], options: dict[str, Value], node: Any
) -> Value:
    """Lower the call of a spline."""


@declared
def inactive_type(b: Builder, callee, args, options, node) -> Any:
    """The type of a call's result, whether it is differentiated or not, if it can be told.

    Of numbers and arrays, and of tuples of them.
    """


@declared
def may_be_held(b: Builder, value: Value) -> None:
    """Note that an inactive array may be reached from here on in ways that are not known."""


@declared
def may_write(b: Builder, value: Value, call: Any = None) -> None:
    """Note that an inactive array may have been written by a call that it was given to."""


@declared
def forget(b: Builder, *values: Value) -> None:
    """Know nothing any more of the lists, dicts and objects that unknown code may change."""


@declared
def may_write_outside(b: Builder) -> None:
    """Note that arrays may have been written that are neither local nor arguments."""


@declared
def require_formula(b: Builder, fn: Any, args: tuple[Value, ...], node: Any) -> None:
    """Refuse an operation on active values that has no formula."""


@declared
def slice_of_list(b: Builder, node: Any) -> Exception:
    """What to raise for ``t[1:]`` of a list of varying length."""


@declared
def display_of_list(b: Builder, node: Any) -> Exception:
    """What to raise for ``[a, *rows]`` where ``rows`` is a list of varying length."""
