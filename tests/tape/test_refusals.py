"""What would lose a derivative is refused, and what nothing reads has none."""

import ast
import contextlib
import decimal
import io
import json
import queue
import struct
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import integrate, interpolate, linalg, optimize, spatial
from scipy.sparse.linalg import eigsh, svds

from srcgrad import ForeignArrayError, SrcgradError, formula, grad, hessian, jvp, tape
from srcgrad.errors import ArgumentError, MissingFormulaError


@pytest.mark.parametrize(
    "number",
    [
        lambda x: float(f"{x}"),
        lambda x: float("%s" % x),
        lambda x: float("%.3f" % (x,)),
        lambda x: float("{:.17g}".format(x)),
        lambda x: float(b"%f" % x),
        lambda x: np.float64(str(x)),
        lambda x: float(decimal.Decimal(str(x))),
        lambda x: ast.literal_eval(repr(x)),
        lambda x: eval(f"{x} * 1"),
        lambda x: float(np.array2string(np.array(x))),
        lambda x: np.array([x]).astype(str).astype(float)[0],
        lambda x: np.array([f"{x}"], float)[0],
        lambda x: np.loadtxt(io.StringIO(str(x))),
        lambda x: json.loads(json.dumps({"a": x}))["a"],
        lambda x: struct.unpack("d", struct.pack("d", x))[0],
    ],
)
def test_text_that_becomes_a_number(number):
    """Its derivative would be lost."""
    with pytest.raises(SrcgradError):
        tape.grad(lambda x: number(x) * x)(2.5)
    with pytest.raises(SrcgradError):
        grad(number, recorded="allow")(2.5)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize(
    "use",
    [
        lambda m, x: np.sum(m * x),
        lambda m, x: np.multiply(m, x).sum(),
        lambda m, x: (x - m).sum(),
        lambda m, x: np.dot(x, m).sum(),
        lambda m, x: np.sum(np.stack([m, x])),
    ],
)
@pytest.mark.parametrize("make", [np.ma.masked_array, np.matrix])
def test_arrays_that_mean_something_else(make, use):
    """They are refused where they meet what is differentiated."""
    with pytest.raises(ForeignArrayError):
        tape.grad(lambda x: use(make([1.0, 2.0, 3.0]), x))(np.array([1.0, 2.0, 3.0]))


def test_what_nothing_reads():
    """An infinite slope counts only where something reads the value."""
    x = np.array([0.0, 1.0, 4.0])
    masked = lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0.0))  # noqa: E731
    np.testing.assert_array_equal(tape.grad(masked)(x), [0.0, 0.5, 0.25])
    np.testing.assert_array_equal(tape.grad(lambda x: np.sum(np.sqrt(x)[1:]))(x), [0.0, 0.5, 0.25])
    _, dot = tape.jvp(tape.grad(masked), (x,), (np.ones(3),))
    np.testing.assert_allclose(dot, [0.0, -0.25, -1 / 32])
    assert np.isinf(tape.grad(lambda x: np.sum(np.sqrt(x)))(x)[0])


def touching(x):
    """A constraint that is zero at the minimum without it, too."""
    touch = {"type": "ineq", "fun": lambda a: a[0] - x[0]}
    return optimize.minimize(lambda a: np.sum((a - x) ** 2), np.ones(3), constraints=touch).x[0]


def of_each_other(x):
    """The same constraint twice."""
    twice = [{"type": "eq", "fun": lambda a, k=k: k * (a @ a - x[0])} for k in (1, 2)]
    return optimize.minimize(lambda a: np.sum((a - x) ** 2), x * 1, constraints=twice).x[0]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("find", "words"),
    [
        (lambda x: integrate.quad(np.exp, 0, x[0], weight="alg", wvar=(0, 0)), "weight='alg'"),
        (lambda x: integrate.quad(np.exp, 0, np.inf, weight="cos", wvar=x[0]), "without an end"),
        (lambda x: integrate.quad(lambda s: x[1] * (s > x[0]), 0, 2, limit=200), "not smooth"),
        (lambda x: optimize.minimize(quartic, 9 * x, args=x, options={"maxiter": 1}).x, "end"),
        (touching, "cannot be told"),
        (of_each_other, "depend on each other"),
    ],
)
def test_solvers(find, words):
    """What is no differentiable function, or not known as one, is refused in plain words."""
    with pytest.raises(MissingFormulaError, match=words):
        tape.vjp(find, np.array([0.7, 1.3, 2.1]))


