"""Solvers of SciPy's on a tape: what they find as a function of what their function depends on."""

from __future__ import annotations

import functools
from importlib import import_module
from typing import Any

import numpy as np

import srcgrad.tape.libraries.implicit as implicit
from srcgrad.tape.calls import call
from srcgrad.tape.libraries import minima, paths
from srcgrad.tape.libraries.solving import Given, recording, report
from srcgrad.tape.session import Session


def root(given: Given, found: Any) -> Any:
    """Return the root of a function of one number."""
    if given.arguments.get("full_output"):
        place, plain = found
        return _root_of(given, place), report(plain, root=_root_of(given, place))
    if hasattr(found, "root"):
        return report(found, root=_root_of(given, found.root))
    if np.ndim(found):
        raise given.refuse("several starting points", "go through them one by one")
    return _root_of(given, found)


def _root_of(given: Given, place: Any) -> Any:
    made = recording(implicit.root, given.f, float(place), given.steps())
    return given.found_by(made, place)


def roots(given: Given, found: Any) -> Any:
    """Return the root of a function of a vector."""
    place = found.x if hasattr(found, "x") else found[0] if isinstance(found, tuple) else found
    place = np.asarray(place)
    free = np.ones(place.size, bool)

    def f(x: Any) -> Any:
        return call(np.asarray, given.f(x))

    made = given.found_by(recording(implicit.roots, f, place, free, given.steps()), place)
    if hasattr(found, "x"):
        return report(found, x=made, fun=f(made))
    if isinstance(found, tuple):
        raise given.refuse("full_output", "leave it out")
    return made


_SCALAR = ("brentq", "brenth", "bisect", "ridder", "toms748", "newton", "root_scalar")
_MINIMA = ("minimize", "minimize_scalar", "least_squares", "fmin", "fmin_bfgs")
_FINDING: dict[str, dict[str, Any]] = {
    "scipy.optimize": {
        **dict.fromkeys(_SCALAR, root),
        **dict.fromkeys(("fsolve", "root"), roots),
        **dict.fromkeys(_MINIMA, minima.minimum),
        "curve_fit": minima.fit,
        **dict.fromkeys(("Bounds", "LinearConstraint", "NonlinearConstraint"), minima.limits),
    },
    "scipy.integrate": {
        "quad": paths.integral,
        "odeint": paths.path_at,
        "solve_ivp": paths.path,
    },
}


@functools.cache
def _solvers() -> dict[Any, Any]:
    """Return what is done with what each solver found."""
    found = {}
    for module, handlers in _FINDING.items():
        try:
            library = import_module(module)
        except ImportError:
            continue
        found |= {getattr(library, name): handler for name, handler in handlers.items()}
    return found


def is_solver(fn: Any) -> bool:
    """Tell whether a function is a solver that is known here."""
    try:
        return fn in _solvers()
    except TypeError:
        return False


def solve(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a solver."""
    if isinstance(fn, type):
        return minima.limits(fn, args, options)
    given = Given(session, fn, args, options)
    found = given.solve()
    return _solvers()[fn](given, found) if given.active else found


HANDLERS = {"is_solver": is_solver, "solve": solve}
