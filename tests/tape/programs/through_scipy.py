"""Programs of users: SciPy's own Python, recorded where it has no formula."""

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial
from scipy import integrate, interpolate, linalg, signal, spatial, stats
from scipy.sparse.linalg import eigsh, svds

X = np.linspace(0, 2, 7)
Q = np.array([0.3, 0.9, 1.55])
GRID = np.arange(3.0), np.arange(4.0)
TABLE = np.arange(12.0).reshape(3, 4) ** 1.3
PLACES = np.array([[0.5, 1.2], [1.7, 2.3]])
TIMES = np.linspace(0, 1, 9)
SITES = np.array([[0, 0], [1, 0], [0, 1], [1, 1.1], [0.5, 0.2], [0.3, 0.8]])
HEIGHTS = np.array([1, 2, 3, 5.0, 2, 1.5])
SPOTS = np.array([[0.31, 0.42], [0.6, 0.25], [0.7, 0.7]])
LINES = np.arange(5.0), np.linspace(0, 3, 6)
PLANE = np.arange(30.0).reshape(5, 6) ** 1.3
WIDE = np.diag([1.0, 2, 3, 4, 5.5, 6])


def stepped(x):
    s = integrate.RK45(lambda t, u: -x[0] * u, 0.0, np.array([x[1]]), 1.0, rtol=1e-8, atol=1e-10)
    while s.status == "running":
        s.step()
    return s.y[0]
