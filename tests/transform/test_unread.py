"""Entries that nothing reads have the slope 0, whatever the slope of the function there."""

import re

import numpy as np
import pytest
from scipy import special

from srcgrad import grad, hvp, jvp, on_backward, source, tape, vjp
from tests import finite_differences as fd

Z = np.array([0.0, 2.0, 3.0])
ONE = np.array([1.0, 0.5, -1.0])
OFF = np.array([-2.0, 0.0, 3.0])


def _inverse_distances(x):
    r = np.sqrt(x**2)
    r[r > 0] = 1 / r[r > 0]
    return np.sum(r[x != 0] * x[x != 0] ** 3)


def _overwritten(x):
    y = np.log(x)
    y[x == 0] = 2.0
    z = y * 3.0
    return np.sum(z[x > 0] * x[x > 0])


def _pairs(x):
    """The energy of pairs of points on a line, each pair once."""
    r = np.sqrt((x[:, None] - x) ** 2)
    r[r > 0] = 1.0 / r[r > 0]
    return np.sum(np.triu(2.0 * r, 1))


PROGRAMS = {
    "pairs": (_pairs, OFF),
    "lower": (lambda x: np.sum(np.tril(np.sqrt((x[:, None] - x) ** 2), k=-1) ** 3), OFF),
    "inverse_distances": (_inverse_distances, Z),
    "sqrt": (lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0.0)), Z),
    "sqrt_of_negative": (lambda x: np.sum(np.where(x > 0, np.sqrt(x), x)), OFF),
    "cbrt": (lambda x: np.sum(np.where(x > 0, np.cbrt(x), 0.0)), Z),
    "slice": (lambda x: np.sum(np.sqrt(x)[1:] ** 3), Z),
    "mask": (lambda x: np.sum(np.sqrt(x)[x > 0]), Z),
    "scaled": (lambda x: np.sum(np.where(x > 0, 3.0 * np.sqrt(x) + x, 0.0)), Z),
    "log": (lambda x: np.sum(np.where(x > 0, np.log(x), 0.0)), Z),
    "log1p": (lambda x: np.sum(np.where(x > -1, np.log1p(x), 0.0)), Z - 1.0),
    "entropy": (lambda x: np.sum(np.where(x > 0, x * np.log(x), 0.0)), Z),
    "quotient": (lambda x: np.sum(np.where(x != 0, np.sin(x) / x, 1.0)), Z),
    "reciprocal": (lambda x: np.sum(np.where(x != 0, 1.0 / x, 0.0)), Z),
    "broadcast": (lambda x: np.sum(np.where(x != 0, np.ones((2, 1)) / x, 0.0)), Z),
    "power": (lambda x: np.sum(np.where(x > 0, x**0.5, 0.0)), Z),
    "negative_power": (lambda x: np.sum(np.where(x > 0, x**-1.5, 0.0)), Z),
    "arccos": (lambda x: np.sum(np.where(np.abs(x) < 1, np.arccos(x), 0.0)), ONE),
    "arcsin": (lambda x: np.sum(np.where(np.abs(x) < 1, np.arcsin(x), 0.0)), ONE),
    "arctanh": (lambda x: np.sum(np.where(np.abs(x) < 1, np.arctanh(x), 0.0)), ONE),
    "arccosh": (lambda x: np.sum(np.where(x > 1, np.arccosh(x), 0.0)), Z),
    "overwritten": (_overwritten, Z),
    "overflow": (lambda x: np.sum(np.where(x > -1, np.exp(-400.0 * x), x)), OFF),
}


def _shifted(f, x):
    """The gradient by central differences, of each entry."""
    h = 1e-6
    return np.array([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))])


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_slope_where_nothing_reads(name):
    """Gradients are finite, and right where differences can tell, in both modes."""
    f, x = PROGRAMS[name]
    with np.errstate(all="ignore"):
        found = grad(f)(x.copy())
        assert np.all(np.isfinite(found))
        assert np.array_equal(vjp(f, x.copy())[1](1.0), found, equal_nan=True)
        regular = (np.abs(x) > 0.1) & (np.abs(np.abs(x) - 1) > 0.1)
        expected = _shifted(f, x.copy())
        assert np.allclose(found[regular], expected[regular], rtol=1e-5, equal_nan=True)
        for k, unit in enumerate(np.eye(len(x))):
            assert np.allclose(jvp(f, (x.copy(),), (unit,))[1], found[k], equal_nan=True)


@pytest.mark.parametrize("name", ["pairs", "sqrt", "slice", "log", "entropy", "quotient", "arccos"])
def test_second_derivatives(name):
    """They are finite where nothing reads, and right elsewhere."""
    f, x = PROGRAMS[name]
    with np.errstate(all="ignore"):
        found = np.array([hvp(f)(x, unit) for unit in np.eye(len(x))])
        assert np.all(np.isfinite(found))
        h = 1e-6
        g = grad(f)
        for k in np.flatnonzero((np.abs(x) > 0.1) & (np.abs(np.abs(x) - 1) > 0.1)):
            e = np.eye(len(x))[k]
            assert np.allclose(found[k], (g(x + h * e) - g(x - h * e)) / (2 * h), rtol=1e-4)


