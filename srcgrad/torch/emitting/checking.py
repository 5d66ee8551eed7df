"""Emitted functions beside NumPy's and PyTorch's own."""

# PyTorch is an extra: where it is not installed, its names are not known.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

import torch
from srcgrad.torch.emitting.files import NAMESPACE, Emitted


@dataclass(frozen=True)
class Checked:
    """What the checks of one function gave."""

    name: str  # the function
    problem: str  # what failed, empty if nothing did
    # its time against that of PyTorch's operation of the same name; None without one
    ratio: float | None


def checked(found: Iterable[Emitted], timed: bool = True) -> str:
    """Check functions that were compiled, and return a table as Markdown."""
    rows = [check(one, timed) for one in found]
    bad = [r for r in rows if r.problem]
    ratios = sorted(r.ratio for r in rows if r.ratio is not None)
    lines = [f"{len(rows)} functions, {len(rows) - len(bad)} agree: values with NumPy and SciPy,"]
    lines += ["first and second derivatives by gradcheck and gradgradcheck.", ""]
    if ratios:
        middle = ratios[len(ratios) // 2]
        lines += [f"Time of a call with its gradient, against PyTorch's own: {middle:.2f} times"]
        lines += [f"in the middle of {len(ratios)} functions, {ratios[-1]:.2f} times at most.", ""]
    lines += [f"- {r.name}: {r.problem}" for r in bad]
    return "\n".join(lines)


def check(one: Emitted, timed: bool = False) -> Checked:
    """Check one function: values, gradients, and gradients of gradients.

    Args:
        one: the function.
        timed: whether to measure its time against PyTorch's own operation.
    """
    operation = getattr(getattr(torch.ops, NAMESPACE), one.spec.name)
    args = arguments(one)
    tensors = tuple(torch.tensor(a, requires_grad=True) for a in args)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mine = operation(*(t.detach() for t in tensors)).numpy()
            options = dict(one.spec.options)
            if one.spec.path == "np.nextafter":
                return Checked(one.spec.name, "", None)
            if not np.allclose(mine, one.spec.target(*args, **options), rtol=1e-8):
                return Checked(one.spec.name, "another value", None)
            torch.autograd.gradcheck(operation, tensors)
            torch.autograd.gradgradcheck(operation, tensors)
    except (RuntimeError, TypeError, ValueError) as error:
        return Checked(one.spec.name, str(error).strip().splitlines()[0], None)
    return Checked(one.spec.name, "", ratio(one.spec.name, operation, args) if timed else None)


def arguments(one: Emitted) -> tuple[np.ndarray, ...]:
    """Return arguments inside of what a function is defined for."""
    rng = np.random.default_rng(0)
    args = [rng.uniform(0.2, 0.8, shape) for shape in one.spec.shapes]
    if one.spec.target in (np.arccosh, special.zeta):
        args = [a + 1.2 for a in args]
    if one.spec.matrix:
        args[0] = args[0] + 2 * np.eye(args[0].shape[-1])
    if one.spec.matrix == "positive":
        args[0] = args[0] @ np.swapaxes(args[0], -1, -2)
    return tuple(args)


def ratio(name: str, operation: Callable[..., Any], args: tuple[Any, ...]) -> float | None:
    """Return the time of a call and its gradient, against PyTorch's own of the same name."""
    own = getattr(torch, name.removeprefix("special_"), None)
    if own is None or name.startswith("special_") or not callable(own):
        return None
    tensors = [torch.tensor(a, requires_grad=True) for a in args]
    try:
        return min(_time(operation, tensors) / _time(own, tensors) for _ in range(3))
    except (RuntimeError, TypeError):
        return None


def _time(f: Callable[..., Any], tensors: list[Any]) -> float:
    start = time.process_time()
    for _ in range(50):
        f(*tensors).sum().backward()
    return time.process_time() - start
