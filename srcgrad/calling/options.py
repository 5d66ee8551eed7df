"""How a derivative is computed: what is the same for all kinds of derivatives."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypedDict, TypeVar

from srcgrad.calling.recorded import checked_mode
from srcgrad.errors import ArgumentError

TEXTS = ("readable", "speed")
"""What generated text can be written for."""
WAYS = ("recompute", "float32", "memmap")
"""How a value can be kept that is not kept as it is."""


class OfText(TypedDict, total=False):
    """The options that another text comes of; ``grad`` says what each is."""

    optimize: str | None
    policy: Mapping[str, str] | None
    memory_budget: int | str | None


class OfAll(OfText, total=False):
    """The options that all kinds of derivatives take."""

    recorded: str | None
    jit: Callable[[Any], Any] | None


class OfRuns(OfAll, total=False):
    """The options of what is one run of generated code."""

    check_finite: bool


class OfGradients(OfRuns, total=False):
    """The options of gradients."""

    on_final: Callable[[str, Any], Any] | None


F = TypeVar("F", bound=Callable[..., Any])
_SIZE = re.compile(r"([0-9.]*[0-9])\s*([kKMG]?i?B|)")
_UNITS = {"": 1, "B": 1}
_UNITS |= {f"{p}B": 1000**k for k, p in enumerate("KMG", 1)}
_UNITS |= {f"{p}IB": 1024**k for k, p in enumerate("KMG", 1)}


def pairs_of(policy: Any) -> tuple[tuple[str, str], ...] | None:
    """Return a policy in the form in which it is compared; None where there is none.

    Raises:
        ArgumentError: when it is no dict of names and words.
    """
    if not policy:
        return None
    pairs = policy if isinstance(policy, tuple) else getattr(policy, "items", tuple)()
    if not pairs or not all(type(word) is str for pair in pairs for word in pair):
        raise ArgumentError(
            f"policy={policy!r} is no dict of names",
            fixes=['write it as {"h": "recompute"}'],
        )
    return tuple(sorted(pairs))


def bytes_of(budget: Any) -> int | None:
    """Return a number of bytes.

    Raises:
        ArgumentError: when it is no positive number, and no text of one with a unit.

    Example:
        >>> bytes_of("64 MB"), bytes_of("1.5GiB"), bytes_of(2e6)
        (64000000, 1610612736, 2000000)
    """
    if budget is None:
        return None
    found = _SIZE.fullmatch(budget.strip()) if isinstance(budget, str) else None
    if found is not None:
        budget = float(found[1]) * _UNITS[found[2].upper()]
    if isinstance(budget, bool) or not isinstance(budget, int | float) or not 0 < budget < math.inf:
        raise ArgumentError(
            f"memory_budget={budget!r} is no number of bytes",
            fixes=['write it as 64_000_000 or "64 MB"'],
        )
    return int(budget)


@dataclass(frozen=True)
class Options:
    """What the public functions are given beside a function and ``wrt``.

    An option that is added here and to the names that they take, above, goes through to all
    of them: they hand on ``Options.around(f, ...)``.

    Attributes:
        recorded: ``warn``, ``allow`` or ``refuse``; None for what holds around.
        check_finite: whether it stops at the first value that is not finite.
        on_final: what is told of each gradient as soon as it is final.
        jit: what compiles generated functions; None where Python runs them.
        optimize: ``readable`` or ``speed``; None for what holds around, or else ``readable``.
        policy: how single values are kept, as pairs of a name and ``recompute``, ``float32`` or
            ``memmap``; None where nothing is said of them.
        memory_budget: how many bytes a call may take; None for as many as it takes.
    """

    recorded: str | None = None
    check_finite: bool = False
    on_final: Callable[[str, Any], Any] | None = None
    jit: Callable[[Any], Any] | None = None
    optimize: str | None = None
    policy: tuple[tuple[str, str], ...] | None = None
    memory_budget: int | None = None

    def __post_init__(self) -> None:
        checked_mode(self.recorded)
        if self.jit is not None and not callable(self.jit):
            raise ArgumentError(
                f"jit={self.jit!r} cannot be called",
                fixes=["give what compiles a function, such as numba.njit"],
            )
        if self.optimize not in (None, *TEXTS):
            raise ArgumentError(
                f"optimize={self.optimize!r} is not known",
                fixes=[f"choose one of {', '.join(map(repr, TEXTS))}"],
            )

        for name, way in self.policy or ():
            if way not in WAYS:
                raise ArgumentError(
                    f"policy={{{name!r}: {way!r}}} is not known",
                    fixes=[f"choose one of {', '.join(map(repr, WAYS))}"],
                )

    @classmethod
    def around(cls, f: Any, taken: Any, chosen: Mapping[str, Any]) -> Options:
        """Return what was given; the rest is what a decorated function was given itself.

        Args:
            f: the function, or None.
            taken: the names that may be given.
            chosen: what was given.

        Raises:
            TypeError: for another name.
        """
        for name in chosen:
            if name not in taken.__optional_keys__:
                names = ", ".join(sorted(taken.__optional_keys__))
                raise TypeError(f"unexpected keyword argument {name!r}; there are {names}")
        own = getattr(f, "__srcgrad_options__", None)
        given = {**chosen}
        given["policy"] = pairs_of(given.get("policy"))
        given["memory_budget"] = bytes_of(given.get("memory_budget"))
        if not isinstance(own, Options):
            return cls(**given)
        named = {name: value for name, value in given.items() if value or name == "recorded"}
        return replace(own, **named)

    def given(self) -> dict[str, Any]:
        """Return those that are not what they are by default, by name."""
        held = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {name: value for name, (value, default) in held.items() if value is not default}


def _spelled(names: Any) -> Iterator[tuple[str, str, Any]]:
    """The options of a set, with their annotations and defaults."""
    for field in fields(Options):
        if field.name in names.__optional_keys__:
            own = names.__annotations__[field.name]
            yield field.name, getattr(own, "__forward_arg__", own), field.default


def takes(names: Any) -> Callable[[F], F]:
    """Return a decorator that spells out the options in the signature of a public function.

    Args:
        names: those that ``**chosen`` stands for.
    """

    def spelled_out(function: F) -> F:
        shown = inspect.signature(function)
        plain = [p for p in shown.parameters.values() if p.kind is not p.VAR_KEYWORD]
        options = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=own)
            for name, own, default in _spelled(names)
        ]
        function.__signature__ = shown.replace(parameters=[*plain, *options])  # type: ignore
        return function

    return spelled_out


OF_TEXT = tuple(OfText.__annotations__)
BY_DEFAULT = Options()
HOW = tuple(field.name for field in fields(Options) if field.name != "on_final")
"""Those that change no result: inside of a function that is differentiated, the outer ones hold."""
