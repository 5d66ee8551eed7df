"""Derivatives of rotations in space, by ``scipy.spatial.transform.Rotation``."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from srcgrad.registry import formula, in_python, primal
from srcgrad.runtime import unbroadcast
from srcgrad.runtime.scipy import rotations
from srcgrad.runtime.scipy.rotations import applied

for name in ["from_euler", "from_matrix", "from_mrp", "from_quat", "from_rotvec"]:
    in_python(getattr(Rotation, name), getattr(rotations, name))


@formula(Rotation.apply, applied, constant="rotation", sequences="rotation")
def apply(rotation, vectors, *, inverse=False):
    """z = what a constant rotation makes of vectors; the inverse one makes it of cotangents."""
    z = primal(rotation, vectors, inverse=inverse)

    def backward(z_bar):
        return None, unbroadcast(applied(rotation, z_bar, inverse=not inverse), vectors)

    return z, backward


@formula(rotations.nearest_rotation)
def nearest_rotation(matrix):
    """u p = matrix, with p symmetric; u moves to u skew(s), where (trace(p) I - p) s = vector(t).

    t is u.T times the change of the matrix, and vector(t) the vector whose cross product
    t - t.T is. Domain: determinants above 0.
    """
    u = rotations.nearest_rotation(matrix)

    def backward(u_bar):
        p = np.swapaxes(u, -1, -2) @ matrix
        spread = np.trace(p, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - p
        t = np.swapaxes(u, -1, -2) @ u_bar
        x, y, z = (
            t[..., 2, 1] - t[..., 1, 2],
            t[..., 0, 2] - t[..., 2, 0],
            t[..., 1, 0] - t[..., 0, 1],
        )
        s = np.linalg.solve(spread, np.stack([x, y, z], axis=-1)[..., None])
        return u @ np.cross(np.eye(3), s[..., None, :, 0])

    return u, backward
