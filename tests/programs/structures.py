"""Named tuples and dataclasses: as arguments, inside, and as results."""

import dataclasses
from typing import Any, NamedTuple

import numpy as np

from tests.programs.table import program


class State(NamedTuple):
    """Where something is, and how fast it moves."""

    x: Any
    v: Any
    mass: Any = 1.5

    def energy(self):
        return 0.5 * self.mass * np.sum(self.v**2)

@dataclasses.dataclass
class Layer:
    """Weights, and how many times to apply them."""

    w: Any
    b: Any
    times: int = 2
    f: Any = np.tanh

    def apply(self, x):
        for _ in range(self.times):
            x = self.f(self.w @ x + self.b)
        return x

    @property
    def size(self):
        return np.sum(self.w**2) + np.sum(self.b**2)

def state(rng):
    return State(rng.normal(size=3), rng.normal(size=3))

def square(rng):
    return Layer(rng.normal(size=(2, 2)), rng.normal(size=2))

@program(args=lambda rng: (state(rng), 0.2), wrt=(0, 1))
def named_tuple(s, dt):
    v = s.v - dt * np.sin(s.x)
    new = State(s.x + dt * v, v)
    return np.sum(new.x**2) * new.mass + s[0][0] * s.mass


@program(args=lambda rng: (square(rng), rng.normal(size=2)), label="large")
def in_a_branch(layer, x):
    if np.sum(x**2) > 1e-2:
        layer = dataclasses.replace(layer, b=layer.b * x)
    else:
        layer = Layer(layer.w, layer.b**2, times=2)
    return np.sum(layer.apply(x)) * layer.size

@program(args=lambda rng: (square(rng),))
def asked_about(layer):
    total = np.sum(layer.w)
    if isinstance(layer, Layer) and hasattr(layer, "b"):
        total = total * np.sum(getattr(layer, "b") ** 2)
    return total * getattr(layer, "missing", 2.0)


@program(args=lambda rng: (rng.normal(size=3),))
def blocks_of_vectors_and_matrices(x):
    m = np.block([[x[:2]], [np.outer(x[1:], x[1:])]])
    row = np.block([[np.eye(2), x[:2, None]], [x[:2], 1.0]])
    return np.sum(m**2) + np.sum(row @ x)
