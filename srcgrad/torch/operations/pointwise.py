"""Operations that go element by element, and broadcast their arguments."""

from __future__ import annotations

import numpy as np

ELEMENTWISE = True


def abs(self):
    return np.abs(self)


def acos(self):
    return np.arccos(self)


def acosh(self):
    return np.arccosh(self)


def add_tensor(self, other, *, alpha=1):
    return self + alpha * other


def add_scalar(self, *, other, alpha=1):
    return self + alpha * other


def addcdiv(self, tensor1, tensor2, *, value=1):
    return self + value * tensor1 / tensor2


def addcmul(self, tensor1, tensor2, *, value=1):
    return self + value * tensor1 * tensor2


def alias(self):
    return self + 0


def angle(self):
    return np.angle(self)


def angle_backward(grad, self):
    if np.iscomplexobj(self):
        return np.where(self == 0, 0, grad * self / np.abs(self) ** 2 * 1j)
    return np.zeros_like(grad)


def asin(self):
    return np.arcsin(self)


def asinh(self):
    return np.arcsinh(self)


def atan(self):
    return np.arctan(self)


def atan2(self, other):
    return np.arctan2(self, other)


def atan2_backward(grad, self, other):
    scaled = grad / (self * self + other * other)
    return scaled * other, -scaled * self


def atanh(self):
    return np.arctanh(self)


def ceil(self):
    return np.ceil(self)


def clamp(self, *, min=None, max=None):
    return np.clip(self, min, max)


def clamp_tensor(self, min=None, max=None):
    return np.clip(self, min, max)


def clamp_backward(grad, self, min=None, max=None):
    if min is None:
        return np.where(self <= max, grad, 0)
    if max is None:
        return np.where(self >= min, grad, 0)
    return np.where((self >= min) & (self <= max), grad, 0)


def clamp_backward_min_max(grad, self, min=None, max=None):
    if min is None:
        return None, np.where(self > max, grad, 0)
    if max is None:
        return np.where(self < min, grad, 0), None
    min_bar = np.where((min < max) & (self < min), grad, 0)
    return min_bar, np.where((self > max) | (max < min), grad, 0)


def clamp_min(self, *, min):
    return np.maximum(self, min)


def clamp_min_tensor(self, min):
    return np.maximum(self, min)


def clamp_max(self, *, max):
    return np.minimum(self, max)


def clamp_max_tensor(self, max):
    return np.minimum(self, max)


def clone(self):
    return self + 0


def complex(real, imag):
    return real + 1j * imag


def _conj(self):
    return np.conj(self)


def _conj_physical(self):
    return np.conj(self)


def conj_physical(self):
    return np.conj(self)


def copysign_tensor(self, other):
    return np.copysign(self, other)


def copysign_scalar(self, *, other):
    return np.copysign(self, other)


def copysign_tensor_self_backward(grad, self, result):
    return np.where(self == 0, 0, grad * result / np.where(self == 0, 1, self))


def cos(self):
    return np.cos(self)


def cosh(self):
    return np.cosh(self)


def deg2rad(self):
    return np.deg2rad(self)


def deg2rad_backward(grad):
    return grad * (np.pi / 180)


def div_tensor(self, other):
    return self / other


def div_scalar(self, *, other):
    return self / other


def div_tensor_mode(self, other, *, rounding_mode=None):
    if rounding_mode is None:
        return self / other
    return np.trunc(self / other) if rounding_mode == "trunc" else np.floor(self / other)


def div_scalar_mode(self, *, other, rounding_mode=None):
    if rounding_mode is None:
        return self / other
    return np.trunc(self / other) if rounding_mode == "trunc" else np.floor(self / other)


def div_tensor_self_backward(grad, other, rounding_mode=None):
    return grad / np.conj(other) if rounding_mode is None else np.zeros_like(grad)


def div_tensor_other_backward(grad, self, other, rounding_mode=None):
    return -grad * np.conj(self / other / other) if rounding_mode is None else np.zeros_like(grad)


def exp(self):
    return np.exp(self)


def exp2(self):
    return np.exp2(self)


def expm1(self):
    return np.expm1(self)


def floor(self):
    return np.floor(self)


def fmax(self, other):
    return np.fmax(self, other)


def fmin(self, other):
    return np.fmin(self, other)


def fmod_scalar(self, *, other):
    return np.fmod(self, other)


def fmod_tensor(self, other):
    return np.fmod(self, other)


def frac(self):
    return self - np.trunc(self)


def frexp_tensor(self):
    mantissa, exponent = np.frexp(self)
    return mantissa, exponent


def hypot(self, other):
    return np.hypot(self, other)


def isfinite(self):
    return np.isfinite(self)


def isnan(self):
    return np.isnan(self)


def ldexp_tensor(self, other):
    return self * 2.0**other


def lerp_scalar(self, end, *, weight):
    return self + weight * (end - self)


