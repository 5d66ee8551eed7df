"""The examples run, and find what they are known to find."""

import pytest

pytest.importorskip("sklearn", reason="the examples' data come with scikit-learn")
pytest.importorskip("autograd", reason="examples/digits.py times it")

from examples import (
    digits,
    gaussian_mixture,
    kalman_filter,
    logistic_regression,
    reaction_diffusion,
    runge_kutta_fit,
)


def test_digits(capsys):
    """A small network learns most digits, and its gradient is printed."""
    figures = digits.main(hidden=16, iterations=40, repetitions=2)
    assert figures["accuracy"] > 0.9
    assert figures["autograd_over_srcgrad"] > 0
    assert "W1_bar" in capsys.readouterr().out


def test_logistic_regression():
    """Nearly all tumours held back are told apart."""
    assert logistic_regression.main(steps=100)["accuracy"] > 0.93


def test_gaussian_mixture():
    """The components of the mixture are the species of iris, nearly."""
    figures = gaussian_mixture.main(restarts=5, iterations=100)
    assert figures["agreement"] > 0.9


def test_runge_kutta_fit():
    """The rates are those that other fits to these pelts have found."""
    figures = runge_kutta_fit.main(substeps=4)
    assert figures["after"] < 0.05 < figures["before"]
    assert figures["rates"] == pytest.approx((0.54, 0.027, 0.80, 0.024), rel=0.05)


def test_kalman_filter():
    """The variances are the estimates that Durbin and Koopman print."""
    figures = kalman_filter.main()
    assert figures["observation"] == pytest.approx(15099, rel=0.01)
    assert figures["level"] == pytest.approx(1469.1, rel=0.01)


def test_reaction_diffusion():
    """A product for each colour gives the Jacobian, and Newton's method converges with it."""
    figures = reaction_diffusion.main(n=10)
    assert figures["products"] <= 12
    assert figures["difference"] < 1e-12
    assert figures["after"] < 1e-9 < figures["before"]
