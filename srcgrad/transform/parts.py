"""What a backward part is made of, and the operations that only backward parts have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from srcgrad.expansion.pair import FormulaPair
from srcgrad.ir.nodes import Block, Equation, Value, Var
from srcgrad.transformation.context import Context


@dataclass(frozen=True, eq=False, repr=False)
class PairBackward:
    """The operation of calling the backward function of a split call."""

    pair: Any  # the functions
    pattern: tuple[bool, ...]  # which of the results have a cotangent
    # the structure in which the targets stand; None where there is one for each leaf
    template: Any = None
    sizes: tuple[int, ...] = ()  # of how many leaves each target is

    def __repr__(self) -> str:
        return self.pair.patterns[self.pattern].name

    @property
    def arity(self) -> tuple[int, int]:
        """The numbers of operands (the residuals come first) and of results."""
        wanted = self.pair.patterns[self.pattern]
        given = self.sizes if self.template is not None else wanted.cotangents(self.pair)
        return 1 + sum(self.pattern), len(given)


@dataclass(frozen=True, eq=False, repr=False)
class PairAgain:
    """The operation of calling a forward function again, for what it keeps."""

    pair: Any  # what is called
    # which operands it writes into, by position or by name
    copied: frozenset[int | str] = frozenset()

    def __repr__(self) -> str:
        return f"{self.pair.name}, again,"

    @property
    def arity(self) -> tuple[None, int]:
        """The numbers of operands, which are those of a call, and of results."""
        return None, 1


@dataclass(frozen=True, eq=False)
class PairGradient:
    """Stands for the function that gives the value of a called function and its gradient."""

    pair: Any


@dataclass(frozen=True, eq=False)
class RecordedBackward:
    """The operation of calling the backward function that a recorded call gave."""

    operands: int  # the number of operands: the function, and a cotangent for each result
    results: int  # the number of cotangents that it gives
    gives_new: bool = True  # that these share memory with nothing

    @property
    def arity(self) -> tuple[int, int]:
        """The numbers of operands and of results."""
        return self.operands, self.results


class _PairNames:
    """Keys under which the names of forward functions are kept."""


def forward_name(context: Context, pair: Any) -> str:
    """Return the name of a pair's forward function."""
    key = getattr(pair, "forward_key", None)
    if key is None:
        key = pair.forward_key = _PairNames()
    return context.name(pair.label(context, "forward"), key)


def gradient_name(context: Context, pair: Any) -> str:
    """Return the name of the function that gives a pair's value and its gradient."""
    key = getattr(pair, "gradient_key", None)
    if key is None:
        key = pair.gradient_key = _PairNames()
    return context.name(pair.label(context, "value_and_grad"), key)


@dataclass(frozen=True, eq=False, repr=False)
class FormulaBackward:
    """The operation of calling the backward function of a formula."""

    pair: FormulaPair  # the formula
    template: Any  # the types of the cotangents it gives, in the structure in which it does

    def __repr__(self) -> str:
        return self.pair.backward_name

    @property
    def arity(self) -> tuple[int, None]:
        """The number of operands; that of results depends on the call."""
        return len(self.pair.backward.params.params), None


@dataclass(eq=False)
class Reversed:
    """The backward part of a function."""

    block: Block  # its statements
    seeds: tuple[Value, ...]  # the cotangents it is given, one per live result leaf
    cotangents: dict[Var, Value]  # the cotangents of the active leaves of the parameters
    residuals: dict[Equation, Var]  # for a split call, the variable that holds its residuals
    # for a formula called out of line, its hidden outputs
    hidden: dict[Equation, tuple[FormulaPair, tuple[Var, ...]]]
    labels: tuple[str, ...] = ()  # the names of the arguments whose cotangents are returned
