"""Which functions of which libraries can be differentiated: the page docs/coverage.md.

``python -m tests.coverage`` prints the page.
"""

from __future__ import annotations

import builtins
import math
import operator
import platform
import warnings
from collections.abc import Callable, Hashable
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np
from srcgrad.formulas import load_all
from srcgrad.formulas.numpy.arrays import methods
from srcgrad.formulas.numpy.arrays.methods import REFUSED_METHODS, WRITES

from srcgrad.frontend.arrays.numpy_calls import REWRITTEN
from srcgrad.registry import (
    find_formula,
    find_in_python,
    find_solver,
    is_nondifferentiable,
    refusal_of,
    refusal_of_complex,
)

CLASSES = ("formula", "write", "nondifferentiable", "refused")
NUMERIC_BUILTINS = (
    "abs", "bool", "complex", "divmod", "float", "int", "len", "max", "min", "pow", "range",
    "round", "sorted", "sum",
)  # fmt: skip

# How many of the same callables autograd 1.9 differentiates; it is not needed here, so these are
# numbers, which tests/formulas/test_classes.py compares with it
AUTOGRAD = {
    "numpy": 115, "numpy.linalg": 9, "numpy.fft": 14, "numpy.ndarray": 23, "scipy.special": 30,
    "scipy.linalg": 4, "scipy.integrate": 1,
}  # fmt: skip

LIBRARIES: dict[str, Callable[[], dict[str, Any]]] = {
    "numpy": lambda: _public(np, np.__all__),
    "numpy.linalg": lambda: _public(np.linalg, np.linalg.__all__),
    "numpy.fft": lambda: _public(np.fft, np.fft.__all__),
    "numpy.ndarray": lambda: {n: n for n in dir(np.ndarray) if not n.startswith("_")},
    "scipy.special": lambda: _of_scipy("special"),
    "scipy.linalg": lambda: _of_scipy("linalg"),
    "scipy.ndimage": lambda: _of_scipy("ndimage"),
    "scipy.sparse.linalg": lambda: _of_scipy("sparse.linalg"),
    "scipy.optimize": lambda: _of_scipy("optimize"),
    "scipy.interpolate": lambda: _of_scipy("interpolate"),
    "scipy.integrate": lambda: _of_scipy("integrate"),
    "math": lambda: _public(math, dir(math)),
    "operator": lambda: _public(operator, operator.__all__),
    "builtins": lambda: _public(builtins, NUMERIC_BUILTINS),
}


def _public(module: Any, names: Any) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {name: getattr(module, name) for name in sorted(names) if not name.startswith("_")}
    return {name: thing for name, thing in found.items() if callable(thing)}


def _of_scipy(part: str) -> dict[str, Any]:
    if find_spec("scipy") is None:
        return {}
    module = import_module(f"scipy.{part}")
    return _public(module, module.__all__)


def classes_of(library: str) -> dict[str, list[str]]:
    """Return the classes that each public callable of a library is in.

    Args:
        library: a key of ``LIBRARIES``.

    Returns:
        A list of names of classes by name of the callable; one class each, if
        nothing was forgotten.
    """
    load_all()
    if library == "numpy.ndarray":
        return {name: _classes_of_method(name) for name in LIBRARIES[library]()}
    return {name: _classes_of_function(fn) for name, fn in LIBRARIES[library]().items()}


def _classes_of_function(fn: Any) -> list[str]:
    hashable = isinstance(fn, Hashable)
    found = (
        find_formula(fn) or find_solver(fn) or find_in_python(fn) or (hashable and fn in REWRITTEN),
        hashable and fn in WRITES,
        is_nondifferentiable(fn),
        refusal_of(fn) is not None,
    )
    return [name for name, present in zip(CLASSES, found, strict=True) if present]


def _classes_of_method(name: str) -> list[str]:
    found = (
        name in {**methods.METHODS, **methods.SECOND_METHODS, **methods.ATTRIBUTES},
        name in methods.WRITING_METHODS,
        name in methods.NONDIFFERENTIABLE_METHODS or name in methods.METADATA,
        name in methods.REFUSED_METHODS,
    )
    return [name for name, present in zip(CLASSES, found, strict=True) if present]


