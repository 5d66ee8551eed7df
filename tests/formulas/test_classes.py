"""Each public callable of the libraries is in exactly one class."""

import importlib
import math
import operator
from importlib.metadata import version

import numpy as np
import pytest

from srcgrad import grad
from srcgrad.errors import MissingFormulaError
from tests.coverage import AUTOGRAD, CLASSES, LIBRARIES, classes_of, table


@pytest.mark.parametrize("library", LIBRARIES)
def test_each_callable_is_in_one_class(library):
    """None is forgotten, and none has a formula and a reason to have none."""
    for name, classes in classes_of(library).items():
        assert len(classes) == 1, f"{library}.{name} is in the classes {classes}"
        assert classes[0] in CLASSES


def test_reason_in_the_message():
    """What is refused says why."""
    with pytest.raises(MissingFormulaError, match="as long as it is not 0"):
        grad(lambda x: np.sum(np.polydiv(x, x)[0]))(np.ones(2))
    with pytest.raises(MissingFormulaError, match="takes the numbers out"):
        grad(lambda x: x.tobytes())(np.ones(4))


def test_table():
    """The table counts all of them."""
    rows = [line.split("|") for line in table().splitlines()[2:]]
    counts = {row[1].strip(" `"): [int(cell) for cell in row[2:6]] for row in rows}
    assert sum(counts["math"]) == sum(callable(v) for k, v in vars(math).items() if k[0] != "_")
    assert sum(counts["operator"]) == len(operator.__all__)


def test_autograd():
    """The numbers for autograd are right, and those here are three times as many."""
    autograd = pytest.importorskip("autograd")
    if not version("autograd").startswith("1.9"):
        pytest.skip("the numbers are those of autograd 1.9")
    from autograd.core import primitive_vjps
    from autograd.numpy.numpy_boxes import ArrayBox

    for library in LIBRARIES:
        if library == "numpy.ndarray":
            known = [k for k, c in classes_of(library).items() if c != ["nondifferentiable"]]
            count = sum(hasattr(ArrayBox, name) for name in known)
        else:
            try:
                module = importlib.import_module(f"{autograd.__name__}.{library}")
            except ImportError:
                module = None
            found = [getattr(module, name, None) for name in LIBRARIES[library]()]
            count = sum(f in primitive_vjps for f in found if f is not None)
        assert AUTOGRAD.get(library, 0) == count, library
    total = table().splitlines()[-1].split("|")
    assert int(total[2]) >= 3 * sum(AUTOGRAD.values())
    assert int(total[2]) >= 3 * 193
