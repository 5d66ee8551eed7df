"""A loop: forecasts by exponential smoothing with a trend (Holt's method)."""

import numpy as np

from srcgrad import grad


def forecast_error(alpha, beta, series):
    level = series[0]
    trend = series[1] - series[0]
    total = 0.0
    for y in series[2:]:
        error = y - (level + trend)
        total += error ** 2
        new = level + trend + alpha * error
        trend = trend + beta * (new - level - trend)
        level = new
    return total / len(series)


def arguments():
    return 0.4, 0.2, np.array([1.0, 1.3, 1.9, 2.2, 2.4, 3.1, 3.3])


derivative = grad(forecast_error, wrt=("alpha", "beta"))


# ------------------------------------------------------------------------------------------

def forecast_error_grad(alpha, beta, series):
    """Gradient of forecast_error (for_loop.py:8) with respect to (alpha, beta)."""
    level = series[0]
    trend = series[1] - series[0]
    saved = []
    for y in series[2:]:
        error = y - (level + trend)
        new = level + trend + alpha * error
        diff = new - level - trend
        saved.append((error, diff))
        trend = trend + beta * diff
        level = new
    den = len(series)

    level_bar = 0.0
    trend_bar = 0.0
    beta_bar = 0.0
    alpha_bar = 0.0
    for error, diff in saved[::-1]:
        # for_loop.py:16  trend = trend + beta * (new - level - trend)
        diff_bar = trend_bar * beta
        beta_bar += trend_bar * diff
        trend_bar -= diff_bar
        new_bar = level_bar + diff_bar
        # for_loop.py:15  new = level + trend + alpha * error
        error_bar = new_bar * alpha
        alpha_bar += new_bar * error
        level_bar = new_bar - diff_bar
        trend_bar += new_bar
        # for_loop.py:14  total += error ** 2
        error_bar += 2.0 / den * error
        # for_loop.py:13  error = y - (level + trend)
        sum_bar = -error_bar
        level_bar += sum_bar
        trend_bar += sum_bar
    return alpha_bar, beta_bar
