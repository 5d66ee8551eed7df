"""Splines of SciPy's through values that may be differentiated, and their integrals, in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate


def pieces_antiderivative(self: Any, nu: int = 1) -> Any:
    """Return what ``PPoly.antiderivative`` gives.

    Args:
        self: the polynomials in pieces.
        nu: how many times they are integrated.
    """
    if nu <= 0:
        return self.derivative(-nu)
    c, x = self.c, self.x
    shape = (-1, *(1,) * (np.ndim(c) - 1))
    widths = np.reshape(np.diff(x), (1, -1, *(1,) * (np.ndim(c) - 2)))
    for _ in range(nu):
        powers = np.reshape(np.arange(np.shape(c)[0], 0, -1.0), shape)
        c = c / powers
        ends = np.cumsum(np.sum(c * widths**powers, axis=0), axis=0)
        begins = np.concatenate([np.zeros_like(ends[:1]), ends[:-1]])
        c = np.concatenate([c, begins[None]])
    beyond = False if self.extrapolate == "periodic" else self.extrapolate
    return self.construct_fast(c, x, beyond, self.axis)


def pieces_integrate(self: Any, a: Any, b: Any, extrapolate: Any = None) -> Any:
    """Return what ``PPoly.integrate`` gives.

    Args:
        self: the polynomials in pieces.
        a: where the integral begins.
        b: where it ends.
        extrapolate: whether the first and the last piece go on beyond their ends.
    """
    beyond = self.extrapolate if extrapolate is None else extrapolate
    whole = pieces_antiderivative(self)
    if beyond == "periodic":
        ends = self.x[0], self.x[-1]
        return _over_periods(whole, b, *ends) - _over_periods(whole, a, *ends)
    return whole(b, extrapolate=beyond) - whole(a, extrapolate=beyond)


def _over_periods(whole: Any, t: Any, low: Any, high: Any) -> Any:
    """Return the integral up to ``t`` of what goes on with the period from ``low`` to ``high``."""
    count = np.floor((t - low) / (high - low))
    in_period = whole(t - count * (high - low), extrapolate=True)
    return count * (whole(high) - whole(low)) + in_period


def basis_integrate(self: Any, a: Any, b: Any, extrapolate: Any = None) -> Any:
    """Return what ``BSpline.integrate`` gives; beyond its ends a spline may count as 0.

    Args:
        self: the spline.
        a: where the integral begins.
        b: where it ends.
        extrapolate: whether it goes on beyond its ends.
    """
    beyond = self.extrapolate if extrapolate is None else extrapolate
    whole = self.antiderivative()
    low, high = self.t[self.k], self.t[len(self.t) - self.k - 1]
    if beyond == "periodic":
        return _over_periods(whole, b, low, high) - _over_periods(whole, a, low, high)
    if not beyond:
        a, b = np.clip(a, low, high), np.clip(b, low, high)
    return whole(b, extrapolate=True) - whole(a, extrapolate=True)


class Interpolating:
    """A spline through all values, as ``InterpolatedUnivariateSpline`` makes it.

    Args:
        spline: the spline.
        ext: what it is beyond its ends: it goes on (0), is 0 (1), is an error (2), or stays (3).
    """

    def __init__(self, spline: Any, ext: Any) -> None:
        self.spline = spline
        self.ext = {"extrapolate": 0, "zeros": 1, "raise": 2, "const": 3}.get(ext, ext)

    def __call__(self, x: Any, nu: int = 0, ext: Any = None) -> Any:
        """Return the spline, or a derivative of it, at some points."""
        ext = self.ext if ext is None else Interpolating(self.spline, ext).ext
        low, high = self._ends()
        x = np.asarray(x)
        outside = (x < low) | (x > high)
        if ext == 2 and np.any(outside):
            raise ValueError("Error code returned by spev: 1")
        if ext == 3 and nu == 0:  # derivatives go on, as SciPy has them
            x = np.clip(x, low, high)
        values = self.spline(x, nu)
        return np.where(outside, 0.0, values) if ext == 1 else values

    def _ends(self) -> Any:
        k = self.spline.k
        return self.spline.t[k], self.spline.t[len(self.spline.t) - k - 1]

    def derivative(self, n: int = 1) -> Any:
        """Return the derivative of order ``n``, as a spline."""
        return Interpolating(self.spline.derivative(n), 1 if self.ext == 3 else self.ext)

    def antiderivative(self, n: int = 1) -> Any:
        """Return the spline that this one is the derivative of order ``n`` of."""
        return Interpolating(self.spline.antiderivative(n), self.ext)

    def derivatives(self, x: Any) -> Any:
        """Return all derivatives at a point, the value first."""
        return np.stack([self.spline(x, nu) for nu in range(self.spline.k + 1)])

    def integral(self, a: Any, b: Any) -> Any:
        """Return the integral between two places; beyond its ends the spline counts as 0."""
        return basis_integrate(self.spline, a, b, False)

    def get_coeffs(self) -> Any:
        """Return the coefficients."""
        return self.spline.c

    def get_knots(self) -> Any:
        """Return the ends of the pieces."""
        k = self.spline.k
        return self.spline.t[k : len(self.spline.t) - k]

    def get_residual(self) -> float:
        """Return by how much the spline misses its values."""
        return 0.0


def interpolated(
    x: Any,
    y: Any,
    w: Any = None,
    bbox: Any = (None, None),
    k: int = 3,
    ext: Any = 0,
    check_finite: bool = False,
) -> Any:
    """Return what ``InterpolatedUnivariateSpline`` makes.

    Args:
        x: where the values stand, ascending.
        y: the values.
        w: weights, which a spline through all values does not heed.
        bbox: where the spline ends.
        k: its degree.
        ext: what it is beyond its ends, see ``Interpolating``.
        check_finite: whether nan and inf are an error.
    """
    if bbox[0] is not None or bbox[1] is not None:
        raise NotImplementedError("no formula for bbox=; leave it out")
    return Interpolating(interpolate.make_interp_spline(x, y, k, check_finite=check_finite), ext)


def univariate(
    x: Any,
    y: Any,
    w: Any = None,
    bbox: Any = (None, None),
    k: int = 3,
    s: Any = None,
    ext: Any = 0,
    check_finite: bool = False,
) -> Any:
    """Return what ``UnivariateSpline`` makes, where ``s`` is 0: see ``interpolated``.

    Args:
        x: where the values stand, ascending.
        y: the values.
        w: weights.
        bbox: where the spline ends.
        k: its degree.
        s: by how much the spline may miss the values: 0.
        ext: what it is beyond its ends.
        check_finite: whether nan and inf are an error.
    """
    return interpolated(x, y, w, bbox, k, ext, check_finite)


def univariate_integral(self: Any, a: Any, b: Any) -> Any:
    """Return what ``UnivariateSpline.integral`` gives.

    Args:
        self: the spline.
        a: where the integral begins.
        b: where it ends.
    """
    return basis_integrate(interpolate.BSpline(*self._eval_args), a, b, False)
