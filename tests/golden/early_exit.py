"""An early exit: Kepler's equation, iterated until it is solved."""

import math

from srcgrad import grad


def eccentric_anomaly(M, e):
    E = M
    for _ in range(50):
        error = E - e * math.sin(E) - M
        if abs(error) < 1e-12:
            break
        E = E - error / (1 - e * math.cos(E))
    return E


def arguments():
    return 0.8, 0.3


derivative = grad(eccentric_anomaly, wrt=("M", "e"))


# ------------------------------------------------------------------------------------------

def eccentric_anomaly_grad(M, e):
    """Gradient of eccentric_anomaly (early_exit.py:8) with respect to (M, e)."""
    E = M
    saved = []
    saved2 = []
    for _ in range(50):
        sin_E = math.sin(E)
        error = E - e * sin_E - M
        cond = abs(error) < 1e-12
        saved2.append((E, sin_E, cond))
        if cond:
            break
        cos_E = math.cos(E)
        ratio = error / (1 - e * cos_E)
        saved.append((cos_E, ratio))
        E = E - ratio

    E_bar = 1.0
    e_bar = 0.0
    M_bar = 0.0
    for E, sin_E, cond in saved2[::-1]:
        if cond:
            error_bar = 0.0
        else:
            cos_E, ratio = saved.pop()
            # early_exit.py:14  E = E - error / (1 - e * math.cos(E))
            error_bar = -E_bar / (1 - e * cos_E)
            prod_bar = error_bar * ratio
            e_bar += prod_bar * cos_E
            E_bar -= prod_bar * e * math.sin(E)
        # early_exit.py:11  error = E - e * math.sin(E) - M
        M_bar -= error_bar
        e_bar -= error_bar * sin_E
        E_bar = E_bar + error_bar - error_bar * e * math.cos(E)
    # early_exit.py:10  for _ in range(50):
    M_bar += E_bar
    return M_bar, e_bar
