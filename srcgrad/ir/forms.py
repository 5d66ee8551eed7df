"""The forms of values that hold other values by name: dicts, named tuples, dataclasses, objects.

A form says which parts there are, how a part is read in source, and how a value
of the form is written.
"""

from __future__ import annotations

import dataclasses
import json
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from srcgrad.program import facts
from srcgrad.program.registered import registered
from srcgrad.runtime import object_of, tree_of

Namer = Callable[[Any], str]


@dataclass(frozen=True)
class Form:
    """The form of a dict, and of what is like it.

    Attributes:
        cls: the class of the values.
        names: the keys, fields or attributes, in order.
    """

    cls: Any
    names: tuple[Any, ...]

    def position(self, name: Any) -> int | None:
        """Where a part stands, None if there is no such part."""
        for k, own in enumerate(self.names):
            if type(own) is type(name) and own == name:
                return k
        return None

    def access(self, k: int) -> str | None:
        """What is written behind a value to read a part, None where nothing can be."""
        return f"[{key_text(self.names[k])}]"

    def parts(self, value: Any) -> list[Any]:
        """The parts of a value at run time."""
        return [value[name] for name in self.names]

    def build(self, parts: Sequence[Any]) -> Any:
        """Make a value of its parts."""
        return dict(zip(self.names, parts, strict=True))

    def text(self, parts: Sequence[str], namer: Namer) -> str:
        """The expression that makes a value of its parts."""
        rows = zip(self.names, parts, strict=True)
        return "{" + ", ".join(f"{key_text(name)}: {part}" for name, part in rows) + "}"

    def test(self, text: str, constant: Callable[[Any], str]) -> list[str]:
        """Tests at run time whether a value has this form."""
        return [f"{text}.__class__ is dict", f"[*{text}] == {constant(list(self.names))}"]


class Attributes(Form):
    """The form of a value whose parts are attributes."""

    def access(self, k: int) -> str | None:
        return f".{self.names[k]}"

    def parts(self, value: Any) -> list[Any]:
        return [getattr(value, name) for name in self.names]

    def build(self, parts: Sequence[Any]) -> Any:
        return self.cls(**dict(zip(self.names, parts, strict=True)))

    def text(self, parts: Sequence[str], namer: Namer) -> str:
        rows = zip(self.names, parts, strict=True)
        return f"{namer(self.cls)}({', '.join(f'{name}={part}' for name, part in rows)})"

    def test(self, text: str, constant: Callable[[Any], str]) -> list[str]:
        return [f"{text}.__class__ is {constant(self.cls)}"]


class NamedTuple(Attributes):
    """The form of a named tuple."""

    def test(self, text: str, constant: Callable[[Any], str]) -> list[str]:
        own = [f"not {text}.__dict__"] if has_dict(self.cls) else []
        return [*super().test(text, constant), *own]


class Dataclass(Attributes):
    """The form of a dataclass that does nothing but hold its fields."""

    def test(self, text: str, constant: Callable[[Any], str]) -> list[str]:
        names = constant(set(self.names))
        own = [f"{text}.__dict__.keys() == {names}"] if has_dict(self.cls) else []
        return [*super().test(text, constant), *own]


class Object(Attributes):
    """The form of an object of any other class; it is made without calling its ``__init__``."""

    def build(self, parts: Sequence[Any]) -> Any:
        return object_of(self.cls, **dict(zip(self.names, parts, strict=True)))

    def text(self, parts: Sequence[str], namer: Namer) -> str:
        rows = "".join(f", {name}={part}" for name, part in zip(self.names, parts, strict=True))
        return f"{namer(object_of)}({namer(self.cls)}{rows})"

    def test(self, text: str, constant: Callable[[Any], str]) -> list[str]:
        return [*super().test(text, constant), f"[*vars({text})] == {constant(list(self.names))}"]


@dataclass(frozen=True)
class Outcome(Attributes):
    """The form of what a solver gives: an object with one attribute that is differentiated.

    Attributes:
        constant: its attributes that are constant, such as whether it succeeded.
    """

    constant: tuple[str, ...]


@dataclass(frozen=True)
class Spline(Outcome):
    """The form of a spline: its arrays, and what is known of it when code is generated.

    Attributes:
        evaluate: the function of its arrays, and of points, that a call stands for.
        beside: the number of axes of its coefficients that are those of their places.
        extrapolate: what it is beyond its ends.
        axis: where the axes of points stand in what it gives.
    """

    evaluate: Any
    beside: int
    extrapolate: Any = True
    axis: int = 0


@dataclass(frozen=True)
class Bound(Attributes):
    """The form of a method of an object, where it is given to a function: it holds the object.

    Attributes:
        method: the name of the method.
    """

    method: str

    def text(self, parts: Sequence[str], namer: Namer) -> str:
        return f"{parts[0]}.{self.method}"


