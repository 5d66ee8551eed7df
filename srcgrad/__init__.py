"""srcgrad: a source-to-source differentiator for Python.

A function goes in as source, and its derivative comes out as source: plain
NumPy that can be read, reviewed, stepped through and saved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from srcgrad.api import (
        Differentiated,
        differentiate,
        grad,
        save,
        source,
        stop_gradient,
        value_and_grad,
        vjp,
    )
    from srcgrad.checking import check
    from srcgrad.errors import ForeignArrayError, SrcgradError
    from srcgrad.jacobians import hessian, hvp, jacfwd, jacobian, jacrev
    from srcgrad.pushforward import jvp
    from srcgrad.recorded import RecordedWarning
    from srcgrad.registry import formula, nondifferentiable
    from srcgrad.repeating import checkpoint
    from srcgrad.structures import register_tree

__version__ = "0.1.0"

__all__ = [
    "Differentiated",
    "ForeignArrayError",
    "RecordedWarning",
    "SrcgradError",
    "check",
    "checkpoint",
    "differentiate",
    "formula",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "nondifferentiable",
    "register_tree",
    "save",
    "source",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]

_HOME = {
    "Differentiated": "api",
    "ForeignArrayError": "errors",
    "differentiate": "api",
    "grad": "api",
    "save": "api",
    "source": "api",
    "stop_gradient": "api",
    "value_and_grad": "api",
    "vjp": "api",
    "hessian": "jacobians",
    "hvp": "jacobians",
    "jacfwd": "jacobians",
    "jacobian": "jacobians",
    "jacrev": "jacobians",
    "jvp": "pushforward",
    "check": "checking",
    "RecordedWarning": "recorded",
    "SrcgradError": "errors",
    "formula": "registry",
    "nondifferentiable": "registry",
    "register_tree": "structures",
    "checkpoint": "repeating",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    from importlib import import_module

    if name not in _HOME:
        raise AttributeError(f"module 'srcgrad' has no attribute {name!r}")
    value = getattr(import_module(f"srcgrad.{_HOME[name]}"), name)
    globals()[name] = value
    return value
