"""Objects with methods: gradients with respect to what they hold."""

from typing import ClassVar

import numpy as np

from tests.programs.table import program


class Dense:
    """A layer; its activation and its sizes are not differentiated."""

    gain = 1.5

    def __init__(self, w, b, activation=np.tanh):
        self.w = w
        self.b = b
        self.activation = activation
        self.inputs = w.shape[1]

    def __call__(self, x):
        return self.activation(self.preactivation(x)) * self.gain

    def preactivation(self, x):
        return self.w @ x + self.b

    @property
    def penalty(self):
        return np.sum(self.w**2) / self.inputs

    @staticmethod
    def squash(x):
        return x / (1 + x**2)

class Residual(Dense):
    """A layer that adds its input."""

    gain = 0.5

    def preactivation(self, x):
        return super().preactivation(x) ** 2 + x

    def __call__(self, x):
        return x + super().__call__(x)

class Network:
    """Layers one after the other."""

    def __init__(self, *layers):
        self.layers = list(layers)
        self.scale = 0.8

    def predict(self, x):
        for layer in self.layers:
            x = layer(x)
        return x * self.scale

    def loss(self, x, y):
        r = self.predict(x) - y
        return np.sum(r**2) + 0.1 * sum(layer.penalty for layer in self.layers)

def dense(rng, kind=Dense):
    return kind(rng.normal(size=(2, 2)), rng.normal(size=2))

def network(rng):
    return Network(dense(rng), dense(rng, Residual), Dense(np.eye(2), np.zeros(2), np.sin))

def pair(rng):
    return rng.normal(size=2)


NET = network(np.random.default_rng(3))

FUNCTIONS = [np.sin, Dense.squash, NET.layers[0]]

@program(args=lambda rng: (pair(rng),))
def global_list_of_functions(x):
    for f in FUNCTIONS:
        x = f(x) * 2.0
    predict = NET.predict
    return np.sum(predict(x))


class Layout:
    """Tables of names, of shapes and of what is taken by default, which a class has."""

    names: ClassVar = ["w", "b"]
    shapes: ClassVar = [("w", (2, 1)), ("b", (1,))]
    defaults: ClassVar = {"rate": 0.3, "decay": 0.9}

    def __init__(self, **options):
        for key, value in self.defaults.items():
            setattr(self, key, options.get(key, value))

    def parts(self, theta):
        made, at = {}, 0
        for name, shape in self.shapes:
            count = int(np.prod(shape))
            made[name] = theta[at : at + count].reshape(shape)
            at += count
        return made

    def total(self, theta):
        held = self.parts(theta)
        total = 0.0
        for k, name in enumerate(self.names):
            total = total + self.rate * np.sum(held[name] ** (k + 2))
        return total * self.decay


LAYOUT = Layout()


@program(args=(np.array([0.3, 0.7, 0.4]),))
def tables_of_a_class(theta):
    return LAYOUT.total(theta) + Layout(rate=theta[0]).total(theta)
