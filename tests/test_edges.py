"""Programs at the edge of what is supported: each is right to second order, or refused."""

import numpy as np
import pytest

from srcgrad import check, grad, jvp, value_and_grad
from srcgrad.errors import MutationError, UnsupportedSyntaxError

X = np.array([0.3, -0.7, 1.2])


def alias_written(x):
    y = x * 2
    z = y
    y += x
    return np.sum(z * y)


def kept_then_written(x):
    y = np.sin(x)
    s = np.sum(y * y)
    y[0] = 3.0 * x[1]
    return s + np.sum(y**3)


def filled_in_a_loop(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[i] ** 2 + (y[i - 1] if i > 0 else 0.0)
    return np.sum(y * x)


def constant_array_rewritten(x):
    mask = np.zeros(3)
    mask[0] = 1.0
    y = x * mask
    mask[0] = 7.0
    return np.sum(y * y * mask)


def returned_from_a_loop(x):
    for _ in range(5):
        x = x * 1.5
        if np.sum(x) > 4:
            return np.sum(x**2)
    return np.sum(x)


RIGHT = [
    alias_written,
    kept_then_written,
    filled_in_a_loop,
    constant_array_rewritten,
    returned_from_a_loop,
]


@pytest.mark.parametrize("fn", RIGHT, ids=lambda fn: fn.__name__)
def test_right_to_second_order(fn):
    """A program with writes into its own arrays agrees with differences."""
    check(fn, X)


def one_of_two_arrays(x):
    y = x * 1.0
    z = y if x[0] > 0 else y * 2.0
    y[1] = 5.0 * x[0]
    return np.sum(z * y)


def elements_of_a_tuple(x):
    p, q = np.zeros(3), np.zeros(3)
    for r in (p, q):
        r += x
    return np.sum(p * x) + q[0]


def elements_of_a_list(x):
    p, q = np.zeros(3), np.zeros(3)
    both = [p, q]
    for k, r in enumerate(both):
        r[k] = x[0]
    return np.sum(p * x) + q[1]


def elements_given_to_a_function(x):
    p, q = np.zeros(3), np.zeros(3)

    def add(r):
        r += x

    for r in (p, q):
        add(r)
    return np.sum(p * x) + q[0]


@pytest.mark.parametrize("fn", [elements_of_a_tuple, elements_of_a_list])
def test_writes_in_a_loop_over_arrays(fn):
    """The loop is written out, so that it is known which of them is written."""
    check(fn, X, order=2)


@pytest.mark.parametrize("fn", [one_of_two_arrays, elements_given_to_a_function])
def test_writes_that_others_may_see_are_refused(fn):
    """A write that may change another variable is an error, never a number."""
    with pytest.raises(MutationError, match="may have another name"):
        grad(fn)(X.copy())
    with pytest.raises(MutationError, match="may have another name"):
        jvp(fn, (X.copy(),), (X,))


def test_complex_intermediates():
    """A complex value on the way leaves the gradient of a real argument real."""
    gradient = grad(lambda x: np.real(np.sum(x * (1 + 2j))))(X)
    np.testing.assert_array_equal(gradient, np.ones_like(X))
    assert gradient.dtype == X.dtype


def test_length_one_axis_after_another_length():
    """An axis of length 1 at a later call gets a gradient of its own shape."""

    def shifted(b, x):
        return np.sum(np.tanh(x + b))

    gradient = grad(shifted)
    x = np.ones((3, 4))
    assert gradient(np.ones(4), x).shape == (4,)
    assert gradient(np.ones(1), x).shape == (1,)
    assert gradient(np.ones((3, 1)), x).shape == (3, 1)


def test_gradients_keep_single_precision():
    """A float32 argument has a float32 gradient."""
    assert grad(lambda x: np.sum(np.exp(x) * x))(X.astype(np.float32)).dtype == np.float32


def helper(x):
    return x * x


def uses_helper(x):
    return np.sum(helper(x))


def test_a_helper_that_is_rebound_is_seen(monkeypatch):
    """Globals stay live: the next call uses the helper that the name stands for then."""
    gradient = value_and_grad(uses_helper)
    np.testing.assert_allclose(gradient(X)[1], 2 * X)
    monkeypatch.setitem(globals(), "helper", lambda x: x * x * x)
    np.testing.assert_allclose(gradient(X)[1], 3 * X**2)


def test_two_closures_of_one_factory_do_not_share_values():
    """Each closure's own cell is read."""

    def scaled_by(k):
        return lambda x: np.sum(k * x * x)

    two, five = grad(scaled_by(2.0)), grad(scaled_by(5.0))
    np.testing.assert_allclose(two(X), 4 * X)
    np.testing.assert_allclose(five(X), 10 * X)
    np.testing.assert_allclose(two(X), 4 * X)


def test_derivatives_of_methods_at_second_order():
    """A bound method's gradient can be differentiated again."""

    class Model:
        def __init__(self):
            self.weights = np.array([1.0, 2.0, 3.0])

        def loss(self, x):
            return np.sum((self.weights * x) ** 2)

    check(Model().loss, X)


def weigh(z, n):
    """Stands for another function that has the name of a local one."""
    return 100.0 * z * n


def lambda_that_calls_itself(x):
    weigh = lambda z, n: z if n == 0 else weigh(z * x, n - 1)  # noqa: E731
    return weigh(x, 3)


def functions_that_call_each_other(x):
    def even(z, n):
        return z if n == 0 else weigh(z * x, n - 1)

    def weigh(z, n):
        return z if n == 0 else even(z + x, n - 1)

    return even(x, 3)


@pytest.mark.parametrize("fn", [lambda_that_calls_itself, functions_that_call_each_other])
def test_local_names_are_not_taken_for_global_ones(fn):
    """What a local function calls is the local function of that name, also where it is later."""
    with pytest.raises(UnsupportedSyntaxError, match=r"calls itself|recursion"):
        grad(fn)(0.7)


def test_views_that_a_branch_chooses_between():
    """The array behind the chosen view stands under no name; its shape is that of either."""

    def chosen(x):
        u = x.copy()
        return np.sum((x[0] if x[0, 1] > 0 else u[0]) ** 2)

    def chosen_by_statement(x):
        u = x.copy()
        if x[0, 1] > 5:
            r = x[0]
        else:
            r = u[0]
        return np.sum(r**2)

    x = np.arange(6.0).reshape(2, 3) + 0.5
    for f in (chosen, chosen_by_statement):
        check(f, x, order=2)


def test_gradients_of_arrays_without_axes_are_separate():
    """They can be written into, like any array."""
    of_x, of_y = grad(lambda x, y: np.add(x, y), (0, 1))(np.array(1.0), np.array(2.0))
    assert of_x is not of_y
    of_x += 1.0
    assert of_y == 1.0


def limits_of_the_dtype(x):
    """What is told of the dtype of an argument is a number."""
    tiny = x.shape[0] * np.finfo(x.dtype).eps
    limits = np.finfo(np.result_type(x, 1.0))
    return np.sum(np.maximum(x, limits.tiny) ** 2) * (1 + tiny)


def test_limits_of_the_dtype():
    """They can be computed with."""
    check(limits_of_the_dtype, np.array([0.3, -0.7, 1.2]), order=2)
