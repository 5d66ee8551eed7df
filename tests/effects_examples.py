"""Arguments for functions that no table of tests has a call of, and that guessing does not find."""

from __future__ import annotations

import importlib
import warnings

import numpy as np
from scipy import (
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    signal,
    sparse,
    spatial,
    special,
    stats,
)
from scipy.sparse import linalg as sparse_linalg
from scipy.spatial.transform import Rotation

from srcgrad.runtime import batches, matrices
from srcgrad.runtime.numpy import polynomials
from srcgrad.runtime.scipy import equations, interpolants, rotations, signals
from srcgrad.runtime.scipy.scattered import between, sets

T = np.linspace(0.0, 1.0, 12)
Y = np.sin(3 * T)
V = np.array([0.6, 0.3, 0.8])
M = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 5.0]])
IMAGE = np.arange(12.0).reshape(3, 4)
BYTES = np.array([[0, 0, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 0, 0]], dtype=np.uint8)
MARKS = np.array([[1, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 2]], dtype=np.int8)
SPLINE = interpolate.splrep(T, Y)
SURFACE = [*interpolate.RectBivariateSpline(T, T, np.outer(Y, Y)).tck, 3, 3]
GRID = (np.arange(4.0), np.arange(5.0))
TABLE = np.arange(20.0).reshape(4, 5)
POINTS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.3, 0.6]])
Q, R = linalg.qr(M)
BOUNDS = [(-1.0, 1.0), (-1.0, 1.0)]
SPARSE = sparse.csc_matrix(M)
KNOTS = np.array([0.0, 0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 1.0])


def decay(t, y):
    """A linear differential equation."""
    return -np.asarray(y)


def bowl(x, *rest):
    """A function of one or several numbers with a minimum."""
    return float(np.sum((np.asarray(x) - 0.3) ** 2))


def slope(x, *rest):
    """The slope of ``bowl``."""
    return 2 * (np.asarray(x) - 0.3)


def line(x, a=1.0, b=0.0):
    """A line."""
    return a * x + b


def root(x, *rest):
    """A function with a root at 0.3."""
    return x - 0.3


def _compiled(module, name):
    """What ``RegularGridInterpolator`` calls, if this version of SciPy has it."""
    found = getattr(importlib.import_module(f"scipy.interpolate.{module}"), name, None)
    return [] if found is None else [found]


def named(module, names):
    """The functions with some names that this version of a library has."""
    return [getattr(module, name) for name in names.split() if hasattr(module, name)]


