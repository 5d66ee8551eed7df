"""Splines of SciPy's through values that may be differentiated, and their integrals, in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.errors import MissingFormulaError


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


def fitpack_knots(
    x: Any,
    y: Any,
    w: Any = None,
    xb: Any = None,
    xe: Any = None,
    k: int = 3,
    task: int = 0,
    s: Any = None,
    t: Any = None,
    full_output: Any = 0,
    per: Any = 0,
    quiet: Any = 1,
) -> Any:
    """Return what ``splrep`` gives for a spline through all values: knots, coefficients, degree.

    Args:
        x: where the values stand, ascending.
        y: the values.
        w: weights, which a spline through all values does not heed.
        xb: None.
        xe: None.
        k: the degree.
        task: 0.
        s: by how much the spline may miss the values: 0, or None without weights.
        t: None.
        full_output: 0.
        per: 0.
        quiet: whether warnings are left out.
    """
    other = {"xb": xb, "xe": xe, "task": task or None, "t": t, "per": per or None}
    _require_usual("splrep", {**other, "full_output": full_output or None})
    if s != 0 and not (s is None and w is None):
        raise MissingFormulaError(
            "no formula for splrep with s= above 0",
            why="Its knots are chosen by how well they fit.",
            fixes=["use s=0, or make_smoothing_spline with lam="],
        )
    made = interpolate.make_interp_spline(x, y, k)
    return made.t, np.concatenate([made.c, np.zeros(k + 1)]), k


def _require_usual(name: str, options: dict[str, Any]) -> None:
    for option, value in options.items():
        if value is not None:
            raise MissingFormulaError(
                f"no formula for {name} with {option}=", fixes=["leave it out"]
            )


def _of_knots(tck: Any) -> Any:
    t, c, k = tck
    return interpolate.BSpline.construct_fast(t, c[: len(t) - k - 1], k, extrapolate=True, axis=0)


def fitpack_values(x: Any, tck: Any, der: int = 0, ext: int = 0) -> Any:
    """Return what ``splev`` gives.

    Args:
        x: the places.
        tck: knots, coefficients and degree.
        der: the order of a derivative.
        ext: what there is beyond the ends, see ``Interpolating``.
    """
    return Interpolating(_of_knots(tck), ext)(x, der)


def fitpack_integral(a: Any, b: Any, tck: Any, full_output: Any = 0) -> Any:
    """Return what ``splint`` gives: an integral, where the spline is 0 beyond its ends.

    Args:
        a: where it begins.
        b: where it ends.
        tck: knots, coefficients and degree.
        full_output: 0.
    """
    _require_usual("splint", {"full_output": full_output or None})
    return basis_integrate(_of_knots(tck), a, b, False)


def smoothing_spline(x: Any, y: Any, w: Any = None, lam: Any = None, *, axis: int = 0) -> Any:
    """Return what ``make_smoothing_spline`` makes, where ``lam`` is given.

    The values of the spline solve one linear equation: P. Green and B. Silverman,
    "Nonparametric Regression and Generalized Linear Models", 1994, 2.3.

    Args:
        x: where the values stand, ascending.
        y: the values.
        w: their weights.
        lam: what curvature costs.
        axis: along which axis the values stand.
    """
    if lam is None:
        raise MissingFormulaError(
            "no formula for make_smoothing_spline that chooses lam=",
            why="It is searched for to few digits.",
            fixes=["give lam="],
        )
    y = np.moveaxis(np.asarray(y), axis, 0)
    n, h = len(x), np.diff(x)
    inner = np.arange(n - 2)
    second = np.zeros((n, n - 2))
    second[inner, inner] = 1 / h[:-1]
    second[inner + 1, inner] = -1 / h[:-1] - 1 / h[1:]
    second[inner + 2, inner] = 1 / h[1:]
    product = np.diag((h[:-1] + h[1:]) / 3) + np.diag(h[1:-1] / 6, 1) + np.diag(h[1:-1] / 6, -1)
    rough = second @ np.linalg.solve(product, second.T)
    weights = np.ones(n) if w is None else np.asarray(w)
    rows = np.reshape(y, (n, -1))
    smooth = np.linalg.solve(np.diag(weights) + lam * rough, weights[:, None] * rows)
    smooth = np.moveaxis(np.reshape(smooth, np.shape(y)), 0, axis)
    return interpolate.make_interp_spline(x, smooth, 3, bc_type="natural", axis=axis)
