"""PyTorch's operations in NumPy, under their own names.

A function has the name of the operation, with the overload behind it: ``add_tensor`` is
``add.Tensor``. Tensors are its positional parameters, everything else is an option. What
formulas in PyTorch's table call besides operations is here, too, with the parameters that it
has there but for those that say how to compute. ``dim=None`` means all axes, as in NumPy.
A gradient of something complex is conjugated, as PyTorch's are.
"""

from __future__ import annotations

from importlib import import_module

FAMILIES = (
    "pointwise", "transcendental", "activations", "reductions", "products", "linalg", "shaping",
    "indexing", "losses", "normalization", "windows",
)  # fmt: skip
# The modules with the operations, in the order in which they are written.
MODULES = tuple(import_module(f"srcgrad.torch.operations.{name}") for name in FAMILIES)
for _module in MODULES:
    for _name, _function in vars(_module).items():
        if getattr(_function, "__name__", "") == "<lambda>":  # the rows of the tables
            _function.__name__ = _function.__qualname__ = _name
