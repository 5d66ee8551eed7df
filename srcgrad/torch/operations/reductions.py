"""Reductions and running totals, and what their gradients are made of."""

from __future__ import annotations

import numpy as np
from scipy import special

amax = lambda self, *, dim=None, keepdim=False: np.max(self, axis=dim, keepdims=keepdim)
amin = lambda self, *, dim=None, keepdim=False: np.min(self, axis=dim, keepdims=keepdim)
cumprod = lambda self, *, dim: np.cumprod(self, axis=dim)
cumsum = lambda self, *, dim: np.cumsum(self, axis=dim)
cumsum_backward = lambda grad, dim: np.flip(np.cumsum(np.flip(grad, dim), axis=dim), dim)
max = lambda self: np.max(self)
min = lambda self: np.min(self)
median = lambda self: np.sort(self, axis=None)[(self.size - 1) // 2]
mean = lambda self: np.mean(self)
mean_dim = lambda self, *, dim=None, keepdim=False: np.mean(self, axis=dim, keepdims=keepdim)
nansum = lambda self, *, dim=None, keepdim=False: np.nansum(self, axis=dim, keepdims=keepdim)
prod = lambda self: np.prod(self)
prod_dim_int = lambda self, *, dim, keepdim=False: np.prod(self, axis=dim, keepdims=keepdim)
sum = lambda self: np.sum(self)
sum_dim_intlist = lambda self, *, dim=None, keepdim=False: np.sum(self, axis=dim, keepdims=keepdim)
norm_scalar = lambda self, *, p=2: linalg_vector_norm(self, ord=p)
norm_scalaropt_dtype = lambda self, *, p=2: linalg_vector_norm(self, ord=2 if p is None else p)
dist = lambda self, other, *, p=2: linalg_vector_norm(self - other, ord=p)
sort = lambda self, *, dim=-1, descending=False: _sorted_along(self, dim, descending)
max_dim = lambda self, *, dim, keepdim=False: _picked(self, np.argmax(self, axis=dim), dim, keepdim)
min_dim = lambda self, *, dim, keepdim=False: _picked(self, np.argmin(self, axis=dim), dim, keepdim)


def aminmax(self, *, dim=None, keepdim=False):
    return np.min(self, axis=dim, keepdims=keepdim), np.max(self, axis=dim, keepdims=keepdim)


def restore_reduced_dims(output, dim=None, keepdim=False):
    return output if keepdim or dim is None else np.expand_dims(output, dim)


def scale_grad_by_count(grad, mask, dim=None):
    return grad * mask / np.sum(mask, axis=dim, keepdims=True)


def amaxamin_jvp(x, dx, result, dim=None, keepdim=False):
    mask = x == restore_reduced_dims(result, dim, keepdim)
    total = np.sum(np.where(mask, dx, 0), axis=dim, keepdims=keepdim)
    return total / np.sum(mask, axis=dim, keepdims=keepdim)


def aminmax_backward(self, dim, keepdim, grad_min, grad_max, min, max):
    at_min = self == restore_reduced_dims(min, dim, keepdim)
    at_max = self == restore_reduced_dims(max, dim, keepdim)
    low = scale_grad_by_count(restore_reduced_dims(grad_min, dim, keepdim), at_min, dim)
    return low + scale_grad_by_count(restore_reduced_dims(grad_max, dim, keepdim), at_max, dim)


def aminmax_jvp(x, dx, min_or_max_result, dim=None, keepdim=False):
    return amaxamin_jvp(x, dx, min_or_max_result, dim, keepdim)


def cummax(self, *, dim):
    values = np.maximum.accumulate(self, axis=dim)
    return values, _last_where(self == values, dim)


def cummin(self, *, dim):
    values = np.minimum.accumulate(self, axis=dim)
    return values, _last_where(self == values, dim)


def _last_where(there, dim):
    """Return for each place the last place up to it where something is so."""
    shape = [1] * there.ndim
    shape[dim] = -1
    places = np.where(there, np.arange(there.shape[dim]).reshape(shape), 0)
    return np.maximum.accumulate(places, axis=dim)


def cummaxmin_backward(grad, input, indices, dim):
    places = np.expand_dims(np.arange(input.shape[dim]), tuple(range(1, input.ndim)))
    last = np.moveaxis(indices, dim, 0)
    moved = np.moveaxis(grad, dim, 0)
    summed = np.sum((places[:, None] == last[None]) * moved[None], axis=1)
    return np.moveaxis(summed, 0, dim)


def cumprod_backward(grad, input, dim, output):
    moved = np.moveaxis(input, dim, -1)
    wide = np.moveaxis(grad, dim, -1)
    n = moved.shape[-1]
    after = np.tril(np.ones((n, n), dtype=bool))
    off = ~np.eye(n, dtype=bool)
    # The product of the factors up to k but for the i-th, for each i up to k.
    taken = (after[None] & off[:, None]) & after[None]
    factors = np.where(taken, moved[..., None, None, :], 1)
    others = np.prod(factors, axis=-1) * after.T
    total = np.sum(np.conj(others) * wide[..., None, :], axis=-1)
    return np.moveaxis(total, -1, dim)


def logcumsumexp(self, *, dim):
    if np.iscomplexobj(self):
        top = np.max(np.real(self), axis=dim, keepdims=True)
        return np.log(np.cumsum(np.exp(self - top), axis=dim)) + top
    return np.logaddexp.accumulate(self, axis=dim)


def logcumsumexp_backward(grad, self, result, dim):
    weights = np.exp(
        np.moveaxis(self, dim, -1)[..., :, None] - np.moveaxis(result, dim, -1)[..., None, :]
    )
    total = np.sum(np.triu(weights) * np.moveaxis(grad, dim, -1)[..., None, :], axis=-1)
    return np.moveaxis(total, -1, dim)


def logsumexp(self, *, dim=None, keepdim=False):
    return special.logsumexp(self, axis=dim, keepdims=keepdim)


def logsumexp_backward(grad, self, result, dim=None, keepdim=False):
    wide = restore_reduced_dims(grad, dim, keepdim)
    return wide * np.conj(np.exp(self - restore_reduced_dims(result, dim, keepdim)))


def logsumexp_jvp(self_p, self_t, dim=None, keepdim=False):
    weights = special.softmax(self_p, axis=dim)
    return np.sum(self_t * weights, axis=dim, keepdims=keepdim)


def nanmedian(self):
    numbers = np.sort(self, axis=None)
    return numbers[(np.sum(~np.isnan(self)) - 1) // 2]


def evenly_distribute_backward(grad, input, value):
    there = np.isnan(input) if np.isnan(value) else input == value
    return there * (grad / np.sum(there))


def evenly_read_jvp(fw_grad, input, value):
    there = np.isnan(input) if np.isnan(value) else input == value
    return np.sum(there * fw_grad) / np.sum(there)


def sum_backward(grad, sizes, dim=None, keepdim=False):
    return np.broadcast_to(restore_reduced_dims(grad, dim, keepdim), sizes)


def mean_backward(grad, shape, dim, numel, keepdim=False):
    wide = sum_backward(grad, shape, dim, keepdim)
    return wide * (np.size(grad) / numel)


def nansum_backward(grad, self, dim=None, keepdim=False):
    return np.where(np.isnan(self), 0, restore_reduced_dims(grad, dim, keepdim))


def prod_backward(grad, self, result, dim=None, keepdim=False):
    if dim is None:
        flat = np.ravel(self)
        return grad * np.conj(np.reshape(_products_of_others(flat), self.shape))
    moved = np.moveaxis(self, dim, -1) if self.ndim else np.reshape(self, (1,))
    others = _products_of_others(moved)
    others = np.moveaxis(others, -1, dim) if self.ndim else np.reshape(others, ())
    return restore_reduced_dims(grad, dim if self.ndim else None, keepdim) * np.conj(others)


def _products_of_others(x):
    n = x.shape[-1]
    return np.prod(np.where(np.eye(n, dtype=bool), 1, x[..., None, :]), axis=-1)


def std_correction(self, *, dim=None, correction=None, keepdim=False):
    return np.sqrt(var_correction(self, dim=dim, correction=correction, keepdim=keepdim))


def std_mean_correction(self, *, dim=None, correction=None, keepdim=False):
    spread = std_correction(self, dim=dim, correction=correction, keepdim=keepdim)
    return spread, np.mean(self, axis=dim, keepdims=keepdim)


def std_backward(result, grad, self, dim=None, correction=None, keepdim=False):
    half = np.where(result == 0, 0, grad / np.where(result == 0, 1, 2 * result))
    return var_backward(half, self, dim, correction, keepdim)


def std_mean_backward(gstd, gmean, self, std, dim=None, correction=None, keepdim=False):
    spread = std_backward(std, gstd, self, dim, correction, keepdim)
    return spread + mean_backward(gmean, self.shape, dim, self.size, keepdim)


def var_correction(self, *, dim=None, correction=None, keepdim=False):
    ddof = 1 if correction is None else correction
    return np.var(self, axis=dim, ddof=ddof, keepdims=keepdim)


def var_mean_correction(self, *, dim=None, correction=None, keepdim=False):
    spread = var_correction(self, dim=dim, correction=correction, keepdim=keepdim)
    return spread, np.mean(self, axis=dim, keepdims=keepdim)


def var_backward(grad, self, dim=None, correction=None, keepdim=False):
    ddof = 1 if correction is None else correction
    count = self.size if dim is None else self.size / np.sum(self, axis=dim).size
    wide = restore_reduced_dims(grad, dim, keepdim)
    return 2 / (count - ddof) * wide * (self - np.mean(self, axis=dim, keepdims=True))


def var_mean_backward(gvar, gmean, self, dim=None, correction=None, keepdim=False):
    spread = var_backward(gvar, self, dim, correction, keepdim)
    return spread + mean_backward(gmean, self.shape, dim, self.size, keepdim)


def norm_scalaropt_dim(self, *, p=2, dim=None, keepdim=False):
    return linalg_vector_norm(self, ord=2 if p is None else p, dim=dim, keepdim=keepdim)


def norm_scalaropt_dim_dtype(self, *, p=2, dim=None, keepdim=False):
    return norm_scalaropt_dim(self, p=p, dim=dim, keepdim=keepdim)


def linalg_vector_norm(self, *, ord=2, dim=None, keepdim=False):
    size = np.abs(self)
    if ord == np.inf:
        return np.max(size, axis=dim, keepdims=keepdim)
    if ord == -np.inf:
        return np.min(size, axis=dim, keepdims=keepdim)
    if ord == 0:
        return np.sum(size != 0, axis=dim, keepdims=keepdim) * 1.0
    return np.sum(size**ord, axis=dim, keepdims=keepdim) ** (1 / ord)


def norm_backward(grad, self, p, norm, dim=None, keepdim=False):
    wide = restore_reduced_dims(grad, dim, keepdim)
    length = restore_reduced_dims(norm, dim, keepdim)
    if p == 0:
        return np.zeros_like(self)
    if p == 1:
        return wide * np.sign(self)
    if p is None or p == 2:
        return np.where(length == 0, 0, wide * self / np.where(length == 0, 1, length))
    size = np.abs(self)
    if p in (np.inf, -np.inf):
        there = size == length
        return wide * np.sign(self) * there / np.sum(there, axis=dim, keepdims=True)
    zero = (size == 0) | (length == 0)
    scaled = np.where(zero, 1, size) ** (p - 1) / np.where(zero, 1, length) ** (p - 1)
    return np.where(zero, 0, wide * np.sign(self) * scaled)


def linalg_vector_norm_backward(grad, self, ord, norm, dim=None, keepdim=False):
    return norm_backward(grad, self, ord, norm, dim, keepdim)


def norm_jvp(self_p, self_t, p, norm, dim=None, keepdim=False):
    ones = np.ones_like(np.real(norm))
    slope = norm_backward(ones, self_p, p, norm, dim, keepdim)
    return np.sum(np.real(slope * np.conj(self_t)), axis=dim, keepdims=keepdim)


def linalg_vector_norm_jvp(self_p, self_t, ord, norm, dim=None, keepdim=False):
    return norm_jvp(self_p, self_t, ord, norm, dim, keepdim)


def renorm(self, *, p, dim, maxnorm):
    others = tuple(k for k in range(self.ndim) if k != dim % self.ndim)
    norms = linalg_vector_norm(self, ord=p, dim=others, keepdim=True)
    return self * np.where(norms > maxnorm, maxnorm / (norms + 1e-7), 1)


def renorm_backward(grad, self, p, dim, maxnorm):
    others = tuple(k for k in range(self.ndim) if k != dim % self.ndim)
    norms = linalg_vector_norm(self, ord=p, dim=others, keepdim=True)
    inverse = 1 / (norms + 1e-7)
    along = np.real(np.sum(np.conj(self) * grad, axis=others, keepdims=True))
    slope = norm_backward(along, self, p, norms, others, True)
    shrunk = maxnorm * inverse * (grad - inverse * slope)
    return np.where(norms > maxnorm, shrunk, grad)


def _euclidean_dist(x1, x2):
    apart = np.expand_dims(x1, -2) - np.expand_dims(x2, -3)
    return np.sqrt(np.sum(apart**2, axis=-1))


def _euclidean_dist_backward(grad, x1, x2, res):
    ratio = np.where(res == 0, 0, grad / np.where(res == 0, 1, res))
    x1_bar = x1 * np.sum(ratio, axis=-1, keepdims=True) - ratio @ x2
    across = np.swapaxes(ratio, -1, -2)
    return x1_bar, x2 * np.sum(across, axis=-1, keepdims=True) - across @ x1


def _cdist_forward(x1, x2, *, p, compute_mode=None):
    apart = np.expand_dims(x1, -2) - np.expand_dims(x2, -3)
    return linalg_vector_norm(apart, ord=p, dim=-1)


def _cdist_backward(grad, x1, x2, p, cdist):
    apart = np.expand_dims(x1, -2) - np.expand_dims(x2, -3)
    return np.sum(norm_backward(grad, apart, p, cdist, -1), axis=-2)


def _pdist_forward(self, *, p=2):
    first, second = np.triu_indices(self.shape[0], 1)
    return linalg_vector_norm(self[first] - self[second], ord=p, dim=-1)


def _pdist_backward(grad, self, p, pdist):
    first, second = np.triu_indices(self.shape[0], 1)
    slope = norm_backward(grad, self[first] - self[second], p, pdist, -1)
    places = np.arange(self.shape[0])[:, None]
    return ((places == first) * 1.0 - (places == second) * 1.0) @ slope


def _sorted_along(self, dim, descending=False):
    order = np.argsort(-self if descending else self, axis=dim, kind="stable")
    return np.take_along_axis(self, order, axis=dim), order


def sort_stable(self, *, stable=True, dim=-1, descending=False):
    return _sorted_along(self, dim, descending)


def topk(self, *, k, dim=-1, largest=True, sorted=True):
    values, order = _sorted_along(self, dim, largest)
    first = np.arange(k)
    return np.take(values, first, axis=dim), np.take(order, first, axis=dim)


def _picked(self, place, dim, keepdim):
    picked = np.take_along_axis(self, np.expand_dims(place, dim), axis=dim)
    return (picked if keepdim else np.squeeze(picked, dim)), (
        np.expand_dims(place, dim) if keepdim else place
    )


def kthvalue(self, *, k, dim=-1, keepdim=False):
    return _picked(self, np.take(np.argsort(self, axis=dim), k - 1, axis=dim), dim, keepdim)


def median_dim(self, *, dim, keepdim=False):
    middle = (self.shape[dim] - 1) // 2
    return _picked(self, np.take(np.argsort(self, axis=dim), middle, axis=dim), dim, keepdim)


def nanmedian_dim(self, *, dim, keepdim=False):
    middle = np.maximum(np.sum(~np.isnan(self), axis=dim) - 1, 0) // 2
    order = np.argsort(self, axis=dim)
    place = np.take_along_axis(order, np.expand_dims(middle, dim), axis=dim)
    return _picked(self, np.squeeze(place, dim), dim, keepdim)


def value_selecting_reduction_backward(grad, dim, indices, sizes, keepdim=False):
    if not sizes:
        return grad
    wide = grad if keepdim else np.expand_dims(grad, dim)
    places = indices if keepdim else np.expand_dims(indices, dim)
    moved = np.moveaxis(places, dim, -1)
    there = np.arange(sizes[dim])[:, None] == moved[..., None, :]
    total = np.sum(there * np.moveaxis(wide, dim, -1)[..., None, :], axis=-1)
    return np.moveaxis(total, -1, dim)


def gather_with_keepdimed_indices(input, dim, indices, keepdim=False):
    if not np.ndim(input):
        return input
    places = indices if keepdim else np.expand_dims(indices, dim)
    picked = np.take_along_axis(input, places, axis=dim)
    return picked if keepdim else np.squeeze(picked, dim)
