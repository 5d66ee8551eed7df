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
    name: module
    for module, names in {
        "calling.api": (
            "Differentiated differentiate grad save source stop_gradient value_and_grad vjp"
        ),
        "calling.batches": "vmap",
        "calling.jacobians": "hessian hvp jacfwd jacobian jacrev",
        "calling.pushforward": "jvp",
        "calling.recorded": "RecordedWarning PolicyWarning",
        "calling.repeating": "checkpoint checkpointed",
        "calling.vectors": "ravel",
        "checking": "check",
        "debugging.finite": "detect_anomaly",
        "debugging.log": "log_backward",
        "debugging.stepping": "breakpoint_at",
        "debugging.trace": "Trace saved trace",
        "errors": "ForeignArrayError NotFiniteError SrcgradError",
        "ir.structures": "register_tree",
        "registry": "formula nondifferentiable",
        "runtime.intercepting": "backward_of on_backward",
    }.items()
    for name in names.split()
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
