"""Losses, and what stands at the end of a network."""

from __future__ import annotations

import numpy as np
from scipy import special

# The numbers of at::Reduction.
MEAN, SUM = 1, 2

_classes = lambda self: np.arange(self.shape[1]).reshape((-1,) + (1,) * (self.ndim - 2))
_softmax = lambda self, *, dim, half_to_float=False: special.softmax(self, axis=dim)


def apply_loss_reduction(unreduced, reduction):
    if reduction == MEAN:
        return np.mean(unreduced)
    return np.sum(unreduced) if reduction == SUM else unreduced


def binary_cross_entropy(self, target, weight=None, *, reduction=MEAN):
    losses = -special.xlogy(target, self) - special.xlog1py(1 - target, -self)
    return apply_loss_reduction(losses if weight is None else weight * losses, reduction)


def binary_cross_entropy_backward(grad_output, self, target, weight=None, *, reduction=MEAN):
    slope = grad_output * (self - target) / np.maximum((1 - self) * self, 1e-12)
    slope = slope if weight is None else weight * slope
    return slope / self.size if reduction == MEAN else slope


def binary_cross_entropy_target_backward(grad, self, target, weight=None, reduction=MEAN):
    slope = grad * (np.log1p(-self) - np.log(self))
    slope = slope if weight is None else weight * slope
    return slope / target.size if reduction == MEAN else slope


def binary_cross_entropy_double_backward(
    grad_output, grad, input, target, weight=None, reduction=MEAN
):
    inverse = 1 / np.maximum(input * (1 - input), 1e-12)
    curve = (input * input - 2 * input * target + target) * inverse**2
    total = curve * grad * grad_output
    total = total if weight is None else weight * total
    return total / input.size if reduction == MEAN else total


def binary_cross_entropy_double_backward_target(
    grad, grad_output, self, target, weight=None, reduction=MEAN
):
    total = -grad * grad_output / (self * (1 - self))
    total = total if weight is None else weight * total
    return total / target.size if reduction == MEAN else total


def binary_cross_entropy_double_backward_grad_output(
    grad, input, target, weight=None, reduction=MEAN
):
    slope = (input - target) / np.maximum(input * (1 - input), 1e-12) * grad
    slope = slope if weight is None else weight * slope
    return slope / input.size if reduction == MEAN else slope


def binary_cross_entropy_with_logits(self, target, weight=None, pos_weight=None, *, reduction=MEAN):
    if pos_weight is None:
        losses = (1 - target) * self + np.logaddexp(0, -self)
    else:
        losses = (1 - target) * self + (1 + (pos_weight - 1) * target) * np.logaddexp(0, -self)
    return apply_loss_reduction(losses if weight is None else weight * losses, reduction)


def binary_cross_entropy_with_logits_backward(
    grad, input, target, weight=None, pos_weight=None, reduction=MEAN
):
    if pos_weight is None:
        slope = (special.expit(input) - target) * grad
    else:
        t = pos_weight * target
        slope = ((t + 1 - target) * special.expit(input) - t) * grad
    slope = slope if weight is None else weight * slope
    return slope / input.size if reduction == MEAN else slope


def binary_cross_entropy_with_logits_target_backward(
    grad, self, target, weight=None, pos_weight=None, reduction=MEAN
):
    if pos_weight is None:
        slope = -self * grad
    else:
        slope = grad * (np.logaddexp(0, self) - pos_weight * np.logaddexp(0, -self))
    slope = slope if weight is None else weight * slope
    return slope / target.size if reduction == MEAN else slope


def huber_loss(self, target, *, reduction=MEAN, delta=1.0):
    distance = np.abs(self - target)
    losses = np.where(distance <= delta, 0.5 * distance**2, delta * (distance - 0.5 * delta))
    return apply_loss_reduction(losses, reduction)


def huber_loss_backward(grad_output, self, target, *, reduction, delta):
    slope = np.clip(self - target, -delta, delta) * grad_output
    return slope / self.size if reduction == MEAN else slope


