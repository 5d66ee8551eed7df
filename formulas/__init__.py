"""The derivative formulas, one folder per library, one file per topic.

Importing this package registers nothing. ``load("numpy")`` imports the modules
that serve one library, in the order of that library's own reference.
"""

from __future__ import annotations

from importlib import import_module

LIBRARIES: dict[str, tuple[str, ...]] = {
    "python": (
        "srcgrad.formulas.runtime",
        "srcgrad.formulas.scans",
        "srcgrad.formulas.python.operators",
        "srcgrad.formulas.python.builtins",
        "srcgrad.formulas.python.math",
        "srcgrad.formulas.python.refused",
    ),
    "numpy": (
        "srcgrad.formulas.runtime",
        "srcgrad.formulas.scans",
        "srcgrad.formulas.python.operators",
        "srcgrad.formulas.numpy.creation",
        "srcgrad.formulas.numpy.shaping",
        "srcgrad.formulas.numpy.rearranging",
        "srcgrad.formulas.numpy.joining",
        "srcgrad.formulas.numpy.indexing",
        "srcgrad.formulas.numpy.products",
        "srcgrad.formulas.numpy.einsum",
        "srcgrad.formulas.numpy.decompositions",
        "srcgrad.formulas.numpy.fourier",
        "srcgrad.formulas.numpy.norms",
        "srcgrad.formulas.numpy.linalg",
        "srcgrad.formulas.numpy.trigonometry",
        "srcgrad.formulas.numpy.hyperbolic",
        "srcgrad.formulas.numpy.reductions",
        "srcgrad.formulas.numpy.differences",
        "srcgrad.formulas.numpy.averages",
        "srcgrad.formulas.numpy.exponents",
        "srcgrad.formulas.numpy.extrema",
        "srcgrad.formulas.numpy.miscellaneous",
        "srcgrad.formulas.numpy.sorting",
        "srcgrad.formulas.numpy.statistics",
        "srcgrad.formulas.numpy.nondifferentiable",
        "srcgrad.formulas.numpy.refused",
    ),
}


def load(library: str) -> None:
    """Register the formulas of one library; doing so twice costs nothing.

    Args:
        library: a key of ``LIBRARIES``.

    Raises:
        KeyError: when there are no formulas for the library.
    """
    for module in LIBRARIES[library]:
        import_module(module)


def load_all() -> None:
    """Register the formulas of every library."""
    for library in LIBRARIES:
        load(library)
