"""A number of Python's beside an array is as exact as the array, as NumPy takes it."""

import numpy as np
import pytest

from srcgrad import tape
from tests.in_memory import execute

# what NumPy gives in the precision of the array, and what it gives in double precision
EXPRESSIONS = (
    """
np.where(x > 0, x, 2.0)|np.where(x > 0, 1.5, x)|np.where(x > 0, x, x[0].item())
np.maximum(x, 2.0)|np.minimum(2.0, x)|np.add(x, 2.0)|np.power(x, 2.0)|np.true_divide(2.0, x)
np.clip(x, 0.0, 2.0)|x.clip(0.0, 2.0)|np.select([x > 0], [x], 2.0)|np.hypot(x, 2.0)
np.copysign(x, 2.0)|np.arctan2(x, 2.0)|np.linspace(x[0], 2.0, 3)|np.logaddexp(x, 1.0)
np.fmod(x, 2.0)|np.mod(x, 2.0)|divmod(x, 2.0)[1]|np.subtract.outer(x, 2.0)|x * 2.0|2.0**x
np.quantile(x, 0.3)|np.percentile(x, 30.0)|np.trapezoid(x, dx=0.3)|np.gradient(x, 0.3)
np.heaviside(x, 0.5) * x|np.add.reduce(x, initial=2.0)|np.full_like(x, 2.0) * x|np.r_[x, 2.0]
np.float_power(x, 2.0)|np.append(x, 2.0)|np.outer(x, 2.0)|np.dot(x, 2.0)|np.concatenate((x, [2.0]))
np.array([x[0], 2.0])|np.hstack((x, 2.0))|np.kron(x, 2.0)|np.inner(x, 2.0)|np.piecewise(
    x, [x > 0], [lambda v: v * 2.0, 0.0])
""".replace("\n    ", " ")
    .replace("\n", "|")
    .strip("|")
    .split("|")
)


def _function(expression):
    text, name = f"def f(x):\n    return {expression}\n", f"<precision {expression}>"
    space = execute(text, name, {"np": np})
    return space["f"]


@pytest.mark.parametrize("dtype", ["f4", ">f4", "f2"])
def test_values_and_gradients_have_the_dtype_of_the_program(dtype):
    """Values have the dtype that NumPy gives, gradients that of the argument."""
    x = np.array([0.4, 0.6, 0.9], dtype)
    for expression in EXPRESSIONS:
        f = _function(expression)
        value, backward = tape.vjp(f, x.copy())
        expected = f(x.copy())
        assert value.dtype.newbyteorder("=") == expected.dtype.newbyteorder("="), expression
        assert np.allclose(value, expected, rtol=2e-3 if dtype == "f2" else 1e-6), expression
        assert backward(np.ones_like(value)).dtype == x.dtype, expression
