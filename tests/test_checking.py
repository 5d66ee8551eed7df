"""`check` of functions of trees, and that it still finds what is wrong in them."""

from dataclasses import dataclass

import numpy as np
import pytest

from srcgrad import check, formula
from srcgrad.errors import CheckFailedError


@dataclass
class Model:
    """Weights and a number."""

    w: np.ndarray
    scale: float
    name: str = "tiny"


def predicted(model, x):
    """A function of a dataclass."""
    return np.mean(np.tanh(x @ model.w) * model.scale)


def misfit(params, x):
    """A function of nested dicts and lists."""
    return np.sum((x @ params["layers"][0]["w"]) ** 2) * params["scale"]


def test_trees_are_moved_along_directions():
    """The parts that are numbers move, and the rest stays."""
    x = np.array([[0.3, -0.2], [0.5, 0.9]])
    check(predicted, Model(np.array([0.4, -0.6]), 1.5), x)
    check(misfit, {"layers": [{"w": np.array([1.0, 2.0])}], "scale": 0.5, "steps": 3}, x)


def third_power(x):
    """A function whose formula is wrong."""
    return x**3


def test_a_wrong_formula_is_found_inside():
    """A slope of a part that is wrong shows."""

    @formula(third_power)
    def wrong(x):
        return x**3, lambda z_bar: 2 * x**2 * z_bar

    def total(params):
        return third_power(params["a"]) + params["b"]

    with pytest.raises(CheckFailedError, match="params"):
        check(total, {"a": 1.2, "b": 0.3})
