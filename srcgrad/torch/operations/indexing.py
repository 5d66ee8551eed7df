"""Reading and writing elements by their places."""

from __future__ import annotations

import numpy as np

_index = lambda indices: tuple(slice(None) if i is None else i for i in indices)
index_tensor = lambda self, *, indices: self[_index(indices)]
_unsafe_index_tensor = lambda self, *, indices: self[_index(indices)]
_at = lambda dim, ndim, index: (slice(None),) * (dim % ndim) + (index,)
index_fill_int_scalar = lambda self, *, dim, index, value: _index_filled(self, value, dim, index)
index_fill_int_tensor = lambda self, value, *, dim, index: _index_filled(self, value, dim, index)
take = lambda self, *, index: np.take(self, index)
masked_fill_scalar = lambda self, *, mask, value: np.where(mask, value, self)
masked_fill_tensor = lambda self, value, *, mask: np.where(mask, value, self)
masked_fill_backward = lambda grad, mask: np.sum(np.where(mask, grad, 0))
fill_scalar = lambda self, *, value: np.full_like(self, value)
fill_tensor = lambda self, value: np.zeros_like(self) + value


def index_put(self, values, *, indices, accumulate=False):
    copy = np.array(self)
    if accumulate:
        np.add.at(copy, _index(indices), values)  # pyright: ignore[reportArgumentType]
    else:
        copy[_index(indices)] = values
    return copy


def _unsafe_index_put(self, values, *, indices, accumulate=False):
    return index_put(self, values, indices=indices, accumulate=accumulate)


def index_backward(zeros_like_self, indices, grad):
    return index_put(zeros_like_self, grad, indices=indices, accumulate=True)


def index_select(self, *, dim, index):
    return np.take(self, index, axis=dim) if self.ndim else np.reshape(self, np.shape(index)[:0])


def index_select_backward(grad, self_sizes, dim, index):
    if not self_sizes:
        return np.reshape(grad, ())
    copy = np.zeros(self_sizes, grad.dtype)
    np.add.at(copy, _at(dim, len(self_sizes), index), grad)
    return copy


def index_add(self, source, *, dim, index, alpha=1):
    if not self.ndim:
        return self + alpha * np.sum(source)
    copy = np.array(self)
    np.add.at(copy, _at(dim, self.ndim, index), alpha * source)
    return copy


def index_copy(self, source, *, dim, index):
    if not self.ndim:
        return np.reshape(source, ())
    copy = np.array(self)
    copy[_at(dim, self.ndim, index)] = source
    return copy


def _index_filled(self, value, dim, index):
    if not self.ndim:
        return np.where(True, value, self)
    there = np.any(np.arange(self.shape[dim])[:, None] == np.ravel(index), axis=1)
    shape = [1] * self.ndim
    shape[dim] = -1
    return np.where(np.reshape(there, shape), value, self)


def gather(self, *, dim, index, sparse_grad=False):
    return self[_along(dim, index)] if self.ndim else np.broadcast_to(self, index.shape)


def _along(dim, index):
    places = list(np.indices(index.shape, sparse=True))
    places[dim] = index
    return tuple(places)


def gather_backward(grad, self, dim, index, sparse_grad=False):
    return scatter_add(np.zeros_like(self), grad, dim=dim, index=index)


def scatter_add(self, src, *, dim, index):
    if not self.ndim:
        return self + np.sum(src)
    copy = np.array(self)
    part = src[tuple(slice(n) for n in index.shape)]
    np.add.at(copy, _along(dim, index), part)
    return copy


def scatter_src(self, src, *, dim, index):
    if not self.ndim:
        return np.reshape(src, ())
    copy = np.array(self)
    copy[_along(dim, index)] = src[tuple(slice(n) for n in index.shape)]
    return copy


def scatter_value(self, *, dim, index, value):
    if not self.ndim:
        return np.full_like(self, value)
    copy = np.array(self)
    copy[_along(dim, index)] = value
    return copy


def take_backward(grad, self, index):
    flat = np.zeros(self.size, grad.dtype)
    np.add.at(flat, np.ravel(index), np.ravel(grad))
    return np.reshape(flat, self.shape)


def put(self, source, *, index, accumulate=False):
    flat = np.array(self).ravel()
    if accumulate:
        np.add.at(flat, np.ravel(index), np.ravel(source))
    else:
        flat[np.ravel(index)] = np.ravel(source)
    return np.reshape(flat, self.shape)


def masked_select(self, *, mask):
    wide, where = np.broadcast_arrays(self, mask)
    return wide[where]


def masked_select_backward(grad, input, mask):
    copy = np.zeros(np.broadcast_shapes(input.shape, mask.shape), grad.dtype)
    copy[np.broadcast_to(mask, copy.shape)] = grad
    return copy


def masked_scatter(self, source, *, mask):
    copy = np.array(np.broadcast_to(self, np.broadcast_shapes(self.shape, mask.shape)))
    where = np.broadcast_to(mask, copy.shape)
    copy[where] = np.ravel(source)[: np.sum(where)]
    return copy


def masked_scatter_backward(grad_output, *, mask, sizes):
    picked = grad_output[np.broadcast_to(mask, grad_output.shape)]
    rest = np.zeros(np.prod(sizes, dtype=int) - picked.size, grad_output.dtype)
    return np.reshape(np.concatenate((picked, rest)), sizes)


def _unsafe_masked_index(self, *, mask, indices, fill):
    safe = [None if i is None else np.clip(i, 0, self.shape[k] - 1) for k, i in enumerate(indices)]
    return np.where(mask, self[_index(safe)], fill)


def _unsafe_masked_index_put_accumulate(self, values, *, mask, indices):
    safe = [None if i is None else np.clip(i, 0, self.shape[k] - 1) for k, i in enumerate(indices)]
    return index_put(self, np.where(mask, values, 0), indices=safe, accumulate=True)


def embedding(weight, *, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    return weight[indices]


def embedding_dense_backward(
    grad_output, *, indices, num_weights, padding_idx=-1, scale_grad_by_freq=False
):
    flat = np.ravel(indices)
    rows = np.reshape(grad_output, (flat.size, grad_output.shape[-1]))
    kept = (flat != padding_idx) * 1.0
    if scale_grad_by_freq:
        kept = kept / np.sum(flat[:, None] == flat, axis=1)
    copy = np.zeros((num_weights, grad_output.shape[-1]), grad_output.dtype)
    np.add.at(copy, flat, rows * kept[:, None])
    return copy


def embedding_backward(grad, indices, num_weights, padding_idx, scale_grad_by_freq, sparse):
    return embedding_dense_backward(
        grad,
        indices=indices,
        num_weights=num_weights,
        padding_idx=padding_idx,
        scale_grad_by_freq=scale_grad_by_freq,
    )


def embedding_dense_double_backward(grad, indices, padding_idx):
    kept = np.expand_dims(indices != padding_idx, -1)
    return np.where(kept, grad[indices], 0)
