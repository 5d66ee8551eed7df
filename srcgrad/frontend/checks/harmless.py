"""Functions that change nothing that was there before they were called.

Asked of a program before a call in it is recorded. Only what certainly has no effect passes.
Then nothing that was handed to a call differs afterwards, and a run may be given up and begun
again.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable
from typing import Any

from srcgrad.effects import computes_only
from srcgrad.frontend.checks.effect_search import EffectSearch
from srcgrad.frontend.checks.iterating import holds_iterator
from srcgrad.frontend.checks.purity import Purity, of_program
from srcgrad.library.libraries import WITH_FORMULAS, home
from srcgrad.program import facts


def is_harmless(function: types.FunctionType, purity: Purity) -> bool:
    """Tell whether calling a function changes nothing that was there before.

    What the answer depends on is recorded as facts.
    """
    return _computes(function, purity)


def changes_nothing(context: Any, function: types.FunctionType, numbers: Iterable[str]) -> bool:
    """Tell whether a call of a function changes nothing, whatever the program around it does."""
    return _computes(function, of_program(context, function), numbers, around=False)


def _computes(
    function: types.FunctionType, purity: Purity, numbers: Iterable[str] = (), around: bool = True
) -> bool:
    if purity.given_effects:
        return False
    with facts.recording() as known:
        found = EffectSearch(function, purity, numbers).computes(around)
    if found:  # nothing depends on it otherwise
        facts.rely_on(known)
    return found


def writes_only_its_own(context: Any) -> bool:
    """Tell whether the program may be run again, and writes into nothing that was there before."""
    if context.harmless is None and context.entry is not None:
        context.harmless = is_harmless(context.entry, of_program(context, context.entry))
    return bool(context.harmless)


def may_run_again(function: Any, arguments: Iterable[Any]) -> bool:
    """Tell whether a program may be run once more: nothing tells that it ran before."""
    given = list(arguments)
    while not isinstance(function, types.FunctionType):
        if isinstance(function, types.MethodType):
            given.append(function.__self__)
            function = function.__func__
        elif isinstance(function, functools.partial):
            function, *held = facts.parts_of_partial(function)
            given += held
        else:
            return home(function) in WITH_FORMULAS and computes_only(function, given, {})
    used_up = any(holds_iterator(value, deep=False) for value in given)
    return not used_up and is_harmless(function, Purity(given, [function]))


def repeatable(function: Any, arguments: Iterable[Any]) -> facts.Facts | None:
    """Return what it depends on that a program may be run once more, None if it may not be."""
    with facts.recording() as known:
        return known if may_run_again(function, arguments) else None
