"""What a choice leaves out is left out behind products and quotients: it may be nan."""

import numpy as np
import pytest

from srcgrad import grad, jvp, source

DATA = np.array([1.0, np.nan, 3.0, np.nan, 2.0])
KNOWN = ~np.isnan(DATA)
X = np.arange(1.0, 6.0)


def summed(m):
    """A sum that leaves out what is missing."""
    return np.nansum((DATA - m * X) ** 2)


def averaged(m):
    """A mean that does."""
    return np.nanmean((DATA - m * X) ** 2)


def chosen(m):
    """Missing data is replaced by zeros, last."""
    return np.where(KNOWN, (DATA - m * X) ** 2, 0.0).sum()


def divided(m):
    """A quotient of what is missing."""
    return np.where(KNOWN, DATA * m**2 / X, 0.0).sum()


def cleared(m):
    """Residuals that are missing are set to zero."""
    r = DATA - m * X
    r[np.isnan(r)] = 0.0
    return np.sum(r**2)


def masked(m):
    """What is missing is left out by a mask, behind a power."""
    return np.sum(((DATA - m * X) ** 2)[KNOWN])


def masked_product(m):
    """The same behind a product, whose operands both depend on the argument."""
    r = (DATA - m * X) * np.exp(m * X)
    return np.sum(r[KNOWN] ** 2)


def masked_quotient(m):
    """The same behind a quotient."""
    return np.sum((DATA / (m * X + m**2))[KNOWN] ** 2)


def masked_likelihood(m):
    """The same behind a sum of several terms."""
    return np.sum(-0.5 * ((DATA - m * X) ** 2 * X - m)[KNOWN])


@pytest.mark.parametrize(
    "f",
    [
        summed, averaged, chosen, divided, cleared,
        masked, masked_product, masked_quotient, masked_likelihood,
    ],
)  # fmt: skip
def test_missing_data(f):
    """No nan gets into the gradient, its derivative, or forward mode."""
    h = 1e-4
    slope = (f(0.7 + h) - f(0.7 - h)) / (2 * h)
    curved = (f(0.7 + h) - 2 * f(0.7) + f(0.7 - h)) / h**2
    assert grad(f)(0.7) == pytest.approx(slope, rel=1e-6)
    assert jvp(f, (0.7,), (1.0,))[1] == pytest.approx(slope, rel=1e-6)
    assert grad(grad(f))(0.7) == pytest.approx(curved, rel=1e-4, abs=1e-5)


def test_text():
    """The choice stands around the product, as one would write it."""
    g = grad(lambda r: np.nansum(r**2))
    assert np.array_equal(g(np.array([1.0, np.nan])), [2.0, 0.0])
    assert "r_bar = np.where(~np.isnan(pre), 2 * r, 0)" in source(g)


def test_text_of_a_mask():
    """The product is computed in the entries that the mask lets through."""
    g = grad(lambda r: np.sum((r**2)[KNOWN]))
    assert np.array_equal(g(DATA), [2.0, 0.0, 6.0, 0.0, 4.0])
    assert "r_bar[KNOWN] = 2 * r[KNOWN]" in source(g)
