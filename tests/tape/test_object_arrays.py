"""Arrays of objects on the tape: they hold what is differentiated, or it is refused."""

import warnings

import numpy as np
import pytest

from srcgrad import errors, grad, tape

X = np.array([0.3, 0.5, 0.7])
WEIGHTS = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def filled(x):
    """Write into an array of objects."""
    o = np.empty(3, dtype=object)
    o[:] = x
    return o


def copied(x):
    """Write into an array of objects by a function."""
    o = np.empty(3, dtype=object)
    np.copyto(o, x)
    return o


def in_records(x):
    """Write into a field of objects."""
    r = np.zeros(3, dtype=[("a", object)])
    r["a"] = x
    return r["a"]


MADE = {
    "astype": lambda x: x.astype(object),
    "astype letter": lambda x: x.astype("O"),
    "astype keyword": lambda x: x.astype(dtype=object, copy=True),
    "astype function": lambda x: np.astype(x, object),
    "array": lambda x: np.array(x, dtype=object),
    "array position": lambda x: np.array(x, object),
    "array of list": lambda x: np.array(list(x), dtype=object),
    "array of arrays": lambda x: np.array([x, 2 * x], dtype=object)[1],
    "array with None": lambda x: np.array([x[0], None, x[1]], dtype=object)[[0, 2]],
    "asarray": lambda x: np.asarray(x, dtype=object),
    "require": lambda x: np.require(x, dtype=object),
    "full": lambda x: np.full(3, x, dtype=object),
    "full_like": lambda x: np.full_like(np.empty(3, dtype=object), x),
    "stack": lambda x: np.stack([x[0], x[1], x[2]], dtype=object),
    "concatenate": lambda x: np.concatenate([x, x], dtype=object),
    "add": lambda x: np.add(x, x, dtype=object),
    "cumsum": lambda x: np.cumsum(x, dtype=object),
    "sum": lambda x: [np.sum(x, dtype=object)],
    "reduce": lambda x: [np.add.reduce(x, dtype=object)],
    "where": lambda x: np.where([True, False, True], x.astype(object), x),
    "vectorize": lambda x: np.vectorize(lambda a: a * a, otypes=[object])(x),
    "frompyfunc": lambda x: np.frompyfunc(lambda a, b: a * b + a, 2, 1)(x, x),
    "frompyfunc reduce": lambda x: [
        np.frompyfunc(lambda a, b: a * b + a, 2, 1).reduce(x.astype(object))
    ],
    "frompyfunc accumulate": lambda x: np.frompyfunc(lambda a, b: a * b + a, 2, 1).accumulate(
        x.astype(object)
    ),
    "frompyfunc outer": lambda x: np.frompyfunc(lambda a, b: a * b + a, 2, 1).outer(x, x)[1],
    "pad": lambda x: np.pad(np.array([x[0], x[1]], dtype=object), 1),
    "filled": filled,
    "copied": copied,
    "records": in_records,
    "bytes": lambda x: x.astype("V8"),
}
MADE = {
    name: make for name, make in MADE.items() if hasattr(np, "astype") or "function" not in name
}


def slopes(f):
    """Return differences."""
    return [(f(X + 1e-6 * e) - f(X - 1e-6 * e)) / 2e-6 for e in np.eye(3)]


@pytest.mark.parametrize("name", MADE)
def test_what_is_made_of_arrays(name, monkeypatch):
    """Each way to make an array of objects is right, or refused; none loses the derivative."""
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")
    make = MADE[name]

    def program(x):
        total = 0.0
        for weight, part in zip(WEIGHTS, make(x), strict=False):
            total = total + weight * part * part
        return total

    try:
        expected = np.array(slopes(program), dtype=float)
    except TypeError:
        expected = None  # no numbers
    for derivative in (tape.grad(program), grad(program)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                found = derivative(X)
            except errors.SrcgradError:
                assert name in REFUSED
            else:
                np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


REFUSED = {
    *("astype function", "full", "full_like", "stack", "concatenate", "add", "cumsum", "bytes")
}
