"""The text of a decorated function's ``jvp`` is that of its last call, as for the other kinds."""

import numpy as np

from srcgrad import differentiate


def test_source_of_the_last_call():
    """With the numbers of axes known, no axes are summed that may have been added."""

    @differentiate(wrt="x")
    def inverse(x):
        return np.sum(np.linalg.inv(x)) * np.std(x)

    x = np.eye(2) + 0.1
    slope = inverse.jvp((x,), (x,))[1]
    text = inverse.source("jvp")
    assert "inv_x @ x_dot @ inv_x" in text or "x_dot @ inv_x" in text
    assert "unbroadcast" not in text
    space = {"np": np}
    exec(compile(text, "<shown>", "exec"), space)
    np.testing.assert_allclose(space["inverse_jvp"](x, x)[1], slope)
