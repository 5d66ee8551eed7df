"""The type of values that contain values of their own kind.

What a recursive function keeps for its backward part contains what its
recursive calls kept. Written out, the structure of such a value would never
end, so it is given an identity: a ``Record`` is compared by that, and its parts
may be records of the same kind.
"""

from __future__ import annotations

from typing import Any

from srcgrad.ir.types import Type, join_elements, like


class Record:
    """A kind of nested tuple that may contain itself.

    Attributes:
        template: the nested tuple of the types of its parts. It grows less
            specific while the function that makes such values is being lowered;
            None before that.
    """

    def __init__(self) -> None:
        self.template: Any = None
        self._cotangent: Record | None = None

    @property
    def type(self) -> Type:
        """The type of such a value."""
        return Type("record", active=True, element=self)

    @property
    def cotangent(self) -> Record:
        """The record of cotangents, in which parts that have none are opaque."""
        if self._cotangent is None:
            self._cotangent = Record()
            self._cotangent.template = _cotangents(self.template)
        return self._cotangent

    def widen(self, template: Any) -> bool:
        """Admit parts of other types; return whether that changed anything."""
        joined = join_elements(self.template, template)
        changed = joined != self.template
        self.template = joined
        return changed


def bar_type_of(type_: Type) -> Type:
    """The type of the cotangent of a value of some type."""
    if type_.kind == "record":
        return type_.element.cotangent.type
    if type_.kind == "list" and type_.element is not None:
        flat = tuple(bar_type_of(t) if t.active else None for t in _flat(type_.element))
        return Type("list", active=True, element=flat)
    return Type(type_.kind, type_.shape, type_.dtype if type_.dtype in "fc" else "f", True)


def _flat(element: Any) -> list[Type]:
    """The types of the leaves of a list's elements, in order."""
    if isinstance(element, tuple):
        return [leaf for part in element for leaf in _flat(part)]
    return [element]


def _cotangents(template: Any) -> Any:
    if isinstance(template, tuple):
        return like(template, (_cotangents(part) for part in template))
    return bar_type_of(template) if template.active else Type("opaque")