def lerp_tensor(self, end, weight):
    return self + weight * (end - self)


def lift(self):
    return self + 0


def lift_fresh(self):
    return self + 0


def _lazy_clone(self):
    return self + 0


def log(self):
    return np.log(self)


def log10(self):
    return np.log10(self)


def log1p(self):
    return np.log1p(self)


def log1p_backward(grad, self):
    return grad / np.conj(self + 1)


def log2(self):
    return np.log2(self)


def logaddexp(self, other):
    if np.iscomplexobj(self) or np.iscomplexobj(other):
        first = np.real(self) >= np.real(other)
        large, small = np.where(first, self, other), np.where(first, other, self)
        return large + np.log(1 + np.exp(small - large))
    return np.logaddexp(self, other)


def logaddexp2(self, other):
    return np.logaddexp2(self, other)


def masked_fill(self, mask, value):
    return np.where(mask, value, self)


def maximum(self, other):
    return np.maximum(self, other)


def minimum(self, other):
    return np.minimum(self, other)


def maybe_multiply(grad, scalar):
    return grad * scalar


def mul_tensor(self, other):
    return self * other


def mul_scalar(self, *, other):
    return self * other


def mul_tensor_backward(grad, other):
    return grad * np.conj(other)


def nan_to_num(self, *, nan=None, posinf=None, neginf=None):
    return np.nan_to_num(self, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)


def neg(self):
    return -self


def _neg_view(self):
    return -self


def nextafter(self, other):
    return np.nextafter(self, other)


def polar(abs, angle):
    return abs * np.cos(angle) + 1j * abs * np.sin(angle)


def polar_backward(grad, result):
    along = np.real(np.conj(grad) * np.where(result == 0, 0, result / np.abs(result)))
    return along, np.real(np.conj(grad) * result * 1j)


def pow_tensor_scalar(self, *, exponent):
    return self**exponent


def pow_tensor_tensor(self, exponent):
    return self**exponent


def pow_scalar(exponent, *, self):
    return self**exponent


def pow_backward(grad, self, exponent):
    if exponent == 0:
        return np.zeros_like(self)
    return grad * np.conj(exponent * self ** (exponent - 1))


def pow_backward_self(grad, self, exponent):
    zero = exponent == 0
    down = np.where(zero, 1, exponent - 1)
    return np.where(zero, 0, grad * np.conj(exponent * self**down))


def pow_backward_exponent(grad, self, exponent, result):
    zero = (self == 0) & (np.real(exponent) >= 0)
    return np.where(zero, 0, grad * np.conj(result * np.log(np.where(zero, 1, self))))


def rad2deg(self):
    return np.rad2deg(self)


def rad2deg_backward(grad):
    return grad * (180 / np.pi)


def reciprocal(self):
    return 1 / self


def remainder_scalar(self, *, other):
    return np.remainder(self, other)


def remainder_tensor(self, other):
    return np.remainder(self, other)


def round(self):
    return np.round(self)


def round_decimals(self, *, decimals):
    return np.round(self, decimals)


def rsqrt(self):
    return 1 / np.sqrt(self)


def rsub_tensor(self, other, *, alpha=1):
    return other - alpha * self


def rsub_scalar(self, *, other, alpha=1):
    return other - alpha * self


def sgn(self):
    return np.sign(self)


def sgn_backward(x, gx, sgn):
    if np.iscomplexobj(x):
        size = np.where(x == 0, 1, np.abs(x))
        return np.where(x == 0, 0, (gx - np.real(gx * np.conj(sgn)) * sgn) / size)
    return np.zeros_like(gx)


def sign(self):
    return np.sign(self)


def sin(self):
    return np.sin(self)


def sinc(self):
    return np.sinc(self)


def sinc_backward(grad, self):
    turn = np.pi * np.where(self == 0, 1, self)
    slope = (np.cos(turn) * turn - np.sin(turn)) / (turn * turn) * np.pi
    return np.where(self == 0, 0, grad * np.conj(slope))


def sinh(self):
    return np.sinh(self)


def sqrt(self):
    return np.sqrt(self)


def square(self):
    return self**2


def sub_tensor(self, other, *, alpha=1):
    return self - alpha * other


def sub_scalar(self, *, other, alpha=1):
    return self - alpha * other


def tan(self):
    return np.tan(self)


def tanh(self):
    return np.tanh(self)


def tanh_backward(grad_output, output):
    return grad_output * np.conj(1 - output**2)


def trunc(self):
    return np.trunc(self)


def where_self(self, other, *, condition):
    return np.where(condition, self, other)


def real(self):
    return np.real(self)


def imag(self):
    return np.imag(self)


def view_as_real(self):
    return np.stack((np.real(self), np.imag(self)), axis=-1)


def view_as_complex(self):
    return self[..., 0] + 1j * self[..., 1]
