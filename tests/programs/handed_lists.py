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


def mean(values):
    return sum(values) / len(values)


def push(values, v):
    values.append(v)


def push_to_log(log, v):
    log.entries.append(v)


@program(args=(X,))
def in_straight_lines(x):
    log = Log()
    log.push(x[0] * x[0])
    m = log.mean()
    log.push(x[1] * m)
    n = log.mean()
    log.push(n * x[2])
    return m * n * log.mean()


@program(args=(X,))
def under_another_name(x):
    log = Log()
    for v in x:
        log.push_twice(v)
    entries = log.entries
    log.push(x[0])
    product = entries[0] * entries[-1] * len(entries)
    last = log.drop()
    return product + last * entries[-1]


@program(args=(X,))
def by_a_function(x):
    log = Log()
    for v in x:
        push_to_log(log, v * v)
    log.all().append(x[0] * x[1])
    return log.entries[-1] * log.squares()


@program(args=(X,))
def given_back_and_changed(x):
    log = Log()
    for v in x:
        log.push(v)
    entries = log.all()
    entries.append(x[0] * x[1])
    return log.entries[-1] * sum(log.entries)


@program(args=(X,))
def of_arrays(x):
    log = Log()
    for v in x:
        log.push(v * x)
    return np.sum(log.entries[0] * log.entries[2]) + np.sum(np.stack(log.entries) ** 2)


def appended(values, others, v):
    values.append(v)
    return others[0] * v


@program(args=(X,))
def two_lists_in_turn(x):
    first, second = [], []
    first.append(x[0])
    second.append(x[1])
    y = appended(first, second, x[2])
    z = appended(second, first, x[0])
    return y * z * first[-1] * second[-1]
