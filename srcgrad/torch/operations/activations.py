"""Activation functions of neural networks, element by element, and their gradients."""

from __future__ import annotations

import numpy as np
from scipy import special

ELEMENTWISE = True


def celu(self, *, alpha=1.0):
    return np.where(self > 0, self, alpha * np.expm1(self / alpha))


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


def hardshrink(self, *, lambd=0.5):
    return np.where(np.abs(self) <= lambd, 0, self)


def hardshrink_backward(grad_out, self, *, lambd):
    return np.where(np.abs(self) <= lambd, 0, grad_out)


def hardsigmoid(self):
    return np.clip(self + 3, 0, 6) / 6


def hardsigmoid_backward(grad_output, self):
    return np.where((self > -3) & (self < 3), grad_output / 6, 0)


def hardswish(self):
    return self * np.clip(self + 3, 0, 6) / 6


def hardswish_backward(grad_output, self):
    return np.where(self <= -3, 0, np.where(self < 3, grad_output * (self / 3 + 0.5), grad_output))


def hardtanh(self, *, min_val=-1, max_val=1):
    return np.clip(self, min_val, max_val)


def hardtanh_backward(grad_output, self, *, min_val, max_val):
    return np.where((self > min_val) & (self < max_val), grad_output, 0)


def leaky_relu(self, *, negative_slope=0.01):
    return np.where(self > 0, self, negative_slope * self)


def leaky_relu_backward(grad_output, self, *, negative_slope, self_is_result):
    return np.where(self > 0, grad_output, negative_slope * grad_output)


def log_sigmoid_forward(self):
    return -np.logaddexp(0, -self), np.zeros(0)


def log_sigmoid_backward(grad_output, self, buffer):
    return grad_output / (1 + np.exp(self))


def log_sigmoid_double_backward(grad, input):
    z = special.expit(input)
    return grad * (z - 1) * z


def mish(self):
    return self * np.tanh(np.logaddexp(0, self))


def infinitely_differentiable_mish_backward(grad, self):
    bent = np.tanh(np.logaddexp(0, self))
    return grad * (bent + self * special.expit(self) * (1 - bent**2))


def native_dropout_backward(grad_output, mask, *, scale):
    return grad_output * mask * scale


def native_dropout_double_backward(ggI, grad, mask, scale):
    return ggI * mask * scale


def _prelu_kernel(self, weight):
    return np.where(self >= 0, self, weight * self)


def _prelu_kernel_backward(grad_output, self, weight):
    return (
        np.where(self >= 0, grad_output, weight * grad_output),
        np.where(self >= 0, 0, self * grad_output),
    )


def relu(self):
    return np.where(self > 0, self, 0)


def rrelu_with_noise_backward(grad, self, noise, *, lower, upper, training, self_is_result):
    if training and upper - lower > 1e-6:
        return grad * noise
    return np.where(self > 0, grad, (lower + upper) / 2 * grad)


def silu(self):
    return self * special.expit(self)


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


def threshold(self, *, threshold, value):
    return np.where(self <= threshold, value, self)


def threshold_backward(grad_output, self, *, threshold):
    return np.where(self <= threshold, 0, grad_output)
