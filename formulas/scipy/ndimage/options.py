"""Options of SciPy's filters that formulas decide on when code is generated."""

from __future__ import annotations

from srcgrad.registry import static

# The modes in which the transpose of a symmetric filter is the filter itself
_EVEN = ("reflect", "grid-mirror", "wrap", "grid-wrap", "constant", "grid-constant")


@static
def turns_into_itself(mode, *zeros):
    """Tell whether a symmetric filter is its own transpose.

    Args:
        mode: how the input is extended; a word, or one for each axis.
        *zeros: options that shift the filter, or make it odd, unless they are 0.
    """
    modes = (mode,) if isinstance(mode, str) else mode
    return all(m in _EVEN for m in modes) and all(zero in (0, None) for zero in zeros)


@static
def is_odd(size):
    """Tell whether a filter has a middle entry along each axis."""
    return all(n % 2 == 1 for n in ((size,) if isinstance(size, int) else size))
