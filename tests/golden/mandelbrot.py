"""Points of a grid that are let go once they are far out, in an array that gets another shape."""

import numpy as np

from srcgrad import grad


def far_out(corner, step):
    i, j = np.mgrid[0:4, 0:5]
    C = corner + step * (i - 0.5 * j)
    C.shape = 20
    Z = np.zeros(20)
    for _ in range(3):
        Z = Z * Z + C
        inside = np.abs(Z) < 1.5
        Z, C = Z[inside], C[inside]
    return np.sum(Z)


def arguments():
    return -0.3, 0.25


derivative = grad(far_out, wrt=("corner", "step"))


# ------------------------------------------------------------------------------------------

from srcgrad.runtime import unbroadcast


def far_out_grad(corner, step):
    """Gradient of far_out (mandelbrot.py:8) with respect to (corner, step)."""
    i, j = np.mgrid[0:4, 0:5]
    diff = i - 0.5 * j
    C = corner + step * diff
    C_0 = C
    C = C.reshape(20)
    Z = np.zeros(20)
    saved = []
    for _ in range(3):
        Z_0 = Z
        prod = Z * Z
        Z = prod + C
        inside = np.abs(Z) < 1.5
        saved.append((Z_0, C, prod, Z, inside))
        Z, C = Z[inside], C[inside]

    # mandelbrot.py:17  return np.sum(Z)
    Z_bar = np.ones_like(Z)
    # mandelbrot.py:13  for _ in range(3):
    C_bar = np.zeros_like(C)
    for Z_0, C, prod, Z, inside in saved[::-1]:
        # mandelbrot.py:16  Z, C = Z[inside], C[inside]
        C_bar2 = np.zeros_like(C)
        C_bar2[inside] = C_bar
        Z_bar2 = np.zeros_like(Z)
        Z_bar2[inside] = Z_bar
        # mandelbrot.py:14  Z = Z * Z + C
        C_bar2 += unbroadcast(Z_bar2, C)
        Z_bar = 2 * unbroadcast(Z_bar2, prod) * Z_0
        C_bar = C_bar2
    # mandelbrot.py:11  C.shape = 20
    C_bar = C_bar.reshape(C_0.shape)
    # mandelbrot.py:10  C = corner + step * (i - 0.5 * j)
    corner_bar = C_bar.sum()
    step_bar = (C_bar * diff).sum()
    return corner_bar, step_bar
