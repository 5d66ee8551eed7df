"""srcgrad: a source-to-source differentiator for Python.

A function goes in as source, and its derivative comes out as source: plain
NumPy that can be read, reviewed, stepped through and saved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from srcgrad.late import LOCK as _LOCK

if TYPE_CHECKING:
    from srcgrad.calling.api import (
        Differentiated,
        differentiate,
        grad,
        save,
        source,
        stop_gradient,
        value_and_grad,
        vjp,
    )
    from srcgrad.calling.batches import vmap
    from srcgrad.calling.jacobians import hessian, hvp, jacfwd, jacobian, jacrev
    from srcgrad.calling.pushforward import jvp
    from srcgrad.calling.recorded import PolicyWarning, RecordedWarning
    from srcgrad.calling.repeating import checkpoint, checkpointed
    from srcgrad.calling.vectors import ravel
    from srcgrad.checking import check
    from srcgrad.debugging.finite import detect_anomaly
    from srcgrad.debugging.log import log_backward
    from srcgrad.debugging.stepping import breakpoint_at
    from srcgrad.debugging.trace import Trace, saved, trace
    from srcgrad.errors import ForeignArrayError, NotFiniteError, SrcgradError
    from srcgrad.ir.structures import register_tree
    from srcgrad.registry import formula, nondifferentiable
    from srcgrad.runtime.intercepting import backward_of, on_backward

__version__ = "0.1.0"

__all__ = [
    "Differentiated",
    "ForeignArrayError",
    "NotFiniteError",
    "PolicyWarning",
    "RecordedWarning",
    "SrcgradError",
    "Trace",
    "backward_of",
    "breakpoint_at",
    "check",
    "checkpoint",
    "checkpointed",
    "detect_anomaly",
    "differentiate",
    "formula",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "log_backward",
    "nondifferentiable",
    "on_backward",
    "ravel",
    "register_tree",
    "save",
    "saved",
    "source",
    "stop_gradient",
    "trace",
    "value_and_grad",
    "vjp",
    "vmap",
]

_HOME = {
    "Differentiated": "calling.api",
    "ForeignArrayError": "errors",
    "NotFiniteError": "errors",
    "Trace": "debugging.trace",
    "backward_of": "runtime.intercepting",
    "breakpoint_at": "debugging.stepping",
    "detect_anomaly": "debugging.finite",
    "log_backward": "debugging.log",
    "saved": "debugging.trace",
    "trace": "debugging.trace",
    "differentiate": "calling.api",
    "grad": "calling.api",
    "save": "calling.api",
    "source": "calling.api",
    "stop_gradient": "calling.api",
    "value_and_grad": "calling.api",
    "vjp": "calling.api",
    "hessian": "calling.jacobians",
    "hvp": "calling.jacobians",
    "jacfwd": "calling.jacobians",
    "jacobian": "calling.jacobians",
    "jacrev": "calling.jacobians",
    "jvp": "calling.pushforward",
    "check": "checking",
    "RecordedWarning": "calling.recorded",
    "PolicyWarning": "calling.recorded",
    "SrcgradError": "errors",
    "formula": "registry",
    "nondifferentiable": "registry",
    "register_tree": "ir.structures",
    "checkpoint": "calling.repeating",
    "checkpointed": "calling.repeating",
    "on_backward": "runtime.intercepting",
    "ravel": "calling.vectors",
    "vmap": "calling.batches",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    from importlib import import_module

    if name not in _HOME:
        raise AttributeError(f"module 'srcgrad' has no attribute {name!r}")
    with _LOCK:
        value = getattr(import_module(f"srcgrad.{_HOME[name]}"), name)
    globals()[name] = value
    return value