def huber_loss_double_backward(grad, input, target, reduction, delta):
    curve = np.where(np.abs(input - target) < delta, grad, 0)
    return curve / input.size if reduction == MEAN else curve


def huber_loss_double_backward_grad_output(grad, grad_output, input, target, reduction, delta):
    return apply_loss_reduction(np.clip(input - target, -delta, delta) * grad, reduction)


def mse_loss(self, target, *, reduction=MEAN):
    return apply_loss_reduction((self - target) ** 2, reduction)


def mse_loss_backward(grad_output, self, target, *, reduction):
    slope = 2 * (self - target) * grad_output
    return slope / self.size if reduction == MEAN else slope


def mse_loss_double_backward(grad, input, reduction):
    return 2 * grad / input.size if reduction == MEAN else 2 * grad


def _picked(target, weight, classes, ignore_index):
    """Return the weight of each class at each place, 0 but for the target's."""
    at_target = np.expand_dims(target, 1) == classes
    kept = np.expand_dims(target, 1) != ignore_index
    return (at_target & kept) * (1.0 if weight is None else weight[classes])


def nll_loss_forward(self, target, weight=None, *, reduction, ignore_index):
    if self.ndim == 1:
        value, total = nll_loss_forward(
            self[None], target[None], weight, reduction=reduction, ignore_index=ignore_index
        )
        return np.sum(value), total
    picked = _picked(target, weight, _classes(self), ignore_index)
    losses, total = -np.sum(self * picked, axis=1), np.sum(picked)
    if reduction == MEAN:
        return np.sum(losses) / total, total
    return (np.sum(losses), total) if reduction == SUM else (losses, np.zeros(()))


def nll_loss2d_forward(self, target, weight=None, *, reduction, ignore_index):
    return nll_loss_forward(self, target, weight, reduction=reduction, ignore_index=ignore_index)


def nll_loss(self, target, weight=None, *, reduction, ignore_index):
    value, _ = nll_loss_forward(
        self, target, weight, reduction=reduction, ignore_index=ignore_index
    )
    return value


def nll_loss2d(self, target, weight=None, *, reduction, ignore_index):
    return nll_loss(self, target, weight, reduction=reduction, ignore_index=ignore_index)


def nll_loss_backward(
    grad_output, self, target, weight=None, total_weight=None, *, reduction, ignore_index
):
    if self.ndim == 1:
        there = np.arange(self.shape[0]) == target
        picked = (there & (target != ignore_index)) * (1.0 if weight is None else weight)
    else:
        picked = _picked(target, weight, _classes(self), ignore_index)
    if reduction == MEAN:
        return -grad_output * picked / total_weight
    if reduction == SUM or self.ndim == 1:
        return -grad_output * picked
    return -np.expand_dims(grad_output, 1) * picked


def nll_loss2d_backward(
    grad_output, self, target, weight=None, total_weight=None, *, reduction, ignore_index
):
    return nll_loss_backward(
        grad_output,
        self,
        target,
        weight,
        total_weight,
        reduction=reduction,
        ignore_index=ignore_index,
    )


def smooth_l1_loss(self, target, *, reduction=MEAN, beta=1.0):
    distance = np.abs(self - target)
    losses = np.where(distance < beta, 0.5 * distance**2 / beta, distance - 0.5 * beta)
    return apply_loss_reduction(losses, reduction)


def smooth_l1_loss_backward(grad_output, self, target, *, reduction, beta):
    slope = np.clip((self - target) / beta, -1, 1) * grad_output
    return slope / self.size if reduction == MEAN else slope


def smooth_l1_loss_double_backward(grad, input, target, reduction, beta):
    curve = np.where(np.abs(input - target) < beta, grad / beta, 0)
    return curve / input.size if reduction == MEAN else curve


def soft_margin_loss(self, target, *, reduction=MEAN):
    return apply_loss_reduction(np.log1p(np.exp(-target * self)), reduction)


def soft_margin_loss_backward(grad_output, self, target, *, reduction):
    slope = -target * special.expit(-target * self) * grad_output
    return slope / self.size if reduction == MEAN else slope


