"""Straight-line code of numbers: the pressure of a van der Waals gas."""

import math

from srcgrad import grad

R = 8.314


def pressure(V, T, n, a, b):
    repulsion = n * R * T / (V - n * b)
    attraction = a * (n / V) ** 2
    return repulsion - attraction * math.exp(-b * n / V)


def arguments():
    return 0.02, 300.0, 1.5, 0.14, 3.9e-5


derivative = grad(pressure, wrt=("V", "T"))


# ------------------------------------------------------------------------------------------

def pressure_grad(V, T, n, a, b):
    """Gradient of pressure (straight_line.py:10) with respect to (V, T)."""
    repulsion = n * R * T / (V - n * b)
    ratio = n / V
    attraction = a * ratio ** 2
    exp = math.exp(-b * n / V)

    # straight_line.py:13  return repulsion - attraction * math.exp(-b * n / V)
    V_bar = attraction * exp / V * (-b * n / V)
    # straight_line.py:12  attraction = a * (n / V) ** 2
    V_bar += 2 * exp * a * ratio / V * ratio
    # straight_line.py:11  repulsion = n * R * T / (V - n * b)
    V_bar -= repulsion / (V - n * b)
    T_bar = n * R / (V - n * b)
    return V_bar, T_bar
