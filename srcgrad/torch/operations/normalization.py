"""Normalisation of batches, layers and groups."""

from __future__ import annotations

import numpy as np

from srcgrad import stop_gradient

_channels = lambda x, ndim: np.reshape(x, (1, -1) + (1,) * (ndim - 2))


def native_layer_norm(input, weight=None, bias=None, *, normalized_shape, eps):
    axes = tuple(range(input.ndim - len(normalized_shape), input.ndim))
    mean = np.mean(input, axis=axes, keepdims=True)
    rstd = 1 / np.sqrt(np.var(input, axis=axes, keepdims=True) + eps)
    scaled = (input - mean) * rstd
    scaled = scaled if weight is None else scaled * weight
    return (scaled if bias is None else scaled + bias), mean, rstd


def native_layer_norm_backward(grad, input, normalized_shape, mean, rstd, weight=None, bias=None):
    axes = tuple(range(input.ndim - len(normalized_shape), input.ndim))
    outer = tuple(range(input.ndim - len(normalized_shape)))
    # As functions of the input, for second derivatives; eps is in the numbers that were kept.
    spread = np.var(input, axis=axes, keepdims=True)
    eps = 1 / rstd**2 - spread
    scale = 1 / np.sqrt(spread + stop_gradient(eps))
    scaled = (input - np.mean(input, axis=axes, keepdims=True)) * scale
    wide = grad if weight is None else grad * weight
    along = scaled * np.mean(wide * scaled, axis=axes, keepdims=True)
    input_bar = scale * (wide - np.mean(wide, axis=axes, keepdims=True) - along)
    weight_bar = None if weight is None else np.sum(grad * scaled, axis=outer)
    return input_bar, weight_bar, None if bias is None else np.sum(grad, axis=outer)


def native_batch_norm(
    input, weight=None, bias=None, *, running_mean=None, running_var=None, training, momentum, eps
):
    axes = (0, *range(2, input.ndim))
    mean = np.mean(input, axis=axes) if training else running_mean
    spread = np.var(input, axis=axes) if training else running_var
    rstd = 1 / np.sqrt(spread + eps)
    scaled = (input - _channels(mean, input.ndim)) * _channels(rstd, input.ndim)
    scaled = scaled if weight is None else scaled * _channels(weight, input.ndim)
    scaled = scaled if bias is None else scaled + _channels(bias, input.ndim)
    return (scaled, mean, rstd) if training else (scaled, np.zeros(0), np.zeros(0))


def native_batch_norm_backward(
    grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, train, eps
):
    axes = (0, *range(2, input.ndim))
    mean = np.mean(input, axis=axes) if train else running_mean
    spread = np.var(input, axis=axes) if train else running_var
    rstd = _channels(1 / np.sqrt(spread + eps), input.ndim)
    scaled = (input - _channels(mean, input.ndim)) * rstd
    wide = grad_out if weight is None else grad_out * _channels(weight, input.ndim)
    if train:
        along = scaled * np.mean(wide * scaled, axis=axes, keepdims=True)
        input_bar = rstd * (wide - np.mean(wide, axis=axes, keepdims=True) - along)
    else:
        input_bar = rstd * wide
    weight_bar = None if weight is None else np.sum(grad_out * scaled, axis=axes)
    return input_bar, weight_bar, np.sum(grad_out, axis=axes)


def _weight_norm_interface(v, g, *, dim=0):
    axes = tuple(k for k in range(v.ndim) if k != dim % v.ndim)
    norms = np.sqrt(np.sum(v**2, axis=axes, keepdims=True))
    return v * (g / norms), np.reshape(norms, g.shape)


def _weight_norm_differentiable_backward(grad_w, saved_v, saved_g, saved_norms, dim):
    axes = tuple(k for k in range(saved_v.ndim) if k != dim % saved_v.ndim)
    norms = np.sqrt(np.sum(saved_v**2, axis=axes, keepdims=True))
    along = np.sum(grad_w * saved_v, axis=axes, keepdims=True)
    v_bar = saved_g / norms * (grad_w - saved_v * along / norms**2)
    return v_bar, along / norms