def table() -> str:
    """Return the numbers of callables of each library in each class, as a table."""
    head = "| library | formula | write | nondifferentiable | refused | formula in autograd |"
    counts = {}
    for library in LIBRARIES:
        found = [name for classes in classes_of(library).values() for name in classes]
        counts[f"`{library}`"] = [*(found.count(c) for c in CLASSES), AUTOGRAD.get(library, 0)]
    counts["all"] = [sum(column) for column in zip(*counts.values(), strict=True)]
    rows = [f"| {name} | " + " | ".join(map(str, row)) + " |" for name, row in counts.items()]
    return "\n".join([head, "|---|---|---|---|---|---|", *rows])


def _reason(library: str, name: str) -> str:
    if library == "numpy.ndarray":
        return REFUSED_METHODS[name]
    text = refusal_of(LIBRARIES[library]()[name]) or ""
    return f"{text[0].upper()}{text[1:]}."


def _scipy() -> str:
    return version("scipy") if find_spec("scipy") is not None else "missing"


def page() -> str:
    """Return the text of docs/coverage.md."""
    intro = (
        "What srcgrad knows of each public function of these libraries, as installed with "
        f"Python {platform.python_version()}, NumPy {np.__version__} and SciPy {_scipy()}.\n"
        "One with a formula can be differentiated; a write is a statement that changes an "
        "array, and can be differentiated too; a nondifferentiable one is constant, or "
        "constant between jumps, and passes through; a refused one raises an error where an "
        "active value would go through it.\n"
        "The last column says how many of them autograd 1.9 differentiates."
    )
    printed = "This page is printed by `python -m tests.coverage`."
    parts = ["# Coverage", intro, table(), printed, "## What is refused, and why"]
    for library in LIBRARIES:
        reasons: dict[str, list[str]] = {}
        for name, classes in classes_of(library).items():
            if classes == ["refused"]:
                reasons.setdefault(_reason(library, name), []).append(f"`{name}`")
        if reasons:
            parts.append(f"### {library}")
            parts.append(
                "\n".join(f"- {', '.join(names)}: {text}" for text, names in reasons.items())
            )
    return "\n\n".join([*parts, *_complex_operands()]) + "\n"


def _complex_operands() -> list[str]:
    """What is refused for complex operands, which have a formula for real ones."""
    head = "## What takes real numbers only"
    text = (
        "These are refused where a complex number would go in beside an active one; what is "
        "not here, and has a formula, takes complex numbers as the function itself does."
    )
    reasons: dict[str, list[str]] = {}
    for library in ("numpy", "numpy.linalg", "builtins"):
        place = "" if library == "builtins" else library.replace("numpy", "np") + "."
        for name, fn in LIBRARIES[library]().items():
            reason = refusal_of_complex(fn) if refusal_of(fn) is None else None
            if fn is np.sign:
                continue  # that of complex numbers has a formula of its own
            if reason is not None:
                reasons.setdefault(f"{reason[0].upper()}{reason[1:]}.", []).append(
                    f"`{place}{name}`"
                )
    rows = [f"- {', '.join(names)}: {reason}" for reason, names in reasons.items()]
    scipy = (
        "The formulas for SciPy are those for real numbers, and refuse complex ones, but for "
        "these, whose formulas hold for both:"
    )
    return [head, text, "\n".join(rows), scipy, "\n".join(_complex_in_scipy())]


def _complex_in_scipy() -> list[str]:
    """The functions of SciPy that take complex numbers, a line for each of its parts."""
    lines = []
    for library, things in LIBRARIES.items():
        if library.startswith("scipy"):
            found = things()
            names = [f"`{name}`" for name, fn in found.items() if find_formula(fn)]
            both = [name for name in names if refusal_of_complex(found[name.strip("`")]) is None]
            if both:
                lines.append(f"- `{library}`: {', '.join(both)}")
    return lines


if __name__ == "__main__":
    print(page(), end="")
