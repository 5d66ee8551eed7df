"""The derivatives of determinants, which exist where a matrix has no inverse."""

from __future__ import annotations

from typing import Any

import numpy as np


def cofactors(x: Any) -> Any:
    """Return the cofactors of matrices, the slopes of their determinants.

    They are det(x) inv(x).T, and polynomials in the entries: of a singular matrix they
    are read off its singular value decomposition.

    Args:
        x: a matrix, or several along the first axes.

    Examples:
        >>> cofactors(np.array([[1.0, 2.0], [2.0, 4.0]])).round(12)
        array([[ 4., -2.],
               [-2.,  1.]])
    """
    z = np.linalg.det(x)
    if np.all(z != 0):
        return z[..., None, None] * np.swapaxes(np.linalg.inv(x), -1, -2)
    u, s, vh = np.linalg.svd(x)
    same = np.identity(x.shape[-1], dtype=bool, like=x)
    others = np.prod(np.where(same, 1, s[..., None, :]), axis=-1)
    turn = (np.linalg.det(u) * np.linalg.det(vh))[..., None, None]
    return turn * ((np.conj(u) * others[..., None, :]) @ np.conj(vh))


def cofactors_along(x: Any, change: Any) -> Any:
    """Return the change of ``cofactors(x)`` as x changes, which is its own transpose.

    Args:
        x: a matrix, or several along the first axes.
        change: the direction; an array with the shape of x.
    """
    z = np.linalg.det(x)
    if np.all(z != 0):
        inverse = np.swapaxes(np.linalg.inv(x), -1, -2)
        size = np.sum(inverse * change, axis=(-2, -1), keepdims=True)
        turned = inverse @ np.swapaxes(change, -1, -2) @ inverse
        return z[..., None, None] * (size * inverse - turned)
    u, s, vh = np.linalg.svd(x)
    same = np.identity(x.shape[-1], dtype=bool, like=x)
    left_out = same[:, None, :] | same[None, :, :]
    others = np.prod(np.where(left_out, 1, s[..., None, None, :]), axis=-1)
    others = np.where(same, 0, others)
    inner = np.conj(np.swapaxes(u, -1, -2)) @ change @ np.conj(np.swapaxes(vh, -1, -2))
    along = np.sum(others * np.sum(np.where(same, inner, 0), axis=-1)[..., None, :], axis=-1)
    moved = np.where(same, along[..., None], -others * np.swapaxes(inner, -1, -2))
    turn = (np.linalg.det(u) * np.linalg.det(vh))[..., None, None]
    return turn * (np.conj(u) @ moved @ np.conj(vh))
