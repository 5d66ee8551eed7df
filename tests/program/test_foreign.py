"""Arrays that mean something else are refused wherever they meet a differentiated value."""

import dataclasses
import types

import numpy as np
import pytest

from srcgrad import grad, jvp, tape, value_and_grad, vjp
from srcgrad.errors import ForeignArrayError, UnresolvedCallError
from srcgrad.program.foreign import foreign, holds_foreign, means_the_same, require_plain
from tests import finite_differences as fd

pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
X = np.array([1.0, 2.0, 4.0])


class Skipping(np.ndarray):
    """An array whose sums mean something else."""

    def sum(self, *args, **options):
        return np.nansum(self, *args, **options)


class Labelled:
    """A container of numbers that takes part in NumPy's protocols, as a DataArray does."""

    def __init__(self, numbers):
        self.numbers = np.asarray(numbers)

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        plain = (p.numbers if isinstance(p, Labelled) else p for p in inputs)
        return Labelled(getattr(ufunc, method)(*plain, **options))

    def to_numpy(self):
        return self.numbers


class Metres(float):
    """A number with operators of its own."""

    def __mul__(self, other):
        return float(self) * other * 100.0

    __rmul__ = __mul__


def _series(numbers):
    return pytest.importorskip("pandas").Series(numbers)


def _data_array(numbers):
    return pytest.importorskip("xarray").DataArray(numbers)


MAKERS = {
    "masked": np.ma.array,
    "matrix": np.matrix,
    "subclass": lambda numbers: np.asarray(numbers).view(Skipping),
    "protocol": Labelled,
    "pandas": _series,
    "xarray": _data_array,
}


@dataclasses.dataclass
class Data:
    """A record of arrays."""

    w: object
    scale: float = 1.0


class Model:
    """An object that holds an array."""

    def __init__(self, w):
        self.w = w

    def loss(self, x):
        """Meet the array in a method."""
        return np.sum(x * self.w)


class Slotted:
    """An object without a dict."""

    __slots__ = ("w",)

    def __init__(self, w):
        self.w = w


GLOBAL = None
HELD = types.SimpleNamespace(w=None)
TABLE = {}
MODULE = types.ModuleType("settings")
MAKE = None


def _set(w):
    global GLOBAL
    GLOBAL = HELD.w = MODULE.w = TABLE["w"] = w


def helper():
    """Give the array back."""
    return GLOBAL


def _product(x, w):
    return np.sum(x * w)


def _of_global(x):
    return np.sum(x * GLOBAL)


def _of_attribute(x):
    return np.sum(x * HELD.w)


def _of_module(x):
    return np.sum(x * MODULE.w)


def _of_table(x):
    return np.sum(x * TABLE["w"])


def _of_call(x):
    return np.sum(x * helper())


def _through_call(x, w):
    return _product(x, w)


def _in_loop(x, rows):
    total = 0.0
    for row in rows:
        total = total + np.sum(row * x)
    return total


def _in_branch(x, w):
    u = x * 2.0 if x[0] > 100.0 else w
    return np.sum(u * x)


def _of_part(x, p):
    return np.sum(x * p["a"][0])


def _of_record(x, data):
    return np.sum(data.w * x) * data.scale


def _as_option(x, w):
    return np.sum(np.where(w > 1.0, x, 0.0))


def _written(x, w):
    y = np.zeros(3)
    y += x
    y[:] = y * w
    return np.sum(y)


def _closed_over(w):
    return lambda x: np.sum(x * w)


def _default(w):
    def f(x, w=w):
        return np.sum(x * w)

    return f


