"""What a random program can refer to at some place in its text."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tests.fuzz.productions import Shape


@dataclass(frozen=True)
class Function:
    """A function that can be called.

    Attributes:
        name: its name.
        parameters: names and shapes of the positional parameters.
        optional: how many of the last ones have a default.
        keywords: names and shapes of the keyword-only parameters; all have a default.
        result: the shape of what it returns.
        depth: for a recursive function, the largest first argument to call it with.
    """

    name: str
    parameters: tuple[tuple[str, Shape], ...]
    optional: int
    keywords: tuple[tuple[str, Shape], ...]
    result: Shape
    depth: int | None = None


@dataclass
class Scope:
    """The names that can be read and written, with what they stand for.

    Attributes:
        floats: numbers and arrays, with their shapes.
        own: those of them that belong to this function, so that it may assign them.
        integers: names of small whole numbers, with a bound that they stay below.
        flags: names of truth values.
        lists: lists, with the shape of their elements and their smallest length.
        functions: functions that can be called.
        result: what `return` has to give: shapes of one or several results.
        arguments: names of the arguments of the function that is differentiated.
        loop: whether `break` and `continue` stand in a loop here.
    """

    floats: dict[str, Shape] = field(default_factory=dict)
    own: frozenset[str] = frozenset()
    integers: dict[str, int] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    lists: dict[str, tuple[Shape, int]] = field(default_factory=dict)
    functions: tuple[Function, ...] = ()
    result: tuple[Shape, ...] = ((),)
    arguments: frozenset[str] = frozenset()
    loop: bool = False

    def inner(self, **changes) -> Scope:
        """Return the scope of a block in this one; what it adds is seen there only."""
        copies = {
            "floats": dict(self.floats),
            "integers": dict(self.integers),
            "lists": dict(self.lists),
        }
        return replace(self, **{**copies, **changes})

    def put(self, name: str, shape: Shape) -> None:
        """Let a name that this function assigns stand for a number or an array."""
        self.forget(name)
        self.floats[name] = shape
        self.own |= {name}

    def forget(self, name: str) -> None:
        """Let a name stand for nothing: on some way through the program it does not."""
        self.floats.pop(name, None)
        self.integers.pop(name, None)
        self.lists.pop(name, None)

    def of_shape(self, shape: Shape, *, own: bool = False) -> list[str]:
        """Return the names of this shape."""
        return [
            name for name, s in self.floats.items() if s == shape and (not own or name in self.own)
        ]
