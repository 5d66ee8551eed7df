"""Running a derivative while somebody watches."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from srcgrad.errors import ArgumentError
from srcgrad.late import late
from srcgrad.load.observers import CHECK, LOG, STOPS, Observer, around, run_watched

if TYPE_CHECKING:
    from srcgrad.calling.reuse.specialisation import Specialisation
    from srcgrad.calling.transformed import Transform

_WORDS = {CHECK: ("finite", "FiniteCheck"), LOG: ("backward", "BackwardLog")}


def observers_of(transform: Transform) -> tuple[Observer, ...]:
    """Return who watches the calls of a derivative: by its options, around, by the environment."""
    found = around()
    wanted = ["FiniteCheck"] if transform.check_finite else []
    for variable, (word, name) in _WORDS.items():
        value = os.environ.get(variable)
        if value and value != word:
            fix = f"say {variable}={word}"
            raise ArgumentError(f"{variable}={value} is not known", fixes=[fix])
        wanted += [name] if value else []
    known = {type(observer).__name__ for observer in found}
    return (*found, *(late(name)() for name in dict.fromkeys(wanted) if name not in known))


def watched(transform: Transform, special: Specialisation) -> Specialisation:
    """Return generated code as it runs while somebody watches; the same where nobody does.

    Where a breakpoint is set in it, it stops there, and nobody watches.
    """
    if STOPS and special.finish is not None:
        functions = late("stopped")(special)
        if functions is not None:
            return replace(special, run=functions[0], backward=functions[1])
    observers = observers_of(transform)
    if not observers:
        return special
    run, backward = special.instrumented
    run = run_watched(observers, run)
    backward = run_watched(observers, backward) if backward is not None else None
    return replace(special, run=run, backward=backward)


def watched_run(transform: Transform, run: Callable[..., Any]) -> Callable[..., Any]:
    """Return a generated function as it runs while somebody watches.

    Of a gradient the value is computed, too: what the forward part does only for it can be what
    is looked for.
    """
    special = next((known for known in transform.specialisations if known.run is run), None)
    if special is None:  # it is shared, and what is watched is the function's own

        def own(*args: Any, **options: Any) -> Any:
            found = transform.find(_bound(transform, args, options))
            return watched_run(transform, found.run)(*args, **options)

        return own
    plain = transform.kind != "grad" or special.recorded is not None or bool(STOPS)
    if plain or not observers_of(transform):
        return watched(transform, special).run

    def gradient(*args: Any, **options: Any) -> Any:
        both = transform.with_value
        found = both.find(_bound(transform, args, options))
        value, slope = watched(both, found).run(*args, **options)
        return (slope, value[1]) if transform.has_aux else slope

    return gradient


def _bound(transform: Transform, args: Any, options: Any) -> tuple[Any, ...]:
    bound = inspect.Signature(transform.parameters).bind(*args, **options)
    bound.apply_defaults()
    return tuple(bound.arguments.values())
