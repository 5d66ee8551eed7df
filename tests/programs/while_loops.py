"""While loops, with conditions on counters and on the values themselves."""

from tests.programs.table import program


@program(args=(0.9,))
def while_in_for(x):
    total = 0.0
    for k in range(1, 4):
        y = x * k
        while y > 0.5:
            y = y * 0.6
        total = total + y**2
    return total

@program(args=(1.7,))
def walrus_in_the_condition(x):
    while (excess := x**2 - 1.5) > 0.1:
        x = x - 0.4 * excess / (2 * x)
    return x**3
