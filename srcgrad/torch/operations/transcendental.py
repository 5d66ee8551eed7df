"""Special functions, element by element."""

from __future__ import annotations

import numpy as np
from scipy import special

ELEMENTWISE = True

digamma = lambda self: special.psi(self)
erf = lambda self: special.erf(self)
erfc = lambda self: special.erfc(self)
erfinv = lambda self: special.erfinv(self)
i0 = lambda self: special.i0(self)
igamma = lambda self, other: special.gammainc(self, other)
igammac = lambda self, other: special.gammaincc(self, other)
lgamma = lambda self: special.gammaln(self)
polygamma = lambda self, *, n: special.polygamma(n, self)
sigmoid = lambda self: 1 / (1 + np.exp(-self))
sigmoid_backward = lambda grad_output, output: grad_output * np.conj((1 - output) * output)
special_entr = lambda self: special.entr(self)
special_erfcx = lambda self: special.erfcx(self)
special_i0e = lambda self: special.i0e(self)
special_i1 = lambda self: special.i1(self)
special_i1e = lambda self: special.i1e(self)
special_log_ndtr = lambda self: special.log_ndtr(self)
special_ndtri = lambda self: special.ndtri(self)
special_xlog1py = lambda self, other: special.xlog1py(self, other)
special_xlog1py_other_scalar = lambda self, *, other: special.xlog1py(self, other)
special_xlog1py_self_scalar = lambda other, *, self: special.xlog1py(self, other)
special_zeta = lambda self, other: special.zeta(self, other)
special_zeta_self_scalar = lambda other, *, self: special.zeta(self, other)
xlogy_tensor = lambda self, other: special.xlogy(self, other)
xlogy_scalar_other = lambda self, *, other: special.xlogy(self, other)
xlogy_scalar_self = lambda other, *, self: special.xlogy(self, other)


def i1_backward(grad, self, result):
    small = np.abs(self) < np.finfo(float).eps
    slope = special.i0(self) - result / np.where(small, np.finfo(float).eps, self)
    return grad * np.where(small, 0.5, slope)


def i1e_backward(grad, self, result):
    small = np.abs(self) < np.finfo(float).eps
    safe = np.where(small, np.finfo(float).eps, self)
    slope = special.i0e(self) - result * (np.sign(self) + 1 / safe)
    return grad * np.where(small, 0.5, slope)


def logit(self, *, eps=None):
    return special.logit(self if eps is None else np.clip(self, eps, 1 - eps))


def infinitely_differentiable_logit_backward(grad, self, eps=None):
    if eps is None:
        return np.where((self >= 0) & (self <= 1), grad / (self * (1 - self)), np.nan)
    inside = (self >= eps) & (self <= 1 - eps)
    return np.where(inside, grad / np.where(inside, self * (1 - self), 1), 0)


def mvlgamma(self, *, p):
    return special.multigammaln(self, p) if np.ndim(self) == 0 else _mvlgamma(self, p)  # pyright: ignore[reportAttributeAccessIssue]


def _mvlgamma(self, p):
    offsets = np.arange(p) / 2
    constant = p * (p - 1) / 4 * np.log(np.pi)
    return constant + np.sum(special.gammaln(self[..., None] - offsets), axis=-1)


def mvlgamma_backward(grad, self, p):
    return grad * np.sum(special.psi(np.expand_dims(self, -1) - np.arange(p) / 2), axis=-1)
