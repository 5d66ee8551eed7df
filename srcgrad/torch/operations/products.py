"""Products of vectors and matrices."""

from __future__ import annotations

import numpy as np

addmm = lambda self, mat1, mat2, *, beta=1, alpha=1: beta * self + alpha * (mat1 @ mat2)
addmv = lambda self, mat, vec, *, beta=1, alpha=1: beta * self + alpha * (mat @ vec)
addr = lambda self, vec1, vec2, *, beta=1, alpha=1: beta * self + alpha * np.outer(vec1, vec2)
baddbmm = lambda self, batch1, batch2, *, beta=1, alpha=1: beta * self + alpha * (batch1 @ batch2)
bmm = lambda self, mat2: self @ mat2
mm = lambda self, mat2: self @ mat2
mv = lambda self, vec: self @ vec
dot = lambda self, tensor: self @ tensor
vdot = lambda self, other: np.conj(self) @ other
outer = lambda self, vec2: np.outer(self, vec2)
ger = lambda self, vec2: np.outer(self, vec2)
matmul = lambda self, other: self @ other
mm_mat1_backward = lambda grad, mat2, sizes, alpha: grad @ np.conj(mat2).T * np.conj(alpha)
mm_mat2_backward = lambda grad, mat1, sizes, alpha: np.conj(mat1).T @ grad * np.conj(alpha)
linalg_cross = lambda self, other, *, dim=-1: np.cross(self, other, axis=dim)


def addbmm(self, batch1, batch2, *, beta=1, alpha=1):
    return beta * self + alpha * np.sum(batch1 @ batch2, axis=0)


def matmul_backward(grad, self, other):
    if self.ndim == 1 and other.ndim == 1:
        return grad * np.conj(other), grad * np.conj(self)
    left = self[None, :] if self.ndim == 1 else self
    right = other[:, None] if other.ndim == 1 else other
    wide = np.expand_dims(grad, -2) if self.ndim == 1 else grad
    wide = np.expand_dims(wide, -1) if other.ndim == 1 else wide
    left_bar = wide @ np.conj(np.swapaxes(right, -1, -2))
    right_bar = np.conj(np.swapaxes(left, -1, -2)) @ wide
    return (
        left_bar[..., 0, :] if self.ndim == 1 else left_bar,
        right_bar[..., 0] if other.ndim == 1 else right_bar,
    )


def linear(input, weight, bias=None):
    return input @ weight.T if bias is None else input @ weight.T + bias


def linear_backward(self, grad_output, weight):
    rows = np.reshape(grad_output, (-1, weight.shape[0])) if weight.ndim > 1 else grad_output
    if weight.ndim == 1:
        spread = np.tensordot(grad_output, self, grad_output.ndim)
        return np.expand_dims(grad_output, -1) * np.conj(weight), spread, np.sum(grad_output)
    weight_bar = rows.T @ np.conj(np.reshape(self, (-1, weight.shape[1])))
    return grad_output @ np.conj(weight), weight_bar, np.sum(rows, axis=0)


def _trilinear(i1, i2, i3, *, expand1, expand2, expand3, sumdim, unroll_dim=1):
    wide = [np.expand_dims(i, e) for i, e in ((i1, expand1), (i2, expand2), (i3, expand3))]
    return np.sum(wide[0] * wide[1] * wide[2], axis=tuple(sumdim))


def _trilinear_backward(grad, i1, i2, i3, expand1, expand2, expand3, sumdim):
    wide = np.expand_dims(grad, tuple(sumdim))
    first, second = np.expand_dims(i1, expand1), np.expand_dims(i2, expand2)
    third = np.expand_dims(i3, expand3)
    return (
        np.sum(wide * np.conj(second * third) + 0 * first, axis=tuple(expand1)),
        np.sum(wide * np.conj(first * third) + 0 * second, axis=tuple(expand2)),
        np.sum(wide * np.conj(first * second) + 0 * third, axis=tuple(expand3)),
    )
