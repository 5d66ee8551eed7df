"""What is told of a call's result before it runs agrees with what NumPy and SciPy give.

A wrong shape or dtype there is a wrong number in the derivative: a cotangent that is summed
over an axis that its value does not have, or an imaginary part that is lost.
"""

import copy
import inspect
import itertools
import warnings

import numpy as np
import pytest
from scipy.sparse import issparse

from srcgrad import grad
from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.results import infer
from srcgrad.analysis.shapes.subscripts import index_shape
from srcgrad.calling.arguments.values import argument_type
from srcgrad.ir.nodes import Const, Items, Known, Slice, Var
from srcgrad.ir.types import INTEGER, Type
from tests.coverage import LIBRARIES, classes_of
from tests.formulas.checking import Case
from tests.formulas.orders import cases

X = np.array([[0.6, 1.3, 0.2], [1.9, 0.8, 0.45]])
SQUARE = np.array([[2.0, 0.3], [0.3, 1.5]])
GAPS = np.array([0.0, 1.3, 0.0, 1.3])
OTHERS = ((X, X), (X[0], X[0]), (GAPS, X[0]), (X, 2), (X, 0.5), (X[0], X[0], X[0]))
OPTIONS = {
    "axis": [0, -1, None, (0, 1), (0,)],
    "axes": [(0,), (0, 1), (1, 0)],
    "keepdims": [True],
    "dtype": [float, complex, int, np.float32, bool],
    "shape": [(2,), 4, (3, 1), ()],
    "ndmin": [3],
    "k": [1],
    "n": [2, 4],
    "fill_value": [2.0, 1j],
    "copy": [True],
    "order": ["F"],
    "reps": [2, (2, 1, 1)],
    "source": [0],
    "destination": [-1],
    "axis1": [0],
    "axis2": [1],
    "decimals": [1],
    "ddof": [0],
    "repeats": [2],
    "shift": [1],
    "newshape": [(3, 2), -1],
    "return_inverse": [True],
    "full_matrices": [False],
    "compute_uv": [False],
    "mode": ["valid", "same", "reduced"],
    "initial": [0.5],
    "where": [X > 0.5],
    "squeeze_me": [True],
    "subok": [False],
    "ord": [1, 2, "fro"],
    "lower": [True],
    "bins": ["auto", 4],
}


ROUNDING = {np.repeat, np.tri, np.tril_indices, np.triu_indices}  # numbers that should be whole
PERHAPS_REAL = {np.linalg.eig, np.linalg.eigvals}  # they count as complex


class Names:
    """What the arguments of a call stand for.

    Attributes:
        lengths: what the generator would know of lengths.
        sizes: the lengths of the axes, by the names that the generator has for them.
    """

    def __init__(self, whole: bool) -> None:
        self.lengths, self.sizes, self.whole, self.count = Lengths(), {}, whole, 0

    def value(self, x):
        """The value of the intermediate representation for an argument."""
        if x is None or isinstance(x, str | bool | slice):
            return Const(x)
        if isinstance(x, int) and not self.whole:
            return Const(x)
        if isinstance(x, tuple | list):
            return Items(tuple(map(self.value, x)), isinstance(x, list))
        self.count += 1
        name = f"x{self.count}"
        type_ = INTEGER if isinstance(x, int) else argument_type(name, x)
        if type_ is None:
            return Known(x, name)
        if isinstance(type_.shape, tuple):
            self.sizes.update(zip(type_.shape, np.shape(x), strict=True))
        return Var(name, type_)

    def differs(self, type_, x):
        """What is wrong in the type of a result, None if nothing is."""
        if isinstance(type_, tuple):
            if not isinstance(x, tuple | list) or len(x) != len(type_):
                return f"{len(type_)} results"
            return next(filter(None, map(self.differs, type_, x)), None)
        if not isinstance(type_, Type) or not type_.is_number or issparse(x):
            return None
        if isinstance(x, tuple | list):
            unknown = type_.kind == "numeric" and not isinstance(type_.shape, tuple)
            return None if unknown else f"{type_.kind} for a {type(x).__name__}"
        x_kind = getattr(getattr(x, "dtype", np.asarray(x).dtype), "kind", "O")
        if type_.kind == "scalar" and np.ndim(x) > 0:
            return "a number"
        if type_.kind == "array" and type_.shape != () and not hasattr(x, "shape"):
            return "an array"
        if type_.dtype in "fcib" and {"u": "i"}.get(x_kind, x_kind) != type_.dtype:
            return f"dtype {type_.dtype}"
        shape = self.lengths.resolve(type_.shape)
        if not isinstance(shape, tuple):
            return None
        if len(shape) != np.ndim(x):
            return f"shape {shape}"
        for name, size in zip(shape, np.shape(x), strict=True):
            if isinstance(name, int) and name != size:
                return f"shape {shape}"
            if isinstance(name, str) and self.sizes.get(name, size) != size:
                return f"shape {shape} where {name} is {self.sizes[name]}"
        return None


def as_complex(x):
    """What eigenvalues and vectors count as."""
    return tuple(map(as_complex, x)) if isinstance(x, tuple) else x.astype(complex)


