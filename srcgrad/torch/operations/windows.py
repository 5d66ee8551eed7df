"""Padding, windows and pooling over the last axes."""

from __future__ import annotations

import numpy as np

_padded = lambda self, pad, mode: np.pad(self, _widths(self.ndim, pad), mode=mode)
reflection_pad1d = lambda self, *, padding: _padded(self, padding, "reflect")
reflection_pad2d = lambda self, *, padding: _padded(self, padding, "reflect")
reflection_pad3d = lambda self, *, padding: _padded(self, padding, "reflect")
replication_pad1d = lambda self, *, padding: _padded(self, padding, "edge")
replication_pad2d = lambda self, *, padding: _padded(self, padding, "edge")
replication_pad3d = lambda self, *, padding: _padded(self, padding, "edge")
max_pool_double_backward = lambda grad, indices, dim: _gathered(grad, indices, dim)


def _widths(ndim, pad):
    """Return NumPy's widths: PyTorch counts from the last axis."""
    pairs = [(pad[2 * k], pad[2 * k + 1]) for k in range(len(pad) // 2)][::-1]
    return [(0, 0)] * (ndim - len(pairs)) + pairs


def _unpadded(grad, self, pad, mode):
    """Sum what was read of each element: the places are padded as the elements were."""
    places = np.pad(
        np.reshape(np.arange(self.size), self.shape), _widths(self.ndim, pad), mode=mode
    )
    flat = np.zeros(self.size, grad.dtype)
    np.add.at(flat, np.ravel(places), np.ravel(grad))
    return np.reshape(flat, self.shape)


def constant_pad_nd(self, *, pad, value=0):
    grown = np.pad(
        self,
        [(max(a, 0), max(b, 0)) for a, b in _widths(self.ndim, pad)],
        constant_values=value,
    )
    cut = [slice(max(-a, 0), b if b < 0 else None) for a, b in _widths(self.ndim, pad)]
    return grown[tuple(cut)]


def constant_pad_nd_backward(grad, pad):
    return constant_pad_nd(grad, pad=tuple(-p for p in pad), value=0)


def reflection_pad1d_backward(grad_output, self, *, padding):
    return _unpadded(grad_output, self, padding, "reflect")


def reflection_pad2d_backward(grad_output, self, *, padding):
    return _unpadded(grad_output, self, padding, "reflect")


def reflection_pad3d_backward(grad_output, self, *, padding):
    return _unpadded(grad_output, self, padding, "reflect")


def replication_pad1d_backward(grad_output, self, *, padding):
    return _unpadded(grad_output, self, padding, "edge")


def replication_pad2d_backward(grad_output, self, *, padding):
    return _unpadded(grad_output, self, padding, "edge")


def replication_pad3d_backward(grad_output, self, *, padding):
    return _unpadded(grad_output, self, padding, "edge")


def _windows(length, size, step, gap, pad):
    """Return the matrix of what each place of each window reads: (windows, size, length)."""
    count = (length + 2 * pad - gap * (size - 1) - 1) // step + 1
    places = step * np.arange(count)[:, None] + gap * np.arange(size) - pad
    return (places[..., None] == np.arange(length)) * 1.0


def im2col(self, *, kernel_size, dilation, padding, stride):
    if self.ndim == 3:
        whole = im2col(
            self[None],
            kernel_size=kernel_size,
            dilation=dilation,
            padding=padding,
            stride=stride,
        )
        return whole[0]
    height, width = (
        _windows(self.shape[2 + k], kernel_size[k], stride[k], dilation[k], padding[k])
        for k in range(2)
    )
    columns = np.einsum("ncyx,iky,jlx->ncklij", self, height, width)
    n, c = self.shape[:2]
    return np.reshape(columns, (n, c * kernel_size[0] * kernel_size[1], -1))


def col2im(self, *, output_size, kernel_size, dilation, padding, stride):
    if self.ndim == 2:
        whole = col2im(
            self[None],
            output_size=output_size,
            kernel_size=kernel_size,
            dilation=dilation,
            padding=padding,
            stride=stride,
        )
        return whole[0]
    height, width = (
        _windows(output_size[k], kernel_size[k], stride[k], dilation[k], padding[k])
        for k in range(2)
    )
    n = self.shape[0]
    parts = (n, -1, *kernel_size, height.shape[0], width.shape[0])
    return np.einsum("ncklij,iky,jlx->ncyx", np.reshape(self, parts), height, width)


def _shares(length, out):
    """Return the matrix of an average over windows that together cover an axis."""
    k, x = np.arange(out)[:, None], np.arange(length)
    there = (x >= k * length // out) & (x < -(-(k + 1) * length // out))
    return there / np.sum(there, axis=1, keepdims=True)


def _adaptive_avg_pool2d(self, *, output_size):
    height, width = _shares(self.shape[-2], output_size[0]), _shares(self.shape[-1], output_size[1])
    return height @ self @ width.T


def _adaptive_avg_pool2d_backward(grad_output, self):
    height = _shares(self.shape[-2], grad_output.shape[-2])
    width = _shares(self.shape[-1], grad_output.shape[-1])
    return height.T @ grad_output @ width


def _nearest(length, out, exact, scale):
    """Return the matrix that picks for each new place the old one next to it."""
    ratio = length / out if scale is None else 1 / scale
    places = np.floor((np.arange(out) + (0.5 if exact else 0.0)) * ratio).astype(int)
    return (np.minimum(places, length - 1)[:, None] == np.arange(length)) * 1.0


def upsample_nearest1d(self, *, output_size, scales=None):
    return self @ _nearest(self.shape[-1], output_size[0], False, scales).T


def upsample_nearest1d_backward(grad_output, *, output_size, input_size, scales=None):
    return grad_output @ _nearest(input_size[-1], output_size[0], False, scales)


def _upsample_nearest_exact1d(self, *, output_size, scales=None):
    return self @ _nearest(self.shape[-1], output_size[0], True, scales).T


def _upsample_nearest_exact1d_backward(grad_output, *, output_size, input_size, scales=None):
    return grad_output @ _nearest(input_size[-1], output_size[0], True, scales)


def _upsampled2d(self, output_size, exact, scales):
    height = _nearest(self.shape[-2], output_size[0], exact, scales[0])
    return height @ self @ _nearest(self.shape[-1], output_size[1], exact, scales[1]).T


def _upsampled2d_backward(grad, output_size, input_size, exact, scales):
    height = _nearest(input_size[-2], output_size[0], exact, scales[0])
    return height.T @ grad @ _nearest(input_size[-1], output_size[1], exact, scales[1])


def upsample_nearest2d(self, *, output_size, scales_h=None, scales_w=None):
    return _upsampled2d(self, output_size, False, (scales_h, scales_w))


def upsample_nearest2d_backward(
    grad_output, *, output_size, input_size, scales_h=None, scales_w=None
):
    return _upsampled2d_backward(grad_output, output_size, input_size, False, (scales_h, scales_w))


def _upsample_nearest_exact2d(self, *, output_size, scales_h=None, scales_w=None):
    return _upsampled2d(self, output_size, True, (scales_h, scales_w))


def _upsample_nearest_exact2d_backward(
    grad_output, *, output_size, input_size, scales_h=None, scales_w=None
):
    return _upsampled2d_backward(grad_output, output_size, input_size, True, (scales_h, scales_w))


def _linear(length, out, align_corners, scale):
    """Return the matrix of linear interpolation between old places at each new one."""
    if align_corners:
        places = np.arange(out) * ((length - 1) / max(out - 1, 1))
    else:
        ratio = length / out if scale is None else 1 / scale
        places = np.maximum((np.arange(out) + 0.5) * ratio - 0.5, 0)
    low = np.minimum(np.floor(places).astype(int), length - 1)
    high = np.minimum(low + 1, length - 1)
    share = (places - low)[:, None]
    x = np.arange(length)
    return (low[:, None] == x) * (1 - share) + (high[:, None] == x) * share


def upsample_linear1d(self, *, output_size, align_corners, scales=None):
    return self @ _linear(self.shape[-1], output_size[0], align_corners, scales).T


def upsample_linear1d_backward(grad_output, *, output_size, input_size, align_corners, scales=None):
    return grad_output @ _linear(input_size[-1], output_size[0], align_corners, scales)


def upsample_bilinear2d(self, *, output_size, align_corners, scales_h=None, scales_w=None):
    height = _linear(self.shape[-2], output_size[0], align_corners, scales_h)
    return height @ self @ _linear(self.shape[-1], output_size[1], align_corners, scales_w).T


def upsample_bilinear2d_backward(
    grad_output, *, output_size, input_size, align_corners, scales_h=None, scales_w=None
):
    height = _linear(input_size[-2], output_size[0], align_corners, scales_h)
    width = _linear(input_size[-1], output_size[1], align_corners, scales_w)
    return height.T @ grad_output @ width


def affine_grid_generator(theta, *, size, align_corners):
    base = _base_grid(size, align_corners)
    return np.einsum("...k,nik->n...i", base, theta)


def _base_grid(size, align_corners):
    axes = []
    for n in size[2:]:
        steps = (2 * np.arange(n) + 1) / n - 1
        axes.append(np.linspace(-1, 1, n) if align_corners and n > 1 else steps * (n > 1))
    places = np.meshgrid(*axes, indexing="ij")
    return np.stack((*places[::-1], np.ones(size[2:])), axis=-1)


def affine_grid_generator_backward(grad, size, align_corners):
    base = np.reshape(_base_grid(size, align_corners), (-1, len(size) - 1))
    rows = np.reshape(grad, (grad.shape[0], -1, grad.shape[-1]))
    return np.swapaxes(rows, 1, 2) @ base


def _averages(length, size, step, pad, ceil_mode, count_include_pad):
    """Return the matrix of which places a window sums, and how many each one counts."""
    step = step or size
    room = length + 2 * pad - size
    count = -(-room // step) + 1 if ceil_mode else room // step + 1
    if ceil_mode and (count - 1) * step >= length + pad:
        count -= 1
    first = step * np.arange(count)[:, None] - pad
    last = np.minimum(first + size, length + pad)
    x = np.arange(length)
    there = (x >= first) & (x < last)
    counted = last - first if count_include_pad else np.sum(there, axis=1, keepdims=True)
    return there * 1.0, counted


def _average2d(shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor):
    stride = stride or kernel_size
    rows, down = _averages(
        shape[-2], kernel_size[0], stride[0], padding[0], ceil_mode, count_include_pad
    )
    columns, across = _averages(
        shape[-1], kernel_size[-1], stride[-1], padding[-1], ceil_mode, count_include_pad
    )
    return rows, columns, (down * across.T if divisor is None else divisor)


def avg_pool2d(
    self,
    *,
    kernel_size,
    stride=(),
    padding=(0, 0),
    ceil_mode=False,
    count_include_pad=True,
    divisor_override=None,
):
    rows, columns, counted = _average2d(
        self.shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )
    return rows @ self @ columns.T / counted


def avg_pool2d_backward(
    grad_output,
    self,
    *,
    kernel_size,
    stride,
    padding,
    ceil_mode,
    count_include_pad,
    divisor_override,
):
    rows, columns, counted = _average2d(
        self.shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )
    return rows.T @ (grad_output / counted) @ columns


def _gathered(x, indices, axes):
    flat = np.reshape(x, (*x.shape[:-axes], -1))
    places = np.reshape(indices, (*indices.shape[:-axes], -1))
    return np.reshape(np.take_along_axis(flat, places, axis=-1), indices.shape)


def _spread(grad, indices, shape, axes):
    """Sum at each place of an input what came from the windows that read it."""
    n = np.prod(shape[-axes:])
    places = np.reshape(indices, (*indices.shape[:-axes], -1))
    there = np.arange(n)[:, None] == places[..., None, :]
    flat = np.reshape(grad, (*grad.shape[:-axes], 1, -1))
    return np.reshape(np.sum(there * flat, axis=-1), shape)


def max_pool2d_with_indices_backward(
    grad_output, self, *, kernel_size, stride, padding, dilation, ceil_mode, indices
):
    return _spread(grad_output, indices, self.shape, 2)


def max_pool3d_with_indices_backward(
    grad_output, self, *, kernel_size, stride, padding, dilation, ceil_mode, indices
):
    return _spread(grad_output, indices, self.shape, 3)


def adaptive_max_pool2d_backward(grad_output, self, *, indices):
    return _spread(grad_output, indices, self.shape, 2)


def adaptive_max_pool3d_backward(grad_output, self, *, indices):
    return _spread(grad_output, indices, self.shape, 3)


def _max_windows(self, kernel_size, stride, padding, dilation, ceil_mode):
    axes = len(kernel_size)
    stride = stride or kernel_size
    places = np.reshape(np.arange(np.prod(self.shape[-axes:])), self.shape[-axes:])
    windows, lead = [], self.shape[:-axes]
    for k in range(axes):
        length, size = self.shape[k - axes], kernel_size[k]
        room = length + 2 * padding[k] - dilation[k] * (size - 1) - 1
        count = -(-room // stride[k]) + 1 if ceil_mode else room // stride[k] + 1
        if ceil_mode and (count - 1) * stride[k] >= length + padding[k]:
            count -= 1
        first = stride[k] * np.arange(count)[:, None] - padding[k]
        windows.append(first + dilation[k] * np.arange(size))
    index, inside = [], True
    for k, read in enumerate(windows):
        shape = [1] * (2 * axes)
        shape[k], shape[axes + k] = read.shape
        wide = np.reshape(read, shape)
        inside = inside & (wide >= 0) & (wide < self.shape[k - axes])
        index.append(np.clip(wide, 0, self.shape[k - axes] - 1))
    read = np.where(inside, self[(..., *index)], -np.inf)
    flat = np.reshape(read, (*lead, *(len(w) for w in windows), -1))
    own = np.broadcast_to(places[tuple(index)], read.shape)
    own = np.reshape(own, flat.shape)
    best = np.argmax(flat, axis=-1, keepdims=True)
    return (
        np.take_along_axis(flat, best, axis=-1)[..., 0],
        np.take_along_axis(own, best, axis=-1)[..., 0],
    )


def max_pool2d_with_indices(
    self, *, kernel_size, stride=(), padding=(0, 0), dilation=(1, 1), ceil_mode=False
):
    return _max_windows(self, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d_with_indices(
    self, *, kernel_size, stride=(), padding=(0, 0, 0), dilation=(1, 1, 1), ceil_mode=False
):
    return _max_windows(self, kernel_size, stride, padding, dilation, ceil_mode)


def max_unpool2d(self, *, indices, output_size):
    flat = np.zeros((*self.shape[:-2], np.prod(output_size)))
    rows = (*self.shape[:-2], -1)
    np.put_along_axis(flat, np.reshape(indices, rows), np.reshape(self, rows), axis=-1)
    return np.reshape(flat, (*self.shape[:-2], *output_size))
