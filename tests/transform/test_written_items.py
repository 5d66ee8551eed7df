"""Cotangents of what is written to places of an array, read before zeros are put there."""

import itertools

import numpy as np
import pytest

from srcgrad import differentiate, jvp
from tests import finite_differences as fd
from tests.in_memory import execute

# how many axes an array has is known, or is not
HEADS = {
    "known": "x = x * 1.0",
    "given on one path": "x = np.atleast_1d(x) if many else x",
    "by a helper": "x = scaled(x)",
}
PLACES = {
    "from the end": ("[..., 0]", "[..., 1]", "[..., 2]"),
    "ranges from the end": ("[..., 0:1]", "[..., 1:2]", "[..., 2:]"),
    "by one name": ("[..., k]", "[..., k + 1]", "[..., k + 2]"),
    "in a tuple": ("[(..., 0)]", "[(..., 1)]", "[(..., 2)]"),
}
# what is written; each is linear, so that cotangents are read long after the write
VALUES = (("w", "v", "w"), ("w + v", "w - v", "v"), ("w", "w", "w + v"), ("u", "-u", "u + w"))
PROGRAM = """
import numpy as np

def scaled(x, out=None):
    if out is None:
        out = np.empty_like(x)
    out[...] = x / np.maximum(np.sum(x * x, axis=-1)[..., np.newaxis], 1e-3)
    return out

def spread(x, many=True, k=0):
    {head}
    w, v = x{first}, x{second}
    u = w * v
    out = np.empty(x.shape[:-1] + (3,))
    out{first} = {values[0]}
    out{second} = {values[1]}
    out{third} = {values[2]}
    return out
"""


def _spread(head, places, values):
    first, second, third = places
    text = PROGRAM.format(head=head, first=first, second=second, third=third, values=values)
    file = f"<written items {head} {first} {values}>"
    names = execute(text, file)
    return names["spread"]


@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("head", HEADS)
@pytest.mark.one_of(3)
def test_cotangents_are_no_views_of_what_is_written(head, places):
    """They stay what they were, for one row and for several, whatever is known of the rank."""
    rng = np.random.default_rng(4)
    for values, shape in itertools.product(VALUES, [(3,), (2, 3)]):
        f = _spread(HEADS[head], PLACES[places], values)
        x, x_dot = rng.uniform(0.3, 1.0, (2, *shape))
        value, backward = differentiate(f, recorded="allow").vjp(x)
        weights = rng.normal(size=value.shape)
        expected = fd.gradient(lambda x, f=f, w=weights: np.sum(w * f(x)), (x,), 0)
        assert backward(weights) == pytest.approx(expected, abs=1e-7)
        _, dot = jvp(f, (x,), (x_dot,), recorded="allow")
        assert np.sum(dot * weights) == pytest.approx(np.sum(expected * x_dot), abs=1e-7)
