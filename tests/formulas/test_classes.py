"""Each public callable of the libraries is in exactly one class."""

import math
import operator

import numpy as np
import pytest

from srcgrad import grad
from srcgrad.coverage import CLASSES, LIBRARIES, classes_of, table
from srcgrad.errors import MissingFormulaError


@pytest.mark.parametrize("library", LIBRARIES)
def test_each_callable_is_in_one_class(library):
    """None is forgotten, and none has a formula and a reason to have none."""
    for name, classes in classes_of(library).items():
        assert len(classes) == 1, f"{library}.{name} is in the classes {classes}"
        assert classes[0] in CLASSES


def test_reason_in_the_message():
    """What is refused says why."""
    with pytest.raises(MissingFormulaError, match="leading zeros"):
        grad(lambda x: np.sum(np.polyadd(x, x)))(np.ones(2))
    with pytest.raises(MissingFormulaError, match="takes the numbers out"):
        grad(lambda x: x.tolist())(np.ones(4))


def test_table():
    """The table counts all of them."""
    rows = [line.split("|") for line in table().splitlines()[2:]]
    counts = {row[1].strip(" `"): [int(cell) for cell in row[2:6]] for row in rows}
    assert sum(counts["math"]) == sum(callable(v) for k, v in vars(math).items() if k[0] != "_")
    assert sum(counts["operator"]) == len(operator.__all__)