def soft_margin_loss_double_backward(grad, input, target, reduction):
    z = special.expit(target * input)
    curve = target * target * z * (1 - z) * grad
    return curve / input.size if reduction == MEAN else curve


def soft_margin_loss_double_backward_grad_output(grad, grad_output, input, target, reduction):
    slope = -target * special.expit(-target * input) * grad
    return apply_loss_reduction(slope, reduction)


def multi_margin_loss(self, target, weight=None, *, p=1, margin=1, reduction=MEAN):
    target = np.reshape(target, self.shape[:-1])
    losses = np.sum(_margins(self, target, weight, margin, p), axis=-1) / self.shape[-1]
    return apply_loss_reduction(losses, reduction)


def _margins(self, target, weight, margin, p):
    there = np.arange(self.shape[-1]) == np.expand_dims(target, -1)
    own = np.sum(np.where(there, self, 0), axis=-1, keepdims=True)
    size = 1.0 if weight is None else np.expand_dims(weight[target], -1)
    return np.where(there, 0, size * np.maximum(margin - own + self, 0) ** p)


def multi_margin_loss_backward(grad_output, self, target, weight=None, *, p, margin, reduction):
    target = np.reshape(target, self.shape[:-1])
    there = np.arange(self.shape[-1]) == np.expand_dims(target, -1)
    own = np.sum(np.where(there, self, 0), axis=-1, keepdims=True)
    size = 1.0 if weight is None else np.expand_dims(weight[target], -1)
    over = margin - own + self
    slope = np.where(there | (over <= 0), 0, size * p * np.maximum(over, 0) ** (p - 1))
    slope = slope - np.where(there, np.sum(slope, axis=-1, keepdims=True), 0)
    slope = slope / self.shape[-1]
    if reduction == MEAN:
        return grad_output * slope / (self.size / self.shape[-1])
    return (grad_output if reduction == SUM else np.expand_dims(grad_output, -1)) * slope


def _log_softmax(self, *, dim, half_to_float=False):
    return self - special.logsumexp(self, axis=dim, keepdims=True)


def _log_softmax_backward_data(grad_output, output, *, dim, input_dtype=None):
    return grad_output - np.exp(output) * np.sum(grad_output, axis=dim, keepdims=True)


def _softmax_backward_data(grad_output, output, *, dim, input_dtype=None):
    return output * (grad_output - np.sum(grad_output * output, axis=dim, keepdims=True))


def softmax_double_backward(grad, grad_output, dim, output):
    along = np.sum(grad * output, axis=dim, keepdims=True)
    own = np.sum(grad_output * output, axis=dim, keepdims=True)
    return grad_output * grad - along * grad_output - grad * own


def glu(self, *, dim=-1):
    left, right = np.split(self, 2, axis=dim)
    return left * special.expit(right)


def glu_backward(grad_output, self, *, dim):
    left, right = np.split(self, 2, axis=dim)
    gate = special.expit(right)
    right_bar = grad_output * left * gate * (1 - gate)
    return np.concatenate((grad_output * gate, right_bar), axis=dim)


def glu_jvp(glu, x, dx, dim):
    _, right = np.split(x, 2, axis=dim)
    left_dot, right_dot = np.split(dx, 2, axis=dim)
    gate = special.expit(right)
    return left_dot * gate + right_dot * glu * (1 - gate)


def glu_double_backward_grad_output(grad, input, dim):
    left, right = np.split(input, 2, axis=dim)
    upper, lower = np.split(grad, 2, axis=dim)
    gate = special.expit(right)
    return upper * gate + lower * left * gate * (1 - gate)


def glu_double_backward(grad, grad_output, input, dim):
    left, right = np.split(input, 2, axis=dim)
    upper, lower = np.split(grad, 2, axis=dim)
    gate = special.expit(right)
    slope = gate * (1 - gate)
    left_bar = lower * slope * grad_output
    right_bar = (upper + lower * left * (1 - 2 * gate)) * slope * grad_output
    return np.concatenate((left_bar, right_bar), axis=dim)