def wave(p): return p[0] * np.sin(p[1] * X) + p[2] * X
def spline_values(x): return np.sum(interpolate.InterpolatedUnivariateSpline(X, wave(x))(Q)) + np.sum(interpolate.InterpolatedUnivariateSpline(X, wave(x))(Q * 0.5 * x[0]))
def pchip_values(x): return np.sum(interpolate.PchipInterpolator(X, wave(x))(Q)) + np.sum(interpolate.PchipInterpolator(X, wave(x))(Q * 0.5 * x[0]))
def akima_values(x): return np.sum(interpolate.Akima1DInterpolator(X, wave(x))(Q)) + np.sum(interpolate.Akima1DInterpolator(X, wave(x))(Q * 0.5 * x[0]))
def krogh_values(x): return np.sum(interpolate.KroghInterpolator(X, wave(x))(Q)) + np.sum(interpolate.KroghInterpolator(X, wave(x))(Q * 0.5 * x[0]))
def barycentric_values(x): return np.sum(interpolate.BarycentricInterpolator(X, wave(x))(Q)) + np.sum(interpolate.BarycentricInterpolator(X, wave(x))(Q * 0.5 * x[0]))
def line_values(x): return np.sum(interpolate.interp1d(X, wave(x))(Q)) + np.sum(interpolate.interp1d(X, wave(x))(Q * 0.5 * x[0]))
def cubic_values(x): return np.sum(interpolate.CubicSpline(X, wave(x))(Q)) + np.sum(interpolate.CubicSpline(X, wave(x))(Q * 0.5 * x[0]))
def basis_values(x): return np.sum(interpolate.make_interp_spline(X, wave(x))(Q)) + np.sum(interpolate.make_interp_spline(X, wave(x))(Q * 0.5 * x[0]))
def interp1d_cubic(x): return np.sum(interpolate.interp1d(X, wave(x), kind='cubic')(Q * 0.9) * x)
def interp1d_quadratic(x): return np.sum(interpolate.interp1d(X, wave(x), kind='quadratic')(Q * 0.9) * x)
def interp1d_nearest(x): return np.sum(interpolate.interp1d(X, wave(x), kind='nearest')(Q * 0.9) * x)
def interp1d_slinear(x): return np.sum(interpolate.interp1d(X, wave(x), kind='slinear')(Q * 0.9) * x)
def interp1d_previous(x): return np.sum(interpolate.interp1d(X, wave(x), kind='previous')(Q * 0.9) * x)
def interp1d_rows(x): return interpolate.interp1d(X, np.stack([x[0] * np.sin(X), x[1] * X**2]), axis=1)([0.3, x[1]]).sum()
def grid_values(x): return np.sum(interpolate.RegularGridInterpolator(GRID, TABLE * x[1])(PLACES * x[0]))
def interpn(x): return np.sum(interpolate.interpn(GRID, TABLE * x[1], PLACES * x[0]))
def spline_slope(x): return np.sum(interpolate.CubicSpline(X, wave(x)).derivative()(Q * x[0])) + interpolate.CubicSpline(X, wave(x)).derivative(2)(0.7)
def spline_integral(x): return interpolate.CubicSpline(X, wave(x)).integrate(0.1, x[0]) + np.sum(interpolate.CubicSpline(X, wave(x)).antiderivative()(Q * x[0]))
def pchip_integral(x): return interpolate.PchipInterpolator(X, wave(x)).integrate(0.1, x[1]) + interpolate.pchip_interpolate(X, wave(x), 0.9)
def fitpack_integral(x): return interpolate.InterpolatedUnivariateSpline(X, wave(x)).integral(0.2, x[1]) + interpolate.InterpolatedUnivariateSpline(X, wave(x)).derivative()(0.4)
def fitpack_beyond(x): return interpolate.UnivariateSpline(X, wave(x), s=0, ext=1)(3.0) + interpolate.UnivariateSpline(X, wave(x), s=0, k=2, ext=3)([1.1, 9.0]).sum()
def fitpack_of_constants(x): return interpolate.UnivariateSpline(X, np.sin(X), s=0).integral(0, x[0])
def basis_integral(x): return interpolate.make_interp_spline(X, wave(x), k=5).integrate(0.1, x[1]) + interpolate.make_interp_spline(X, wave(x), k=1)(x[0])
def over_areas(x): return integrate.dblquad(lambda a, b: a * b * x[0] + x[1], 0, 1, 0, x[2])[0] + integrate.nquad(lambda a, b: a * b * x[0] + x[1], [[0, 1], [0, x[2]]])[0]
def fixed_rule(x): return integrate.fixed_quad(lambda a: np.exp(-a * x[0]), 0, x[1], n=5)[0] + integrate.romb(np.exp(-TIMES * x[2]), dx=0.125)
def sums_of_simpson(x): return np.sum(integrate.cumulative_simpson(np.exp(-X * x[0]), x=X) * X[1:] * x[1])
def delayed(x): return np.sum(signal.savgol_filter(wave(x), 5, 2) ** 2) + np.sum(signal.medfilt(wave(x), 3) ** 2)
def envelope(x): return np.sum(np.abs(signal.hilbert(wave(x)))) + np.sum(signal.resample(wave(x), 10) ** 2)
def spectrum(x): return np.sum(signal.welch(np.tile(wave(x), 40), nperseg=64)[1])
def response(x): return np.sum(np.abs(signal.freqz([x[0], 1.0], [1.0, 0.3 * x[1]], 8)[1]))
def simulated(x): return np.sum(signal.lsim(([x[0]], [1.0, x[1]]), np.ones(7), X)[1]) + np.sum(signal.step(([x[0]], [1.0, x[2]]), T=X)[1])
def butterworth(x): return np.sum(signal.butter(2, 0.3 * x[0])[0])
def polyphase(x): return np.sum(signal.upfirdn([1.0, x[0], x[1]], wave(x), 2, 3) ** 2)
def peak_heights(x): return np.sum(signal.find_peaks(np.sin(5 * X) * x[0], height=0)[1]['peak_heights']) + np.sum(signal.find_peaks(np.sin(5 * X) * x[0], prominence=0)[1]['prominences'])
def bilinear(x): return np.sum(signal.bilinear([x[0], 1.0], [1.0, x[1]])[0])
def sampled(x): return signal.cont2discrete((np.diag(x[:2]), np.ones((2, 1)), np.ones((1, 2)), np.zeros((1, 1))), 0.1)[0][0, 0]
def density(x): return np.sum(stats.gaussian_kde(np.array([1.0, 2.0, 3.5]))(x)) + np.sum(stats.gaussian_kde(x).logpdf(Q))
def distance_of_samples(x): return stats.kstest(x, 'norm').statistic
def fitted_normal(x): return sum(stats.norm.fit(x))
def regulator(x): return np.sum(linalg.solve_continuous_are(np.diag(-x), np.eye(3), np.eye(3) * x[0], np.eye(3)))
def sampled_regulator(x): return np.sum(linalg.solve_discrete_are(np.diag(0.3 * x), np.eye(3), np.eye(3), np.eye(3) * x[1]))
def lyapunov(x): return np.sum(linalg.solve_discrete_lyapunov(np.diag(0.3 * x) + 0.1, np.eye(3)))
def toeplitz(x): return np.sum(linalg.solve_toeplitz(x + [5, 0, 0], np.ones(3))) + np.sum(linalg.lstsq(np.vander(X, 3) * x, np.sin(X))[0])
def polynomial(x): return (x[0] * Polynomial([1.0, 2.0]) + Polynomial(x) ** 2)(x[1]) + Polynomial(x).integ()(0.4)
def chebyshev(x): return Chebyshev(x)(0.3) + Chebyshev(x).deriv()(0.2) + Polynomial.fit(X, wave(x), 2).convert().coef.sum()
def old_polynomial(x): return np.poly1d(x)(0.3) + np.poly1d(x).deriv()(0.2)
def steps_of_rk45(x): return stepped(x)
def distances(x): return np.sum(spatial.distance.pdist(np.outer([1.0, 2.0, 3.0], x)))
def scattered(x): return np.sum(interpolate.griddata(SITES, HEIGHTS * x[0], SPOTS) ** 2) + np.sum(interpolate.griddata((SITES[:, 0] * x[0], SITES[:, 1] * x[1]), HEIGHTS, (SPOTS[:, 0] * 0.5, SPOTS[:, 1] * 0.6)))
def scattered_places(x): return np.sum(interpolate.griddata(SITES, HEIGHTS, SPOTS * x[1] * 0.7, fill_value=0.5)) + interpolate.LinearNDInterpolator(spatial.Delaunay(SITES), HEIGHTS * x[0])(0.2 * x[0], 0.3 * x[1]).sum()
def scattered_nearest(x): return np.sum(interpolate.griddata(SITES, HEIGHTS * x[0], SPOTS, method="nearest") ** 2) + np.sum(interpolate.griddata(SITES * [1, 9], HEIGHTS * x[1], SPOTS * [1, 9], rescale=True) ** 2)
def radial_plate(x): return np.sum(interpolate.RBFInterpolator(SITES, HEIGHTS * x[0] + x[1] * SITES[:, 0] ** 2)(SPOTS * x[1]) ** 2) + np.sum(interpolate.RBFInterpolator(SITES * x[2], HEIGHTS)(SPOTS))
def radial_powers(x): return sum(np.sum(interpolate.RBFInterpolator(SITES, HEIGHTS * x[0], kernel=k)(SPOTS * x[1]) ** 2) for k in ("linear", "cubic", "quintic"))
def radial_scales(x): return sum(np.sum(interpolate.RBFInterpolator(SITES, HEIGHTS * x[0], kernel=k, epsilon=x[1])(SPOTS) ** 2) for k in ("gaussian", "multiquadric", "inverse_multiquadric", "inverse_quadratic"))
def radial_smooth(x): return np.sum(interpolate.RBFInterpolator(SITES, np.stack([HEIGHTS * x[0], HEIGHTS**2], 1), smoothing=x[1] * np.arange(1, 7.0), degree=1)(SPOTS) ** 2)
def radial_of_constants(x): return np.sum(interpolate.RBFInterpolator(SITES, HEIGHTS)(SPOTS * x[0]) ** 2)
def fitpack_functions(x): return sum(np.sum(interpolate.splev(Q * x[0] * 0.9, interpolate.splrep(X, wave(x), k=k)) ** 2) for k in (1, 2, 3, 4, 5)) + interpolate.splint(0.1, x[0], interpolate.splrep(X, wave(x)))
def fitpack_functions_beyond(x): return np.sum(interpolate.splev(Q * x[0] * 3, interpolate.splrep(X, wave(x)), ext=1)) + np.sum(interpolate.splev(Q * 2, interpolate.splrep(X, wave(x)), ext=3)) + np.sum(interpolate.splev(Q * x[0], interpolate.splrep(X, wave(x)), der=1))
def smoothing(x): return np.sum(interpolate.make_smoothing_spline(X, wave(x), w=np.arange(1.0, 8.0) * x[0], lam=0.01 * x[1])(Q * x[0]) ** 2) + np.sum(interpolate.make_smoothing_spline(X, np.stack([wave(x), X]), lam=0.1, axis=1)(Q))
def grid_lines(x): return np.sum(interpolate.RegularGridInterpolator(LINES, PLANE * x[0] + np.sin(PLANE) * x[1], method="slinear")(PLACES * x[0]) ** 2)
def grid_pchip(x): return np.sum(interpolate.RegularGridInterpolator(LINES, PLANE * x[0], method="pchip")(PLACES))
def grid_cubic(x): return np.sum(interpolate.interpn(LINES, PLANE * x[0] + np.sin(PLANE) * x[1], PLACES * x[0], method="cubic")) + np.sum(interpolate.RegularGridInterpolator(LINES, np.stack([PLANE * x[0], PLANE], -1), method="cubic", bounds_error=False, fill_value=1.0)(PLACES * 2.2))
def spline_roots(x): return np.sum(interpolate.CubicSpline(X, np.cos(1.5 * X * x[0]) * x[1] + 0.1 * x[2]).roots(extrapolate=False) ** 2) + np.sum(interpolate.PchipInterpolator(X, np.cos(1.5 * X * x[0])).solve(0.3 * x[1], extrapolate=False))
def roots_at_jumps(x): return np.sum(interpolate.PPoly(np.array([[1.0, 1.0], [-2 * x[0], 0.3 * x[1]]]), np.array([0.0, 1.0, 2.0])).roots(extrapolate=False) ** 2)
def neighbours(x): return np.sum(spatial.KDTree(SITES * x[:2]).query(SPOTS * x[2], k=3)[0]) + np.sum(spatial.KDTree(np.eye(3)).query(np.outer([1, 2.0], x), k=[1, 3], p=1)[0])
def near_neighbours(x): return np.sum(np.minimum(spatial.cKDTree(np.eye(3)).query(x, k=3, distance_upper_bound=1.9)[0], 9)) + spatial.KDTree(np.eye(3)).query(x, p=np.inf)[0] + np.sum(spatial.KDTree(np.eye(3)).query(x, k=2, p=3)[0])
def around(x): return sum(np.sum((x[0] * SITES[i]) ** 2) for i in spatial.KDTree(SITES * 1.0 + 0 * x[0]).query_ball_point(np.array([0.5, 0.5]), 0.4))
def hulls(x): return spatial.ConvexHull(SITES * x[:2]).volume + spatial.ConvexHull(SITES * x[1:]).area + spatial.ConvexHull(np.sin(np.arange(27.0) ** 2).reshape(9, 3) * x).area + spatial.ConvexHull(np.sin(np.arange(27.0) ** 2).reshape(9, 3) * x).volume
def null_direction(x): return np.sum(linalg.null_space(np.array([[x[0], 1, x[1]], [0.3, x[2], 0.2]]))[:, 0] * [1, 2, 3]) ** 2
def few_eigenvalues(x): return np.sum(eigsh(WIDE * x[0] + x[1] * 0.1, k=3, which="LA", return_eigenvectors=False) * [1, 2, 3]) + np.sum(eigsh(WIDE * x[0] + x[1] * 0.1, k=2)[1] ** 2 * np.arange(6.0)[:, None])
def few_singular_values(x): return np.sum(svds(WIDE[:, :4] * x[0] + x[1] * 0.1, k=2)[1] * [1, 2]) + np.sum(svds(WIDE * x[0] + x[1] * 0.1, k=2)[2] ** 2 * np.arange(6.0))