def given():
    """The arguments by function: positional ones, and options."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _given()


def _given():
    found = {}

    def add(functions, *args, **options):
        for fn in functions:
            found[fn] = args, options

    for ufunc in {f for f in vars(np).values() if isinstance(f, np.ufunc) and f.nin == 2}:
        add([ufunc.at], np.array([3, 1, 2]), [0, 1], np.array([1, 2]))
    add(named(integrate, "solve_ivp"), decay, (0.0, 1.0), V)
    add(named(integrate, "RK23 RK45 DOP853 Radau BDF"), decay, 0.0, V, 1.0)
    density = stats.gaussian_kde(V)
    add([stats.gaussian_kde.evaluate, stats.gaussian_kde.pdf], density, V)
    add([stats.gaussian_kde.logpdf], density, V)
    riccati = [equations.continuous_riccati_start, equations.discrete_riccati_start]
    add(riccati, np.diag(-0.1 * V), np.eye(3), np.eye(3), np.eye(3))
    add([matrices.require_whole], np.linalg.pinv(M), M)
    add([matrices.require_rank], np.linalg.pinv(M), 3, np.linalg.svd(M)[1])
    add([signals.peaks_start], np.sin(20 * T), {})
    add(named(integrate, "odeint"), lambda y, t: -y, V, T)
    add(named(integrate, "quad_vec fixed_quad"), np.cos, 0.0, 1.0)
    add(named(integrate, "tanhsinh"), np.cos, 0.0, 1.0)
    add(named(integrate, "nsum"), lambda k: 1 / k**2, 1, 10)
    sections = np.array([[1.0, 0.5, 0.2, 1.0, -0.3, 0.1]])
    add(named(signal, "sosfilt"), sections, Y)
    add(named(signal, "sosfiltfilt"), sections, np.tile(Y, 3))
    add(named(signal, "sosfilt_zi"), sections)
    add(named(signal, "filtfilt"), np.array([0.6, 0.3]), np.array([1.0, -0.2]), Y)
    add(named(integrate, "dblquad"), lambda y, x: x * y, 0.0, 1.0, 0.0, 1.0)
    add(named(integrate, "tplquad"), lambda z, y, x: x * y, *(0.0, 1.0, 0.0, 1.0, 0.0, 1.0))
    add(named(integrate, "nquad"), lambda x, y: x * y, [(0.0, 1.0), (0.0, 1.0)])
    add(named(integrate, "qmc_quad"), lambda x: np.sum(x, axis=0), np.zeros(2), np.ones(2))
    add(named(integrate, "cubature"), lambda x: np.sum(x, axis=-1), np.zeros(2), np.ones(2))
    add(named(integrate, "lebedev_rule"), 3)
    add(
        named(integrate, "solve_bvp"),
        lambda x, y: np.vstack([y[1], -y[0]]),
        lambda a, b: np.array([a[0], b[0] - 1.0]),
        T,
        np.zeros((2, T.size)),
    )
    curves = "CubicSpline Akima1DInterpolator PchipInterpolator make_interp_spline splrep"
    add(named(interpolate, curves + " UnivariateSpline InterpolatedUnivariateSpline"), T, Y)
    add(named(interpolate, "make_smoothing_spline FloaterHormannInterpolator Rbf"), T, Y)
    add(named(interpolate, "make_splrep"), T, Y)
    add(named(interpolate, "CubicHermiteSpline"), T, Y, np.cos(T))
    add(named(interpolate, "pchip_interpolate"), T, Y, V)
    add(named(interpolate, "LSQUnivariateSpline"), T, Y, T[3:8:2])
    add(named(interpolate, "make_lsq_spline"), T, Y, KNOTS)
    add(named(interpolate, "BSpline"), KNOTS, np.arange(5.0), 3)
    add(named(interpolate, "NdBSpline"), (KNOTS,), np.arange(5.0), 3)
    add(named(interpolate, "PPoly BPoly"), np.ones((2, 3)), np.arange(4.0))
    add(named(interpolate, "NdPPoly"), np.ones((2, 3)), (np.arange(4.0),))
    add(named(interpolate, "splprep make_splprep"), [T, Y])
    add(named(interpolate, "splder splantider sproot"), SPLINE)
    add(named(interpolate, "insert"), 0.4, SPLINE)
    add(named(interpolate, "splev"), V, SPLINE)
    add([batches.batch_length], IMAGE, V, axes=(0, 0))
    add([interpolants.fitpack_slope], V, SPLINE)
    add([interpolants.bisplev_slope], 0.4, 0.5, SURFACE, dx=1, dy=0)
    broken, fitted = interpolate.interp1d(T, Y), interpolate.UnivariateSpline(T, Y)
    add([interpolate.interp1d.__call__, interpolants.interpolator_slope], broken, V)
    barycentric = interpolate.BarycentricInterpolator(T, Y)
    add([interpolate.BarycentricInterpolator.__call__], barycentric, V)
    add([interpolate.UnivariateSpline.__call__, interpolants.fitted_slope], fitted, V)
    surface = interpolate.RectBivariateSpline(*GRID, TABLE)
    at_points = [interpolate.BivariateSpline.ev, interpolants.surface_values]
    add(at_points, surface, V, V)
    add([interpolate.BivariateSpline.__call__], surface, T[:3], T[:4])
    add([interpolants.surface_slope], surface, V, V, dx=1, dy=0)
    add([interpolate.PPoly.antiderivative], interpolate.CubicSpline(T, Y))
    add([interpolate.PPoly.integrate], interpolate.CubicSpline(T, Y), 0.1, 0.8)
    add([interpolate.BSpline.integrate], interpolate.make_interp_spline(T, Y), 0.1, 0.8)
    fitted = interpolate.InterpolatedUnivariateSpline(T, Y)
    add([interpolate.UnivariateSpline.integral], fitted, 0.1, 0.8)
    cells = np.array([[0, 1], [2, 1]]), np.array([[0.2, 0.4], [0.5, 0.1]])
    ticks = (np.arange(4.0), np.arange(5.0))
    add(_compiled("_rgi_cython", "find_indices"), ticks, np.array([[0.2, 1.4], [2.5, 1.1]]))
    add(_compiled("_rgi_cython", "evaluate_linear_2d"), TABLE, *cells, ticks, np.zeros(2))
    grid = interpolate.RegularGridInterpolator(GRID, TABLE)
    on_grid = [interpolate.RegularGridInterpolator.__call__, interpolants.grid_values]
    add([*on_grid, interpolants.grid_slopes], grid, np.array([[0.5, 0.7]]))
    turn = Rotation.from_rotvec(V)
    add([Rotation.apply, rotations.applied], turn, V)
    add([Rotation.from_euler], "xyz", V)
    add([Rotation.from_quat], np.array([0.1, 0.2, 0.3, 0.9]))
    add([np.poly1d.__call__, polynomials.polynomial_slope], np.poly1d(V), V)
    add([np.polynomial.Polynomial.__call__], np.polynomial.Polynomial(V), V)
    add(named(interpolate, "splint"), 0.1, 0.7, SPLINE)
    add(named(interpolate, "spalde"), V, SPLINE)
    add(named(interpolate, "bisplev"), T[:2], T[:2], SURFACE)
    flat = np.repeat(Y[:6], 6)
    add(named(interpolate, "bisplrep"), np.tile(T[:6], 6), np.repeat(T[:6], 6), flat)
    add(
        named(interpolate, "SmoothBivariateSpline SmoothSphereBivariateSpline"),
        *(np.tile(T[:6], 6), np.repeat(T[:6], 6), flat),
        s=5.0,
    )
    add(
        named(interpolate, "LSQBivariateSpline"),
        *(np.tile(T[:6], 6), np.repeat(T[:6], 6), flat, T[2:3], T[2:3]),
    )
    add(named(interpolate, "RectBivariateSpline"), *GRID, TABLE)
    add(named(interpolate, "RectSphereBivariateSpline"), T[1:8], T[1:9], np.ones((7, 8)))
    add(named(interpolate, "RegularGridInterpolator"), GRID, TABLE)
    add(named(interpolate, "interpn"), GRID, TABLE, np.array([[0.5, 0.7]]))
    of_points(add)
    add(named(interpolate, "approximate_taylor_polynomial"), np.sin, 0.0, 2, 0.5)
    add(named(linalg, "eigh_tridiagonal eigvalsh_tridiagonal"), V, V[:2])
    add(named(linalg, "cho_solve"), linalg.cho_factor(M), V)
    add(named(linalg, "lu_solve"), linalg.lu_factor(M), V)
    add(named(linalg, "cossin"), linalg.qr(np.arange(16.0).reshape(4, 4) + np.eye(4))[0], 2, 2)
    add(named(linalg, "diagsvd"), V, 3, 3)
    add(named(linalg, "qr_insert"), Q, R, V, 1)
    add(named(linalg, "qr_update"), Q, R, V, V)
    add(named(linalg, "funm"), M, np.sin)
    add(named(linalg, "solve_continuous_are solve_discrete_are"), M, M, np.eye(3), np.eye(3))
    add(named(linalg, "leslie"), V, V[:2])
    add(named(linalg, "get_blas_funcs"), "gemm")
    add(named(linalg, "get_lapack_funcs"), "gesv")
    windows = "maximum_filter minimum_filter median_filter grey_closing grey_dilation grey_erosion"
    windows += " grey_opening black_tophat white_tophat morphological_gradient"
    add(named(ndimage, windows + " morphological_laplace"), IMAGE, 3)
    add(named(ndimage, "percentile_filter rank_filter"), IMAGE, 2, 3)
    add(named(ndimage, "generic_filter vectorized_filter"), IMAGE, np.max, size=3)
    add(named(ndimage, "generic_filter1d"), V, lambda a, b: None, 2)
    add(named(ndimage, "geometric_transform"), IMAGE, lambda place: place)
    add(
        named(ndimage, "labeled_comprehension"),
        *(IMAGE, IMAGE.astype(int), np.array([1, 2]), np.sum, float, 0.0),
    )
    add(named(ndimage, "watershed_ift"), BYTES, MARKS)
    add(named(optimize, "fmin_cobyla"), bowl, V, [lambda x: 1.0])
    add(named(optimize, "differential_evolution dual_annealing"), bowl, BOUNDS, maxiter=1)
    add(named(optimize, "direct shgo"), bowl, BOUNDS)
    add(named(optimize, "basinhopping"), bowl, V, 1)
    add(named(optimize, "fmin_l_bfgs_b"), bowl, V, slope)
    add(named(optimize, "fmin_tnc"), bowl, V, slope, messages=0)
    add(named(optimize, "fmin_ncg"), bowl, V, slope, disp=0)
    add(named(optimize, "check_grad"), bowl, slope, V)
    add(named(optimize, "line_search"), bowl, slope, V, -V)
    add(named(optimize, "minimize_scalar bracket brent golden"), bowl)
    add(named(optimize, "fminbound"), bowl, -1.0, 1.0)
    add(named(optimize, "brute"), bowl, ((-1.0, 1.0),), Ns=3, finish=None)
    add(named(optimize, "curve_fit"), line, T, Y)
    add(named(optimize, "excitingmixing linearmixing"), root, V, iter=1)
    add(named(optimize, "root_scalar"), root, bracket=(-1.0, 1.0))
    add(named(optimize, "bisect brenth brentq ridder toms748"), root, -1.0, 1.0)
    add(named(sparse_linalg, "svds"), np.diag(np.arange(1.0, 9.0)), 2)
    add(named(sparse_linalg, "funm_multiply_krylov"), np.sin, M, V)
    add(named(sparse_linalg, "inv norm"), SPARSE)
    add(named(sparse_linalg, "LinearOperator"), (3, 3), lambda v: v)
    legendre = "assoc_legendre_p_all sph_legendre_p_all"
    add(named(special, legendre), 2, 2, 0.3)
    add(named(special, "legendre_p_all"), 2, 0.3)
    add(named(special, "sph_harm_y_all"), 2, 2, 0.3, 0.4)
    add([np.apply_along_axis], np.sum, 0, M)
    add([np.apply_over_axes], np.sum, M, [0])
    add([np.datetime_as_string, np.isnat], np.array(["2020-01-01"], dtype="M8[D]"))
    add([np.datetime64], "2020-01-01")
    add([np.datetime_data], np.dtype("M8[D]"))
    add([np.einsum_path], "ij,jk->ik", M, M)
    add([np.frompyfunc], abs, 1, 1)
    add([np.isdtype], np.dtype(float), "real floating")
    add([np.nested_iters], M, [[0], [1]])
    add([np.ravel_multi_index], (np.array([0, 1]), np.array([1, 1])), (2, 2))
    add([np.unpackbits], BYTES)
    return found


def of_points(add):
    """Note arguments of what interpolates between points, and of sets of them."""
    scattered = "LinearNDInterpolator CloughTocher2DInterpolator RBFInterpolator"
    scattered += " NearestNDInterpolator"
    add(named(interpolate, scattered), POINTS, np.arange(5.0))
    add([between.checked], POINTS, np.arange(5.0))
    add([between.frame_of, between.box_of], POINTS)
    add([between.triangulation], POINTS, False)
    places = POINTS[:2] * 0.5 + 0.1
    add([between.corners_around], between.triangulation(POINTS, False), places)
    add([between.nearest_to], POINTS, places, False, {})
    for make in (interpolate.LinearNDInterpolator, interpolate.RBFInterpolator):
        add([make.__call__], make(POINTS, np.arange(5.0)), places)
    tree = spatial.KDTree(POINTS)
    add(named(spatial, "KDTree cKDTree ConvexHull"), POINTS)
    for make in named(spatial, "KDTree cKDTree"):
        add([make.query], make(POINTS), places)
    add([sets.tree_of], POINTS, {})
    add([sets.neighbours], tree, places, {})
    add([sets.ball], tree, places, 0.5, {})
    add([sets.pairs], tree, 0.5, {})
    add([sets.hull_of], POINTS, None)
    curve = interpolate.CubicSpline(T, Y)
    add([interpolate.PPoly.roots, interpolate.PPoly.solve], curve)
    add([equations.roots_start], curve.c, curve.x, 0.3, True, False)
    add([equations.null_space_start], M[:2], {})
    add(named(interpolate, "splint"), 0.1, 0.8, SPLINE)
    add([interpolants.solved_grid], GRID, TABLE, ("cubic", True, None))
    grid = interpolate.RegularGridInterpolator(GRID, TABLE)
    add([interpolants.missed_by], grid, np.array([[0.5, 0.7]]), np.array([1.0]), None)


GIVEN = given()
