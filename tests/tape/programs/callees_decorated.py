"""Programs whose local functions have decorators, and caches that count."""

import enum
import functools

import numpy as np

class Flags(enum.IntFlag):
    READ = 1
    WRITE = 2

class Whole(int):
    pass

def wrapped(x):
    def counted(fn):
        @functools.wraps(fn)
        def run(*args):
            calls.append(args[0])
            return fn(*args) * len(calls)
        return run
    calls = []
    @counted
    def g(t): return t * t
    return g(x[0]) + g(x[1]) + calls[1]


def local_class_decorated(x):
    def named(cls):
        cls.k = 3.0
        return cls
    @named
    class A:
        k = 2.0
        def __init__(self, v): self.v = v
    return A(x[0]).v * A(x[1]).k

def flags_as_numbers(x):
    return np.sum(x * x) * (Flags.READ | Flags.WRITE) + x[0] ** Whole(3) + x[1] / Whole(2)
