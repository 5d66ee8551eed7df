"""Models of many fields, whose classes, options and data change between two calls."""

import functools
import operator

import numpy as np

from tests.realistic.table import program


class Pose:
    __slots__ = ("R", "t")

    def __init__(self, R, t):
        self.R, self.t = (R, t)

    def __matmul__(self, o):
        return Pose(self.R @ o.R, self.R @ o.t + self.t)

    @classmethod
    def joint(cls, th, l):
        c, s = (np.cos(th), np.sin(th))
        return cls(np.array([[c, -s], [s, c]]), np.array([l * c, l * s]))

class Arm:
    lengths = [1.0, 0.8, 0.5]

    def __init__(self):
        self._q = None
        self.n_set = 0

    @property
    def q(self):
        return self._q

    @q.setter
    def q(self, v):
        self._q = np.clip(v, -2.0, 2.0)
        self.n_set += 1

    def tip(self):
        return functools.reduce(
            operator.matmul, (Pose.joint(a, l) for a, l in zip(self.q, self.lengths))
        ).t

@program(
    lambda rng: (np.array([0.3, -0.4, 2.5]), np.array([1.0, 1.0])),
    changes=(
        lambda args: Arm.lengths.__setitem__(1, 1.5),
        lambda args: setattr(Arm, "lengths", [0.5, 0.5, 0.5]),
        lambda args: (np.array([0.1, 0.2]), *args[1:]),
    ),
)
def ik(q, target):
    a = Arm()
    a.q = q
    e = a.tip() - target
    return e @ e + 0.01 * np.sum(a.q**2) + 0.0 * a.n_set