PLACES = {
    "argument": lambda w: (_product, X, w),
    "argument_of_a_called_function": lambda w: (_through_call, X, w),
    "rows": lambda w: (_in_loop, X, [X, w]),
    "many_rows": lambda w: (_in_loop, X, [X] * 70 + [w]),
    "branch": lambda w: (_in_branch, X, w),
    "nested": lambda w: (_of_part, X, {"a": [w]}),
    "dataclass": lambda w: (_of_record, X, Data(w)),
    "object": lambda w: (_of_record, X, types.SimpleNamespace(w=w, scale=1.0)),
    "slots": lambda w: (lambda x, o: np.sum(x * o.w), X, Slotted(w)),
    "method": lambda w: (Model(w).loss, X),
    "condition": lambda w: (_as_option, X, w),
    "written": lambda w: (_written, X, w),
    "global": lambda w: (_of_global, X),
    "attribute_of_a_global": lambda w: (_of_attribute, X),
    "attribute_of_a_module": lambda w: (_of_module, X),
    "entry_of_a_global": lambda w: (_of_table, X),
    "result_of_a_call": lambda w: (_of_call, X),
    "cell": lambda w: (_closed_over(w), X),
    "default": lambda w: (_default(w), X),
    "differentiated": lambda w: (lambda x: np.sum(x), w),
    "differentiated_part": lambda w: (lambda p: np.sum(p["w"]), {"w": w}),
}
MODES = {
    "grad": lambda f, *args: grad(f)(*args),
    "value_and_grad": lambda f, *args: value_and_grad(f)(*args),
    "vjp": lambda f, *args: vjp(f, *args)[1](1.0),
    "jvp": lambda f, *args: jvp(f, args, (args[0], *(None for _ in args[1:]))),
}
REFUSED = (ForeignArrayError, UnresolvedCallError)


@pytest.mark.parametrize("place", PLACES)
def test_refused_wherever_it_stands(place):
    """No place lets a foreign array through to a formula."""
    w = np.ma.array([1.0, 2.0, 4.0])
    _set(w)
    f, *args = PLACES[place](w)
    with pytest.raises(REFUSED):
        grad(f)(*args)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("place", ["argument", "slots", "global", "rows", "differentiated"])
def test_refused_of_each_kind(make, place):
    """No kind of foreign arrays goes through, be it known by its library or by its protocol."""
    w = make([1.0, 2.0, 4.0])
    _set(w)
    f, *args = PLACES[place](w)
    with pytest.raises(REFUSED):
        grad(f)(*args)


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_refused_in_each_mode(mode):
    """Every mode refuses them."""
    with pytest.raises(ForeignArrayError):
        mode(_product, X, np.ma.array(X))


@pytest.mark.parametrize("place", ["argument", "dataclass", "global", "cell", "differentiated"])
def test_the_message_names_class_and_conversion(place):
    """The error says what it is, where it meets the value, and what to write."""
    w = np.ma.array([1.0, 2.0, 4.0])
    _set(w)
    f, *args = PLACES[place](w)
    with pytest.raises(ForeignArrayError, match=r"MaskedArray(.|\n)*\.filled\(\.\.\.\)"):
        grad(f)(*args)


def test_the_error_points_at_the_place():
    """The line where the two meet is shown."""
    with pytest.raises(ForeignArrayError, match=r"return np.sum\(x \* w\)"):
        grad(_product)(X, np.matrix([1.0, 2.0, 4.0]))


def _masked_inside(x):
    return np.sum(x * np.ma.masked_where(np.arange(3) > 1, np.arange(3.0)))


def _matrix_inside(x):
    return np.sum(np.matrix([[1.0, 2.0, 3.0]]) @ x)


def _chosen_inside(x):
    made = np.asmatrix if x.ndim == 1 else np.asarray
    return np.sum(made([[1.0, 2.0, 3.0]]) * x)


@pytest.mark.parametrize("f", [_masked_inside, _matrix_inside, _chosen_inside])
def test_made_in_the_function(f):
    """Foreign arrays that calls give are refused, too."""
    with pytest.raises(REFUSED):
        grad(f)(X)


CONVERTED = {
    "asarray": lambda x, w: np.sum(x * np.asarray(w)),
    "float": lambda x, w: np.sum(x * float(np.asarray(w)[0])),
    "len": lambda x, w: np.sum(x * len(w)),
    "beside": lambda x, w: np.sum(x * 2.0),
}


@pytest.mark.parametrize("f", CONVERTED.values(), ids=CONVERTED)
@pytest.mark.parametrize("make", [np.ma.array, _series], ids=["masked", "pandas"])
def test_converted(f, make):
    """Behind the conversion, and where they do not meet, foreign arrays are data as any other."""
    w = make([1.0, 2.0, 4.0])
    expected = np.ones(3) * f(np.ones(3) / 3.0, w) if f is not CONVERTED["asarray"] else X
    assert np.allclose(grad(f)(X, w), expected)


