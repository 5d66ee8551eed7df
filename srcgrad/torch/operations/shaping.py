"""Operations that arrange what a tensor holds in another way."""

from __future__ import annotations

import numpy as np

expand_as = lambda self, other: np.broadcast_to(self, other.shape)
permute = lambda self, *, dims: np.transpose(self, dims)
view = lambda self, *, size: np.reshape(self, size)
reshape = lambda self, shape: np.reshape(self, shape)
_unsafe_view = lambda self, *, size: np.reshape(self, size)
_reshape_alias = lambda self, *, size, stride=None: np.reshape(self, size)
_reshape_copy = lambda self, *, size: np.reshape(self, size)
repeat = lambda self, *, repeats: np.tile(self, repeats)
squeeze = lambda self: np.squeeze(self)
unsqueeze = lambda self, *, dim: np.expand_dims(self, dim)
t = lambda self: self.T
transpose_int = lambda self, *, dim0, dim1: np.swapaxes(self, dim0, dim1)
flip = lambda self, *, dims: np.flip(self, dims)
roll = lambda self, *, shifts, dims=(): np.roll(self, shifts, dims or None)
rot90 = lambda self, *, k=1, dims=(0, 1): np.rot90(self, k, dims)
select_int = lambda self, *, dim, index: np.take(self, index, axis=dim)
select_scatter = lambda self, src, *, dim, index: _filled(self, src, dim, index)
diagonal = lambda self, *, offset=0, dim1=0, dim2=1: np.diagonal(self, offset, dim1, dim2)
tril = lambda self, *, diagonal=0: np.tril(self, diagonal)
triu = lambda self, *, diagonal=0: np.triu(self, diagonal)
trace = lambda self: np.trace(self)
trace_backward = lambda grad, sizes: grad * np.eye(sizes[0], sizes[1])
unbind_int = lambda self, *, dim=0: tuple(np.moveaxis(self, dim, 0))
unbind_backward = lambda grads, dim: np.stack(grads, axis=dim)
split_backward = lambda grads, split_size, dim, sizes: np.concatenate(grads, axis=dim)
split_with_sizes_backward = lambda grads, split_sizes, dim, sizes: np.concatenate(grads, axis=dim)
cat = lambda tensors, *, dim=0: np.concatenate(tensors, axis=dim)
stack = lambda tensors, *, dim=0: np.stack(tensors, axis=dim)
stack_tensors_backward = lambda grad, dim: tuple(np.moveaxis(grad, dim, 0))
_fft_scale = lambda n, normalization: (1.0, 1 / np.sqrt(n), 1 / n)[normalization]


def expand(self, *, size):
    kept = tuple(
        n if m == -1 else m
        for n, m in zip((1,) * (len(size) - self.ndim) + self.shape, size, strict=True)
    )
    return np.broadcast_to(self, kept)


def permute_backwards(grad, fwd_dims):
    return np.transpose(grad, np.argsort([d % grad.ndim for d in fwd_dims]))


def repeat_backward(grad, repeats, input_shape):
    padded = (1,) * (len(repeats) - len(input_shape)) + tuple(input_shape)
    split = tuple(n for pair in zip(repeats, padded, strict=True) for n in pair)
    total = np.sum(np.reshape(grad, split), axis=tuple(range(0, 2 * len(repeats), 2)))
    return np.reshape(total, input_shape)


def squeeze_dim(self, *, dim):
    return np.squeeze(self, dim) if self.ndim and self.shape[dim] == 1 else self + 0


def squeeze_dims(self, *, dim=None):
    dim = dim or ()
    return np.squeeze(self, tuple(d for d in dim if self.ndim and self.shape[d] == 1))


def unsqueeze_to(grad, *dim_and_sizes):
    *_, sizes = dim_and_sizes
    return np.reshape(grad, sizes)


def _filled(base, value, dim, where):
    """Return a copy of an array with something else at places along an axis."""
    copy = np.array(np.broadcast_to(base, base.shape))
    copy[(slice(None),) * (dim % base.ndim) + (where,)] = value
    return copy


def select_backward(grad_output, *, input_sizes, dim, index):
    return _filled(np.zeros(input_sizes, grad_output.dtype), grad_output, dim, index)


def slice_tensor(self, *, dim=0, start=None, end=None, step=1):
    return self[(slice(None),) * (dim % self.ndim) + (slice(start, end, step),)]


def slice_backward(grad_output, *, input_sizes, dim, start, end, step):
    zeros = np.zeros(input_sizes, grad_output.dtype)
    return _filled(zeros, grad_output, dim, slice(start, end, step))


def slice_backward_wrapper(grad, input_sizes, dim, start, end, step):
    zeros = np.zeros(input_sizes, grad.dtype)
    return _filled(zeros, grad, dim, slice(start, end, step))


def slice_scatter(self, src, *, dim=0, start=None, end=None, step=1):
    return _filled(self, src, dim, slice(start, end, step))


def slice_inverse(self, src, *, dim=0, start=None, end=None, step=1):
    return _filled(src, self, dim, slice(start, end, step))


def narrow_copy(self, *, dim, start, length):
    return self[(slice(None),) * (dim % self.ndim) + (slice(start, start + length),)]


def narrow(self, dim, start, length):
    return self[(slice(None),) * (dim % self.ndim) + (slice(start, start + length),)]


