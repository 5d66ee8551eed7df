"""Hares and lynxes: a differential equation fitted through its own solver.

The Lotka-Volterra equations are integrated by the classical Runge-Kutta method,
and the four rates and the two initial populations are fitted by the gradient of
the misfit, taken through every step of the integration.

Data: the pelts (in thousands) that the Hudson's Bay Company collected each year
from 1900 to 1920; C. Elton and M. Nicholson, "The ten-year cycle in numbers of
the lynx in Canada", Journal of Animal Ecology 11 (1942).
"""

import math

import numpy as np
from scipy.optimize import minimize

from srcgrad import differentiate

# fmt: off
HARES = np.array([
    30.0, 47.2, 70.2, 77.4, 36.3, 20.6, 18.1, 21.4, 22.0, 25.4, 27.1,
    40.3, 57.0, 76.6, 52.3, 19.5, 11.2, 7.6, 14.6, 16.2, 24.7,
])
LYNXES = np.array([
    4.0, 6.1, 9.8, 35.2, 59.4, 41.7, 19.0, 13.0, 8.3, 9.1, 7.4,
    8.0, 12.3, 19.5, 45.7, 51.1, 29.7, 15.8, 9.7, 10.1, 8.6,
])
# fmt: on


def growth(prey, predators, rates):
    """Return the change of both populations per year."""
    birth, hunting, death, feeding = rates
    return (
        prey * (birth - hunting * predators),
        predators * (feeding * prey - death),
    )


def runge_kutta(prey, predators, rates, h):
    """Return both populations after one step of h years."""
    a1, b1 = growth(prey, predators, rates)
    a2, b2 = growth(prey + h / 2 * a1, predators + h / 2 * b1, rates)
    a3, b3 = growth(prey + h / 2 * a2, predators + h / 2 * b2, rates)
    a4, b4 = growth(prey + h * a3, predators + h * b3, rates)
    return (
        prey + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4),
        predators + h / 6 * (b1 + 2 * b2 + 2 * b3 + b4),
    )


@differentiate(wrt="logs")
def misfit(logs, hares, lynxes, substeps):
    """Return the mean squared error of the logarithms of the populations.

    Args:
        logs: logarithms of the four rates, then of the initial populations.
        hares: observed prey, one number a year.
        lynxes: observed predators, one number a year.
        substeps: steps of integration from one year to the next.
    """
    rates = np.exp(logs[:4])
    prey = math.exp(logs[4])
    predators = math.exp(logs[5])
    total = 0.0
    for hare, lynx in zip(hares, lynxes):
        total += math.log(prey / hare) ** 2 + math.log(predators / lynx) ** 2
        for _ in range(substeps):
            prey, predators = runge_kutta(prey, predators, rates, 1 / substeps)
    return total / (2 * len(hares))


def main(years=21, substeps=10, iterations=100):
    """Fit the equations and return the figures that are printed.

    Args:
        years: how many of the 21 years to fit.
        substeps: steps of integration from one year to the next.
        iterations: the most steps that the optimiser takes.

    Returns:
        A dict with the misfit before and after, the four rates, and the two
        initial populations.
    """
    observed = HARES[:years], LYNXES[:years], substeps
    start = np.log([0.5, 0.03, 0.8, 0.03, HARES[0], LYNXES[0]])
    result = minimize(
        misfit.value_and_grad,
        start,
        args=observed,
        method="L-BFGS-B",
        jac=True,
        options={"maxiter": iterations},
    )
    before, after = float(misfit(start, *observed)), float(result.fun)
    birth, hunting, death, feeding, prey, predators = np.exp(result.x).tolist()
    print(f"misfit {before:.4f} before, {after:.4f} after {result.nit} iterations")
    print(f"hares:  birth   {birth:.3f}  hunted  {hunting:.4f}  in 1900 {prey:.1f}")
    print(f"lynxes: feeding {feeding:.4f} death {death:.3f}   in 1900 {predators:.1f}")
    return {
        "before": before,
        "after": after,
        "rates": (birth, hunting, death, feeding),
        "initial": (prey, predators),
    }


if __name__ == "__main__":
    main()
