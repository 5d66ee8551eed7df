"""A function is told of each gradient as soon as it is final."""

import numpy as np
import pytest

from srcgrad import grad, source, value_and_grad
from srcgrad.errors import ArgumentError
from tests.programs.table import programs

RNG = np.random.default_rng(0)
ARGUMENTS = [RNG.normal(size=s) for s in ((3, 4), (4, 4), (4, 2), (5, 3), (5, 2))]


def mlp(V, W, U, x, y):
    h = np.tanh(x @ V)
    g = np.tanh(h @ W)
    r = g @ U - y
    return np.mean(r**2)


def test_the_last_layer_comes_first():
    """With the name; what is given back takes the place of the gradient, nothing lets it go."""
    told = []
    derivative = value_and_grad(mlp, wrt=("V", "W", "U"), on_final=lambda *row: told.append(row))
    value, gradients = derivative(*ARGUMENTS)
    assert value == mlp(*ARGUMENTS)
    assert gradients == (None, None, None)
    assert [name for name, _ in told] == ["U", "W", "V"]
    for (_, found), expected in zip(told[::-1], grad(mlp, (0, 1, 2))(*ARGUMENTS), strict=True):
        np.testing.assert_array_equal(found, expected)
    text = source(derivative)
    assert text.index('on_final("U", ') < text.index("pre_bar = ") < text.index('on_final("W", ')


def test_an_optimiser_may_step_there():
    """In place: what the rest of the backward part reads is read before."""

    def stepped(*arrays):
        weights = dict(zip("VWU", arrays, strict=False))

        def step(name, slope):
            weights[name] -= 0.1 * slope

        grad(mlp, wrt=("V", "W", "U"), on_final=step)(*arrays)
        return arrays

    expected = [a.copy() for a in ARGUMENTS]
    for array, slope in zip(expected, grad(mlp, wrt=(0, 1, 2))(*ARGUMENTS), strict=False):
        array -= 0.1 * slope
    for one, other in zip(stepped(*[a.copy() for a in ARGUMENTS]), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)


def layers(p, x):
    for layer in p["layers"]:
        x = np.tanh(x @ layer["W"])
    return np.sum(x * p["b"]) + np.sum(p["b"])


def test_arrays_in_arguments_have_expressions():
    """Each is told by itself; the gradient keeps the structure."""
    told = []

    def keep(name, slope):
        told.append(name)
        return 2.0 * slope

    p = {"layers": [{"W": ARGUMENTS[0]}, {"W": ARGUMENTS[1]}], "b": np.ones(4)}
    found = grad(layers, on_final=keep)(p, ARGUMENTS[3])
    assert told == ['p["b"]', 'p["layers"][1]["W"]', 'p["layers"][0]["W"]']
    expected = grad(layers)(p, ARGUMENTS[3])
    np.testing.assert_array_equal(found["b"], 2.0 * expected["b"])
    np.testing.assert_array_equal(found["layers"][0]["W"], 2.0 * expected["layers"][0]["W"])


def test_a_recorded_function_has_no_such_place():
    """It is refused, with the reason why it is recorded."""
    with pytest.raises(ArgumentError, match="on_final"):
        grad(lambda x: eval("x * x"), on_final=print, recorded="allow")(2.0)


@pytest.mark.one_of(12)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.name) for case in programs() if not case.vector]
)
def test_stepping_changes_no_gradient(case):
    """Each argument is overwritten when its gradient is final; the other gradients are right."""
    from tests import finite_differences as fd

    try:
        expected = grad(case.fn, wrt=case.wrt, recorded="refuse")(*case.make_args())
    except Exception:  # noqa: BLE001 - it is recorded
        return
    args = case.make_args()
    names = case.fn.__code__.co_varnames

    def overwrite(name, slope):
        kept = np.array(slope)
        given = args[names.index(name)] if name in names else None
        for array in (given, slope):
            if isinstance(array, np.ndarray) and array.flags.writeable:
                array[...] = 1e3
        return kept

    found = grad(case.fn, wrt=case.wrt, recorded="refuse", on_final=overwrite)(*args)
    for one, other in zip(fd.numbers(found), fd.numbers(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)
