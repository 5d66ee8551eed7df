"""The functions of lowering that call each other, declared for the modules below them.

A module that has one of them defines it, ``@recursion.lower_call.define``, and says there what
it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import libcst as cst

from srcgrad.declared import Declared

if TYPE_CHECKING:
    from srcgrad.frontend.state.builder import Builder
    from srcgrad.ir.nodes import Struct, Value

    Args = tuple[Value, ...]
    Options = dict[str, Value]

lower_call: Declared[[Builder, Any], Value] = Declared("lower_call")
call: Declared[[Builder, Value, Args, Options, Any], Value] = Declared("call")
call_own: Declared[..., Value] = Declared("call_own")
call_pair: Declared[..., Value] = Declared("call_pair")
call_spline: Declared[[Builder, Struct, Args, Options, Any], Value] = Declared("call_spline")
lower_comprehension: Declared[[Builder, Any, list[Value]], Value] = Declared("lower_comprehension")
written_out: Declared[[Builder, Any], Exception | None] = Declared("written_out")
lower_block: Declared[[Builder, Sequence[Any]], None] = Declared("lower_block")
assign: Declared[..., None] = Declared("assign")
lower_loop: Declared[[Builder, cst.For | cst.While], None] = Declared("lower_loop")
read_item: Declared[[Builder, Value, Value, Any], Value] = Declared("read_item")
lower_attribute: Declared[[Builder, Value, str, Any], Value] = Declared("lower_attribute")
inactive_type: Declared[[Builder, Value, Any, Any, Any], Any] = Declared("inactive_type")
may_be_held: Declared[[Builder, Value], None] = Declared("may_be_held")
may_write: Declared[..., None] = Declared("may_write")
may_write_outside: Declared[[Builder], None] = Declared("may_write_outside")
forget: Declared[..., None] = Declared("forget")
require_formula: Declared[[Builder, Any, Args, Any], None] = Declared("require_formula")
slice_of_list: Declared[[Builder, Any], Exception] = Declared("slice_of_list")
display_of_list: Declared[[Builder, Any], Exception] = Declared("display_of_list")
