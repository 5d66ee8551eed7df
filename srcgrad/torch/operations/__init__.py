"""PyTorch's operations in NumPy, under their own names.

A function has the name of the operation, with the overload behind it: ``add_tensor`` is
``add.Tensor``. Tensors are its positional parameters, everything else is an option. What
formulas in PyTorch's table call besides operations is here, too, with the parameters that it
has there but for those that say how to compute. ``dim=None`` means all axes, as in NumPy.
A gradient of something complex is conjugated, as PyTorch's are.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

FAMILIES = (
    "pointwise",
    "transcendental",
    "activations",
    "reductions",
    "products",
    "linalg",
    "shaping",
    "indexing",
    "losses",
    "normalization",
    "windows",
)


def families() -> list[ModuleType]:
    """Return the modules with the operations, in the order in which they are written."""
    return [import_module(f"srcgrad.torch.operations.{name}") for name in FAMILIES]
