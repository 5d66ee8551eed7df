"""Operations that go element by element, and broadcast their arguments."""

from __future__ import annotations

import numpy as np

ELEMENTWISE = True

abs = lambda self: np.abs(self)
acos = lambda self: np.arccos(self)
acosh = lambda self: np.arccosh(self)
add_tensor = lambda self, other, *, alpha=1: self + alpha * other
add_scalar = lambda self, *, other, alpha=1: self + alpha * other
addcdiv = lambda self, tensor1, tensor2, *, value=1: self + value * tensor1 / tensor2
addcmul = lambda self, tensor1, tensor2, *, value=1: self + value * tensor1 * tensor2
alias = lambda self: self + 0
angle = lambda self: np.angle(self)
asin = lambda self: np.arcsin(self)
asinh = lambda self: np.arcsinh(self)
atan = lambda self: np.arctan(self)
atan2 = lambda self, other: np.arctan2(self, other)
atanh = lambda self: np.arctanh(self)
ceil = lambda self: np.ceil(self)
clamp = lambda self, *, min=None, max=None: np.clip(self, min, max)
clamp_tensor = lambda self, min=None, max=None: np.clip(self, min, max)
clamp_min = lambda self, *, min: np.maximum(self, min)
clamp_min_tensor = lambda self, min: np.maximum(self, min)
clamp_max = lambda self, *, max: np.minimum(self, max)
clamp_max_tensor = lambda self, max: np.minimum(self, max)
clone = lambda self: self + 0
complex = lambda real, imag: real + 1j * imag
_conj = lambda self: np.conj(self)
_conj_physical = lambda self: np.conj(self)
conj_physical = lambda self: np.conj(self)
copysign_tensor = lambda self, other: np.copysign(self, other)
copysign_scalar = lambda self, *, other: np.copysign(self, other)
cos = lambda self: np.cos(self)
cosh = lambda self: np.cosh(self)
deg2rad = lambda self: np.deg2rad(self)
deg2rad_backward = lambda grad: grad * (np.pi / 180)
div_tensor = lambda self, other: self / other
div_scalar = lambda self, *, other: self / other
exp = lambda self: np.exp(self)
exp2 = lambda self: np.exp2(self)
expm1 = lambda self: np.expm1(self)
floor = lambda self: np.floor(self)
fmax = lambda self, other: np.fmax(self, other)
fmin = lambda self, other: np.fmin(self, other)
fmod_scalar = lambda self, *, other: np.fmod(self, other)
fmod_tensor = lambda self, other: np.fmod(self, other)
frac = lambda self: self - np.trunc(self)
hypot = lambda self, other: np.hypot(self, other)
isfinite = lambda self: np.isfinite(self)
isnan = lambda self: np.isnan(self)
ldexp_tensor = lambda self, other: self * 2.0**other
lerp_scalar = lambda self, end, *, weight: self + weight * (end - self)
lerp_tensor = lambda self, end, weight: self + weight * (end - self)
lift = lambda self: self + 0
lift_fresh = lambda self: self + 0
_lazy_clone = lambda self: self + 0
log = lambda self: np.log(self)
log10 = lambda self: np.log10(self)
log1p = lambda self: np.log1p(self)
log1p_backward = lambda grad, self: grad / np.conj(self + 1)
log2 = lambda self: np.log2(self)
logaddexp2 = lambda self, other: np.logaddexp2(self, other)
masked_fill = lambda self, mask, value: np.where(mask, value, self)
maximum = lambda self, other: np.maximum(self, other)
minimum = lambda self, other: np.minimum(self, other)
maybe_multiply = lambda grad, scalar: grad * scalar
mul_tensor = lambda self, other: self * other
mul_scalar = lambda self, *, other: self * other
mul_tensor_backward = lambda grad, other: grad * np.conj(other)
neg = lambda self: -self
_neg_view = lambda self: -self
nextafter = lambda self, other: np.nextafter(self, other)
polar = lambda abs, angle: abs * np.cos(angle) + 1j * abs * np.sin(angle)
pow_tensor_scalar = lambda self, *, exponent: self**exponent
pow_tensor_tensor = lambda self, exponent: self**exponent
pow_scalar = lambda exponent, *, self: self**exponent
rad2deg = lambda self: np.rad2deg(self)
rad2deg_backward = lambda grad: grad * (180 / np.pi)
reciprocal = lambda self: 1 / self
remainder_scalar = lambda self, *, other: np.remainder(self, other)
remainder_tensor = lambda self, other: np.remainder(self, other)
round = lambda self: np.round(self)
round_decimals = lambda self, *, decimals: np.round(self, decimals)
rsqrt = lambda self: 1 / np.sqrt(self)
rsub_tensor = lambda self, other, *, alpha=1: other - alpha * self
rsub_scalar = lambda self, *, other, alpha=1: other - alpha * self
sgn = lambda self: np.sign(self)
sign = lambda self: np.sign(self)
sin = lambda self: np.sin(self)
sinc = lambda self: np.sinc(self)
sinh = lambda self: np.sinh(self)
sqrt = lambda self: np.sqrt(self)
square = lambda self: self**2
sub_tensor = lambda self, other, *, alpha=1: self - alpha * other
sub_scalar = lambda self, *, other, alpha=1: self - alpha * other
tan = lambda self: np.tan(self)
tanh = lambda self: np.tanh(self)
tanh_backward = lambda grad_output, output: grad_output * np.conj(1 - output**2)
trunc = lambda self: np.trunc(self)
where_self = lambda self, other, *, condition: np.where(condition, self, other)
real = lambda self: np.real(self)
imag = lambda self: np.imag(self)
view_as_real = lambda self: np.stack((np.real(self), np.imag(self)), axis=-1)
view_as_complex = lambda self: self[..., 0] + 1j * self[..., 1]


def angle_backward(grad, self):
    if np.iscomplexobj(self):
        return np.where(self == 0, 0, grad * self / np.abs(self) ** 2 * 1j)
    return np.zeros_like(grad)


def atan2_backward(grad, self, other):
    scaled = grad / (self * self + other * other)
    return scaled * other, -scaled * self


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


def copysign_tensor_self_backward(grad, self, result):
    return np.where(self == 0, 0, grad * result / np.where(self == 0, 1, self))


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


def frexp_tensor(self):
    mantissa, exponent = np.frexp(self)
    return mantissa, exponent


def logaddexp(self, other):
    if np.iscomplexobj(self) or np.iscomplexobj(other):
        first = np.real(self) >= np.real(other)
        large, small = np.where(first, self, other), np.where(first, other, self)
        return large + np.log(1 + np.exp(small - large))
    return np.logaddexp(self, other)


def nan_to_num(self, *, nan=None, posinf=None, neginf=None):
    return np.nan_to_num(self, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)


def polar_backward(grad, result):
    along = np.real(np.conj(grad) * np.where(result == 0, 0, result / np.abs(result)))
    return along, np.real(np.conj(grad) * result * 1j)


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


def sgn_backward(x, gx, sgn):
    if np.iscomplexobj(x):
        size = np.where(x == 0, 1, np.abs(x))
        return np.where(x == 0, 0, (gx - np.real(gx * np.conj(sgn)) * sgn) / size)
    return np.zeros_like(gx)


def sinc_backward(grad, self):
    turn = np.pi * np.where(self == 0, 1, self)
    slope = (np.cos(turn) * turn - np.sin(turn)) / (turn * turn) * np.pi
    return np.where(self == 0, 0, grad * np.conj(slope))