def _diagonal_places(ndim, length, offset, dim1, dim2):
    """Return the index of a diagonal with its axis moved to the front."""
    steps = np.arange(length)
    places = [slice(None)] * ndim
    places[dim1] = steps + np.maximum(-offset, 0)
    places[dim2] = steps + np.maximum(offset, 0)
    return tuple(places)


def diagonal_scatter(self, src, *, offset=0, dim1=0, dim2=1):
    copy = np.array(np.moveaxis(self, (dim1, dim2), (0, 1)))
    places = _diagonal_places(self.ndim, src.shape[-1], offset, 0, 1)
    copy[places] = np.moveaxis(src, -1, 0)
    return np.moveaxis(copy, (0, 1), (dim1, dim2))


def diagonal_backward(grad_output, *, input_sizes, offset, dim1, dim2):
    zeros = np.zeros(input_sizes, grad_output.dtype)
    return diagonal_scatter(zeros, grad_output, offset=offset, dim1=dim1, dim2=dim2)


def diag_embed(self, *, offset=0, dim1=-2, dim2=-1):
    ndim = self.ndim + 1
    n = self.shape[-1] + np.abs(offset)
    rest = self.shape[:-1]
    copy = np.zeros((n, n, *rest), self.dtype)
    copy[_diagonal_places(ndim, self.shape[-1], offset, 0, 1)] = np.moveaxis(self, -1, 0)
    return np.moveaxis(copy, (0, 1), (dim1, dim2))


def split_tensor(self, *, split_size, dim=0):
    return tuple(np.split(self, range(split_size, self.shape[dim], split_size), axis=dim))


def unsafe_split_tensor(self, *, split_size, dim=0):
    return split_tensor(self, split_size=split_size, dim=dim)


def split_with_sizes(self, *, split_sizes, dim=0):
    return tuple(np.split(self, np.cumsum(split_sizes)[:-1], axis=dim))


def unsafe_split_with_sizes(self, *, split_sizes, dim=0):
    return split_with_sizes(self, split_sizes=split_sizes, dim=dim)


def unfold(self, *, dimension, size, step):
    if not self.ndim:
        return np.broadcast_to(self, (size,))
    windows = np.lib.stride_tricks.sliding_window_view(self, size, axis=dimension)
    return slice_tensor(windows, dim=dimension % self.ndim, step=step)


def unfold_backward(grad_in, *, input_sizes, dim, size, step):
    if not input_sizes:
        return np.reshape(grad_in[0], ())
    moved = np.moveaxis(grad_in, dim % len(input_sizes), -2)
    starts = step * np.arange(moved.shape[-2])[:, None] + np.arange(size)
    there = starts == np.arange(input_sizes[dim])[:, None, None]
    return np.moveaxis(np.tensordot(moved, there * 1.0, ((-2, -1), (1, 2))), -1, dim)


def cat_tensors_backward(grad, tensors, dim):
    ends = np.cumsum([x.shape[dim] for x in tensors])[:-1]
    return tuple(np.split(grad, ends, axis=dim))


def pixel_shuffle(self, *, upscale_factor):
    r = upscale_factor
    *rest, c, h, w = self.shape
    parts = np.reshape(self, (*rest, c // r**2, r, r, h, w))
    n = len(rest)
    order = (*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return np.reshape(np.transpose(parts, order), (*rest, c // r**2, h * r, w * r))


def pixel_unshuffle(self, *, downscale_factor):
    r = downscale_factor
    *rest, c, h, w = self.shape
    parts = np.reshape(self, (*rest, c, h // r, r, w // r, r))
    n = len(rest)
    order = (*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return np.reshape(np.transpose(parts, order), (*rest, c * r**2, h // r, w // r))


def channel_shuffle(self, *, groups):
    n, c, *rest = self.shape
    parts = np.reshape(self, (n, groups, c // groups, *rest))
    return np.reshape(np.swapaxes(parts, 1, 2), self.shape)


def _fft_c2c(self, *, dim, normalization, forward):
    turned = np.fft.fftn(self, axes=dim) if forward else np.fft.ifftn(self, axes=dim)
    n = np.prod([self.shape[d] for d in dim])
    return turned * _fft_scale(n, normalization) * (1 if forward else n)


def _fft_r2c(self, *, dim, normalization, onesided):
    n = np.prod([self.shape[d] for d in dim])
    turned = np.fft.rfftn(self, axes=dim) if onesided else np.fft.fftn(self, axes=dim)
    return turned * _fft_scale(n, normalization)


def _fft_c2r(self, *, dim, normalization, last_dim_size):
    lengths = [*[self.shape[d] for d in dim[:-1]], last_dim_size]
    n = np.prod(lengths)
    return np.fft.irfftn(self, lengths, dim) * n * _fft_scale(n, normalization)


def fft_r2c_backward(grad, dim, normalization, onesided, last_dim_size):
    if onesided:
        missing = last_dim_size - grad.shape[dim[-1]]
        widths = [(0, missing if k == dim[-1] % grad.ndim else 0) for k in range(grad.ndim)]
        grad = np.pad(grad, widths)
    return np.real(_fft_c2c(grad, dim=dim, normalization=normalization, forward=False))


def fft_c2r_backward(grad, dim, normalization):
    turned = _fft_r2c(np.real(grad), dim=dim, normalization=normalization, onesided=True)
    half = turned.shape[dim[-1]]
    twice = np.ones(half)
    twice[1 : half - 1 + grad.shape[dim[-1]] % 2] = 2
    shape = [1] * grad.ndim
    shape[dim[-1]] = half
    return turned * np.reshape(twice, shape)
