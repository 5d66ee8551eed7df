"""What is shown of decorated functions, and of those that no module holds."""

import numpy as np

from srcgrad import differentiate, grad, source
from tests.in_memory import execute


def test_source_of_the_last_call():
    """With the numbers of axes known, no axes are summed that may have been added."""

    @differentiate(wrt="x")
    def inverse(x):
        return np.sum(np.linalg.inv(x)) * np.std(x)

    x = np.eye(2) + 0.1
    slope = inverse.jvp((x,), (x,))[1]
    text = inverse.source("jvp")
    assert "inv_x @ x_dot @ inv_x" in text or "x_dot @ inv_x" in text
    assert "unbroadcast" not in text
    space = {"np": np}
    exec(compile(text, "<shown>", "exec"), space)
    np.testing.assert_allclose(space["inverse_jvp"](x, x)[1], slope)


def test_function_without_a_module():
    """A function made by exec has no module, and shows its derivative all the same."""
    text = "def double(x):\n    return 2.0 * x * x\n"
    file = "<made by exec>"
    space = execute(text, file)
    assert space["double"].__module__ in (None, "builtins")
    made = differentiate(wrt="x")(space["double"])
    assert made.grad(3.0) == 12.0
    assert "def double_grad" in made.source("grad")


def test_arrays_of_lengths_without_a_name():
    """What is computed of such an array has its shape: nothing is summed or spread out."""
    x, y = np.arange(1.0, 5.0), np.arange(2.0, 7.0)
    for f, line in (
        (lambda x, y: np.sum(np.diff(x) ** 2), "x_bar[1:] = diff_x_bar"),
        (lambda x, y: np.sum(np.pad(x, 2) ** 2), "(2 * pad_x)[2:-2]"),
        (lambda x, y: np.sum(np.concatenate((x, y)) ** 2), "(2 * concatenate)[:x.shape[0]]"),
        (lambda x, y: np.sum(np.convolve(x, y) ** 2), "2 * convolve"),
    ):
        g = grad(f)
        g(x, y)
        assert line in source(g)
        assert "unbroadcast" not in source(g)


def test_arrays_that_have_their_shape():
    """Matrices are not made matrices, and nothing is brought into the shape that it has."""
    g = grad(lambda x: np.sum(np.cov(x) ** 2))
    g(np.array([[1.0, 2.0, 4.0], [0.0, 1.0, 5.0]]))
    text = " ".join(source(g).split())
    assert "(cov_x_bar + cov_x_bar.T) @ (x - x.mean(axis=1, keepdims=True))" in text
    assert "reshape" not in text


def test_slices_are_written_as_such():
    """An index that a formula works out is written with colons."""
    g = grad(lambda y, x: np.trapezoid(y, x) ** 2, wrt=(0, 1))
    g(np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 3.0]))
    assert "y[1:] + y[:-1]" in source(g)
