"""Assignments and arithmetic, without control flow."""


from tests.programs.table import program


@program(args=(1.3,), tags=("third",))
def polynomial(x):
    return 3 * x**3 - 2 * x**2 + x - 5


@program(args=(1.2,), tags=("third",))
def negative_and_fractional_powers(x):
    return x**-2 + x**0.5 - x**-1.5 + x**0 + x**1
