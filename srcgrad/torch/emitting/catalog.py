"""Which formulas are written in C++: with which options, and for how many axes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import linalg, special

from srcgrad.late import late
from srcgrad.registry import _formulas, is_elementwise

_MODULES = {"np": np, "np.linalg": np.linalg, "special": special, "linalg": linalg}


@dataclass(frozen=True)
class Spec:
    """One function to write."""

    name: str  # its name in C++ and in Python
    path: str  # the function of NumPy or SciPy, as ``np.sum``
    # the shapes of the arguments that it is tried with; their lengths are the numbers of axes that
    # are put into the formula
    shapes: tuple[tuple[int, ...], ...]
    # options, and positional parameters that are no tensors
    options: dict[str, Any] = field(default_factory=dict)
    elementwise: bool = False  # whether arguments are broadcast
    matrix: str = ""  # what the first argument is made: ``""``, ``"regular"``, ``"positive"``

    @property
    def target(self) -> Any:
        """The function of NumPy or SciPy."""
        module, _, name = self.path.rpartition(".")
        return getattr(_MODULES[module], name)


def specs() -> list[Spec]:
    """Return all specs: elementwise ones from the registry, and the others of a table."""
    late("load_used")()
    return [*_elementwise(), *_TABLE]


def _elementwise() -> Iterator[Spec]:
    seen = set()
    for path, module in (("np", np), ("special", special)):
        for name, function in sorted(vars(module).items()):
            formula = _formulas.get(function) if isinstance(function, np.ufunc) else None
            if formula is None or not is_elementwise(formula) or function in seen:
                continue
            seen.add(function)
            parameters = inspect.signature(formula).parameters.values()
            count = sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)
            shapes = ((2, 3), (3,), (2, 1))[:count]
            prefix = "" if path == "np" else "special_"
            yield Spec(f"{prefix}{name}", f"{path}.{name}", shapes, elementwise=True)


def _table() -> Iterator[Spec]:
    m, v, b = (3, 3), (3,), (2, 3, 3)
    for name in ("sum", "mean", "prod", "max", "min", "nansum", "std", "var"):
        yield Spec(f"{name}_all", f"np.{name}", ((2, 3),))
        for suffix, options in (
            ("axis", {"axis": 1}),
            ("first", {"axis": 0}),
            ("keepdims", {"axis": 1, "keepdims": True}),
        ):
            yield Spec(f"{name}_{suffix}", f"np.{name}", ((2, 3),), options)
    for name in ("cumsum", "cumprod"):
        yield Spec(f"{name}_axis", f"np.{name}", ((2, 3),), {"axis": 1})
        yield Spec(f"{name}_vector", f"np.{name}", (v,), {"axis": 0})
    shape: tuple[tuple[str, str, Any, dict[str, Any]], ...] = (
        ("reshape_flat", "reshape", ((2, 3),), {"shape": (6,)}),
        ("ravel", "ravel", ((2, 3),), {}),
        ("transpose", "transpose", ((2, 3),), {"axes": None}),
        ("transpose_cycle", "transpose", ((2, 3, 4),), {"axes": (1, 2, 0)}),
        ("swapaxes", "swapaxes", ((2, 3, 4),), {"axis1": 0, "axis2": 2}),
        ("moveaxis", "moveaxis", ((2, 3, 4),), {"source": 0, "destination": 2}),
        ("expand_dims", "expand_dims", ((2, 3),), {"axis": 1}),
        ("squeeze", "squeeze", ((2, 1, 3),), {"axis": 1}),
        ("broadcast_to", "broadcast_to", ((3,),), {"shape": (2, 3)}),
        ("flip", "flip", ((2, 3),), {"axis": (0,)}),
        ("flipud", "flipud", ((2, 3),), {}),
        ("fliplr", "fliplr", ((2, 3),), {}),
        ("roll", "roll", ((2, 3),), {"shift": 1, "axis": 1}),
        ("rot90", "rot90", ((2, 3),), {"k": 1, "axes": (0, 1)}),
        ("tril", "tril", (m,), {"k": 0}),
        ("triu", "triu", (m,), {"k": 0}),
        ("tril_below", "tril", (m,), {"k": -1}),
        ("trace", "trace", (m,), {}),
        ("diag_matrix", "diag", (v,), {"k": 0}),
        ("tile", "tile", ((2, 3),), {"reps": (2, 2)}),
    )
    for name, own, shapes, options in shape:
        yield Spec(name, f"np.{own}", shapes, options)
    products = (
        ("matmul", "np.matmul", (m, m)),
        ("matmul_vector", "np.matmul", (m, v)),
        ("vector_matmul", "np.matmul", (v, m)),
        ("vector_vector", "np.matmul", (v, v)),
        ("matmul_batch", "np.matmul", (b, b)),
        ("dot", "np.dot", (m, m)),
        ("dot_vector", "np.dot", (m, v)),
        ("dot_vectors", "np.dot", (v, v)),
        ("inner_vectors", "np.inner", (v, v)),
        ("outer", "np.outer", (v, v)),
        ("vdot", "np.vdot", (v, v)),
        ("vecdot", "np.vecdot", (m, m)),
        ("kron_vectors", "np.kron", (v, v)),
        ("linalg_outer", "np.linalg.outer", (v, v)),
        ("linalg_matmul", "np.linalg.matmul", (m, m)),
    )
    for name, path, shapes in products:
        yield Spec(name, path, shapes)
    for name, path, shapes, kind in (
        ("inv", "np.linalg.inv", (m,), "regular"),
        ("inv_batch", "np.linalg.inv", (b,), "regular"),
        ("det", "np.linalg.det", (m,), "regular"),
        ("solve", "np.linalg.solve", (m, m), "regular"),
        ("solve_vector", "np.linalg.solve", (m, v), "regular"),
        ("cholesky", "np.linalg.cholesky", (m,), "positive"),
        ("linalg_trace", "np.linalg.trace", (m,), "regular"),
        ("scipy_inv", "linalg.inv", (m,), "regular"),
        ("expm", "linalg.expm", (m,), "regular"),
    ):
        yield Spec(name, path, shapes, matrix=kind)
    for name in ("softmax", "log_softmax", "logsumexp"):
        yield Spec(f"{name}_axis", f"special.{name}", ((2, 3),), {"axis": 1})


_TABLE = list(_table())
