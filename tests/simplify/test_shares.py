"""Shares of a total sum up to it: what is subtracted before has the cotangent zero."""

import linecache

import numpy as np
import pytest

from srcgrad import check, grad, source
from tests.in_memory import execute


def compiled(text):
    """Return the function ``f`` of a text, which ``inspect`` finds."""
    name = f"<shares {len(linecache.cache)}>"
    space = execute(text, name, {"np": np, "__name__": name})
    return space["f"]


RNG = np.random.default_rng(0)
X, Y, V = RNG.normal(size=(4, 3)), RNG.normal(size=(4, 3)), RNG.normal(size=(3, 2))


def of_a_vector(x):
    """The logarithm of a sum of exponentials."""
    top = np.max(x[0])
    return top + np.log(np.sum(np.exp(x[0] - top)))


def of_rows(x):
    """The mean of those of rows."""
    top = np.max(x, axis=1)
    return np.mean(top + np.log(np.sum(np.exp(x - top[:, None]), axis=1)))


def of_columns(x):
    """Those of columns, weighted."""
    top = np.max(x, axis=0)
    return np.sum((top + np.log(np.sum(np.exp(x - top), axis=0))) * np.arange(3.0))


def cross_entropy(x):
    """The cross entropy with logarithms of shares."""
    z = x - np.max(x, axis=-1, keepdims=True)
    log_p = z - np.log(np.sum(np.exp(z), axis=-1, keepdims=True))
    return -np.mean(np.sum(Y * log_p, axis=-1))


def attention(x):
    """Shares that weigh values."""
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return np.sum((e / np.sum(e, axis=-1, keepdims=True) @ V) ** 2)


def attention_with_new_axes(x):
    """The same with axes that are added by an index."""
    e = np.exp(x - np.max(x, axis=1)[:, None])
    return np.sum((e / np.sum(e, axis=1)[:, None] @ V) ** 2)


@pytest.mark.parametrize(
    "f",
    [of_a_vector, of_rows, of_columns, cross_entropy, attention, attention_with_new_axes],
)
def test_no_tie_is_looked_for(f):
    """The largest entry has no cotangent, so that nothing asks where it is."""
    check(f, X)
    gradient = grad(f)
    gradient(X)
    assert "==" not in source(gradient)


def along_the_other_axis(x):
    """Shares of rows, after the largest entries of columns were subtracted."""
    e = np.exp(x - np.max(x, axis=0))
    return np.sum((e / np.sum(e, axis=1)[:, None] @ V) ** 2)


def not_shares(x):
    """What the total is of is not what is divided."""
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum((e / np.sum(e**2, axis=1, keepdims=True) @ V) ** 2)


def with_another_weight(x):
    """The total is counted twice."""
    top = np.max(x, axis=1)
    return np.sum(top + 2 * np.log(np.sum(np.exp(x - top[:, None]), axis=1)))


def weighted_by_entries(x):
    """What is summed up is weighted by each entry, so that no total comes out."""
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    total = np.sum(e, axis=1, keepdims=True)
    g = x / total
    return np.sum((x - np.sum(e * g, axis=1, keepdims=True)) ** 2)


def vector_weighted_by_entries(x):
    """The same of a vector."""
    e = np.exp(x[0] - np.max(x[0]))
    g = x[0] / np.sum(e)
    return np.sum((x[0] - np.sum(e * g)) ** 2)


OTHERS = [along_the_other_axis, not_shares, with_another_weight, weighted_by_entries]


@pytest.mark.parametrize("f", [*OTHERS, vector_weighted_by_entries])
def test_other_cotangents_stay(f):
    """Where the terms do not cancel, the largest entry has its cotangent."""
    check(f, X)
    gradient = grad(f)
    gradient(X)
    assert "==" in source(gradient)


@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.one_of(2)
def test_sums_of_random_shares(rank, seed):
    """Differences of sums of weighted shares, of which some cancel, in every mode."""
    rng = np.random.default_rng(seed)
    terms = ["e * (g / t)", "g / t * e", "e / t * g", "e / t", "(g - m) * e", "e * g", "g"]
    first, second = rng.choice(terms, 2)
    sums = {1: "np.sum({})", 2: "np.sum({}, axis=1, keepdims=True)"}[rank]
    lines = [
        "def f(x, w):",
        f"    e = np.exp(x - {sums.format('x')} * 0.1)",
        f"    t = {sums.format('e')}",
        "    p = e / t",
        f"    g = {rng.choice(['w', 'w * p', sums.format('w'), 'x * w'])}",
        f"    m = {sums.format('g * p')}",
        f"    s = {rng.choice(['g', 'm', '1.0', sums.format('g')])} - {sums.format(first)}",
        f"    return np.sum(s * s) + np.sum({sums.format(f'{first} - {second}')} ** 2)",
    ]
    f = compiled("\n".join(lines))
    args = (X, Y) if rank == 2 else (X[0], Y[0])
    check(f, *args, wrt=(0, 1))
