"""Programs of users: SciPy's own Python, recorded where it has no formula."""

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial
from scipy import integrate, interpolate, linalg, signal, spatial, stats

X = np.linspace(0, 2, 7)
Q = np.array([0.3, 0.9, 1.55])
GRID = np.arange(3.0), np.arange(4.0)
TABLE = np.arange(12.0).reshape(3, 4) ** 1.3
PLACES = np.array([[0.5, 1.2], [1.7, 2.3]])
TIMES = np.linspace(0, 1, 9)


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
