"""Trees become vectors, and vectors trees."""

import inspect
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

from srcgrad import check, grad, hessian, ravel, source
from srcgrad.errors import ArgumentError

Pair = namedtuple("Pair", "a b")


@dataclass
class Net:
    """Weights, and what is none."""

    w: np.ndarray
    b: float
    layers: int = 3


TREE = {
    "net": Net(np.arange(6.0).reshape(2, 3), 1.5),
    "rest": [np.ones(2, np.float32), Pair(2.0, "text"), (None, np.array(7.0))],
}


def test_there_and_back():
    """Structure, shapes and dtypes are kept, and what is no number."""
    vector, unravel = ravel(TREE)
    np.testing.assert_array_equal(vector, [0, 1, 2, 3, 4, 5, 1.5, 1, 1, 2, 7])
    made = unravel(2 * vector)
    np.testing.assert_array_equal(made["net"].w, 2 * TREE["net"].w)
    assert (made["net"].b, made["net"].layers) == (3.0, 3)
    assert made["rest"][0].dtype == np.float32
    assert made["rest"][1] == Pair(4.0, "text")
    assert made["rest"][2] == (None, 14.0)


def test_nothing_is_shared():
    """Neither the vector nor the trees share memory with each other."""
    x = np.ones(3)
    vector, unravel = ravel(x)
    made = unravel(vector)
    vector[:] = 5.0
    np.testing.assert_array_equal(x, np.ones(3))
    np.testing.assert_array_equal(made, np.ones(3))


def test_a_vector_of_another_length():
    """A vector that does not fit is refused."""
    _, unravel = ravel({"w": np.ones(3)})
    with pytest.raises(ValueError, match=r"shape \(4,\), not \(3,\)"):
        unravel(np.ones(4))


def test_complex_and_real_numbers():
    """A vector is real or complex; a tree of both is refused."""
    vector, unravel = ravel([np.array([1j, 2.0])])
    assert unravel(vector)[0].dtype == complex
    with pytest.raises(ArgumentError, match="some numbers of the tree are complex"):
        ravel([1j, 2.0])


def test_without_numbers():
    """A tree without numbers has a vector without entries."""
    vector, unravel = ravel({"k": 3})
    assert vector.shape == (0,)
    assert unravel(vector) == {"k": 3}


def test_it_is_differentiated():
    """The way back is plain code: gradients and Hessians go through it."""
    vector, unravel = ravel({"w": np.array([[0.5, 1.0], [0.2, 0.1]]), "b": np.array([1.0, 2.0])})

    def loss(p):
        return np.sum(np.tanh(p["w"] @ p["b"]) ** 2)

    def of_vector(v):
        return loss(unravel(v))

    check(of_vector, vector)
    tree = grad(loss)(unravel(vector))
    np.testing.assert_allclose(grad(of_vector)(vector), ravel(tree)[0])
    assert hessian(of_vector)(vector).shape == (6, 6)
    assert "recorded" not in source(grad(of_vector))
    assert inspect.getsource(unravel).startswith("def unravel(vector):")
