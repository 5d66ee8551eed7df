"""What would lose a derivative is refused, and what nothing reads has none."""

import ast
import decimal
import io
import json
import struct
import threading

import numpy as np
import pytest

from srcgrad import ForeignArrayError, SrcgradError, grad, tape


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


def test_another_thread():
    """What is recorded cannot be used where nothing is recorded."""
    found = []

    def run(x):
        def work():
            try:
                found.append(x * x)
            except SrcgradError as error:
                found.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return x

    tape.grad(run)(2.0)
    assert isinstance(found[0], SrcgradError)


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