def quartic(a, x):
    """A function whose minimum is to be found."""
    return np.sum((a - x) ** 4) + a @ a


def test_kinks_have_no_second_derivative_in_integrals():
    """The first one is right, the second one is not seen between the nodes."""
    area = lambda x: integrate.quad(lambda s: abs(s - x), 0, 2.0, limit=200)[0]  # noqa: E731
    np.testing.assert_allclose(tape.grad(area)(0.7), 2 * 0.7 - 2.0, rtol=1e-4)
    with pytest.raises(MissingFormulaError, match="not smooth"):
        tape.grad(tape.grad(area))(0.7)


def test_another_thread():
    """What is recorded cannot be used in a thread that ran before; whoever waits is told."""
    work = queue.Queue()

    def serve():
        for _ in range(2):
            task = work.get()
            with contextlib.suppress(SrcgradError):
                task()
            work.task_done()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()

    def run(x):
        found = []
        work.put(lambda: found.append(x * x))
        work.join()
        return x + sum(found)

    for _ in range(2):
        with pytest.raises(ArgumentError, match="in a thread that nothing is recorded in"):
            tape.grad(run)(2.0)
    thread.join()


def test_refused_in_a_thread():
    """What is refused in a thread that the function starts is an error of the derivative."""

    def run(x):
        found = []
        thread = threading.Thread(target=lambda: found.append(float(f"{x[0]}")))
        thread.start()
        thread.join()
        return np.sum(x) + len(found)

    heard = []
    before, threading.excepthook = threading.excepthook, heard.append
    try:
        with pytest.raises(SrcgradError):
            tape.grad(run)(np.array([1.0, 2.0]))
    finally:
        threading.excepthook = before
    assert len(heard) == 1


def test_threads_do_not_meet():
    """Each has recordings of its own, of the same functions."""
    found = []

    def f(x):
        y = np.zeros(2)
        for k in range(2):
            y[k] = x[k] * np.sqrt(x[k] * x[k])
        return np.sum(y)

    def work(scale):
        for _ in range(10):
            gradient = tape.grad(f)(scale * np.array([1.0, 2.0]))
            found.append(np.allclose(gradient, scale * np.array([2.0, 4.0])))

    threads = [threading.Thread(target=work, args=(k,)) for k in (1.0, 2.0, 3.0)]
    code = f.__code__
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 30
    assert f.__code__ is code


def beyond(x):
    """A view of more than there is."""
    return np.sum(np.lib.stride_tricks.as_strided(x[1:], (3,), x.strides))


def in_buffers(x):
    """An iterator that copies."""
    parts = np.nditer(x, flags=["buffered"], op_dtypes=["f4"], casting="same_kind")
    return sum(part * part for part in parts)


def parts_in_turn(x):
    """Real and imaginary parts as one array."""
    z = np.zeros(3, complex)
    z.view(float)[:3] = x
    return np.sum(np.abs(z))


def part_of_a_field(x):
    """The imaginary part of a field of records."""
    a = np.zeros(3, [("z", complex), ("k", int)])
    a["z"].imag[:] = x
    return np.sum(np.abs(a["z"]))


def array_of_arrays(x):
    """Arrays in an array of objects."""
    y = np.empty(2, object)
    y[0], y[1] = x, x * x
    return np.sum((y * x[0])[1])


@pytest.mark.parametrize(
    "program",
    [beyond, in_buffers, parts_in_turn, part_of_a_field, array_of_arrays, lambda x: x[1:].base[0]],
)
@pytest.mark.parametrize("derivative", [grad, hessian])
def test_views_that_are_not_followed(program, derivative):
    """The error says what was lost, whatever derivative was asked for."""
    with pytest.raises(SrcgradError) as caught:
        derivative(program, recorded="allow")(np.array([0.7, 1.3, 2.1]))
    assert "no formula for srcgrad" not in str(caught.value)


def test_results_that_numpy_cuts():
    """Where the first result is a whole number, so are the others of np.vectorize."""
    steps = np.vectorize(lambda a: 0 if a < 1 else 2 * a)
    x = np.array([0.7, 1.3, 2.1])
    value, slope = tape.value_and_grad(lambda x: np.sum(steps(x) * x))(x)
    assert value == np.sum(steps(x) * x)
    np.testing.assert_array_equal(slope, [0.0, 2.0, 4.0])


def in_another_thread(x):
    """A function of NumPy's that is handed to a thread."""
    with ThreadPoolExecutor(1) as pool:
        return np.sum(pool.submit(np.sin, x).result())


