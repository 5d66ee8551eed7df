"""Solvers of SciPy's on a tape: what they find as a function of what their function depends on."""

from __future__ import annotations

import functools
from importlib import import_module
from typing import Any

import numpy as np

import srcgrad.tape.libraries.implicit as implicit
from srcgrad.tape.calls import call
from srcgrad.tape.libraries import minima, paths
from srcgrad.tape.libraries.solving import Given, in_place_of, recording, report
from srcgrad.tape.session import Session
from srcgrad.tape.undoing import undone


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
    """Return the root of a function of a vector, or the place that one leads to itself."""
    place = found.x if hasattr(found, "x") else found[0] if isinstance(found, tuple) else found
    place = np.asarray(place)
    free = np.ones(place.size, bool)

    def f(x: Any) -> Any:
        value = call(np.reshape, call(np.asarray, given.f(x)), place.shape)
        return value - x if given.name == "fixed_point" else value

    made = given.found_by(recording(implicit.roots, f, place, free, given.steps()), place)
    named = {"fun" if hasattr(found, "x") else "fvec": f(made)}
    return in_place_of(given, found, made, **named)


_SCALAR = ("brentq", "brenth", "bisect", "ridder", "toms748", "newton", "root_scalar")
_VECTOR = (
    "fsolve", "root", "fixed_point", "anderson", "broyden1", "broyden2", "diagbroyden",
    "excitingmixing", "linearmixing", "newton_krylov",
)  # fmt: skip
_MINIMA = (
    "minimize", "minimize_scalar", "least_squares", "leastsq", "fmin", "fmin_bfgs", "fmin_cg",
    "fmin_ncg", "fmin_powell", "fmin_l_bfgs_b", "fmin_tnc", "fmin_slsqp", "fmin_cobyla", "brent",
    "golden", "fminbound", "basinhopping", "differential_evolution", "dual_annealing", "shgo",
    "direct", "brute",
)  # fmt: skip
_FINDING: dict[str, dict[str, Any]] = {
    "scipy.optimize": {
        **dict.fromkeys(_SCALAR, root),
        **dict.fromkeys(_VECTOR, roots),
        **dict.fromkeys(_MINIMA, minima.minimum),
        "curve_fit": minima.fit,
        **dict.fromkeys(("nnls", "lsq_linear"), minima.nearest),
        "linprog": minima.corner,
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
    if not given.active:
        return found
    with undone(session, given.functions()):
        return _solvers()[fn](given, found)


HANDLERS = {"is_solver": is_solver, "solve": solve}
