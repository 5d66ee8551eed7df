"""The programs themselves: they run, they are what the table says, and they are smooth.

A program at a kink, or with an iteration count that changes within a step of
the finite differences, would make a right gradient look wrong.
"""

import copy
import math

import numpy as np
import pytest

from tests import finite_differences as fd
from tests.programs.table import Program, program, programs

pytestmark = pytest.mark.filterwarnings("error")

PROGRAMS = programs()
DOUBLE = (np.float64, np.complex128)
each_program = pytest.mark.parametrize(
    "case", PROGRAMS, ids=[case.name for case in PROGRAMS]
)


def test_there_are_many_programs():
    """Counting each function once, whatever the number of its arguments' sets."""
    assert len({case.fn for case in PROGRAMS}) >= 200


def test_a_taken_name_is_refused():
    """Two programs of one name in one topic would be one test."""
    with pytest.raises(
        ValueError, match=r"two programs named straight_line\.polynomial$"
    ):
        program(args=(1.0,))(PROGRAMS_BY_NAME["straight_line.polynomial"].fn)


def test_an_unknown_tag_is_refused():
    """A misspelt tag would switch a test off in silence."""
    with pytest.raises(ValueError, match="unknown tag"):
        program(args=(1.0,), tags=("thrid",), label="new")(math.sin)


PROGRAMS_BY_NAME = {case.name: case for case in PROGRAMS}


@each_program
@pytest.mark.one_of(2)
def test_program_runs(case: Program):
    """The result is finite, the same each time, scalar unless marked; arguments are left alone."""
    args = case.make_args()
    before = copy.deepcopy(args)
    first, second = case.fn(*args), case.fn(*args)
    for a, b in zip(fd.numbers(args), fd.numbers(before), strict=True):
        np.testing.assert_array_equal(a, b)
    shapes = [np.shape(leaf) for leaf in fd.leaves(first)]
    assert shapes
    assert case.vector or (shapes == [()] and not isinstance(first, (tuple, list)))
    for a, b in zip(fd.leaves(first), fd.leaves(second), strict=True):
        np.testing.assert_array_equal(a, b)
        if fd.is_number(a) or not hasattr(first, "__dict__"):
            assert np.all(np.isfinite(a))
            assert np.asarray(a).dtype in DOUBLE


@each_program
def test_active_arguments_are_in_double_precision(case: Program):
    """A float that was written as an integer would be refused by name."""
    args = case.make_args()
    assert len(set(case.wrt)) == len(case.wrt) >= 1
    for index in case.wrt:
        assert fd.numbers((args[index],))
        assert all(np.asarray(x).dtype in DOUBLE for x in fd.numbers((args[index],)))


def flat(gradient):
    """All numbers of the gradient for one argument, in one array."""
    return np.concatenate([np.ravel(x) for x in fd.numbers((gradient,))])


def bend(scalar, args, index):
    """Return by how much the slope changes within a step: little, but for a kink.

    Central differences alone see neither a kink nor a jump that lies exactly at
    the arguments.
    """
    rng = np.random.default_rng(6)
    signs = [2 * rng.integers(0, 2, np.shape(x)) - 1 for x in fd.numbers((args[index],))]
    above = scalar(*fd.shifted(args, index, [fd.STEP * u for u in signs]))
    below = scalar(*fd.shifted(args, index, [-fd.STEP * u for u in signs]))
    return abs(float(above) - 2 * float(scalar(*args)) + float(below)) / fd.STEP


@pytest.mark.one_of(6)
@each_program
def test_program_is_smooth_around_its_arguments(case: Program):
    """Central differences agree for a step and one ten times as long."""
    args = case.make_args()
    cotangent = (
        fd.random_like(case.fn(*args), np.random.default_rng(5)) if case.vector else 1.0
    )

    def scalar(*args):
        return fd.inner(cotangent, case.fn(*args)) if case.vector else case.fn(*args)

    size = abs(float(scalar(*args)))
    for index in case.wrt:
        short = flat(fd.gradient(scalar, args, index))
        long = flat(fd.gradient(scalar, args, index, step=10 * fd.STEP))
        assert np.all(np.isfinite(short))
        assert bend(scalar, args, index) < 1e-2 * max(
            1.0, size, float(np.max(np.abs(short), initial=0.0))
        )
        atol = fd.tolerance(max(size, float(np.max(np.abs(short), initial=0.0))))
        np.testing.assert_allclose(short, long, rtol=1e-6, atol=100 * atol)
        if "flat" in case.tags:
            assert not short.any()


@pytest.mark.one_of(3)
@each_program
def test_some_argument_has_an_influence(case: Program):
    """A gradient of zeros is right by accident too easily; "flat" says where it is the point."""
    args = case.make_args()
    cotangent = fd.random_like(case.fn(*args), np.random.default_rng(5))
    gradients = [
        flat(fd.gradient(lambda *args: fd.inner(cotangent, case.fn(*args)), args, index))
        for index in case.wrt
    ]
    influence = max((np.max(np.abs(g), initial=0.0) for g in gradients), default=0.0)
    assert (influence > 1e-4) != ("flat" in case.tags)


@pytest.mark.parametrize(
    "case", [case for case in PROGRAMS if "third" in case.tags], ids=lambda c: c.name
)
def test_third_order_is_for_one_float(case: Program):
    """Then each derivative is a number again, and `grad` applies to it."""
    assert isinstance(case.make_args()[case.wrt[0]], float)
    assert len(case.wrt) == 1 and not case.vector and case.order2