def _by_chance(x, y):
    return np.sum(np.where(x > 0, np.sqrt(x) * y, 0.0))


def test_a_cotangent_that_is_zero_by_chance():
    """Where a cotangent is 0 for other reasons, its derivative is that of the formula."""
    x, y = np.array([4.0, 9.0]), np.array([0.0, 0.0])
    mixed = grad(lambda y: np.sum(grad(_by_chance)(x, y)))(y)
    assert np.allclose(mixed, 0.5 / np.sqrt(x))


def test_what_is_read_has_its_slope():
    """An infinite slope of what is read stays infinite."""
    with np.errstate(all="ignore"):
        assert grad(lambda x: np.sum(np.where(x >= 0, np.sqrt(x), 0.0)))(Z)[0] == np.inf
        assert grad(lambda x: np.sum(np.sqrt(x)))(Z)[0] == np.inf
        assert np.isnan(grad(lambda x: np.sum(np.sqrt(x * x)))(Z)[0])


def test_the_text_stays_plain_where_all_is_read():
    """Nothing is added to the backward part of what is read as a whole."""
    g = grad(lambda x: np.sum(np.sqrt(x) / (1 + np.exp(x))))
    g(Z + 1.0)
    assert "where" not in source(g)


FLAT = {
    "all": lambda x: np.sum(np.sqrt(x) ** 2),
    "slice": lambda x: np.sum(np.sqrt(x)[:2] ** 2),
    "item": lambda x: np.sqrt(x)[0] ** 2 + np.sqrt(x)[1],
    "where": lambda x: np.sum(np.where(x >= 0, np.sqrt(x), 0.0) ** 2),
    "where_not": lambda x: np.sum(np.where(x > 9, 0.0, np.cbrt(x)) ** 3),
    "mask": lambda x: np.sum(np.sqrt(x)[x >= 0] ** 2),
    "scaled": lambda x: np.sum(np.where(x >= 0, 3.0 * np.sqrt(x), 0.0) ** 2),
    "least": lambda x: np.min(np.sqrt(x)) ** 2,
    "norm": lambda x: np.linalg.norm(np.sqrt(x)) ** 2,
}


@pytest.mark.parametrize("name", FLAT)
def test_a_slope_of_zero_reads(name):
    """An entry that is read where the slope is 0 has the slope nan, as the chain rule says."""
    with np.errstate(all="ignore"):
        for found in (grad(FLAT[name])(Z), tape.grad(FLAT[name])(Z)):
            assert np.isnan(found[0])
            assert np.all(np.isfinite(found[1:]))


LEFT_OUT = {
    "max": lambda x: np.max(np.sqrt(x)) ** 2,
    "clip": lambda x: np.sum(np.clip(np.sqrt(x), 0.5, 1.6)),
    "maximum": lambda x: np.sum(np.maximum(np.sqrt(x), 0.5)),
    "sort": lambda x: np.sort(np.sqrt(x))[2],
    "median": lambda x: np.median(np.sqrt(x)),
    "quantile": lambda x: np.quantile(np.sqrt(x), 0.8),
    "partition": lambda x: np.sum(np.partition(np.sqrt(x), 1)[1:]),
    "take": lambda x: np.sum(np.take(np.sqrt(x), [1, 2])),
    "choose": lambda x: np.sum(np.choose((x > 0) * 1, [np.ones(3), np.sqrt(x)])),
    "select": lambda x: np.sum(np.select([x > 0], [np.log(x)], 0.0)),
    "diagonal": lambda x: np.sum(np.diag(np.sqrt(x))[1:]),
    "reshaped": lambda x: np.sum(np.flip(np.sqrt(x).reshape(3, 1))[:2]),
    "nansum": lambda x: np.nansum(np.sin(x) / x),
    "special": lambda x: np.sum(np.maximum(special.xlogy(x, x), 0.5)),
    "logarithm": lambda x: np.sum(np.fmax(np.log(x), -1.0)),
    "divided": lambda x: np.sum((x / np.array([0.0, 1.0, 2.0]))[1:]),
    "any_axis": lambda x: np.sum(np.max(np.sqrt(x) * np.array([[1.0], [2.0]]), axis=1)),
    "joined": lambda x: np.sum(np.concatenate([np.sqrt(x), x])[1:3] ** 2),
    "helper": lambda x: max(np.sqrt(x)),
}


