"""Options of SciPy's linear algebra that formulas decide on when code is generated."""

from __future__ import annotations

from srcgrad.registry import static


@static
def require_factors(mode):
    """Refuse the modes of ``scipy.linalg.qr`` that have no derivative formula."""
    if mode not in ("full", "economic", "r"):
        raise NotImplementedError(
            f"no formula for scipy.linalg.qr with mode={mode!r}, whose first result depends on "
            "how LAPACK computes it; use mode='economic'"
        )
    return mode


@static
def places_before(subset):
    """Return how many eigenvalues stand before those that ``subset_by_index`` names."""
    return 0 if subset is None else int(subset[0])


@static
def reads_triangle(assume_a):
    """Tell whether ``scipy.linalg.solve`` reads one triangle of a symmetric matrix."""
    return assume_a in ("sym", "symmetric") or reads_hermitian(assume_a)


@static
def reads_hermitian(assume_a):
    """Tell whether the other triangle is the conjugate of the one that it reads."""
    return assume_a in ("her", "hermitian", "pos", "positive definite")


@static
def require_vectors(name, *ranks):
    """Refuse what is not a vector as an argument of a function that makes matrices."""
    if any(rank != 1 for rank in ranks):
        raise NotImplementedError(f"no formula for scipy.linalg.{name} of what is not a vector")
    return name


@static
def require_axes(name, *ranks):
    """Refuse numbers as arguments of a function that makes matrices."""
    if any(rank == 0 for rank in ranks):
        raise NotImplementedError(f"no formula for scipy.linalg.{name} of a number; use an array")
    return name


@static
def require_matrix(name, rank):
    """Refuse what SciPy takes to be a matrix of one row as an argument of a function of one."""
    if rank < 2:
        raise NotImplementedError(f"no formula for scipy.linalg.{name} of what is not a matrix")
    return name
