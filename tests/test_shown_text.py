"""What is shown of decorated functions, and of those that no module holds."""

import linecache

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


def test_function_without_a_module():
    """A function made by exec has no module, and shows its derivative all the same."""
    text = "def double(x):\n    return 2.0 * x * x\n"
    file = "<made by exec>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space = {}
    exec(compile(text, file, "exec"), space)
    assert space["double"].__module__ in (None, "builtins")
    made = differentiate(wrt="x")(space["double"])
    assert made.grad(3.0) == 12.0
    assert "def double_grad" in made.source("grad")