def mistake(c, whole=False):
    """How what is told of a call's result differs from the result, None if it does not."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = c.target(*copy.deepcopy(c.args), **c.options)
        except Exception:  # noqa: BLE001 - it is no call that anybody makes
            return None
        names = Names(whole)
        args = tuple(map(names.value, c.args))
        options = tuple((name, names.value(x)) for name, x in c.options.items())
        type_ = infer(names.lengths, c.target, args, options)
    if c.target in PERHAPS_REAL:
        result = as_complex(result)
    wrong = names.differs(type_, result)
    return wrong and f"{c}: {wrong}; it gives {result!r}"


def calls_of(fn):
    """Calls of a function with one, two and three arguments, and with each of its options."""
    try:
        parameters = inspect.signature(fn).parameters
    except (TypeError, ValueError):
        parameters = {}
    for args in ((X,), (SQUARE,), (X[0],), (GAPS,), *OTHERS):
        yield Case(fn, args)
        for name, values in OPTIONS.items():
            if name in parameters or isinstance(fn, np.ufunc):
                yield from (Case(fn, args, {name: value}) for value in values)
    for shape in ((2, 3), 4, (3, 1), ()):
        yield Case(fn, (shape,))
        if fn not in ROUNDING:
            yield Case(fn, (shape, 2.5))


def listed():
    """The functions of NumPy that are in a class."""
    for library in ("numpy", "numpy.linalg", "numpy.fft"):
        for name, classes in classes_of(library).items():
            if classes != ["refused"]:
                yield pytest.param(LIBRARIES[library]()[name], id=f"{library}.{name}")


@pytest.mark.parametrize("fn", list(listed()))
@pytest.mark.one_of(3)
def test_of_functions_of_numpy(fn):
    """With each of their options."""
    if getattr(fn, "__name__", "") in ("show_config", "show_runtime", "info"):
        pytest.skip("it prints")
    found = [mistake(c, whole) for c, whole in itertools.product(calls_of(fn), (False, True))]
    assert list(filter(None, found)) == []


def test_of_all_cases():
    """Of the tables of the formulas."""
    found = [mistake(c, whole) for c, whole in itertools.product(cases(), (False, True))]
    assert list(filter(None, found)) == []


PARTS = [0, -1, np.int64(1), None, ..., True, [0, 1], [True, False, True]]
PARTS += [np.array(x) for x in ([0, 2], [[0, 1], [1, 0]], [1], [True, False, True])]
PARTS += [slice(None), slice(1, None), slice(-1), slice(1, 3), slice(0, 1), slice(-2, None)]
PARTS += [slice(5, None), slice(2, 1), slice(None, None, -1), slice(None, None, 2), slice(1)]


def place(names, part):
    """The value of the intermediate representation for an index."""
    if isinstance(part, tuple):
        return Items(tuple(place(names, item) for item in part))
    if isinstance(part, slice):
        return Slice(*(names.value(bound) for bound in (part.start, part.stop, part.step)))
    return Const(part) if part is ... else names.value(part)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("x", [np.ones((3, 4, 5)), np.ones(5), np.ones((1, 4))], ids=np.shape)
def test_of_parts_of_arrays(x, whole):
    """Whatever stands between the brackets."""
    wrong = []
    for index in (*PARTS, *itertools.product(PARTS, PARTS), np.ones((3, 4)) > 0):
        try:
            result = x[index]
        except (IndexError, ValueError):
            continue
        names = Names(whole)
        type_ = names.value(x).type
        shape = index_shape(type_.shape, place(names, index), names.lengths)
        if isinstance(shape, tuple) and names.differs(
            Type("array", shape, "f"), np.asarray(result)
        ):
            wrong.append((index, shape, np.shape(result)))
    assert wrong == []


def test_lengths_that_differ_by_accident():
    """As long as two arrays differ by: no length is told, and the gradient is right."""

    def f(v, w):
        y = np.convolve(v, w, mode="valid")
        return np.sum(np.array([w[0], 2 * w[0], 3 * w[0]]) * np.sin(y))

    v, w = np.array([0.6, 1.3, 0.7, 0.2]), np.array([1.6, 0.3, 0.9, 1.1])
    h = 1e-6 * np.eye(4)
    slopes = [(f(v + d, w) - f(v - d, w)) / 2e-6 for d in h]
    np.testing.assert_allclose(grad(f)(v, w), slopes, rtol=1e-7)


@pytest.mark.parametrize("shape", [(2,), (), (1, 2)])
def test_zeros_like_of_another_shape(shape):
    """They have the shape that is asked for, not that of the array."""

    def f(x):
        z = np.zeros_like(x, shape=shape)
        return np.sum((z + x[0] * x[1]) ** 2)

    x = np.array([[0.5, 1.5], [2.0, 0.3], [0.7, 0.1]])
    h = 1e-6
    slopes = [
        (f(x + h * d.reshape(3, 2)) - f(x - h * d.reshape(3, 2))) / (2 * h) for d in np.eye(6)
    ]
    np.testing.assert_allclose(grad(f)(x).ravel(), slopes, rtol=1e-7)
