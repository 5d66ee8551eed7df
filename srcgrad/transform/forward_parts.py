"""What forward mode gives: a function with tangents, and how such a function is called."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from srcgrad.ir.nodes import Block, Equation, Value, Var
from srcgrad.ir.types import Type, flat_types
from srcgrad.transform.tangents import dot_type


@dataclass(eq=False)
class Forwarded:
    """The tangents of a function.

    Attributes:
        block: the statements that compute them.
        seeds: the tangents it is given, by the parameters' variables.
    """

    block: Block
    seeds: dict[Var, Var]


@dataclass(eq=False)
class ForwardPair:
    """A called function that carries tangents along.

    Attributes:
        pair: the function.
        name: the name of what is generated.
        forwarded: its tangents; None while they are being generated.
    """

    pair: Any
    name: str
    forwarded: Forwarded | None = None


@dataclass(frozen=True, eq=False, repr=False)
class CarriedCall:
    """The operation of a call that carries tangents along, in the place of one that does not."""

    call: Equation

    @property
    def arity(self) -> tuple[None, int]:
        """The number of results; that of operands is not known inside a recursive call."""
        return None, sum(t.type.active for t in self.call.targets)


@dataclass(frozen=True, eq=False, repr=False)
class PairTangent(CarriedCall):
    """The operation of calling a function that carries tangents along."""

    callee: ForwardPair

    def __repr__(self) -> str:
        return self.callee.name


@dataclass(frozen=True, eq=False, repr=False)
class RecordedTangent(CarriedCall):
    """The operation of a call that is recorded, with tangents."""

    recorder: Any

    def __repr__(self) -> str:
        return self.recorder.__name__


def seed_type(var: Var) -> Type:
    """The type of the tangent of a value."""
    if var.type.kind == "list":
        flat = tuple(dot_type(t) if t.active else None for t in flat_types(var.type.element))
        return Type("list", active=True, element=flat)
    return dot_type(var.type)


def zero_of_argument(f: Any, given: Value, leaf: Var, origin: Any) -> Value:
    """The zero tangent of an argument; a list may get active elements in the call."""
    if leaf.type.kind == "list" and isinstance(given, Var) and not given.type.active:
        kind = replace(leaf.type, element=leaf.type.element or given.type.element)
        given = Var(given.name, kind, given.named)
    return f.zero(given, origin)
