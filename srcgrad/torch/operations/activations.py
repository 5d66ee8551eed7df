"""Activation functions of neural networks, element by element, and their gradients."""

from __future__ import annotations

import numpy as np
from scipy import special

ELEMENTWISE = True

celu = lambda self, *, alpha=1.0: np.where(self > 0, self, alpha * np.expm1(self / alpha))
hardshrink = lambda self, *, lambd=0.5: np.where(np.abs(self) <= lambd, 0, self)
hardshrink_backward = lambda grad_out, self, *, lambd: np.where(np.abs(self) <= lambd, 0, grad_out)
hardsigmoid = lambda self: np.clip(self + 3, 0, 6) / 6
hardswish = lambda self: self * np.clip(self + 3, 0, 6) / 6
hardtanh = lambda self, *, min_val=-1, max_val=1: np.clip(self, min_val, max_val)
leaky_relu = lambda self, *, negative_slope=0.01: np.where(self > 0, self, negative_slope * self)
log_sigmoid_forward = lambda self: (-np.logaddexp(0, -self), np.zeros(0))
log_sigmoid_backward = lambda grad_output, self, buffer: grad_output / (1 + np.exp(self))
mish = lambda self: self * np.tanh(np.logaddexp(0, self))
native_dropout_backward = lambda grad_output, mask, *, scale: grad_output * mask * scale
native_dropout_double_backward = lambda ggI, grad, mask, scale: ggI * mask * scale
_prelu_kernel = lambda self, weight: np.where(self >= 0, self, weight * self)
relu = lambda self: np.where(self > 0, self, 0)
silu = lambda self: self * special.expit(self)
threshold = lambda self, *, threshold, value: np.where(self <= threshold, value, self)


def elu(self, *, alpha=1, scale=1, input_scale=1):
    return scale * np.where(self > 0, self, alpha * np.expm1(input_scale * self))


def elu_backward(grad_output, self_or_result, *, alpha, scale, input_scale, is_result):
    if is_result:
        slope = input_scale * (self_or_result + alpha * scale)
    else:
        slope = alpha * scale * input_scale * np.exp(input_scale * self_or_result)
    return grad_output * np.where(self_or_result > 0, scale, slope)


def elu_double_backward(grad, grad_output, alpha, scale, input_scale, is_result, self_or_result):
    if is_result:
        curved = np.where(self_or_result > 0, 0, grad * input_scale * grad_output)
    else:
        slope = alpha * scale * input_scale**2 * np.exp(input_scale * self_or_result)
        curved = np.where(self_or_result > 0, 0, grad * grad_output * slope)
    return curved


def gelu(self, *, approximate="none"):
    if approximate == "none":
        return self * special.ndtr(self)
    return 0.5 * self * (1 + np.tanh(np.sqrt(2 / np.pi) * (self + 0.044715 * self**3)))


def gelu_backward(grad_output, self, *, approximate="none"):
    if approximate == "none":
        density = np.exp(-(self**2) / 2) / np.sqrt(2 * np.pi)
        return grad_output * (special.ndtr(self) + self * density)
    bent = np.tanh(np.sqrt(2 / np.pi) * (self + 0.044715 * self**3))
    slope = np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * self**2)
    return grad_output * (0.5 * (1 + bent) + 0.5 * self * (1 - bent**2) * slope)


def gelu_double_backward(ggI, gO, input, approximate):
    if approximate == "none":
        density = np.exp(-(input**2) / 2) / np.sqrt(2 * np.pi)
        return ggI * gO * density * (2 - input**2)
    bent = np.tanh(np.sqrt(2 / np.pi) * (input + 0.044715 * input**3))
    slope = np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * input**2)
    change = np.sqrt(2 / np.pi) * 6 * 0.044715 * input
    curve = (1 - bent**2) * (slope + 0.5 * input * change - input * bent * slope**2)
    return ggI * gO * curve


def hardsigmoid_backward(grad_output, self):
    return np.where((self > -3) & (self < 3), grad_output / 6, 0)


def hardswish_backward(grad_output, self):
    return np.where(self <= -3, 0, np.where(self < 3, grad_output * (self / 3 + 0.5), grad_output))


def hardtanh_backward(grad_output, self, *, min_val, max_val):
    return np.where((self > min_val) & (self < max_val), grad_output, 0)


def leaky_relu_backward(grad_output, self, *, negative_slope, self_is_result):
    return np.where(self > 0, grad_output, negative_slope * grad_output)


def log_sigmoid_double_backward(grad, input):
    z = special.expit(input)
    return grad * (z - 1) * z


def infinitely_differentiable_mish_backward(grad, self):
    bent = np.tanh(np.logaddexp(0, self))
    return grad * (bent + self * special.expit(self) * (1 - bent**2))


def _prelu_kernel_backward(grad_output, self, weight):
    return (
        np.where(self >= 0, grad_output, weight * grad_output),
        np.where(self >= 0, 0, self * grad_output),
    )


def rrelu_with_noise_backward(grad, self, noise, *, lower, upper, training, self_is_result):
    if training and upper - lower > 1e-6:
        return grad * noise
    return np.where(self > 0, grad, (lower + upper) / 2 * grad)


def infinitely_differentiable_silu_backward(grad_output, input):
    sigmoid = 1 / (1 + np.exp(-input))
    return grad_output * np.conj(sigmoid * (1 + input * (1 - sigmoid)))


def softplus(self, *, beta=1, threshold=20):
    return np.where(self * beta > threshold, self, np.logaddexp(0, self * beta) / beta)


def softplus_backward(grad_output, self, *, beta, threshold):
    return np.where(self * beta > threshold, grad_output, grad_output * special.expit(self * beta))


def softplus_double_backward(grad, input, beta, threshold):
    z = special.expit(input * beta)
    return np.where(input * beta > threshold, 0, grad * (1 - z) * z * beta)


def softshrink(self, *, lambd=0.5):
    return np.where(self > lambd, self - lambd, np.where(self < -lambd, self + lambd, 0))


def softshrink_backward(grad_output, self, *, lambd):
    return np.where(np.abs(self) <= lambd, 0, grad_output)


def threshold_backward(grad_output, self, *, threshold):
    return np.where(self <= threshold, 0, grad_output)
