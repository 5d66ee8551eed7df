"""Options of SciPy's linear algebra that formulas decide on when code is generated."""

from __future__ import annotations

from srcgrad.registry import static


@static
def require_factors(mode):
    """Refuse the modes of ``scipy.linalg.qr`` that have no derivative formula."""
    if mode not in ("full", "economic"):
        raise NotImplementedError(f"no formula for scipy.linalg.qr with mode={mode!r}")
    return mode
