"""The formulas of NumPy's tiling, padding and rearranging."""

import inspect

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from srcgrad.formulas import load

from srcgrad import grad, jvp
from srcgrad.errors import SrcgradError
from srcgrad.runtime.transposes import padding_transpose
from tests.formulas.checking import case, formula_test, normal

load("numpy")

CASES = [
    case(np.tile, normal(3), reps=2),
    case(np.tile, normal(2, 3), reps=(3, 1, 2)),
    case(np.tile, normal(2, 3, 4), reps=(2, 3)),
    case(sliding_window_view, normal(5), window_shape=3),
    case(sliding_window_view, normal(4, 5), window_shape=(2, 3)),
    case(sliding_window_view, normal(4, 5), window_shape=2, axis=1),
    case(sliding_window_view, normal(4, 5), window_shape=(2, 3), axis=(1, 1)),
    case(np.repeat, normal(2, 3), repeats=2),
    case(np.repeat, normal(2, 3), repeats=3, axis=0),
    case(np.repeat, normal(2, 3), repeats=3, axis=-1),
    case(np.repeat, normal(2, 3), repeats=np.array([2, 0, 3]), axis=1),
    case(np.repeat, normal(3), repeats=[1, 2, 0]),
    case(np.pad, normal(3), pad_width=2),
    case(np.pad, normal(3), pad_width=(0, 2), constant_values=1.5),
    case(np.pad, normal(2, 3), pad_width=((1, 0), (2, 3))),
    case(np.pad, normal(2, 3), pad_width=((1, 2),)),
    case(np.flip, normal(2, 3)),
    case(np.flip, normal(2, 3), axis=1),
    case(np.flip, normal(2, 3, 4), axis=(0, 2)),
    case(np.fliplr, normal(2, 3)),
    case(np.flipud, normal(2, 3)),
    case(np.roll, normal(2, 3), shift=2),
    case(np.roll, normal(2, 3), shift=1, axis=1),
    case(np.roll, normal(2, 3), shift=(1, -2), axis=(0, 1)),
    case(np.rot90, normal(2, 3)),
    case(np.rot90, normal(2, 3, 4), k=3, axes=(1, 2)),
    *(
        case(np.pad, x, pad_width=width, mode=mode)
        for mode in ("edge", "reflect", "symmetric", "wrap")
        for x, width in ((normal(3), 2), (normal(3, 4), ((1, 2), (0, 3))), (normal(3), (7, 8)))
    ),
    *(
        case(np.pad, x, pad_width=width, mode="mean", stat_length=count)
        for x, width in ((normal(3), 2), (normal(3, 4), ((1, 2), (0, 3))))
        for count in (None, 2, 5)
    ),
    *(
        case(np.pad, x, pad_width=width, mode=mode, stat_length=count)
        for mode in ("maximum", "minimum")
        for x, width in ((normal(3), 2), (normal(3, 4), ((1, 2), (0, 3))))
        for count in (None, 2)
    ),
    case(np.pad, normal(3, 4), pad_width=1, mode="mean", stat_length=((1, 2), (3, 2))),
    *(
        case(np.pad, x, pad_width=width, mode="linear_ramp", end_values=end)
        for x, width in ((normal(3), 2), (normal(3, 4), ((1, 2), (0, 3))))
        for end in (0, 1.5)
    ),
    case(padding_transpose, normal(7), np.array([1, 2, 3]), 2, mode="mean"),
    case(padding_transpose, normal(7), np.array([1, 2, 3]), 2, mode="linear_ramp"),
    *(
        case(np.pad, normal(3, 4), pad_width=((1, 2), (6, 0)), mode=mode, **options)
        for mode, options in (
            ("median", {}),
            ("median", {"stat_length": 2}),
            ("reflect", {"reflect_type": "odd"}),
            ("symmetric", {"reflect_type": "odd"}),
        )
    ),
    *(case(np.delete, normal(5), obj=k) for k in (1, -1, [0, 3], slice(None, None, 2))),
    case(np.delete, normal(3, 4), obj=[0, 2], axis=1),
    case(np.delete, normal(3, 4), obj=5),
    case(np.insert, normal(5), 2, 0.7),
    case(np.insert, normal(5), [1, 1, 4], normal(3)),
    case(np.insert, normal(3, 4), 1, normal(4), axis=0),
    case(np.insert, normal(3, 4), [0, 2], normal(3, 2), axis=1),
    case(np.insert, normal(3, 4), [0, 2], 0.7, axis=1),
    case(np.insert, normal(3, 4), [0, 2], normal(2)),
    *(case(np.resize, normal(2, 3), new_shape=s) for s in ((4,), (3, 5), (1, 2), ())),
    case(np.unique, np.array([0.3, -1.0, 2.5, 0.7])),
    case(np.unique, normal(4, 2), axis=0),
]

test_formula = formula_test(CASES, turns=2)


def test_empty_border():
    """What is in the border of the mode "empty" has no influence."""

    def f(x):
        return np.sum(np.pad(x, 1, mode="empty")[1:-1] ** 2)

    x = normal(4)
    np.testing.assert_allclose(grad(f)(x), 2 * x)


def test_refused_border():
    """A border that a function computes is refused."""
    with pytest.raises(SrcgradError, match="a function as an argument"):
        grad(lambda x: np.sum(np.pad(x, 1, lambda row, *_: None)))(normal(4))


@pytest.mark.parametrize(("trim", "start"), [("fb", 2), ("b", 0), ("f", 2)])
def test_trim_zeros(trim, start):
    """What is left has slopes; the zeros at the ends have none."""
    x = np.array([0.0, 0.0, 1.5, 0.0, -0.7, 0.0])
    stop = 6 if trim == "f" else 5
    expected = np.zeros(6)
    expected[start:stop] = 3 * x[start:stop] ** 2 + 1

    def f(x):
        z = np.trim_zeros(x, trim)
        return np.sum(z**3 + z)

    np.testing.assert_allclose(grad(f)(x), expected)


def test_unique_shares_evenly():
    """Equal entries share the cotangent of the one that is left of them."""
    x = np.array([1.0, 2.0, 1.0, 3.0])
    x_bar = grad(lambda x: np.sum(np.unique(x) ** 2))(x)
    np.testing.assert_allclose(x_bar, [1.0, 4.0, 1.0, 6.0])


@pytest.mark.skipif("axis" not in inspect.signature(np.trim_zeros).parameters, reason="NumPy 2.2")
@pytest.mark.parametrize("options", [{}, {"axis": 1}, {"axis": (0,)}, {"trim": "f", "axis": -1}])
def test_trim_zeros_of_matrices(options):
    """The zeros at the ends of rows and columns have no slopes."""
    x = np.zeros((4, 5))
    x[1:3, 2:4] = [[1.5, 0.0], [0.7, 2.0]]
    kept = np.trim_zeros(x, **options)

    def f(x):
        z = np.trim_zeros(x, **options)
        return np.sum(z**3 + z)

    x_bar = grad(f)(x)
    np.testing.assert_allclose(np.sum(x_bar), np.sum(3 * kept**2 + 1))
    np.testing.assert_allclose(x_bar[1:3, 2:4], 3 * x[1:3, 2:4] ** 2 + 1)
    np.testing.assert_allclose(jvp(f, (x,), (x_bar,))[1], np.sum(x_bar**2))
