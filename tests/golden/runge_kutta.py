"""An integrator: predators and prey, by the classical Runge-Kutta method."""

import numpy as np

from srcgrad import grad


def rate(state, growth, hunger):
    prey, predators = state
    return np.array([prey * (growth - predators), predators * (prey - hunger)])


def misfit(growth, hunger, start, observed, h):
    state = start
    total = 0.0
    for y in observed:
        k1 = rate(state, growth, hunger)
        k2 = rate(state + 0.5 * h * k1, growth, hunger)
        k3 = rate(state + 0.5 * h * k2, growth, hunger)
        k4 = rate(state + h * k3, growth, hunger)
        state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        total += np.sum((state - y) ** 2)
    return total


def arguments():
    rng = np.random.default_rng(7)
    return 1.1, 0.9, np.array([1.5, 0.7]), rng.uniform(0.5, 2.0, (4, 2)), 0.2


derivative = grad(misfit, wrt=("growth", "hunger", "start"))


# ------------------------------------------------------------------------------------------

def misfit_grad(growth, hunger, start, observed, h):
    """Gradient of misfit (runge_kutta.py:13) with respect to (growth, hunger, start)."""
    state = start
    saved = []
    for y in observed:
        k1, rate_residuals_4 = rate_forward_2(state, growth, hunger)
        k2, rate_residuals_3 = rate_forward(state + 0.5 * h * k1, growth, hunger)
        k3, rate_residuals_ = rate_forward(state + 0.5 * h * k2, growth, hunger)
        k4, rate_residuals = rate_forward(state + h * k3, growth, hunger)
        ratio = h / 6
        state = state + ratio * (k1 + 2 * k2 + 2 * k3 + k4)
        diff = state - y
        saved.append((ratio, diff, rate_residuals, rate_residuals_, rate_residuals_3, rate_residuals_4))

    # runge_kutta.py:16  for y in observed:
    state_bar = np.zeros_like(state)
    total_bar = 1.0
    growth_bar = 0.0
    hunger_bar = 0.0
    for ratio, diff, rate_residuals, rate_residuals_, rate_residuals_3, rate_residuals_4 in saved[::-1]:
        # runge_kutta.py:22  total += np.sum((state - y) ** 2)
        state_bar += 2 * total_bar * diff
        # runge_kutta.py:21  state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        sum_bar = state_bar * ratio
        k3_bar = 2 * sum_bar
        # runge_kutta.py:20  k4 = rate(state + h * k3, growth, hunger)
        sum_bar2, term2, term = rate_backward(rate_residuals, sum_bar)
        growth_bar += term2
        hunger_bar += term
        state_bar = state_bar + sum_bar2
        k3_bar2 = k3_bar + sum_bar2 * h
        # runge_kutta.py:19  k3 = rate(state + 0.5 * h * k2, growth, hunger)
        sum_bar2, term2, term = rate_backward(rate_residuals_, k3_bar2)
        growth_bar += term2
        hunger_bar += term
        state_bar += sum_bar2
        k2_bar = k3_bar + sum_bar2 * (0.5 * h)
        # runge_kutta.py:18  k2 = rate(state + 0.5 * h * k1, growth, hunger)
        sum_bar2, term2, term = rate_backward(rate_residuals_3, k2_bar)
        growth_bar += term2
        hunger_bar += term
        state_bar += sum_bar2
        k1_bar = sum_bar + sum_bar2 * (0.5 * h)
        # runge_kutta.py:17  k1 = rate(state, growth, hunger)
        term3, term2, term = rate_backward_2(rate_residuals_4, k1_bar)
        state_bar += term3
        growth_bar += term2
        hunger_bar += term
    return growth_bar, hunger_bar, state_bar


def rate_forward(state, growth, hunger):
    """rate (runge_kutta.py:8), with what its backward function needs."""
    prey, predators = state
    return np.array([prey * (growth - predators), predators * (prey - hunger)]), (predators, prey, state, hunger, growth)


def rate_backward(residuals, value_bar):
    """Backward function of rate (runge_kutta.py:8)."""
    predators, prey, state, hunger, growth = residuals
    # runge_kutta.py:10  return np.array([prey * (growth - predators), predators * (prey - h ...
    prod_bar = value_bar[0]
    prod_bar2 = value_bar[1]
    diff_bar = prod_bar2 * predators
    hunger_bar = -diff_bar
    diff_bar2 = prod_bar * prey
    prey_bar = diff_bar + prod_bar * (growth - predators)
    predators_bar = prod_bar2 * (prey - hunger) - diff_bar2
    # runge_kutta.py:9  prey, predators = state
    state_bar = np.zeros_like(state)
    state_bar[1] = predators_bar
    state_bar[0] += prey_bar
    return state_bar, diff_bar2, hunger_bar


def rate_forward_2(state, growth, hunger):
    """rate (runge_kutta.py:8), with what its backward function needs."""
    prey, predators = state
    return np.array([prey * (growth - predators), predators * (prey - hunger)]), (predators, prey, state, hunger, growth)


def rate_backward_2(residuals, value_bar):
    """Backward function of rate (runge_kutta.py:8)."""
    predators, prey, state, hunger, growth = residuals
    # runge_kutta.py:10  return np.array([prey * (growth - predators), predators * (prey - h ...
    prod_bar = value_bar[0]
    prod_bar2 = value_bar[1]
    diff_bar = prod_bar2 * predators
    hunger_bar = -diff_bar
    diff_bar2 = prod_bar * prey
    prey_bar = diff_bar + prod_bar * (growth - predators)
    predators_bar = prod_bar2 * (prey - hunger) - diff_bar2
    # runge_kutta.py:9  prey, predators = state
    state_bar = np.zeros_like(state)
    state_bar[1] = predators_bar
    state_bar[0] += prey_bar
    return state_bar, diff_bar2, hunger_bar
