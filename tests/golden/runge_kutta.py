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
        k1, rate_residuals = rate_forward(state, growth, hunger)
        k2, rate_residuals2 = rate_forward(state + 0.5 * h * k1, growth, hunger)
        k3, rate_residuals3 = rate_forward(state + 0.5 * h * k2, growth, hunger)
        k4, rate_residuals4 = rate_forward(state + h * k3, growth, hunger)
        state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        diff = state - y
        saved.append((rate_residuals, rate_residuals2, rate_residuals3, rate_residuals4, diff))

    # runge_kutta.py:16  for y in observed:
    state_bar = np.zeros(state.shape)
    growth_bar = 0.0
    hunger_bar = 0.0
    for rate_residuals, rate_residuals2, rate_residuals3, rate_residuals4, diff in saved[::-1]:
        # runge_kutta.py:22  total += np.sum((state - y) ** 2)
        state_bar += 2 * diff
        # runge_kutta.py:21  state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        k4_bar = h / 6 * state_bar
        k3_bar2 = 2 * k4_bar
        # runge_kutta.py:20  k4 = rate(state + h * k3, growth, hunger)
        sum_bar, growth_term, hunger_term = rate_backward(rate_residuals4, k4_bar)
        growth_bar += growth_term
        hunger_bar += hunger_term
        state_bar += sum_bar
        k3_bar = k3_bar2 + h * sum_bar
        # runge_kutta.py:19  k3 = rate(state + 0.5 * h * k2, growth, hunger)
        sum_bar, growth_term, hunger_term = rate_backward(rate_residuals3, k3_bar)
        growth_bar += growth_term
        hunger_bar += hunger_term
        state_bar += sum_bar
        k2_bar = k3_bar2 + 0.5 * h * sum_bar
        # runge_kutta.py:18  k2 = rate(state + 0.5 * h * k1, growth, hunger)
        sum_bar, growth_term, hunger_term = rate_backward(rate_residuals2, k2_bar)
        growth_bar += growth_term
        hunger_bar += hunger_term
        state_bar += sum_bar
        k1_bar = k4_bar + 0.5 * h * sum_bar
        # runge_kutta.py:17  k1 = rate(state, growth, hunger)
        state_term, growth_term, hunger_term = rate_backward(rate_residuals, k1_bar)
        state_bar += state_term
        growth_bar += growth_term
        hunger_bar += hunger_term
    return growth_bar, hunger_bar, state_bar


def rate_forward(state, growth, hunger):
    """rate (runge_kutta.py:8), with what its backward function needs."""
    prey, predators = state
    return (
        np.array([prey * (growth - predators), predators * (prey - hunger)]),
        (state, prey, predators, hunger, growth),
    )


def rate_backward(residuals, value_bar):
    """Backward function of rate (runge_kutta.py:8)."""
    state, prey, predators, hunger, growth = residuals
    # runge_kutta.py:10  return np.array([prey * (growth - predators), predators * (prey - h ...
    prod_bar = value_bar[0]
    prod_bar2 = value_bar[1]
    prey_bar = prod_bar2 * predators
    hunger_bar = -prey_bar
    growth_bar = prod_bar * prey
    prey_bar += prod_bar * (growth - predators)
    predators_bar = prod_bar2 * (prey - hunger) - growth_bar
    # runge_kutta.py:9  prey, predators = state
    state_bar = np.zeros(state.shape)
    state_bar[1] = predators_bar
    state_bar[0] = prey_bar
    return state_bar, growth_bar, hunger_bar
