"""Calls whose only effect is that attributes stand for something else afterwards.

``self.count = n`` in a method changes what later reads of ``count`` give, and nothing that
was read of other attributes, of arrays or of lists.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import Any

from srcgrad.frontend.checks.purity import OPERATORS, Purity
from srcgrad.program import facts
from srcgrad.program.namespaces import MISSING

_METHODS = (types.FunctionType, staticmethod, classmethod, types.MemberDescriptorType)
ANYTHING = "*"  # among names of attributes: what is read is not known


class RebindingCalls(Purity):
    """Which calls have an effect other than rebinding attributes.

    Args:
        purity: which functions of the program have effects.

    Attributes:
        names: the attributes that the functions that were asked about may rebind.
    """

    def __init__(self, purity: Purity) -> None:
        super().__init__([], [])
        self.classes, self.given, self.seen = purity.classes, purity.given, purity.seen
        self.reads = purity.reads
        self.names: set[str] = set()

    def rebound(self, has_effect: Callable[[Purity], bool]) -> frozenset[str] | None:
        """Return the attributes that an expression may rebind; None if it may do more."""
        return None if has_effect(self) else frozenset(self.names)

    def _is_effect(
        self, part: Any, own: Any, outside: set[str], rebound: set[str], made: str | None
    ) -> bool:
        if not super()._is_effect(part, own, outside, rebound, made):
            return False
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
            if all(sets_plainly(cls, part.attr) for cls in self.classes):
                self.names.add(part.attr)
                return False
        return True


def sets_plainly(cls: Any, name: str) -> bool:
    """Tell whether writing an attribute of an object of a class runs no code of the user's."""
    found = facts.in_class(cls, name)
    plain = found is MISSING or not hasattr(type(found), "__set__")
    return plain and facts.in_class(cls, "__setattr__") in (object.__setattr__, type.__setattr__)


def read_by(node: ast.AST, purity: Purity, is_plain_call: Callable[[ast.Call], bool]) -> set[str]:
    """Return the attributes and names from outside that evaluating an expression reads.

    Returns:
        The names, and ``ANYTHING`` where it may run code of the user's.
    """
    found: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and not is_plain_call(part):
            found.add(ANYTHING)
        elif isinstance(part, ast.Name):
            found.add(part.id)
        elif isinstance(part, ast.Attribute):
            found.add(part.attr)
            if not all(_reads_plainly(cls, part.attr) for cls in purity.classes):
                found.add(ANYTHING)
        elif isinstance(part, ast.Subscript | ast.BinOp | ast.UnaryOp | ast.Compare | ast.Starred):
            names = ("getitem",) if isinstance(part, ast.Subscript) else OPERATORS[type(part)]
            if any(purity.has_method(f"__{name}__") for name in names):
                found.add(ANYTHING)
        elif isinstance(part, ast.JoinedStr | ast.comprehension | ast.Await | ast.Yield):
            found.add(ANYTHING)
    return found


def _reads_plainly(cls: Any, name: str) -> bool:
    """Tell whether reading an attribute of an object of a class runs no code of the user's."""
    reader = facts.in_class(cls, "__getattribute__")
    if reader not in (object.__getattribute__, type.__getattribute__):
        return False
    found = facts.in_class(cls, name)
    plain = isinstance(found, _METHODS) or not hasattr(type(found), "__get__")
    return plain and facts.in_class(cls, "__getattr__") is MISSING


__all__ = ["ANYTHING", "RebindingCalls", "read_by", "sets_plainly"]
