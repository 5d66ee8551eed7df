"""Lists of varying length that functions and methods are given, change and give back."""

import numpy as np

from tests.programs.table import program

X = np.array([0.3, 0.7, 1.1])

class Log:
    """A list that grows."""

    def __init__(self):
        self.entries = []

    def push(self, v):
        self.entries.append(v)

    def push_twice(self, v):
        self.push(v)
        self.push(v * v)

    def drop(self):
        return self.entries.pop()

    def mean(self):
        return sum(self.entries) / len(self.entries)

    def squares(self):
        total = 0.0
        for v in self.entries:
            total = total + v * v
        return total

    def scale(self, c):
        for k in range(len(self.entries)):
            self.entries[k] = self.entries[k] * c

    def all(self):
        return self.entries


@program(args=(X,), recorded2=True)
def in_straight_lines(x):
    log = Log()
    log.push(x[0] * x[0])
    m = log.mean()
    log.push(x[1] * m)
    n = log.mean()
    log.push(n * x[2])
    return m * n * log.mean()
