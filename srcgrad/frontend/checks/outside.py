"""What text, or a function, reads that is neither local nor an argument."""

from __future__ import annotations

import types
from collections.abc import Mapping

from srcgrad.frontend.text.names import names_in
from srcgrad.frontend.text.source import Node, Source
from srcgrad.ir.nodes import Known, Value
from srcgrad.library.libraries import WITH_FORMULAS, home
from srcgrad.program import facts
from srcgrad.program.namespaces import MISSING

_FIXED = (int, float, complex, str, bytes, type(None), types.ModuleType)


def reads_outside(node: Node | None, source: Source, env: Mapping[str, Value]) -> bool:
    """Whether text may read an array from an object that is neither local nor an argument."""
    if node is None:
        return False
    for name in names_in(node):
        if name in env:
            value = env[name]
        else:
            value = facts.read_name(source.cells.get(name, source.globals), name)
            value = None if value is MISSING else Known(value)
        if value is not None and may_hold(value):
            return True
    return False


def may_hold(value: Value) -> bool:
    """Whether a value is an object that is not local, and that arrays may be reached through."""
    if not isinstance(value, Known):
        return False
    thing = value.object
    if isinstance(thing, type):
        return home(thing) not in ("builtins", *WITH_FORMULAS)
    return not callable(thing) and not isinstance(thing, _FIXED)


def reads_libraries_alone(function: types.FunctionType) -> bool:
    """Whether all that a function sees from outside comes from libraries, and stays as it is."""
    code = facts.code(function)
    codes, names = [code], set()
    for each in codes:
        names |= {*each.co_names}
        codes += [part for part in each.co_consts if isinstance(part, types.CodeType)]
    if code.co_freevars:
        return False
    facts.defaults(function)
    found = [facts.read_name(function.__globals__, name) for name in names]
    things = (thing for thing in found if thing is not MISSING)
    return all(_library(thing) in WITH_FORMULAS for thing in things)


def _library(thing: object) -> str:
    """The package of a module, or of what is in one."""
    name = thing.__name__ if isinstance(thing, types.ModuleType) else ""
    return name.partition(".")[0] or home(thing)
