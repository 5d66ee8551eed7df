"""Rotations in space by their quaternions, as ``scipy.spatial.transform.Rotation`` has them.

SciPy's objects hold compiled ones. Here are the same methods in NumPy, through which what is
differentiated goes. A quaternion is ``(x, y, z, w)`` of length 1, along the last axis.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import transform


class Rotation(transform.Rotation):
    """Rotations of which something is differentiated.

    Args:
        quat: their quaternions, (..., 4).
    """

    def __init__(self, quat: Any) -> None:
        self.quat = quat

    def __repr__(self) -> str:
        return f"Rotation.from_matrix({self.as_matrix()!r})"

    def __getattr__(self, name: str) -> Any:
        raise NotImplementedError(
            "of rotations that are differentiated only apply, inv, magnitude, as_matrix, as_quat, "
            "as_rotvec, as_euler, as_mrp, products and powers are known"
        )

    def __iter__(self) -> Any:
        for k in range(len(self)):
            yield self[k]

    def __len__(self) -> int:
        return len(self.quat)

    def __getitem__(self, indexer: Any) -> Any:
        return Rotation(self.quat[indexer])

    def __mul__(self, other: Any) -> Any:
        return Rotation(composed(self.quat, other.as_quat()))

    def __rmul__(self, other: Any) -> Any:
        return Rotation(composed(other.as_quat(), self.quat))

    def __pow__(self, n: Any, modulus: None = None) -> Any:
        return from_rotvec(n * self.as_rotvec())

    def inv(self) -> Any:
        return Rotation(conjugate(self.quat))

    def magnitude(self) -> Any:
        sine = np.linalg.norm(self.quat[..., :3], axis=-1)
        return 2 * np.arctan2(sine, np.abs(self.quat[..., 3]))

    def apply(self, vectors: Any, inverse: bool = False) -> Any:
        quat = conjugate(self.quat) if inverse else self.quat
        return turned(quat, np.asarray(vectors, dtype=float))

    def as_quat(self, canonical: bool = False, *, scalar_first: bool = False) -> Any:
        quat = _canonical(self.quat) if canonical else self.quat
        return np.roll(quat, 1, axis=-1) if scalar_first else quat

    def as_matrix(self) -> Any:
        return np.swapaxes(turned(self.quat[..., None, :], np.eye(3)), -1, -2)

    def as_rotvec(self, degrees: bool = False) -> Any:
        quat = _canonical(self.quat)
        vector, square = quat[..., :3], np.sum(quat[..., :3] ** 2, axis=-1)
        small = square < 1e-6
        sine = np.sqrt(np.where(small, 1.0, square))
        ratio = 2 * np.arctan2(sine, quat[..., 3]) / sine  # of angle and sine of its half
        ratio = np.where(small, 2 + square / 3 + 3 * square**2 / 20, ratio)
        rotvec = ratio[..., None] * vector
        return np.rad2deg(rotvec) if degrees else rotvec

    def as_mrp(self) -> Any:
        quat = _canonical(self.quat)
        return quat[..., :3] / (1 + quat[..., 3:])

    def as_euler(self, seq: str, degrees: bool = False, *, suppress_warnings: bool = False) -> Any:
        """Return the angles of three turns about axes.

        E. Bernardes, S. Viollet, "Quaternion to Euler angles conversion", 2022.

        Raises:
            ArithmeticError: in gimbal lock, where the angles have no derivative.
        """
        i, j, k = ["xyz".index(axis) for axis in seq.lower()]
        if seq.isupper():
            i, k = k, i
        same = i == k
        if same:
            k = 3 - i - j
        sign = (i - j) * (j - k) * (k - i) // 2
        x, y, z, w = (
            self.quat[..., i],
            self.quat[..., j],
            sign * self.quat[..., k],
            self.quat[..., 3],
        )
        a, b, c, d = (w, x, y, z) if same else (w - y, x + z, y + w, z - x)
        outer, inner = np.hypot(a, b), np.hypot(c, d)
        if np.any(np.minimum(outer, inner) < 1e-7):
            raise ArithmeticError("Euler's angles have no derivative in gimbal lock")
        middle = 2 * np.arctan2(inner, outer)
        total, difference = np.arctan2(b, a), np.arctan2(d, c)
        first, third = total - difference, total + difference
        if not same:
            middle, third = middle - np.pi / 2, sign * third
        if seq.isupper():
            first, third = third, first
        angles = np.stack([first, middle, third], axis=-1)
        turns = 2 * np.pi * np.round(angles / (2 * np.pi))
        return np.rad2deg(angles - turns) if degrees else angles - turns


def from_quat(quat: Any, scalar_first: bool = False) -> Any:
    """Return the rotations of quaternions of any length but 0."""
    quat = np.asarray(quat, dtype=float)
    if scalar_first:
        quat = np.roll(quat, -1, axis=-1)
    return Rotation(quat / np.linalg.norm(quat, axis=-1, keepdims=True))


def from_rotvec(rotvec: Any, degrees: bool = False) -> Any:
    """Return the rotations about vectors, by angles as large as these are long."""
    rotvec = np.asarray(rotvec, dtype=float)
    if degrees:
        rotvec = np.deg2rad(rotvec)
    square = np.sum(rotvec**2, axis=-1)
    small = square < 1e-6
    angle = np.sqrt(np.where(small, 1.0, square))
    ratio = np.where(small, 0.5 - square / 48 + square**2 / 3840, np.sin(angle / 2) / angle)
    cosine = np.where(small, 1 - square / 8 + square**2 / 384, np.cos(angle / 2))
    return Rotation(np.concatenate([ratio[..., None] * rotvec, cosine[..., None]], axis=-1))


def from_mrp(mrp: Any) -> Any:
    """Return the rotations of modified Rodrigues parameters: axes times tan(angle / 4)."""
    mrp = np.asarray(mrp, dtype=float)
    square = np.sum(mrp**2, axis=-1, keepdims=True)
    return Rotation(np.concatenate([2 * mrp, 1 - square], axis=-1) / (1 + square))


def from_matrix(matrix: Any, assume_valid: bool = False) -> Any:
    """Return the rotations whose matrices are those next to the given ones.

    The outer product of a quaternion with itself, times 4, is linear in the matrix, and each of
    its rows is a multiple of the quaternion. The row of the largest entry is taken, as
    S. W. Shepperd does ("Quaternion from rotation matrix", 1978).
    """
    m = np.asarray(matrix, dtype=float)
    if not assume_valid:
        m = nearest_rotation(m)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    xy, xz, yz = (
        m[..., 0, 1] + m[..., 1, 0],
        m[..., 0, 2] + m[..., 2, 0],
        m[..., 1, 2] + m[..., 2, 1],
    )
    x, y, z = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    rows = [
        [1 + xx - yy - zz, xy, xz, x],
        [xy, 1 - xx + yy - zz, yz, y],
        [xz, yz, 1 - xx - yy + zz, z],
        [x, y, z, 1 + xx + yy + zz],
    ]
    outer = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    largest = np.argmax(np.stack([xx, yy, zz, xx + yy + zz], axis=-1), axis=-1)
    row = np.take_along_axis(outer, largest[..., None, None], axis=-2)[..., 0, :]
    return from_quat(row)


def nearest_rotation(matrix: Any) -> Any:
    """Return the rotation next to a matrix: the orthogonal factor of its polar decomposition."""
    if np.any(np.linalg.det(matrix) <= 0):
        raise ValueError("a matrix whose determinant is not positive is no rotation")
    u, _, vh = np.linalg.svd(matrix)
    return u @ vh


def from_euler(seq: str, angles: Any, degrees: bool = False) -> Any:
    """Return the rotations by angles about one to three axes."""
    angles = np.asarray(angles, dtype=float)
    if degrees:
        angles = np.deg2rad(angles)
    if angles.ndim == 0:
        angles = angles[None]
    if angles.shape[-1] != len(seq):
        raise ValueError(f"expected {len(seq)} angles along the last axis, got {angles.shape[-1]}")
    quat = _about(seq[0], angles[..., 0])
    for k in range(1, len(seq)):
        turn = _about(seq[k], angles[..., k])
        quat = composed(quat, turn) if seq.isupper() else composed(turn, quat)
    return Rotation(quat)


def _about(axis: str, angle: Any) -> Any:
    """The quaternions of rotations about one axis."""
    half, units = angle[..., None] / 2, np.eye(4)
    return np.sin(half) * units["xyz".index(axis.lower())] + np.cos(half) * units[3]


def turned(quat: Any, vectors: Any) -> Any:
    """Return the vectors that rotations make of others."""
    axis, scalar = quat[..., :3], quat[..., 3:]
    twice = 2 * np.cross(axis, vectors)
    return vectors + scalar * twice + np.cross(axis, twice)


def conjugate(quat: Any) -> Any:
    """Return the quaternions of the inverse rotations."""
    return np.concatenate([-quat[..., :3], quat[..., 3:]], axis=-1)


def composed(p: Any, q: Any) -> Any:
    """Return the quaternions of q, and then p."""
    p_vector, p_scalar, q_vector, q_scalar = p[..., :3], p[..., 3:], q[..., :3], q[..., 3:]
    vector = p_scalar * q_vector + q_scalar * p_vector + np.cross(p_vector, q_vector)
    scalar = p_scalar * q_scalar - np.sum(p_vector * q_vector, axis=-1, keepdims=True)
    return np.concatenate([vector, scalar], axis=-1)


def _canonical(quat: Any) -> Any:
    """That of the two quaternions of a rotation whose scalar is positive."""
    return np.where(quat[..., 3:] < 0, -quat, quat)


def applied(rotation: Any, vectors: Any, inverse: bool = False) -> Any:
    """Return what rotations of SciPy's make of vectors."""
    return rotation.apply(np.array(vectors), inverse=inverse)
