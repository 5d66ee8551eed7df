"""The text of the ``__init__`` that a dataclass has of its fields, where it calls more code.

``dataclasses`` compiles it from a text that nobody keeps. This is the same function, at the
line of the ``__post_init__`` that it calls.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
from typing import Any

import libcst as cst

from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.trees import children
from srcgrad.program import facts

_DISPLAYS: dict[Any, str] = {list: "[]", dict: "{}"}
_ANEW = "MADE_ANEW"  # the default of fields that a function makes


def calls_more(cls: type) -> bool:
    """Tell whether a class is a dataclass whose ``__init__`` is made, and calls the user's code."""
    made = vars(cls).get("__dataclass_params__")
    init = vars(cls).get("__init__")
    if made is None or not made.init or not isinstance(init, types.FunctionType):
        return False
    written = facts.code(init).co_filename == "<string>"
    return written and isinstance(facts.in_class(cls, "__post_init__"), types.FunctionType)


def read_constructor(cls: Any) -> Source:
    """Return the source of the made ``__init__`` of a dataclass with a ``__post_init__``."""
    cells: dict[str, Any] = {}
    body = [f"    {line}" for line in _lines(cls, cells)]
    parameters = facts.signature(cls.__init__).parameters.values()
    head = ", ".join(_parameter(p, cells) for p in parameters)
    text = "\n".join([f"def __init__({head}):", *body, ""])
    root = cst.parse_module(text)
    tree = root.body[0]
    assert isinstance(tree, cst.FunctionDef)
    code = facts.code(facts.in_class(cls, "__post_init__"))
    lines: dict[int, int] = {}
    waiting: list[Any] = [tree]
    while waiting:
        node = waiting.pop()
        lines[id(node)] = code.co_firstlineno
        waiting += children(node)
    source = Source(
        cls.__init__, tree, code.co_filename, lines, (root, code.co_firstlineno, 0), cells
    )
    source.kept.append(root)
    return source


def _parameter(parameter: inspect.Parameter, cells: dict[str, Any]) -> str:
    """A parameter with its default, which the text spells out if it can."""
    name, default = parameter.name, parameter.default
    if default is parameter.empty:
        return name
    if type(default) in (int, float, bool, str, type(None)) and default == default:
        return f"{name}={default!r}"
    label = _ANEW if type(default).__module__ == "dataclasses" else f"{name}_default"
    cells[label] = types.CellType(default)
    return f"{name}={label}"


def _lines(cls: Any, cells: dict[str, Any]) -> list[str]:
    """The statements of the function; what they call by other names is put into cells."""
    found: list[str] = []
    parameters = facts.signature(cls.__init__).parameters
    own = next(iter(parameters))
    for field in dataclasses.fields(cls):
        value = field.name
        if field.default_factory is not dataclasses.MISSING:
            value = _DISPLAYS.get(field.default_factory, f"{field.name}_factory()")
            cells[f"{field.name}_factory"] = types.CellType(field.default_factory)
            if field.init:
                value = f"{value} if {field.name} is {_ANEW} else {field.name}"
        if field.init or value != field.name:
            set_ = f"object.__setattr__({own}, {field.name!r}, {value})"
            frozen = cls.__dataclass_params__.frozen
            found.append(set_ if frozen else f"{own}.{field.name} = {value}")
    held = {field.name for field in dataclasses.fields(cls)}
    handed = [name for name in cls.__dataclass_fields__ if name in parameters and name not in held]
    return [*found, f"{own}.__post_init__({', '.join(handed)})"]