def test_functions_of_numpy_in_threads():
    """What a thread is given to do is recorded with the function."""
    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(tape.grad(in_another_thread)(x), np.cos(x))


@pytest.mark.parametrize("order", ["K", "A"])
def test_orders_of_memory(order):
    """The order of a tangent in memory is not that of its array: refused in both modes."""
    x = np.arange(6.0).reshape(2, 3).T

    def f(x):
        return np.ravel(x, order)

    for derivative in (jvp, tape.jvp):
        with pytest.raises(MissingFormulaError, match="use 'C' or 'F'"):
            derivative(f, (x,), (np.ones((3, 2)),))


def test_products_with_numbers():
    """Numbers of Python's have no axes, and products with them have slopes."""
    x = np.array([1.0, 2.0])
    for product in (np.inner, np.outer):
        _, backward = tape.vjp(lambda x, f=product: np.sum(f(x, 3)), x)
        np.testing.assert_array_equal(backward(1.0), [3.0, 3.0])


SITES = np.array([[0, 0], [1, 0], [0, 1], [1, 1.1], [0.5, 0.2], [0.3, 0.8]])
TICKS = np.linspace(0.0, 2.0, 6)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda x: interpolate.RBFInterpolator(SITES, x, neighbors=3)(SITES)[0], "neighbors="),
        (lambda x: interpolate.griddata(SITES, x, SITES, method="cubic")[0], "method='cubic'"),
        (lambda x: interpolate.splrep(TICKS, x, s=0.1)[1][0], "s= above 0"),
        (lambda x: interpolate.splrep(TICKS, x, w=np.ones(6))[1][0], "s= above 0"),
        (lambda x: interpolate.splrep(TICKS, x, per=1)[1][0], "per="),
        (lambda x: interpolate.splrep(TICKS, x, t=[1.0])[1][0], "t="),
        (lambda x: interpolate.make_smoothing_spline(TICKS, x)(0.5), "lam="),
        (lambda x: spatial.KDTree(SITES, boxsize=3.0).query(x[:2])[0], "boxsize="),
        (lambda x: spatial.KDTree(SITES * x[0]).count_neighbors(1, 2), "count_neighbors"),
        (lambda x: spatial.ConvexHull(SITES * x[0]).equations[0, 0], "equations"),
        (lambda x: spatial.ConvexHull(SITES * x[0], incremental=True).volume, "incremental"),
        (lambda x: spatial.ConvexHull(SITES * x[0], qhull_options="QJ").volume, "joggled"),
        (lambda x: linalg.null_space(x[None])[0, 0], "more than one direction"),
        (lambda x: linalg.schur(np.outer(x, x))[0][0, 0], "schur"),
        (lambda x: eigsh(np.eye(6) * x[0], k=1)[0][0], "repeated"),
        (lambda x: eigsh(np.diag(x) + np.eye(6, k=1), k=1)[0][0], "not symmetric"),
        (lambda x: eigsh(np.diag(x), k=1, M=np.eye(6))[0][0], "these options"),
        (lambda x: svds(np.diag(x), k=1, return_singular_vectors="u")[1][0], "one side"),
        (lambda x: interpolate.CubicSpline(TICKS, np.outer(x, x)).roots()[0][0], "several"),
    ],
)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.one_of(2)
def test_options_of_scipy(call, says):
    """What has no derivative, or none that is known, is refused by its name."""
    x = np.array([0.9, 0.5, -0.2, -0.6, 0.1, 0.3])
    with pytest.raises(MissingFormulaError, match=says):
        tape.grad(call)(x)
    with pytest.raises(SrcgradError):
        grad(call, recorded="allow")(x)


class Pair:
    """Two numbers, which no formula can give cotangents for."""

    def __init__(self, a, b):
        self.a, self.b = a, b


def test_objects_that_a_formula_is_given():
    """What they hold would be a constant."""

    def product(p, y, *, scale=None):
        return p.a * p.b * y

    @formula(product)
    def rule(p, y, *, scale=None):
        return product(p, y), lambda z_bar: (None, z_bar * p.a * p.b)

    x = np.array([0.7, 1.3, 0.4])
    for f in (
        lambda x: product(Pair(x[0], x[1]), x[2]),
        lambda x: product(Pair(2.0, 3.0), x[2], scale=Pair(x[0], x[1])),
    ):
        with pytest.raises(ArgumentError, match="in an object that a formula is given"):
            tape.grad(f)(x)
    assert tape.grad(lambda x: product(Pair(2.0, 3.0), x[2]))(x)[2] == 6.0
