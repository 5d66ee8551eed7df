"""What functions of NumPy and SciPy are called in PyTorch's C++."""

from __future__ import annotations


def _named(module: str, arguments: str, names: str) -> dict[str, str]:
    """The calls of functions that have the same name in C++, or the one behind a colon."""
    pairs = (pair.partition(":") for pair in names.split())
    return {f"{module}.{name}": f"at::{theirs or name}{arguments}" for name, _, theirs in pairs}


# By the name in Python: the call in C++, with {0}, {1} … for arguments. An argument of PyTorch's
# functions that may be no number is written {0:t}; what stands behind the bar is the kind of the
# result, a tensor unless told: n is a number, i a whole one, s a shape.
CALLS = _named(
    "np",
    "({0})",
    "abs absolute:abs fabs:abs exp expm1 exp2 log log10 log2 log1p sqrt sin cos tan sinh cosh "
    "tanh arcsin:asin arccos:acos arctan:atan arcsinh:asinh arccosh:acosh arctanh:atanh sign "
    "floor ceil trunc rint:round fix:trunc square reciprocal negative:neg positive deg2rad "
    "radians:deg2rad rad2deg degrees:rad2deg sinc isnan isfinite isinf zeros_like ones_like "
    "signbit i0 ravel",
)
CALLS |= _named(
    "np",
    "({0:t}, {1:t})",
    "maximum minimum fmax fmin hypot arctan2:atan2 logaddexp logaddexp2 copysign "
    "float_power:pow power:pow fmod mod:remainder remainder nextafter inner outer kron matmul "
    "heaviside",
)
CALLS |= {
    "np.dot": "at::matmul({0:t}, {1:t})",
    "np.cbrt": "at::sign({0}) * at::pow(at::abs({0}), 1.0 / 3.0)",
    "np.ravel": "{0}.reshape({{-1}})",
    "np.add": "{0} + {1}",
    "np.subtract": "{0} - {1}",
    "np.multiply": "{0} * {1}",
    "np.divide": "{0} / {1}",
    "np.true_divide": "{0} / {1}",
    "np.where": "at::where({0}, {1}, {2})",
    "np.clip": "at::clamp({0}, {1}, {2})",
    "np.conj": "{0}",
    "np.real": "{0}",
    "np.shape": "{0}.sizes()|s",
    "np.reshape": "{0}.reshape({1})",
    "np.broadcast_to": "{0}.expand({1})",
    "np.expand_dims": "{0}.unsqueeze({axis})",
    "np.squeeze": "{0}.squeeze({axis})",
    "np.swapaxes": "{0}.transpose({1}, {2})",
    "np.moveaxis": "{0}.movedim({1}, {2})",
    "np.transpose": "permuted({0}, {1})",
    "np.flip": "at::flip({0}, {axis})",
    "np.flipud": "at::flip({0}, {{0}})",
    "np.fliplr": "at::flip({0}, {{1}})",
    "np.roll": "at::roll({0}, {1}, {axis})",
    "np.rot90": "at::rot90({0}, {k}, {axes})",
    "np.tril": "at::tril({0}, {k})",
    "np.triu": "at::triu({0}, {k})",
    "np.diag": "at::diag({0}, {k})",
    "np.tile": "{0}.repeat({1})",
    "np.sum": "at::sum({0}, {{{axis}}}, {keepdims})",
    "np.mean": "at::mean({0}, {{{axis}}}, {keepdims})",
    "np.nansum": "at::nansum({0}, {{{axis}}}, {keepdims})",
    "np.max": "at::amax({0}, {{{axis}}}, {keepdims})",
    "np.amax": "at::amax({0}, {{{axis}}}, {keepdims})",
    "np.min": "at::amin({0}, {{{axis}}}, {keepdims})",
    "np.amin": "at::amin({0}, {{{axis}}}, {keepdims})",
    "np.var": "at::var({0}, {{{axis}}}, 0, {keepdims})",
    "np.std": "at::std({0}, {{{axis}}}, 0, {keepdims})",
    "np.prod": "at::prod({0}, {axis}, {keepdims})",
    "np.cumsum": "at::cumsum({0}, {axis})",
    "np.cumprod": "at::cumprod({0}, {axis})",
    "np.trace": "{0}.diagonal({offset}, {axis1}, {axis2}).sum(-1)",
    "np.linalg.trace": "{0}.diagonal({offset}, -2, -1).sum(-1)",
    "np.linalg.inv": "at::linalg_inv({0})",
    "np.linalg.det": "at::linalg_det({0})",
    "np.linalg.solve": "at::linalg_solve({0}, {1})",
    "np.linalg.cholesky": "at::linalg_cholesky({0})",
    "solve_triangular": "at::linalg_solve_triangular({0}, {1}, !{lower})",
    "np.linalg.pinv": "at::linalg_pinv({0})",
    "np.linalg.matrix_power": "at::linalg_matrix_power({0}, {1})",
    "np.linalg.norm": "at::linalg_vector_norm({0})",
    "np.vdot": "at::dot({0}.reshape({{-1}}), {1}.reshape({{-1}}))",
    "np.vecdot": "at::sum({0} * {1}, -1)",
    "np.linalg.outer": "at::outer({0}, {1})",
    "np.linalg.matmul": "at::matmul({0}, {1})",
    "np.concatenate": "at::cat({0}, {axis})",
    "linalg.expm": "at::linalg_matrix_exp({0})",
    "linalg.inv": "at::linalg_inv({0})",
    "linalg.det": "at::linalg_det({0})",
    "math.log": "std::log({0})|n",
    "math.sqrt": "std::sqrt({0})|n",
    "math.exp": "std::exp({0})|n",
    "len": "{0}.size(0)|i",
    "unbroadcast": "sum_to({0}, {1})",
    "cast_like": "{0}.to({1}.scalar_type())",
    "as_floats": "as_floats({0})",
    "place_diagonal": "diagonal_like({0}, {1}, {offset}, {axis1}, {axis2})",
    "unit_conjugate": "at::sign({0})",
    "exclusive_cumprod": "exclusive_cumprod({0}, {axis})",
    "normal_density": "at::exp(-0.5 * {0} * {0}) / std::sqrt(2 * M_PI)",
    "cofactors": "cofactors({0})",
    "product_of_others": "product_of_others({0}, {axis})",
    "max": "std::max<int64_t>({0}, {1})|i",
}
CALLS |= _named(
    "special",
    "({0})",
    "erf erfc erfinv expit:sigmoid logit gammaln:lgamma psi:digamma digamma erfcx:special_erfcx "
    "i0 i0e:special_i0e i1:special_i1 i1e:special_i1e ndtr:special_ndtr ndtri:special_ndtri "
    "log_ndtr:special_log_ndtr entr:special_entr exp2 expm1 log1p log_expit:log_sigmoid",
)
CALLS |= {
    "special.gamma": "gamma({0})",
    "special.loggamma": "at::lgamma({0})",
    "special.rgamma": "1.0 / gamma({0})",
    "special.exp10": "at::pow(10.0, {0})",
    "special.cbrt": "at::sign({0}) * at::pow(at::abs({0}), 1.0 / 3.0)",
    "special.xlogy": "at::xlogy({0:t}, {1:t})",
    "special.xlog1py": "at::special_xlog1py({0:t}, {1:t})",
    "special.rel_entr": "at::where({0} > 0, {0} * at::log({0} / {1}), at::zeros_like({0}))",
    "special.kl_div": "{0} * at::log({0} / {1}) - {0} + {1}",
    "special.zeta": "at::special_zeta({0:t}, {1:t})",
    "special.polygamma": "at::polygamma({0}, {1})",
    "special.beta": "at::exp(at::lgamma({0}) + at::lgamma({1}) - at::lgamma({0} + {1}))",
    "special.betaln": "at::lgamma({0}) + at::lgamma({1}) - at::lgamma({0} + {1})",
    "special.softmax": "at::softmax({0}, {axis})",
    "special.log_softmax": "at::log_softmax({0}, {axis})",
    "special.logsumexp": "at::logsumexp({0}, {axis}, {keepdims})",
    "special.huber": "at::where(at::abs({1}) <= {0}, 0.5 * {1} * {1}, "
    "{0} * (at::abs({1}) - 0.5 * {0}))",
    "special.pseudo_huber": "{0} * {0} * (at::sqrt(1 + ({1} / {0}) * ({1} / {0})) - 1)",
    "special.boxcox": "at::where({1} == 0, at::log({0}), (at::pow({0}, {1}) - 1) / {1})",
    "special.inv_boxcox": "at::where({1} == 0, at::exp({0}), at::pow({1} * {0} + 1, 1 / {1}))",
    "special.inv_boxcox1p": "at::where({1} == 0, at::expm1({0}), "
    "at::pow({1} * {0} + 1, 1 / {1}) - 1)",
    "special.boxcox1p": "at::where({1} == 0, at::log1p({0}), (at::pow(1 + {0}, {1}) - 1) / {1})",
    "special.exprel": "at::expm1({0}) / {0}",
    "special.powm1": "at::pow({0}, {1}) - 1",
    "special.sindg": "at::sin(at::deg2rad({0}))",
    "special.cosdg": "at::cos(at::deg2rad({0}))",
    "special.tandg": "at::tan(at::deg2rad({0}))",
    "special.cotdg": "1.0 / at::tan(at::deg2rad({0}))",
    "special.cosm1": "-2.0 * at::square(at::sin({0} / 2))",
}
# Operations of PyTorch without a derivative: entries of its table may call them, and functions for
# its engine may not, whose second derivatives would take them for constants.
CONSTANT = {
    "special.i0": "at::special_modified_bessel_i0({0})",
    "special.i1": "at::special_modified_bessel_i1({0})",
    "special.j0": "at::special_bessel_j0({0})",
    "special.j1": "at::special_bessel_j1({0})",
    "special.y0": "at::special_bessel_y0({0})",
    "special.y1": "at::special_bessel_y1({0})",
    "special.k0": "at::special_modified_bessel_k0({0})",
    "special.k1": "at::special_modified_bessel_k1({0})",
    "special.k0e": "at::special_scaled_modified_bessel_k0({0})",
    "special.k1e": "at::special_scaled_modified_bessel_k1({0})",
    "special.eval_chebyt": "at::special_chebyshev_polynomial_t({1:t}, {0})",
    "special.eval_chebyu": "at::special_chebyshev_polynomial_u({1:t}, {0})",
    "special.eval_hermite": "at::special_hermite_polynomial_h({1:t}, {0})",
    "special.eval_hermitenorm": "at::special_hermite_polynomial_he({1:t}, {0})",
}
METHODS = {
    "sum": "np.sum",
    "mean": "np.mean",
    "reshape": "np.reshape",
    "copy": "np.positive",
    "astype": "cast_like",
}
# Defaults of options, where a call leaves them out; None is "over all axes".
OPTIONS = {
    "keepdims": "false", "axis": "{}", "offset": "0", "axis1": "0", "axis2": "1", "k": "0",
    "axes": "{0, 1}", "lower": "false",
}  # fmt: skip
