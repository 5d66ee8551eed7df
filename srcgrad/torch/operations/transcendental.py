"""Special functions, element by element."""

from __future__ import annotations

import numpy as np
from scipy import special

ELEMENTWISE = True


def digamma(self):
    return special.psi(self)


def erf(self):
    return special.erf(self)


def erfc(self):
    return special.erfc(self)


def erfinv(self):
    return special.erfinv(self)


def i0(self):
    return special.i0(self)


def i1_backward(grad, self, result):
    small = np.abs(self) < np.finfo(float).eps
    slope = special.i0(self) - result / np.where(small, np.finfo(float).eps, self)
    return grad * np.where(small, 0.5, slope)


def i1e_backward(grad, self, result):
    small = np.abs(self) < np.finfo(float).eps
    safe = np.where(small, np.finfo(float).eps, self)
    slope = special.i0e(self) - result * (np.sign(self) + 1 / safe)
    return grad * np.where(small, 0.5, slope)


def igamma(self, other):
    return special.gammainc(self, other)


def igammac(self, other):
    return special.gammaincc(self, other)


def lgamma(self):
    return special.gammaln(self)


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


def polygamma(self, *, n):
    return special.polygamma(n, self)


def sigmoid(self):
    return 1 / (1 + np.exp(-self))


def sigmoid_backward(grad_output, output):
    return grad_output * np.conj((1 - output) * output)


def special_entr(self):
    return special.entr(self)


def special_erfcx(self):
    return special.erfcx(self)


def special_i0e(self):
    return special.i0e(self)


def special_i1(self):
    return special.i1(self)


def special_i1e(self):
    return special.i1e(self)


def special_log_ndtr(self):
    return special.log_ndtr(self)


def special_ndtri(self):
    return special.ndtri(self)


def special_xlog1py(self, other):
    return special.xlog1py(self, other)


def special_xlog1py_other_scalar(self, *, other):
    return special.xlog1py(self, other)


def special_xlog1py_self_scalar(other, *, self):
    return special.xlog1py(self, other)


def special_zeta(self, other):
    return special.zeta(self, other)


def special_zeta_self_scalar(other, *, self):
    return special.zeta(self, other)


def xlogy_tensor(self, other):
    return special.xlogy(self, other)


def xlogy_scalar_other(self, *, other):
    return special.xlogy(self, other)


def xlogy_scalar_self(other, *, self):
    return special.xlogy(self, other)
