"""Objects with methods: gradients with respect to what they hold."""

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
