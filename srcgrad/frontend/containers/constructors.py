"""Classes as functions: what calling a class does, by the text of its ``__init__``."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import abc
import dataclasses
import inspect
import sys
import types
from typing import Any

import libcst as cst

from srcgrad.errors import InternalError, SrcgradError
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.closures import capture
from srcgrad.frontend.state.recursion import call_pair
from srcgrad.frontend.text.exits import is_docstring, returns_of, statements_in
from srcgrad.frontend.text.names import identifiers
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.templates import expression, text_of
from srcgrad.frontend.text.trees import below, rewritten
from srcgrad.ir.forms import Object
from srcgrad.ir.nodes import Known, Struct, Value, is_active
from srcgrad.ir.structures import form_of_class, is_foreign
from srcgrad.library.libraries import home, is_of_library
from srcgrad.program import facts


def is_made_by_init(cls: Any) -> bool:
    """Whether calling a class does nothing but run its ``__init__`` on a new object."""
    return (
        type(cls) in (type, abc.ABCMeta)
        and isinstance(facts.in_class(cls, "__init__"), types.FunctionType)
        and not is_of_library(cls.__init__)
        and facts.code(cls.__init__).co_argcount > facts.code(cls.__init__).co_posonlyargcount
        and _makes_plainly(cls)
    )


def is_made_empty(cls: Any) -> bool:
    """Whether calling a class does nothing but make an object without attributes."""
    return (
        type(cls) in (type, abc.ABCMeta)
        and facts.in_class(cls, "__init__") is _INIT
        and _makes_plainly(cls)
    )


def _makes_plainly(cls: type) -> bool:
    """Whether the object is made by ``object``, and its attributes are set by it."""
    return (
        facts.in_class(cls, "__new__") is _NEW
        and (facts.in_class(cls, "__setattr__") is object.__setattr__ or calls_more(cls))
        and form_of_class(cls) is None
        and not is_foreign(cls)
        and home(cls) not in sys.stdlib_module_names
        and facts.in_class(cls, "__abstractmethods__") in (facts.MISSING, frozenset())
    )


_NEW, _INIT = vars(object)["__new__"], vars(object)["__init__"]


def as_function(source: Source, cls: type) -> cst.FunctionDef:
    """The text of ``__init__`` as a function that makes the object and returns it.

    The class is known to the function under its name.
    """
    tree = source.tree
    own, *params = tree.params.params
    label = known_as(source, cls)
    first = cst.parse_statement(f"{own.name.value} = object.__new__({label})")
    last = cst.parse_statement(f"return {own.name.value}")
    body = tree.body
    if returns_of(tree) or "super" in identifiers(body):
        above = source.cells.get("__class__")
        owner = (
            None
            if above is None
            else cst.Name(known_as(source, facts.read_name(above, "__class__")))
        )
        body = _constructing(source, body, own.name, owner)
    kept = statements_in(body)
    if isinstance(body, cst.SimpleStatementSuite):  # it stands behind the colon
        for statement in kept:
            source.derive(tree, statement)
    kept = kept[1:] if kept and is_docstring(kept[0]) else kept
    source.name = cls.__name__.lower()
    made = tree.with_changes(
        name=cst.Name(source.name),
        params=tree.params.with_changes(params=params),
        body=cst.IndentedBlock([first, *kept, last]),
    )
    for statement in (first, last, made):
        source.derive(tree, statement)
    source.receiver = own.name
    return made


def make_object(b: Builder, cls: type, args, options: dict[str, Value], node) -> Value | None:
    """Lower the construction of an object; None where it is about nothing differentiated."""
    args = tuple(capture(b, v) for v in args)
    options = {k: capture(b, v) for k, v in options.items()}
    try:
        return call_pair(b, Known(cls, cls.__name__), args, options, node)
    except InternalError:
        raise
    except SrcgradError:
        if any(is_active(v) for v in (*args, *options.values())):
            raise
        return None


def make_empty(cls: type) -> Value:
    """Return an object without attributes."""
    return Struct(Object(cls, ()), (), object())


def lower_object_of(b: Builder, args, options, node) -> Value | None:
    """Generated code: the cotangent of an object."""
    if len(args) != 1 or not isinstance(args[0], Known):
        return None
    return Struct(Object(args[0].object, tuple(options)), tuple(options.values()))


def lower_new(b: Builder, args, options, node) -> Value | None:
    """``object.__new__(cls)``: an object without attributes."""
    if len(args) != 1 or not isinstance(args[0], Known):
        return None
    return make_empty(args[0].object)


def known_as(source: Source, cls: type) -> str:
    """The name under which a function finds a class."""
    label = cls.__name__
    while source.globals.get(label) is not cls and label in identifiers(source.tree):
        label += "_"
    if source.globals.get(label) is not cls:
        source.cells[label] = types.CellType(cls)
    return label


def _constructing(source: Source, body: Any, own: cst.Name, owner: cst.Name | None) -> Any:
    """Return the body of a constructor, in which each ``return`` gives the object.

    ``super()`` names it, and its class.
    """

    def rule(node: Any, made: Any) -> Any:
        if isinstance(node, cst.FunctionDef | cst.Lambda):
            return node
        if made is None:
            return None
        if isinstance(node, cst.Return):
            space = cst.SimpleWhitespace(" ")
            made = made.with_changes(value=cst.Name(own.value), whitespace_after_return=space)
        elif isinstance(node, cst.Call) and owner is not None and text_of(node) == "super()":
            made = expression("super(_c, _o)", _c=owner.deep_clone(), _o=own.value)
        if made is not node:
            source.derive(node, made)
        return made

    return rewritten(body, rule)


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
    lines = dict.fromkeys(map(id, below(tree)), code.co_firstlineno)
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
