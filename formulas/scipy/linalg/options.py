"""Options of SciPy's linear algebra that formulas decide on when code is generated."""

from __future__ import annotations

from srcgrad.registry import static


@static
def require_factors(mode):
    """Refuse the modes of ``scipy.linalg.qr`` that have no derivative formula."""
    if mode not in ("full", "economic"):
        raise NotImplementedError(f"no formula for scipy.linalg.qr with mode={mode!r}")
    return mode


@static
def reads_triangle(assume_a):
    """Tell whether ``scipy.linalg.solve`` reads one triangle of a symmetric matrix."""
    names = ("sym", "symmetric", "her", "hermitian", "pos", "positive definite")
    return assume_a in names