@pytest.mark.parametrize("derivative", [grad, tape.grad], ids=["text", "tape"])
@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_is_left_out_by_value_or_place(name, derivative):
    """Entries that nothing reads have the slope 0, and the others their own."""
    with np.errstate(all="ignore"):
        found = derivative(LEFT_OUT[name])(Z)
        assert found[0] == 0.0
        assert np.all(np.isfinite(found))
        curved = tape.jvp(tape.grad(LEFT_OUT[name]), (Z,), (np.array([0.0, 1.0, 1.0]),))[1]
        assert np.all(np.isfinite(curved[1:]))


def _written(x):
    y = 2.0 * x
    y[x == 0.0] = 0.0
    return np.sqrt(y)


def _filled(x):
    y = np.zeros(5)
    y[1:4] += x
    return y**0.5


def _copied(x):
    x = x.copy()
    x[x < 2.0] = 0.0
    return np.sqrt(x)


PUT_IN = {
    "where": lambda x: np.arccos(np.where(x < 1.0, x / 4.0, 1.0)),
    "written": _written,
    "filled": _filled,
    "joined": lambda x: np.sqrt(np.concatenate([x[1:], [0.0]])),
    "inserted": lambda x: np.cbrt(np.append(x[1:], 0.0)),
    "padded": lambda x: np.sqrt(np.pad(x[1:], 1)),
    "maximum": lambda x: np.sqrt(np.maximum(x - 1.0, 0.0)),
    "clip": lambda x: np.arccos(np.clip(x, -1.0, 1.0)),
    "copied": _copied,
    "triangle": lambda x: np.sqrt(np.triu(np.outer(x[1:], x[1:]))),
}


@pytest.mark.parametrize("name", PUT_IN)
def test_tangents_of_constants_that_are_put_in(name):
    """They are 0, also where the slope is infinite; as the cotangents of what they replace are."""
    f, step = PUT_IN[name], 1e-6
    with np.errstate(all="ignore"):
        found = jvp(f, (Z,), (ONE,), recorded="allow")[1]
        recorded = tape.jvp(f, (Z,), (ONE,))[1]
        expected = (f(Z + step * ONE) - f(Z - step * ONE)) / (2 * step)
    known = np.isfinite(expected) & (np.abs(expected) < 100.0)
    np.testing.assert_allclose(found[known], expected[known], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found, recorded, rtol=1e-12)


def test_what_is_read_of_what_is_differentiated_twice():
    """Products of second derivatives on a tape ask what a tape inside of them reads."""

    def f(x):
        y = x * 1.0
        y[[0, 1, 1]] **= x[2]
        return np.sum(y * y)

    with np.errstate(all="ignore"):
        found = tape.jvp(tape.grad(f), (np.array([0.0, 2.0, 0.5]),), (np.ones(3),))[1]
    assert np.isfinite(found[1])


def test_nobody_is_called_to_tell_what_is_read():
    """What the user puts into the backward part runs once."""
    seen = []

    def f(x):
        y = on_backward(np.sqrt(x), seen.append)
        return np.max(y)

    with np.errstate(all="ignore"):
        assert tape.grad(f)(Z)[0] == 0.0
    assert len(seen) == 1


@pytest.mark.parametrize("keepdims", [True, False])
def test_normalised_exponentials(keepdims):
    """The largest entry was taken off: neither they nor their sum need a regular number."""

    def loss(z, y):
        whole = z - (z.max(axis=1, keepdims=True) if keepdims else z.max())
        total = np.sum(np.exp(whole), axis=1 if keepdims else None, keepdims=True)
        logp = whole - np.log(total)
        share = np.exp(whole) / total
        k = np.arange(len(y))
        return np.sum(share[k, y]) - np.mean(logp[k, y])

    z = np.random.default_rng(3).normal(size=(4, 3))
    y = np.array([0, 2, 1, 0])
    gradient = grad(loss)
    for given in (z, 300 * z, np.where(z > 1.0, -np.inf, z) if keepdims else z):
        with np.errstate(all="ignore"):
            found = gradient(given, y)
        assert np.isfinite(found).all()
    np.testing.assert_allclose(gradient(z, y), fd.gradient(loss, [z, y], 0), rtol=1e-6)
    assert not {"where", "isfinite"} & set(re.findall(r"\w+", source(gradient)))


def test_sums_that_are_no_totals_of_shares():
    """A sum of some of the exponentials, or one that begins elsewhere, may be 0."""

    def loss(z, mask):
        shares = np.exp(z - z.max(axis=1, keepdims=True))
        some = np.log(np.sum(shares, axis=1, where=mask))
        less = np.log(np.sum(shares, axis=1, initial=-1.0))
        return np.sum(some[:1]) + np.sum(less[np.array([0])])

    z = np.array([[0.0, -1.0, -2.0], [0.0, -800.0, -900.0]])
    mask = np.array([[True, True, False], [False, True, True]])
    with np.errstate(all="ignore"):
        found, recorded = grad(loss)(z, mask), tape.grad(loss)(z, mask)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, recorded)
