"""Rotations in space."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from srcgrad import check, grad, tape
from srcgrad.errors import MissingFormulaError
from tests.rotation import highest

RNG = np.random.default_rng(0)
ONE, MANY = RNG.normal(size=3), RNG.normal(size=(4, 3))
FIXED = Rotation.from_euler("xyz", [0.1, 0.2, 0.3])
POINTS = RNG.normal(size=(4, 3))
MATRICES = Rotation.from_rotvec(MANY).as_matrix() + 0.05 * RNG.normal(size=(4, 3, 3))


def rotvec(v, p):
    return np.sum(Rotation.from_rotvec(v).apply(p) ** 3)


def quaternion(q):
    turned = Rotation.from_quat(q)
    return np.sum(turned.as_rotvec() ** 3) + np.sum(turned.as_quat(canonical=True) ** 3)


def matrix(m):
    return np.sum(Rotation.from_matrix(m).as_quat() ** 3)


def extrinsic(angles, p):
    return np.sum(Rotation.from_euler("zyx", angles).apply(p, inverse=True) ** 3)


def intrinsic(angles):
    return np.sum(Rotation.from_euler("ZXZ", angles, degrees=True).inv().as_matrix() ** 3)


def rodrigues(s):
    return np.sum((Rotation.from_mrp(s) * FIXED).as_mrp() ** 3)


def product(v):
    both = Rotation.from_rotvec(v) * Rotation.from_rotvec(v[::-1])
    return np.sum((FIXED * both).as_rotvec() ** 3) + np.sum(both.magnitude())


def angles_of(v):
    turned = Rotation.from_rotvec(v)
    return np.sum(turned.as_euler("xyz") ** 3) + np.sum(turned.as_euler("ZYZ") ** 2)


def power(v):
    return np.sum((Rotation.from_rotvec(v) ** 1.5).as_matrix() ** 3)


def parts(v):
    rows = Rotation.from_rotvec(v)
    return np.sum(rows[1].as_matrix() ** 3) + sum(np.sum(row.as_quat() ** 3) for row in rows)


def constant(p):
    return np.sum(FIXED.apply(p) ** 3)


PROGRAMS = [
    (rotvec, MANY, POINTS),
    (rotvec, np.zeros(3), POINTS),
    (quaternion, RNG.normal(size=(5, 4))),
    (matrix, MATRICES),
    (extrinsic, MANY, POINTS),
    (intrinsic, 50 * ONE),
    (rodrigues, MANY),
    (product, ONE),
    (angles_of, MANY),
    (power, ONE),
    (parts, MANY),
    (constant, POINTS),
]


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("f", "args"), [(f, args) for f, *args in PROGRAMS])
def test_as_text_and_on_the_tape(f, args):
    """Text agrees with differences, in both modes and at both orders, and the tape with it."""
    check(f, *args, wrt=tuple(range(len(args))), order=highest())
    text = grad(f, recorded="refuse")(*args)
    np.testing.assert_allclose(tape.grad(f)(*args), text, atol=1e-9)


@pytest.mark.parametrize("seq", ["xyz", "zyx", "yzy", "ZYX", "XZY", "ZXZ"])
def test_values_are_those_of_scipy(seq):
    """Rotations that are differentiated have the angles, signs and order of SciPy's."""

    def sums(v):
        turned = Rotation.from_rotvec(3 * v) * FIXED
        return np.concatenate([turned.as_euler(seq), turned.as_quat(), turned.as_mrp()], axis=-1)

    np.testing.assert_allclose(tape.vjp(sums, MANY)[0], sums(MANY), atol=1e-12)


def test_no_angles_in_gimbal_lock():
    """There is no derivative, and it says so."""
    with pytest.raises(ArithmeticError, match="gimbal lock"):
        grad(angles_of)(np.zeros(3))


def test_other_methods_are_refused():
    """What is not known of rotations is said."""

    def mean(v):
        return np.sum(Rotation.from_rotvec(v).mean().as_matrix())

    with pytest.raises(MissingFormulaError, match="only apply, inv"):
        grad(mean, recorded="allow")(MANY)
