"""The derivative formulas, one folder per library, one file per topic.

Importing this package registers nothing. ``load("numpy")`` imports the modules
that serve one library, in the order of that library's own reference.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec

from srcgrad.library.cupy_names import SAME_NAMES

LIBRARIES: dict[str, tuple[str, ...]] = {
    "python": (
        "srcgrad.formulas.runtime",
        "srcgrad.formulas.scans",
        "srcgrad.formulas.overwriting",
        "srcgrad.formulas.python.operators",
        "srcgrad.formulas.python.builtins",
        "srcgrad.formulas.python.math",
        "srcgrad.formulas.python.refused",
    ),
    "numpy": (
        "srcgrad.formulas.runtime",
        "srcgrad.formulas.scans",
        "srcgrad.formulas.overwriting",
        "srcgrad.formulas.python.operators",
        "srcgrad.formulas.numpy.arrays.creation",
        "srcgrad.formulas.numpy.arrays.shaping",
        "srcgrad.formulas.numpy.arrays.rearranging",
        "srcgrad.formulas.numpy.arrays.joining",
        "srcgrad.formulas.numpy.arrays.indexing",
        "srcgrad.formulas.numpy.products",
        "srcgrad.formulas.numpy.einsum",
        "srcgrad.formulas.numpy.decompositions",
        "srcgrad.formulas.numpy.fourier",
        "srcgrad.formulas.numpy.fourier_real",
        "srcgrad.formulas.numpy.norms",
        "srcgrad.formulas.numpy.linalg",
        "srcgrad.formulas.numpy.mathematics.trigonometry",
        "srcgrad.formulas.numpy.mathematics.hyperbolic",
        "srcgrad.formulas.numpy.mathematics.reductions",
        "srcgrad.formulas.numpy.mathematics.differences",
        "srcgrad.formulas.numpy.mathematics.averages",
        "srcgrad.formulas.numpy.mathematics.initials",
        "srcgrad.formulas.numpy.mathematics.ufuncs",
        "srcgrad.formulas.numpy.mathematics.exponents",
        "srcgrad.formulas.numpy.mathematics.extrema",
        "srcgrad.formulas.numpy.mathematics.complex_numbers",
        "srcgrad.formulas.numpy.mathematics.scimath",
        "srcgrad.formulas.numpy.mathematics.miscellaneous",
        "srcgrad.formulas.numpy.arrays.sorting",
        "srcgrad.formulas.numpy.mathematics.statistics",
        "srcgrad.formulas.numpy.in_python",
        "srcgrad.formulas.numpy.arrays.memory",
        "srcgrad.formulas.numpy.nondifferentiable",
        "srcgrad.formulas.numpy.refused",
    ),
    "numpy.polynomial": ("srcgrad.formulas.numpy.polynomial",),
    "scipy.special": (
        "srcgrad.formulas.runtime",
        "srcgrad.formulas.python.operators",
        "srcgrad.formulas.scipy.special.densities",
        "srcgrad.formulas.scipy.special.cancellations",
        "srcgrad.formulas.scipy.special.airy",
        "srcgrad.formulas.scipy.special.elliptic",
        "srcgrad.formulas.scipy.special.bessel",
        "srcgrad.formulas.scipy.special.spherical",
        "srcgrad.formulas.scipy.special.distributions",
        "srcgrad.formulas.scipy.special.transforms",
        "srcgrad.formulas.scipy.special.gamma",
        "srcgrad.formulas.scipy.special.orthogonal",
        "srcgrad.formulas.scipy.special.hypergeometric",
        "srcgrad.formulas.scipy.special.spheroidal",
        "srcgrad.formulas.scipy.special.convenience",
        "srcgrad.formulas.scipy.special.complex_results",
        "srcgrad.formulas.scipy.special.others",
    ),
    "scipy.linalg": (
        "srcgrad.formulas.runtime",
        "srcgrad.formulas.python.operators",
        "srcgrad.formulas.scipy.linalg.basics",
        "srcgrad.formulas.scipy.linalg.banded",
        "srcgrad.formulas.scipy.linalg.triangular",
        "srcgrad.formulas.scipy.linalg.decompositions",
        "srcgrad.formulas.scipy.linalg.eigenvalues",
        "srcgrad.formulas.scipy.linalg.functions",
        "srcgrad.formulas.scipy.linalg.others",
    ),
    "scipy.fft": (
        "srcgrad.formulas.runtime",
        "srcgrad.formulas.python.operators",
        "srcgrad.formulas.scipy.fft",
    ),
    "scipy.signal": (
        "srcgrad.formulas.runtime",
        "srcgrad.formulas.python.operators",
        "srcgrad.formulas.scipy.signal",
    ),
    "scipy.ndimage": (
        "srcgrad.formulas.runtime",
        "srcgrad.formulas.python.operators",
        "srcgrad.formulas.scipy.ndimage.filters",
        "srcgrad.formulas.scipy.ndimage.beyond",
        "srcgrad.formulas.scipy.ndimage.gaussians",
        "srcgrad.formulas.scipy.ndimage.interpolation",
        "srcgrad.formulas.scipy.ndimage.others",
    ),
    "scipy.spatial": (
        "srcgrad.formulas.runtime",
        "srcgrad.formulas.python.operators",
        "srcgrad.formulas.scipy.spatial",
    ),
    "scipy.spatial.distance": (
        "srcgrad.formulas.runtime",
        "srcgrad.formulas.python.operators",
        "srcgrad.formulas.scipy.distance",
    ),
    "scipy.spatial.transform": (
        "srcgrad.formulas.runtime",
        "srcgrad.formulas.python.operators",
        "srcgrad.formulas.scipy.rotation",
    ),
    "numpy.ma": ("srcgrad.formulas.numpy.masked",),
    "scipy.sparse": ("srcgrad.formulas.scipy.sparse_classes",),
    "scipy.sparse.linalg": (
        "srcgrad.formulas.runtime",
        "srcgrad.formulas.python.operators",
        "srcgrad.formulas.scipy.sparse",
    ),
    "scipy.optimize": (
        "srcgrad.formulas.runtime",
        "srcgrad.formulas.python.operators",
        "srcgrad.formulas.scipy.optimize",
    ),
    "scipy.interpolate": (
        "srcgrad.formulas.runtime",
        "srcgrad.formulas.python.operators",
        "srcgrad.formulas.scipy.interpolate",
    ),
    "scipy.integrate": (
        "srcgrad.formulas.runtime",
        "srcgrad.formulas.python.operators",
        "srcgrad.formulas.scipy.integrate",
    ),
    "scipy.stats": (
        "srcgrad.formulas.runtime",
        "srcgrad.formulas.python.operators",
        "srcgrad.formulas.scipy.stats.norm",
        "srcgrad.formulas.scipy.stats.t",
        "srcgrad.formulas.scipy.stats.chi2",
        "srcgrad.formulas.scipy.stats.gamma",
        "srcgrad.formulas.scipy.stats.beta",
        "srcgrad.formulas.scipy.stats.expon",
        "srcgrad.formulas.scipy.stats.uniform",
        "srcgrad.formulas.scipy.stats.laplace",
        "srcgrad.formulas.scipy.stats.logistic",
        "srcgrad.formulas.scipy.stats.lognorm",
        "srcgrad.formulas.scipy.stats.cauchy",
        "srcgrad.formulas.scipy.stats.halfcauchy",
        "srcgrad.formulas.scipy.stats.poisson",
        "srcgrad.formulas.scipy.stats.binom",
        "srcgrad.formulas.scipy.stats.bernoulli",
        "srcgrad.formulas.scipy.stats.multivariate",
        "srcgrad.formulas.scipy.stats.frozen",
        "srcgrad.formulas.scipy.stats.in_python",
        "srcgrad.formulas.scipy.stats.others",
    ),
    "mpi4py.MPI": ("srcgrad.formulas.mpi",),
}

AS_THEY_ARE_USED = {"mpi4py.MPI"}  # importing it starts MPI

_loaded: set[str] = set()


def load(library: str) -> None:
    """Register the formulas of one library; doing so twice costs nothing.

    Args:
        library: a key of ``LIBRARIES``.

    Raises:
        KeyError: when there are no formulas for the library.
    """
    for module in LIBRARIES[library]:
        import_module(module)
    _loaded.add(library)


def load_used() -> None:
    """Register the formulas of every library that the program has imported.

    Those for SciPy import the part of it that they are for, so a program that does
    not use that part neither waits for it nor needs it.
    """
    for library in LIBRARIES:
        if library not in _loaded and _is_used(library):
            load(library)


def _is_used(library: str) -> bool:
    """Whether a library was imported, or that part of CuPy whose functions have its names."""
    if library == "python" or library in sys.modules:
        return True
    parts = [name for name, other in SAME_NAMES.items() if other == library]
    return any(name in sys.modules for name in parts) and find_spec("scipy") is not None


def load_all() -> None:
    """Register the formulas of every library that is installed, or where that matters, used."""
    for library in LIBRARIES:
        if library in AS_THEY_ARE_USED:
            known = _is_used(library)
        else:
            known = library == "python" or find_spec(library.split(".")[0]) is not None
        if known:
            load(library)
