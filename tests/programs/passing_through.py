"""Statements that have no derivative and must go on working: print, assert, with, del, …"""


import numpy as np

from tests.programs.table import program


@program(args=(1.4,), label="goes on")
def return_in_a_with(x):
    with np.errstate(over="ignore"):
        y = np.exp(x)
        if y < 2:
            return y * x
        y = y / 2
    return y