def test_methods_that_convert():
    """What messages tell to write works."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": X, "b": X * 2.0})
    masked = np.ma.array(X, mask=[False, True, False])
    of_frame = grad(lambda x, d: np.sum(x @ d[["a", "b"]].to_numpy()))(X, frame)
    assert np.allclose(of_frame, X * 3.0)
    assert np.allclose(grad(lambda x, m: np.sum(x * m.filled(0.0)))(X, masked), [1.0, 0.0, 4.0])


def test_changed_between_calls():
    """Code that was made for plain arrays is not used for others."""
    df = grad(_of_table)
    dg = grad(_in_loop)
    TABLE["w"] = X
    assert np.allclose(df(X), X)
    assert np.allclose(dg(X, [X, X]), 2 * X)
    TABLE["w"] = np.ma.array(X)
    with pytest.raises(REFUSED):
        df(X)
    with pytest.raises(REFUSED):
        dg(X, [X, np.matrix(X)])
    TABLE["w"] = X
    assert np.allclose(df(X), X)


def test_numbers_with_operators_of_their_own():
    """A class of numbers that changes what ``*`` means is refused, one that does not is not."""

    class Named(float):
        """A number with a name."""

    with pytest.raises(ForeignArrayError, match=r"float\(w\)"):
        grad(_product)(X, Metres(2.0))
    assert np.allclose(grad(_product)(X, Named(2.0)), 2.0)


def test_what_means_the_same():
    """Arrays of NumPy, mapped files and declared classes are no foreign arrays."""

    @means_the_same
    class Same(np.ndarray):
        """An array by another name."""

    assert foreign(X) is foreign(np.float32(1)) is foreign(X.view(np.memmap)) is None
    assert foreign(X.view(Same)) is None
    assert foreign(X.view(Skipping)) == "np.asarray(...)"
    assert foreign(Labelled(X)) == ".to_numpy()"


def test_found_at_any_depth():
    """Containers, objects, slots and arrays of objects are looked into, and may be circular."""
    m = np.ma.array(X)
    held = np.empty(1, object)
    held[0] = m
    for place in ([[m]], {"a": (m,)}, {m.shape: [m]}, Slotted(m), Data(m), held):
        assert holds_foreign(place)
    circle = [X]
    circle.append(circle)
    assert not holds_foreign(circle)


def test_what_holds_each_other():
    """Each object is looked into once, however many ways lead to it."""
    nodes = [Data(None) for _ in range(30)]
    for node in nodes:
        node.w = [other for other in nodes if other is not node]
    assert not holds_foreign(nodes)
    nodes[7].w.append(np.ma.array(X))
    assert holds_foreign(nodes)


def test_while_a_program_runs():
    """The same question is asked of values while a program runs."""
    require_plain(X, "x")
    with pytest.raises(ForeignArrayError, match="matrix"):
        require_plain(np.matrix(X), "x")


def test_second_derivatives_with_objects_of_such_libraries():
    """What has no arithmetic of its own goes through a derivative as through the function."""

    class Cosmology:
        w = -0.9

        def density(self, z):
            return (1 + z) ** (3 * (1 + self.w))

    Cosmology.__module__ = "astropy.cosmology"

    def f(z, cosmology):
        return cosmology.density(z) * z

    expected = fd.gradient(tape.grad(f), (0.5, Cosmology()), 0)
    ways = grad(grad(f), recorded="allow"), tape.grad(tape.grad(f))
    found = [way(0.5, Cosmology()) for way in ways]
    np.testing.assert_allclose(found, [expected] * 2, rtol=1e-6)


@pytest.mark.parametrize("name", ["Series", "Index", "DataFrame"])
def test_made_of_a_differentiated_value(name):
    """In pandas nothing is recorded, which would be lost."""
    make = getattr(pytest.importorskip("pandas"), name)

    def f(x):
        return np.sum(make({"a": x, "b": 2.0 * x} if name == "DataFrame" else x).to_numpy())

    with pytest.raises(ForeignArrayError, match=f"a {name} is made of a value"):
        grad(f, recorded="allow")(X)
