"""SciPy's interpolation that active arguments cannot go through, and why."""

from __future__ import annotations

from scipy import interpolate
from srcgrad.formulas.scipy import named

from srcgrad.registry import NOT_YET, nondifferentiable, refused

nondifferentiable(*named(interpolate, "generate_knots"))
refused("its objects are not followed; for straight lines use np.interp", *named(interpolate, (
    "AAA Akima1DInterpolator BPoly BSpline BarycentricInterpolator BivariateSpline "
    "CloughTocher2DInterpolator CubicHermiteSpline FloaterHormannInterpolator "
    "InterpolatedUnivariateSpline KroghInterpolator LSQBivariateSpline LSQSphereBivariateSpline "
    "LSQUnivariateSpline LinearNDInterpolator NdBSpline NdPPoly NearestNDInterpolator PPoly "
    "PchipInterpolator RBFInterpolator Rbf RectBivariateSpline RectSphereBivariateSpline "
    "RegularGridInterpolator SmoothBivariateSpline SmoothSphereBivariateSpline UnivariateSpline "
    "interp1d interp2d lagrange make_lsq_spline make_smoothing_spline "
    "make_splprep make_splrep pade approximate_taylor_polynomial"
)))  # fmt: skip
refused(
    "its objects are not followed; a spline is linear in its values, so that "
    "CubicSpline(t, np.eye(len(t)))(x) @ y is CubicSpline(t, y)(x) at points x that are constant",
    *named(interpolate, "CubicSpline make_interp_spline"),
)
refused("on a grid, use scipy.ndimage.map_coordinates with order=1", *named(
    interpolate, "griddata interpn"
))  # fmt: skip
refused(NOT_YET, *named(interpolate, (
    "barycentric_interpolate bisplev bisplrep insert krogh_interpolate pchip_interpolate spalde "
    "splantider splder splev splint splprep splrep sproot"
)))  # fmt: skip
