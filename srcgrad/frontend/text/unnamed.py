"""Keys of the environment for what the program holds under no name of its own."""

from __future__ import annotations


class Unnamed(str):
    """A key of the environment for a value that has no name in the program.

    It compares as the text that it is, which is no identifier, so that no name of the
    program is equal to it.

    Attributes:
        kind: what the value is, such as "array", "argument", "object" or "return".
    """

    __slots__ = ("kind",)
    kind: str

    def __new__(cls, kind: str, which: object = "") -> Unnamed:
        key = super().__new__(cls, f"<{kind} {which}>")
        key.kind = kind
        return key


def kind_of(key: str) -> str:
    """Return of what kind an unnamed value is; nothing for a name of the program."""
    return key.kind if isinstance(key, Unnamed) else ""


def is_named(key: str) -> bool:
    """Tell whether a key of the environment is a name of the program."""
    return not isinstance(key, Unnamed)
