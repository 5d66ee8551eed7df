"""What forward mode gives: a function with tangents, and how such a function is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from srcgrad.ir.nodes import Block, Equation, Var


@dataclass(eq=False)
class Forwarded:
    """The tangents of a function."""

    block: Block  # the statements that compute them
    seeds: dict[Var, Var]  # the tangents it is given, by the parameters' variables


@dataclass(eq=False)
class ForwardPair:
    """A called function that carries tangents along."""

    pair: Any  # the function
    name: str  # the name of what is generated
    forwarded: Forwarded | None = None  # its tangents; None while they are being generated


@dataclass(frozen=True, eq=False, repr=False)
class CarriedCall:
    """The operation of a call that carries tangents along, in the place of one that does not."""

    call: Equation

    @property
    def arity(self) -> tuple[None, int]:
        """The number of results; that of operands is not known inside a recursive call."""
        return None, len(self.moving)

    @property
    def moving(self) -> list[Var]:
        """The results of the call that have tangents."""
        return [t for t in self.call.targets if t.type.active]


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
