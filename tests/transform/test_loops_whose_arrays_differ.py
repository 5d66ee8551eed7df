"""Random loops whose arrays have another shape in each iteration, in every mode."""

import random

import numpy as np
import pytest

from srcgrad import grad, hvp, jvp, tape, vjp
from tests.in_memory import execute

OPERATIONS = (
    "h = h @ np.ones((h.shape[-1], {m})) * 0.3 * p[{k}]",
    "h = h + np.ones(({m}, 1)) * p[{k}]",
    "h = np.where(h > 0.2, h, 0.1 * h)",
    "h = np.where(h > 0.1, h * p[{k}], h * h)",
    "h = h[..., 1:] if h.shape[-1] > 2 else h",
    "h = np.concatenate((h, h[..., :1]), axis=-1)",
    "h = np.maximum(h, 0.1 * h * p[{k}])",
    "z = np.sin(h); h = z * h",
    "h = h - h.mean(axis=-1, keepdims=True)",
    "h = h.T.copy()",
    "h = h[:1] + h",
    "h = np.atleast_2d(h)",
    "u = h * 2; h = np.where(u > 1, u, h)",
    "h = np.clip(h, -1.0, 1.5) * h",
    "h = h / (1 + h * h)",
    "h = np.outer(h.ravel()[:3], h.ravel()[:2])",
    "y = y + np.sum(np.tanh(h))",
    "h = h.sum(axis=0) * p[{k}] if h.ndim == 2 and h.shape[0] > 1 else h",
    "g = h; h = np.where(g > 0.3, np.sqrt(np.abs(g) + 1), g); y = y + np.sum(g) * 0.1",
)
DIRECTION = np.array([0.3, -0.5, 0.8])


def program(seed):
    """Return a random loop, and the arguments of its function."""
    choice = random.Random(seed)
    lines = [
        "        "
        + choice.choice(OPERATIONS).format(m=choice.randint(1, 4), k=choice.randint(0, 2))
        for _ in range(choice.randint(2, 5))
    ]
    head = ["def f(p, x, n):", "    h = x * p[0]", "    y = 0.0", "    for _ in range(n):"]
    text = "\n".join([*head, *lines, "    return y + np.sum(h * h)", ""])
    filename = f"<loop {seed}>"
    space = execute(text, filename, {"np": np})
    x = np.cos(np.arange(6.0)).reshape(2, 3) if choice.random() < 0.6 else np.cos(np.arange(4.0))
    return space["f"], (np.array([0.7, 1.1, 0.4]), x, choice.randint(0, 3))


def slope(f, args, step):
    """The central difference of a function along the direction."""
    p, *rest = args
    return (f(p + step * DIRECTION, *rest) - f(p - step * DIRECTION, *rest)) / (2 * step)


@pytest.mark.one_of(144)
@pytest.mark.parametrize("seed", range(480))
def test_in_every_mode(seed):
    """Derivatives are those of differences, and of the tape."""
    f, args = program(seed)
    try:
        expected, nearer = slope(f, args, 1e-5), slope(f, args, 1e-6)
    except (ValueError, IndexError):
        return  # the program itself raises
    if not abs(expected - nearer) < 1e-5 * max(1, abs(expected)):
        return  # it jumps, or bends, here
    rest = args[1:]
    near = {"rtol": 1e-4, "atol": 1e-5}
    np.testing.assert_allclose(grad(f)(*args) @ DIRECTION, expected, **near)
    np.testing.assert_allclose(vjp(f, *args)[1](1.0) @ DIRECTION, expected, **near)
    np.testing.assert_allclose(jvp(f, args, (DIRECTION, None, None))[1], expected, **near)
    of_x = tape.grad(f, wrt=1)(*args)
    for optimize in ("readable", "speed"):
        found = grad(f, wrt=1, optimize=optimize)(*args)
        assert found.shape == of_x.shape
        np.testing.assert_allclose(found, of_x, rtol=1e-9, atol=1e-12)
    second = slope(lambda p, *_: grad(f)(p, *rest), args, 1e-6)
    np.testing.assert_allclose(hvp(f)(*args, DIRECTION), second, rtol=1e-4, atol=1e-4)
