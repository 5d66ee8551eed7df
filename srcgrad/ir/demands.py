"""What has to be known, or written out, when code is generated, beyond what a first look needs.

Whoever finds that it needs more raises ``Specialise``; ``satisfied`` generates anew with it.
Nothing else starts over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, TypeVar

from srcgrad.errors import SrcgradError, UnsupportedSyntaxError

T = TypeVar("T")


class What(Enum):
    """What is asked for."""

    STATEMENTS = "the expressions of a function are written as statements, with names for values"
    PARTS = "how many elements the lists among the arguments have that are not differentiated"
    CONTENTS = "code that relies on no more of the lists among the arguments than their class"
    OPTIONS = "the whole numbers among the arguments, and those from outside of the function"
    COMPLEX = "which numbers are real; all others count as complex"
    REGIONS = "statements that no code can be generated for are recorded"
    HANDED = "what a step of a checkpointed loop gives to calls is handed on to the next step"
    ROWS = "loops that go through dicts and objects are written out"
    ITERATORS = "iterators with a name are what they go through, and a place"
    CALLS = "the calls of a function that no code can be generated for are recorded"


OF_FUNCTIONS = frozenset({What.STATEMENTS, What.ITERATORS, What.CALLS, What.REGIONS, What.HANDED})


class Specialise(Exception):
    """More has to be known than is; code is generated again with it.

    Args:
        what: what that is.
        source: the function that it is about; None where it may be any.
        node: the expression that it is about, or None.
        refusal: why no code can be generated for a function, which is its ``callee``.
        region: the statements that are made this function.
    """

    def __init__(
        self,
        what: What,
        source: Any = None,
        node: Any = None,
        refusal: SrcgradError | None = None,
        region: Any = None,
    ) -> None:
        super().__init__(what)
        self.region = region
        self.what, self.source, self.node, self.refusal = what, source, node, refusal

    @property
    def key(self) -> Any:
        """What tells apart what is asked for: the function, however often it is read."""
        if self.refusal is not None:
            return self.what, self.refusal.callee
        return self.what, None if self.source is None else key_of(self.source)


def key_of(source: Any) -> Any:
    """Return what tells a function apart from others, however often it is read."""
    return source.function.__code__, source.name, source.line_of(source.tree)


@dataclass(frozen=True)
class Demands:
    """What has been asked for.

    Attributes:
        met: the keys of it.
        possible: what may be asked for of arguments; nothing where there are none.
        calls: why there is no code for the functions whose calls are recorded.
        regions: the statements that are such functions.
        tried: the keys of all that were.
    """

    met: frozenset[Any] = frozenset()
    possible: frozenset[What] = frozenset()
    calls: tuple[SrcgradError, ...] = ()
    regions: tuple[Any, ...] = ()
    tried: frozenset[Any] = frozenset()

    @property
    def of_call(self) -> bool:
        """Tell whether there are arguments."""
        return bool(self.possible)

    def asks(self, what: What) -> bool:
        """Tell whether something was asked for that is not about one function."""
        return bool(self.met) and (what, None) in self.met

    def asks_of(self, what: What, source: Any) -> bool:
        """Tell whether something was asked for of a function, or of all."""
        return bool({(what, None), (what, key_of(source))} & self.met)

    def may_ask(self, what: What) -> bool:
        """Tell whether something about arguments can still be asked for."""
        return what in self.possible and not self.asks(what)

    def with_region(self, region: Any) -> Demands:
        """Return these with statements that are recorded, in the place of those that they meet."""
        kept = tuple(r for r in self.regions if not r.meets(region))
        names = {r.function for r in (*kept, region)}
        gone = {r.function for r in self.regions} - names
        calls = tuple(c for c in self.calls if c.callee not in gone)
        tried = self.tried | {region.key}
        return replace(self, regions=(*kept, region), calls=calls, tried=tried)

    def also(self, keys: Iterable[Any]) -> Demands:
        """Return these and some more."""
        return replace(self, met=self.met | {*keys})


OF_A_CALL = Demands(possible=frozenset(What) - OF_FUNCTIONS)


def satisfied(
    make: Callable[[Demands], T],
    demands: Demands,
    source: Callable[[], Any],
    handled: frozenset[What] = frozenset(What),
) -> T:
    """Make something, with more and more of what is asked for, until nothing is."""
    while True:
        try:
            return make(demands)
        except Specialise as need:
            if need.what not in handled:
                raise
            if need.key in demands.met:
                raise _cannot_be_named(need, need.source or source()) from None
            demands = demands.also([need.key])
            if need.refusal is not None:
                demands = replace(demands, calls=(*demands.calls, need.refusal))
            if need.region is not None:
                demands = demands.with_region(need.region)


def _cannot_be_named(need: Specialise, culprit: Any) -> UnsupportedSyntaxError:
    return UnsupportedSyntaxError(
        f"{culprit.name} needs an intermediate value of an expression that cannot be named",
        spots=[culprit.spot(need.node or culprit.tree)],
        fixes=[
            "write the line, or the test of a loop, as several statements",
            "give the arrays that are written names of their own",
        ],
    )
