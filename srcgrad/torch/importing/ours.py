"""Imported formulas beside srcgrad's own, where an operation is one function of a library."""

from __future__ import annotations

import ast
import inspect
import warnings
from typing import Any

import numpy as np
from scipy import special

import srcgrad
from srcgrad.registry import find_formula
from srcgrad.torch.importing.comparing import numpy_operation
from srcgrad.torch.importing.translating import Inline, operations
from srcgrad.torch.importing.writing import Written

# Where functions have kinks, ends and poles, and in between.
POINTS = np.array([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0])


def differences(found: list[Written]) -> list[tuple[str, str, str]]:
    """Return for each entry that is one function of a library where the two formulas differ."""
    rows = []
    for written in found:
        own = _one_function(written)
        if own is not None:
            rows.append((written.entry.name, own[0], _problem(written, own[1])))
    return rows


def _one_function(written: Written) -> tuple[str, Any] | None:
    operation = operations()[written.name][1]
    if written.module not in ("pointwise", "transcendental", "activations"):
        return None
    if not isinstance(operation, Inline) or not isinstance(operation.body, ast.Call):
        return None
    if len(written.wrt) != len(inspect.signature(operation.function).parameters):
        return None
    body, text = operation.body, ast.unparse(operation.body.func)
    if not text.startswith(("np.", "special.")) or body.keywords or text.count(".") != 1:
        return None
    parameters = [a.id for a in body.args if isinstance(a, ast.Name)]
    if len(parameters) != len(body.args) or not 1 <= len(parameters) <= 2:
        return None
    function = getattr(np if text.startswith("np.") else special, text.partition(".")[2])
    return (text, function) if find_formula(function) is not None else None


def _problem(written: Written, function: Any) -> str:
    operation = numpy_operation(written)
    count = len(written.wrt)
    grid = np.meshgrid(*[POINTS] * count)
    places = [g.ravel() for g in grid]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            slopes = [_slopes(lambda *x, f=f: np.sum(f(*x)), places) for f in (operation, function)]
        except (srcgrad.SrcgradError, TypeError, ValueError) as refusal:
            return f"not compared: {str(refusal).splitlines()[0]}"
    differing = []
    for theirs, ours in zip(*slopes, strict=True):
        for k in np.flatnonzero(~np.isclose(theirs, ours, equal_nan=True)):
            at = ", ".join(f"{p[k]:g}" for p in places)
            differing.append(f"at ({at}): {theirs[k]:.4g}, ours {ours[k]:.4g}")
    return "; ".join(differing[:3]) + (f"; and {len(differing) - 3} more" * (len(differing) > 3))


def _slopes(total: Any, places: list[Any]) -> tuple[Any, ...]:
    found = srcgrad.grad(total, wrt=tuple(range(len(places))))(*places)
    return tuple(np.broadcast_to(s, p.shape) for s, p in zip(found, places, strict=True))
