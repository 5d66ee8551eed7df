"""Machine learning: Gaussian processes, trees."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np
from scipy.special import expit

from tests.realistic.table import program

# --- kernels with operators, a GP regressor in the style of scikit-learn ---------------------

class Kernel(ABC):
    def __add__(self, other):
        return Combination(add, self, other)

    def __mul__(self, other):
        return Combination(mul, self, other if isinstance(other, Kernel) else Constant(other))

    __rmul__ = __mul__

    @abstractmethod
    def __call__(self, X, Y=None): ...

    def diag(self, X):
        return np.diag(self(X))

class Constant(Kernel):
    def __init__(self, value):
        self.value = value

    def __call__(self, X, Y=None):
        return np.full((len(X), len(X if Y is None else Y)), self.value)


class Combination(Kernel):
    def __init__(self, op, *kernels):
        self.op, self.kernels = op, kernels

    def __call__(self, X, Y=None):
        return reduce(self.op, (k(X, Y) for k in self.kernels))


# --- soft trees: recursion over nodes of a class, memo of routing ------------------------------

@dataclass
class Node:
    w: Any = None
    b: float = 0.0
    left: "Node" = None
    right: "Node" = None
    value: float = 0.0
    visits: int = field(default=0, compare=False)

    @property
    def is_leaf(self):
        return self.left is None

    def predict(self, x):
        self.visits += 1
        if self.is_leaf:
            return self.value
        g = expit(self.w @ x + self.b)
        return g * self.left.predict(x) + (1 - g) * self.right.predict(x)

    def __iter__(self):
        yield self
        if not self.is_leaf:
            yield from self.left
            yield from self.right

def _tree(rng, depth):
    if depth == 0:
        return Node(value=float(rng.normal()))
    return Node(rng.normal(size=2), float(rng.normal()), _tree(rng, depth - 1), _tree(rng, depth - 1))

@program(lambda rng: (_tree(rng, 2), rng.normal(size=(6, 2)), rng.normal(size=6)))
def soft_tree_loss(tree, X, y):
    pred = np.array([tree.predict(x) for x in X])
    penalty = sum(node.w @ node.w for node in tree if not node.is_leaf)
    leaves = [node.value for node in tree if node.is_leaf]
    return np.mean((pred - y) ** 2) + 0.01 * penalty + 0.01 * np.var(leaves)
