"""The calls whose derivatives are compared, by the names of NumPy's and SciPy's modules."""

from __future__ import annotations

from typing import Any

import numpy as np

RNG = np.random.default_rng(0)
SQUARE = RNG.normal(size=(3, 3)) + 3 * np.eye(3)
DEFINITE = SQUARE @ SQUARE.T
X, Y = RNG.normal(size=(3, 4)), RNG.normal(size=(3, 4))
V, W = RNG.normal(size=5), RNG.normal(size=3)
POSITIVE = np.abs(X) + 0.5
TIED = np.array([1.0, 3.0, 3.0, -1.0])
TURNING = np.array([[0.5, -2.0, 0.3], [1.7, 0.4, -0.2], [0.1, 0.6, 1.1]])
COMPLEX = X + 1j * Y
WEIGHTS = np.array([2.0, 1.0, 3.0, 1.0, 1.0])
SHARES = np.array([0.2, 0.5, 0.3])
SMALL, LARGE = np.array([0.4, 1.3]), np.array([0.9, 3.0])
PROBABILITIES = np.array([0.1, 0.35, 0.8])

Case = tuple[str, str, tuple[Any, ...]]

CASES: list[Case] = [
    *(
        (name, f"np.{name}(x)", (POSITIVE,))
        for name in (
            "exp", "expm1", "exp2", "log", "log2", "log10", "log1p", "sqrt", "square",
            "reciprocal", "sin", "cos", "tan", "arctan", "sinh", "cosh", "tanh", "arcsinh",
            "abs", "sinc", "degrees", "radians", "sum", "prod", "mean", "var", "std", "max",
            "min", "cumsum", "ravel", "transpose", "flipud", "fliplr", "diff", "sort", "median",
            "nanmean", "nansum", "ptp", "i0", "cbrt", "cumprod",
        )
    ),
    *(
        (name, f"np.{name}(x, y)", (POSITIVE, POSITIVE[::-1]))
        for name in (
            "add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "fmax", "fmin",
            "arctan2", "hypot", "logaddexp", "logaddexp2", "mod", "fmod", "copysign",
        )
    ),
    ("abs at 0", "np.abs(x)", (np.zeros(2),)),
    ("max with ties", "np.max(x)", (TIED,)),
    ("maximum with ties", "np.maximum(x, 3.0)", (TIED,)),
    ("clip at its bounds", "np.clip(x, -1.0, 3.0)", (TIED,)),
    ("sort with ties", "np.sort(x) * np.arange(4.0)", (TIED,)),
    ("norm at 0", "np.linalg.norm(x)", (np.zeros(3),)),
    ("std of equal numbers", "np.std(x)", (np.ones(3),)),
    ("prod with a zero", "np.prod(x)", (np.array([2.0, 0.0, 3.0]),)),
    ("sinc near 0", "np.sinc(x)", (np.array([0.0, 1e-9, 1e-3]),)),
    ("dot", "np.dot(x, y.T)", (X, Y)),
    ("inner", "np.inner(x, y)", (X, Y)),
    ("outer", "np.outer(x, y)", (V, W)),
    ("kron", "np.kron(x, y)", (SQUARE, SQUARE)),
    ("cross", "np.cross(x, y)", (SQUARE, SQUARE.T)),
    ("tensordot", "np.tensordot(x, y, axes=([0, 1], [0, 1]))", (X, Y)),
    ("einsum", 'np.einsum("ij,kj->ik", x, y)', (X, Y)),
    ("where", "np.where(x > y, x, y)", (X, Y)),
    ("pad", 'np.pad(x, 1, mode="constant")', (X,)),
    ("pad reflect", 'np.pad(x, 1, mode="reflect")', (X,)),
    ("tile", "np.tile(x, (2, 1))", (X,)),
    ("roll", "np.roll(x, 2)", (X,)),
    ("interp", "np.interp(x, np.arange(3.0), y)", (np.array([0.3, 1.6]), W)),
    ("convolve", "np.convolve(x, y)", (V, W)),
    ("quantile", "np.quantile(x, 0.3, axis=0)", (X,)),
    ("cov", "np.cov(x)", (X,)),
    ("corrcoef", "np.corrcoef(x)", (X,)),
    ("trapezoid", "np.trapezoid(x, dx=0.3)", (X,)),
    ("linspace", "np.linspace(x, y, 5)", (0.3, 2.0)),
    ("vander", "np.vander(x)", (W,)),
    ("inv", "np.linalg.inv(x)", (SQUARE,)),
    ("solve", "np.linalg.solve(x, y)", (SQUARE, W)),
    ("det", "np.linalg.det(x)", (SQUARE,)),
    ("slogdet", "np.linalg.slogdet(x)[1]", (SQUARE,)),
    ("cholesky", "np.linalg.cholesky(x)", (DEFINITE,)),
    ("eigh values", "np.linalg.eigh(x)[0]", (DEFINITE,)),
    ("eigh vectors", "np.linalg.eigh(x)[1] ** 2", (DEFINITE,)),
    ("svd values", "np.linalg.svd(x, compute_uv=False)", (X,)),
    ("svd vectors", "np.linalg.svd(x, full_matrices=False)[0] ** 2", (X,)),
    ("qr", "np.linalg.qr(x)[0] ** 2", (X.T.copy(),)),
    ("pinv", "np.linalg.pinv(x)", (X,)),
    ("norm", "np.linalg.norm(x)", (X,)),
    ("norm nuc", 'np.linalg.norm(x, "nuc")', (X,)),
    ("matrix_power", "np.linalg.matrix_power(x, 3)", (SQUARE,)),
    ("eigvals", "np.linalg.eigvals(x)", (TURNING,)),
    ("eig values", "np.linalg.eig(x)[0]", (TURNING,)),
    ("eig vectors", "np.abs(np.linalg.eig(x)[1]) ** 2", (TURNING,)),
    ("eigvals of complex numbers", "np.linalg.eigvals(x)", (SQUARE + 0.5j * SQUARE.T,)),
    ("pinv of complex numbers", "np.linalg.pinv(x)", (COMPLEX,)),
    ("inv of complex numbers", "np.linalg.inv(x)", (SQUARE + 0.5j * SQUARE.T,)),
    ("solve of complex numbers", "np.linalg.solve(x, y)", (SQUARE + 0.5j * SQUARE.T, W + 1j)),
    ("qr of complex numbers", "np.abs(np.linalg.qr(x)[0]) ** 2", (COMPLEX.T.copy(),)),
    ("svd of complex numbers", "np.linalg.svd(x, compute_uv=False)", (COMPLEX,)),
    ("cholesky of complex numbers", "np.linalg.cholesky(x @ np.conj(x.T))", (COMPLEX[:, :3],)),
    ("lstsq", "np.linalg.lstsq(x, y)[0]", (X.T.copy(), Y[0])),
    ("lstsq of complex numbers", "np.linalg.lstsq(x, y)[0]", (COMPLEX.T.copy(), Y[0] + 1j)),
    ("cond", "np.linalg.cond(x)", (SQUARE,)),
    ("cond of complex numbers", "np.linalg.cond(x)", (SQUARE + 0.5j * SQUARE.T,)),
    ("cond by columns", "np.linalg.cond(x, 1)", (SQUARE,)),
    *(
        (f"{name}.{method}", f"np.{name}.{method}(x)", (POSITIVE,))
        for name in ("add", "multiply", "maximum", "minimum")
        for method in ("reduce", "accumulate")
    ),
    ("logaddexp.reduce", "np.logaddexp.reduce(x)", (POSITIVE,)),
    ("hypot.reduce", "np.hypot.reduce(x)", (POSITIVE,)),
    *(
        (f"{name}.outer", f"np.{name}.outer(x, y)", (V, POSITIVE[0]))
        for name in ("add", "subtract", "multiply", "divide")
    ),
    *(
        (f"{name}.reduceat", f"np.{name}.reduceat(x, np.array([0, 3, 1]))", (V,))
        for name in ("add", "multiply", "maximum")
    ),
    (
        "quantile with weights",
        'np.quantile(x, 0.3, weights=np.arange(5) + 1, method="inverted_cdf")',
        (V,),
    ),
    ("cov with weights", "np.cov(x, aweights=y)", (RNG.normal(size=(3, 5)), WEIGHTS)),
    ("density", "np.histogram(x, y, density=True)[0]", (V, np.array([-3.0, 0.0, 0.7, 3.0]))),
    *(
        (f"fft.{name}", f"np.fft.{name}(x)", (X,))
        for name in ("fft", "ifft", "rfft", "fft2", "rfft2", "fftn")
    ),
    ("fft of complex numbers", "np.fft.fft(x)", (COMPLEX,)),
    ("irfft of complex numbers", "np.fft.irfft(x)", (COMPLEX,)),
    ("qr of SciPy", 'linalg.qr(x, mode="economic")[0] ** 2', (X.T.copy(),)),
    ("svd of SciPy", "linalg.svd(x, full_matrices=False)[0] ** 2", (X,)),
    *(
        (f"linalg.{name}", f"linalg.{name}(x)", (DEFINITE / 9,))
        for name in ("expm", "sqrtm", "inv", "det")
    ),
    ("linalg.toeplitz", "linalg.toeplitz(x)", (W,)),
    ("linalg.cholesky", "linalg.cholesky(x, lower=True)", (DEFINITE,)),
    ("linalg.solve_triangular", "linalg.solve_triangular(x, y)", (SQUARE, W)),
    ("linalg.lu", "linalg.lu(x)[1]", (SQUARE,)),
    *(
        (f"special.{name}", f"special.{name}(x)", (PROBABILITIES,))
        for name in (
            "gammaln", "gamma", "digamma", "erf", "erfc", "erfinv", "expit", "logit", "entr",
            "ndtr", "ndtri", "log_ndtr", "i0e", "i1", "i1e", "logsumexp", "softmax", "log_softmax",
            "exp1", "j0", "j1", "sici", "ellipk", "spence", "factorial",
        )
    ),
    *(
        (f"special.{name}", f"special.{name}(x, y)", (PROBABILITIES, np.array([0.4, 1.3, 2.0])))
        for name in ("xlogy", "xlog1py", "betaln", "beta", "rel_entr", "kl_div")
    ),
    ("special.gammainc", "special.gammainc(0.7, x)", (LARGE,)),
    ("special.gammaincc", "special.gammaincc(0.7, x)", (LARGE,)),
    ("special.betainc", "special.betainc(0.7, 1.2, x)", (PROBABILITIES,)),
    ("special.polygamma", "special.polygamma(1, x)", (POSITIVE,)),
    ("special.multigammaln", "special.multigammaln(x, 2)", (np.array([2.5, 3.0]),)),
    *(
        (f"stats.{name}", f"stats.{name}(x, y)", (np.array([0.3, 0.6]), np.array([1.4, 2.1])))
        for name in (
            "norm.logpdf", "norm.pdf", "norm.cdf", "norm.logcdf", "norm.sf", "t.logpdf",
            "chi2.logpdf", "gamma.logpdf", "cauchy.logpdf", "cauchy.cdf",
            "laplace.logpdf", "laplace.cdf", "logistic.logpdf", "logistic.cdf", "expon.logpdf",
        )
    ),
    ("stats.gamma.logcdf", "stats.gamma.logcdf(x, 1.3)", (LARGE,)),
    ("stats.chi2.cdf", "stats.chi2.cdf(x, 3.0)", (LARGE,)),
    ("stats.beta.logpdf", "stats.beta.logpdf(0.3, x, y)", (SMALL, LARGE)),
    ("stats.dirichlet.logpdf", "stats.dirichlet.logpdf(x, y)", (SHARES, np.array([0.9, 1.7, 3.0]))),
    ("stats.dirichlet.pdf", "stats.dirichlet.pdf(x, y)", (SHARES, np.array([0.9, 1.7, 3.0]))),
    (
        "stats.multivariate_normal.logpdf",
        "stats.multivariate_normal.logpdf(np.ones(3), x, y)",
        (W, DEFINITE),
    ),
    ("signal.convolve", "signal.convolve(x, y)", (X, Y)),
    (
        "ndimage.map_coordinates",
        "ndimage.map_coordinates(x, y, order=1)",
        (X, np.array([[0.3, 1.2], [0.6, 2.1]])),
    ),
    *(
        (name, f"np.{name}(x)", (PROBABILITIES,))
        for name in (
            "arccos", "arcsin", "arctanh", "acos", "asin", "atan", "asinh", "atanh", "absolute",
            "fabs", "deg2rad", "rad2deg", "negative", "positive", "imag", "real", "conjugate",
            "nan_to_num", "real_if_close", "copy", "asarray", "array", "float64", "average",
            "amax", "amin", "nanmax", "nanmin", "nanprod", "nanstd", "nanvar", "nanmedian",
            "nancumsum", "nancumprod", "cumulative_sum", "cumulative_prod", "ediff1d", "gradient",
            "diag", "diagflat", "atleast_1d", "atleast_2d", "atleast_3d", "squeeze", "flip", "diff",
            "unique_values", "unwrap", "trim_zeros", "unique",
        )
    ),
    *((name, f"np.{name}(x + 1.5)", (PROBABILITIES,)) for name in ("arccosh", "acosh")),
    *(
        (name, f"np.{name}(x, y)", (POSITIVE, POSITIVE[::-1]))
        for name in (
            "atan2", "float_power", "heaviside", "nextafter", "pow", "remainder", "true_divide",
            "vecdot",
        )
    ),
    ("divmod", "np.divmod(x, y)[1]", (POSITIVE, POSITIVE[::-1])),
    ("modf", "np.modf(x)[0]", (POSITIVE,)),
    ("frexp", "np.frexp(x)[0]", (POSITIVE,)),
    ("ldexp", "np.ldexp(x, 3)", (POSITIVE,)),
    ("percentile", "np.percentile(x, 30.0, axis=1)", (X,)),
    ("nanpercentile", "np.nanpercentile(x, 30.0, axis=1)", (X,)),
    ("nanquantile", "np.nanquantile(x, 0.3, axis=1)", (X,)),
    ("partition", "np.partition(x, 2) * np.array([0.0, 0.0, 1.0, 0.0])", (X,)),
    ("bincount", "np.bincount(np.array([0, 1, 1, 3, 0]), weights=x)", (V,)),
    ("average with weights", "np.average(x, weights=y)", (V, WEIGHTS)),
    ("correlate", 'np.correlate(x, y, mode="full")', (V, W)),
    ("append", "np.append(x, y)", (X, V)),
    ("concatenate", "np.concatenate((x, y), axis=1)", (X, Y)),
    ("concat", "np.concat((x, y))", (X, Y)),
    *(
        (name, f"np.{name}((x, y))", (X, Y))
        for name in ("stack", "vstack", "hstack", "dstack", "column_stack")
    ),
    *(
        (name, f"np.{name}(x, 2{axis})[1]", (np.ones((2, 4, 2)) * np.arange(4.0)[:, None],))
        for name, axis in (
            ("split", ", axis=1"), ("array_split", ", axis=1"), ("hsplit", ""), ("vsplit", ""),
            ("dsplit", ""),
        )
    ),
    ("block", "np.block([x, y])", (X, Y)),
    ("unstack", "np.unstack(x)[1]", (X,)),
    ("broadcast_to", "np.broadcast_to(x, (2, 3, 4))", (X,)),
    ("broadcast_arrays", "np.broadcast_arrays(x, y)[1]", (X, Y[:1])),
    ("choose", "np.choose(np.array([1, 0, 1]), [x, y])", (W, W[::-1].copy())),
    ("select", "np.select([x > 0.0, x > -1.0], [x, y], 0.0)", (X, Y)),
    ("compress", "np.compress(np.array([True, False, True]), x, axis=0)", (X,)),
    ("extract", "np.extract(np.eye(3, 4, dtype=bool), x)", (X,)),
    ("delete", "np.delete(x, 1, axis=0)", (X,)),
    ("insert", "np.insert(x, 1, y, axis=0)", (X, Y[0])),
    ("diagonal", "np.diagonal(x, 1)", (X,)),
    ("trace", "np.trace(x)", (X,)),
    ("tril", "np.tril(x, -1)", (X,)),
    ("triu", "np.triu(x, 1)", (X,)),
    ("expand_dims", "np.expand_dims(x, 1)", (X,)),
    ("full", "np.full((2, 3), x)", (0.7,)),
    ("full_like", "np.full_like(np.ones((2, 3)), x)", (0.7,)),
    ("geomspace", "np.geomspace(x, y, 5)", (0.3, 2.0)),
    ("logspace", "np.logspace(x, y, 5)", (0.3, 2.0)),
    ("kaiser", "np.kaiser(7, x)", (2.5,)),
    ("meshgrid", "np.meshgrid(x, y)[1]", (V, W)),
    ("ix_", "np.ix_(x, y)[1]", (V, W)),
    ("moveaxis", "np.moveaxis(x, 0, 1)", (X,)),
    ("rollaxis", "np.rollaxis(x, 1)", (X,)),
    ("swapaxes", "np.swapaxes(x, 0, 1)", (X,)),
    ("permute_dims", "np.permute_dims(x, (1, 0))", (X,)),
    ("matrix_transpose", "np.matrix_transpose(x)", (X,)),
    ("reshape", "np.reshape(x, (2, 6))", (X,)),
    ("resize", "np.resize(x, (5, 3))", (X,)),
    ("repeat", "np.repeat(x, 2, axis=1)", (X,)),
    ("rot90", "np.rot90(x)", (X,)),
    ("take", "np.take(x, np.array([0, 2, 0]), axis=1)", (X,)),
    ("take_along_axis", "np.take_along_axis(x, np.array([[0], [2], [0]]), axis=1)", (X,)),
    ("polyval", "np.polyval(x, y)", (W, V)),
    ("piecewise", "np.piecewise(x, [x > 0.0], [lambda t: t**2, lambda t: -t])", (V,)),
    ("matmul", "np.matmul(x, y.T)", (X, Y)),
    ("matvec", "np.matvec(x, y)", (X, Y[0])),
    ("vecmat", "np.vecmat(x, y)", (W, Y)),
    ("vdot", "np.vdot(x, y)", (V, WEIGHTS)),
    ("vdot of complex numbers", "np.vdot(x, y)", (COMPLEX[0], COMPLEX[1])),
    ("vecdot of complex numbers", "np.vecdot(x, y)", (COMPLEX, COMPLEX[::-1].copy())),
    ("angle", "np.angle(x)", (COMPLEX,)),
    ("astype", "np.astype(x, complex) * 1j", (X,)),
    *(
        (f"linalg.{name}", f"np.linalg.{name}(x)", (DEFINITE,))
        for name in (
            "eigvalsh", "svdvals", "matrix_norm", "vector_norm", "trace", "diagonal",
            "matrix_transpose",
        )
    ),
    ("linalg.multi_dot", "np.linalg.multi_dot([x, y.T, x])", (X, Y)),
    ("linalg.matmul", "np.linalg.matmul(x, y.T)", (X, Y)),
    ("linalg.vecdot", "np.linalg.vecdot(x, y)", (X, Y)),
    ("linalg.tensorinv", "np.linalg.tensorinv(x.reshape(3, 1, 3), ind=1)", (SQUARE,)),
    ("linalg.tensorsolve", "np.linalg.tensorsolve(x, y)", (SQUARE, W)),
    ("det of a singular matrix", "np.linalg.det(x)", (np.arange(9.0).reshape(3, 3),)),
    ("det of zeros", "np.linalg.det(x)", (np.zeros((2, 2)),)),
    *(
        (f"fft.{name}", f"np.fft.{name}(x)", (X,))
        for name in ("ihfft", "ifft2", "ifftn", "rfftn", "fftshift", "ifftshift")
    ),
    *(
        (f"fft.{name}", f"np.fft.{name}(x)", (COMPLEX,))
        for name in ("hfft", "irfft2", "irfftn")
    ),
    *(
        (f"special.{name}", f"special.{name}(x)", (PROBABILITIES,))
        for name in (
            "psi", "loggamma", "rgamma", "erfcinv", "erfcx", "expi", "dawsn", "y0", "y1", "i0",
            "log1p", "expm1", "cbrt", "exp2", "sinc",
        )
    ),
    ("special.fresnel", "special.fresnel(x)[0]", (PROBABILITIES,)),
    ("special.expn", "special.expn(2, x)", (PROBABILITIES,)),
    *(
        (f"special.{name}", f"special.{name}(1.0, x)", (LARGE,))
        for name in ("jn", "yn", "jv", "iv", "ive")
    ),
    ("special.poch", "special.poch(x, y)", (SMALL, LARGE)),
    ("special.zeta", "special.zeta(2.5, x)", (LARGE,)),
    ("special.owens_t", "special.owens_t(x, y)", (SMALL, LARGE)),
    ("special.hyp1f1", "special.hyp1f1(0.7, 1.2, x)", (SMALL,)),
    ("special.hyp2f1", "special.hyp2f1(0.7, 1.2, 2.1, x / 4)", (SMALL,)),
    ("special.boxcox", "special.boxcox(x, y)", (SMALL, LARGE)),
    ("special.boxcox1p", "special.boxcox1p(x, y)", (SMALL, LARGE)),
    ("special.xlogy at 0", "special.xlogy(x, y)", (np.zeros(2), np.array([0.5, 2.0]))),
    ("special.sph_harm_y", "special.sph_harm_y(2, 1, x, y)", (SMALL, LARGE)),
    ("linalg.block_diag", "linalg.block_diag(x, y)", (SQUARE, X)),
    ("linalg.solve", "linalg.solve(x, y)", (SQUARE, W)),
    ("linalg.cho_solve", "linalg.cho_solve(linalg.cho_factor(x), y)", (DEFINITE, W)),
    ("linalg.lu_solve", "linalg.lu_solve(linalg.lu_factor(x), y)", (SQUARE, W)),
    ("linalg.polar", "linalg.polar(x)[0]", (SQUARE,)),
    ("linalg.svd of SciPy", "linalg.svd(x, compute_uv=False)", (X,)),
    ("linalg.expm of complex numbers", "linalg.expm(x)", (SQUARE / 9 + 0.1j,)),
]  # fmt: skip
