"""What `jvp` asks of its arguments, and what its source looks like."""

import subprocess
import sys

import numpy as np
import pytest

from srcgrad import differentiate, grad, jvp, vjp
from srcgrad.errors import ArgumentError

X = np.array([1.0, 2.0])


def product(x, y):
    """A function of two arguments, linear in each."""
    return np.sum(x * y)


def test_none_is_a_direction_without_extent():
    """An argument whose tangent is None does not move."""
    value, value_dot = jvp(product, (X, X), (None, np.array([1.0, 0.0])))
    assert (value, value_dot) == (5.0, 1.0)
    assert jvp(product, (X, X), (None, None))[1] == 0.0


@pytest.mark.parametrize(
    ("primals", "tangents", "what"),
    [
        (X, (X,), "primals is no tuple"),
        ((X, X), X, "tangents is no tuple"),
        ((X, X), (X,), "there are 2 primals and 1 tangents"),
        ((X, X), (np.ones(3), None), "tangent 0 has the shape (3,), and its argument (2,)"),
        ((X, X), (None, 1j * X), "tangent 1 is complex, and its argument is real"),
        ((np.array([1, 2]), X), (X, None), "the argument 'x' is of integer type"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(primals, tangents, what):
    """The message says what does not fit what."""
    with pytest.raises(ArgumentError) as caught:
        jvp(product, primals, tangents)
    assert caught.value.what.startswith(what)


def test_a_complex_cotangent_of_a_real_result_is_refused():
    """Its imaginary part would be lost."""
    _, backward = vjp(lambda x: x * x, X)
    with pytest.raises(ArgumentError, match="complex"):
        backward(1j * X)


def test_precision_is_that_of_the_argument():
    """A tangent in double precision does not widen what is in single precision."""
    value, value_dot = jvp(np.sin, (X.astype(np.float32),), (X,))
    assert (value.dtype, value_dot.dtype) == (np.float32, np.float32)


@pytest.mark.parametrize("function", ["numpy.sin", "scipy.special.logsumexp"])
def test_the_first_call_of_all(function):
    """A function of a library has its formula before anything else was differentiated."""
    module, _, name = function.rpartition(".")
    program = (
        f"import numpy, {module}; from srcgrad import jvp; jvp({module}.{name}, (2.0,), (1.0,))"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_decorated_functions_and_methods():
    """`jvp` of a decorated function takes any direction, not only that of its `wrt`."""

    class Scale:
        def __init__(self):
            self.w = np.array([3.0, 4.0])

        @differentiate(wrt="x")
        def loss(self, x, y):
            return np.sum(self.w * x * y)

    scale = Scale()
    assert scale.loss.jvp((X, X), (None, X))[1] == 19.0
    assert jvp(scale.loss, (X, X), (X, None))[1] == 19.0


def test_jvp_of_derivatives():
    """Forward mode over reverse mode, to the third order."""
    assert jvp(grad(grad(lambda t: t**4)), (2.0,), (1.0,)) == (48.0, 48.0)


def test_a_loop_in_place_sees_no_direction_of_the_caller():
    """Tangents that a loop carries may be added to in place, but never the caller's own."""

    def leapfrog(p, m, k):
        for _ in range(3):
            p = p + 0.1 * m
            m = m - 0.1 * k * p
        return p, m

    p_dot, m_dot = np.ones(2), np.ones(2)
    jvp(leapfrog, (X, X, 2.0), (p_dot, m_dot, 1.0))
    assert p_dot.tolist() == m_dot.tolist() == [1.0, 1.0]


def test_source():
    """A tangent stands under its line."""

    @differentiate(wrt="x")
    def falling(x, steps):
        speed = 0.0
        for _ in range(steps):
            drag = x * speed**2  # air
            speed = speed + 0.1 * (9.81 - drag)
        return speed

    text = falling.source("jvp", ranks={"x": 0})
    assert text.partition('"""\n')[2] == (
        "    speed = 0.0\n"
        "    speed_dot = 0.0\n"
        "    for _ in range(steps):\n"
        "        power = speed**2\n"
        "        drag = x * power  # air\n"
        "        drag_dot = x_dot * power + 2 * x * speed_dot * speed\n"
        "        speed = speed + 0.1 * (9.81 - drag)\n"
        "        speed_dot -= 0.1 * drag_dot\n"
        "    return speed, speed_dot\n"
    )


def energy(params, x):
    """Return a number that depends on all parts of a tree."""
    return np.sum((x * params["w"] + params["b"]) ** 2) + params["rest"][0] ** 3


def tree():
    """Return such a tree."""
    return {"w": np.array([1.0, 2.0]), "b": 0.5, "rest": (0.3, "name")}


def test_tangents_of_a_tree():
    """None stands for zero, for a part or for all below it."""
    x = np.array([0.3, 0.4])
    slopes = grad(energy)(tree(), x)
    moves = {"w": np.array([1.0, -1.0]), "b": 2.0, "rest": (4.0, None)}
    _, dot = jvp(energy, (tree(), x), (moves, None))
    expected = slopes["w"] @ moves["w"] + slopes["b"] * 2.0 + slopes["rest"][0] * 4.0
    np.testing.assert_allclose(dot, expected, rtol=1e-13)
    _, dot = jvp(energy, (tree(), x), ({"w": None, "b": 2.0, "rest": None}, None))
    np.testing.assert_allclose(dot, slopes["b"] * 2.0, rtol=1e-13)


def test_a_tangent_of_another_structure():
    """It is refused by name."""
    with pytest.raises(ArgumentError, match="argument 0 is a dict of 3, and the tangent is not"):
        jvp(energy, (tree(), np.ones(2)), ({"w": np.ones(2)}, None))
    moves = {"w": np.ones(3), "b": None, "rest": None}
    with pytest.raises(ArgumentError, match=r"tangent 0 has the shape \(3,\)"):
        jvp(energy, (tree(), np.ones(2)), (moves, None))


def _raised(p, q):
    p += q
    return p * q


def _repeated(x):
    r = x * 1.0
    s = r
    for _ in range(2):
        r = _raised(r * 1.0, x) + s
    return r * s


def test_tangents_and_cotangents_of_numbers_are_numbers():
    """An array without dimensions in the place of one is not written into."""
    dot = np.array(1.0)
    expected = jvp(_repeated, (0.7,), (1.0,))[1]
    assert jvp(_repeated, (0.7,), (dot,))[1] == expected
    assert vjp(_repeated, 0.7)[1](dot) == vjp(_repeated, 0.7)[1](1.0)
    assert dot == 1.0


def _same_part(a, c):
    if c:
        return a[0]
    return a[0]


def _same_part_of_another(a, c):
    b = a * 2
    if c:
        b = b * 3
        return b[0], [a[1:]]
    return b[0], [a[1:]]


def _same_part_in_a_loop(a, c):
    for k in range(3):
        if c:
            return [a[k] ** 2]
        return [a[k] ** 2]
    return [a[1]]


@pytest.mark.parametrize("c", [True, False])
@pytest.mark.parametrize("f", [_same_part, _same_part_of_another, _same_part_in_a_loop])
def test_views_that_several_returns_take_have_their_tangents(f, c):
    """Tangents are returned where the values are: a view is not taken later than that."""
    a, a_dot, step = np.array([1.0, 2.0, 3.0]), np.array([1.0, -3.0, 0.5]), 1e-6
    dot = flat(jvp(f, (a, c), (a_dot, None))[1])
    difference = (flat(f(a + step * a_dot, c)) - flat(f(a - step * a_dot, c))) / (2 * step)
    np.testing.assert_allclose(dot, difference, rtol=1e-6)


def flat(tree):
    """The numbers in a tree of tuples, lists and arrays, in order."""
    if isinstance(tree, tuple | list):
        return np.concatenate([flat(part) for part in tree])
    return np.ravel(tree)
