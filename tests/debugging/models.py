"""Functions that are looked at while they run."""

import numpy as np

from srcgrad import differentiate, grad


@differentiate(wrt=("W1", "b1"))
def mlp(W1, b1, W2, x, y):
    # hidden layer
    h = np.maximum(x @ W1 + b1, 0)
    r = h @ W2 - y
    return np.mean(r**2)


def recurrent(w, x):
    h = np.zeros(2)
    for k in range(len(x)):
        h = w * h + x[k]
    return np.sum(h * h)


def damped(h, k):
    for _ in range(2):
        if h.sum() > 1:
            h = np.tanh(h) * k
        else:
            h = h * h
    return h


def outer(x, k):
    h = damped(x, k)
    u = np.sum(h)
    return u * u


def logarithm(x):
    return np.sum(np.log(x) ** 2)


def second(x):
    s = grad(logarithm)(x)
    return np.sum(s**2)


class Layer:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return np.tanh(x * self.w)


def recorded(x, names):
    h = {name: Layer(0.5)(x) for name in iter(names)}
    return np.sum(h[names[0]])


DIGITS = np.random.default_rng(0)
ARGUMENTS = (
    DIGITS.normal(size=(4, 5)),
    np.zeros(5),
    DIGITS.normal(size=(5, 2)),
    DIGITS.normal(size=(8, 4)),
    DIGITS.normal(size=(8, 2)),
)