@dataclass(frozen=True)
class Registered(Form):
    """The form of a class that was registered as a tree.

    Attributes:
        aux: what besides the parts makes up a value.
        attributes: the attribute that holds each part, None where none does.
        held: the attributes that are in a value itself, not in its class.
    """

    aux: Any
    attributes: tuple[str | None, ...]
    held: tuple[str, ...] = ()

    def access(self, k: int) -> str | None:
        name = self.attributes[k]
        return None if name is None else f".{name}"

    def parts(self, value: Any) -> list[Any]:
        return list(registered(self.cls)[0](value)[0])

    def build(self, parts: Sequence[Any]) -> Any:
        return registered(self.cls)[1](self.aux, tuple(parts))

    def text(self, parts: Sequence[str], namer: Namer) -> str:
        items = ", ".join(parts) + ("," if len(parts) == 1 else "")
        return f"{namer(tree_of)}({namer(self.cls)}, {self.aux!r}, ({items}))"

    def test(self, text: str, constant: Callable[[Any], str]) -> list[str]:
        flatten = constant(registered(self.cls)[0])
        return [
            f"{text}.__class__ is {constant(self.cls)}",
            f"{flatten}({text})[1] == {constant(self.aux)}",
            *([f"[*vars({text})] == {constant(list(self.held))}"] if has_dict(self.cls) else []),
        ]


class View(Form):
    """The form of what ``p.items()`` and its kind give: parts in order, without an index."""

    def access(self, k: int) -> str | None:
        return None


def dict_form(names: Sequence[Any]) -> Form:
    """The form of a dict with these keys."""
    return Form(dict, tuple(names))


def view_form(count: int) -> Form:
    """The form of a view of so many parts."""
    return View(tuple, tuple(range(count)))


def is_spelled(key: Any) -> bool:
    """Whether a key is a text or a whole number, or put together of such: it can be written."""
    return all(map(is_spelled, key)) if type(key) is tuple else type(key) in (str, int)


def key_text(key: Any) -> str:
    """A key as it is written in source."""
    if not isinstance(key, str) or any("\ud800" <= letter < "\ue000" for letter in key):
        return repr(key)
    return json.dumps(key, ensure_ascii=False)


def has_dict(cls: type) -> bool:
    """Whether the values of a class can have attributes that it does not tell of."""
    return cls.__dictoffset__ != 0


def is_plain_dataclass(cls: Any) -> bool:
    """Whether calling a dataclass with its fields does nothing but set them."""
    made = cls.__dict__.get("__dataclass_params__")
    if made is None or not made.init or facts.in_class(cls, "__new__") is not _NEW:
        return False
    init = facts.in_class(cls, "__init__")
    if not isinstance(init, types.FunctionType):
        return False
    code = facts.code(init)
    written = code.co_filename == "<string>"  # by dataclasses, not by the user
    runs_more = "__post_init__" in code.co_names
    return written and not runs_more and all(field.init for field in dataclasses.fields(cls))


_NEW = vars(object)["__new__"]


class Skeleton:
    """A structure without its leaves.

    Attributes:
        form: how it is put together: a form, ``tuple``, ``list``, or None for a leaf.
        parts: the skeletons of its parts.
        live: for a leaf, whether there is something at its place; otherwise None stands there.
    """

    def __init__(self, form: Any, parts: Sequence[Skeleton] = (), live: bool = True) -> None:
        self.form, self.parts, self.live = form, tuple(parts), live

    def text(self, leaves: Iterator[str], namer: Namer) -> str:
        """The expression of such a structure of these leaves."""
        if self.form is None:
            return next(leaves) if self.live else "None"
        parts = [part.text(leaves, namer) for part in self.parts]
        if self.form is list:
            return f"[{', '.join(parts)}]"
        if self.form is tuple:
            return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
        return self.form.text(parts, namer)

    def build(self, leaves: Iterator[Any]) -> Any:
        """Make such a structure of these leaves."""
        if self.form is None:
            return next(leaves) if self.live else None
        parts = [part.build(leaves) for part in self.parts]
        return self.form(parts) if self.form in (list, tuple) else self.form.build(parts)

    def count(self) -> int:
        """The number of leaves, dead ones included."""
        return 1 if self.form is None else sum(part.count() for part in self.parts)

    def live_leaves(self) -> list[bool]:
        """Whether there is something at the place of each leaf."""
        if self.form is None:
            return [self.live]
        return [live for part in self.parts for live in part.live_leaves()]

    def flat(self, value: Any) -> list[Any]:
        """The leaves of a value of this structure, dead ones included."""
        if self.form is None:
            return [value]
        parts = value if self.form in (list, tuple) else self.form.parts(value)
        return [
            leaf for own, part in zip(self.parts, parts, strict=True) for leaf in own.flat(part)
        ]
