"""The methods and attributes of arrays, and the functions that mean the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.runtime import astype

METHODS: dict[str, Callable[..., Any]] = {
    "astype": astype,
    "clip": np.clip,
    "conj": np.conjugate,
    "conjugate": np.conjugate,
    "copy": np.copy,
    "cumprod": np.cumprod,
    "cumsum": np.cumsum,
    "diagonal": np.diagonal,
    "dot": np.dot,
    "flatten": np.ravel,
    "item": float,
    "max": np.max,
    "mean": np.mean,
    "min": np.min,
    "prod": np.prod,
    "ravel": np.ravel,
    "repeat": np.repeat,
    "reshape": np.reshape,
    "squeeze": np.squeeze,
    "std": np.std,
    "sum": np.sum,
    "swapaxes": np.swapaxes,
    "take": np.take,
    "trace": np.trace,
    "transpose": np.transpose,
    "var": np.var,
}

# x.compress(mask): the function takes the array as its second argument
SECOND_METHODS: dict[str, Callable[..., Any]] = {"compress": np.compress}

# x.reshape(2, 3) and x.transpose(1, 0): the function takes one tuple instead
VARIADIC_METHODS = frozenset({"reshape", "transpose"})

# whole numbers and truth values: piecewise constant
NONDIFFERENTIABLE_METHODS = frozenset(
    {
        "all",
        "any",
        "argmax",
        "argmin",
        "argpartition",
        "argsort",
        "nonzero",
        "round",
        "searchsorted",
    }
)

ATTRIBUTES: dict[str, Callable[..., Any]] = {
    "T": np.transpose,
    "mT": np.matrix_transpose,
    "real": np.real,
    "imag": np.imag,
}

METADATA = frozenset({"shape", "ndim", "size", "dtype", "itemsize", "nbytes"})

# Statements that call these are understood as writes into the array
WRITING_METHODS = frozenset({"fill", "put", "sort"})

_IN_PLACE = "It writes into the array; assign to an index instead."
_MEMORY = "It has to do with the memory of the array, not with its numbers."
_OUTSIDE = "It takes the numbers out of the array; use indexing."

# Why the other methods and attributes of an active array are refused
REFUSED_METHODS: dict[str, str] = {
    "choose": "Use np.choose.",
    "partition": "It writes into the array; use np.partition.",
    **dict.fromkeys(("resize", "setfield"), _IN_PLACE),
    **dict.fromkeys(
        (
            "base", "byteswap", "ctypes", "data", "device", "flags", "flat", "getfield",
            "setflags", "strides", "to_device", "view",
        ),
        _MEMORY,
    ),
    **dict.fromkeys(("dump", "dumps", "tobytes", "tofile", "tolist"), _OUTSIDE),
}  # fmt: skip

# Functions; statements that call these are understood as writes into their first argument
WRITES = frozenset({np.copyto, np.fill_diagonal, np.place, np.put, np.put_along_axis, np.putmask})
