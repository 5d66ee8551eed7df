"""A loop: forecasts by exponential smoothing with a trend (Holt's method)."""

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
    return 0.4, 0.2, [1.0, 1.3, 1.9, 2.2, 2.4, 3.1, 3.3]


derivative = grad(forecast_error, wrt=("alpha", "beta"))


# ------------------------------------------------------------------------------------------

import numpy as np
from srcgrad.runtime import require_scalar
from srcgrad.runtime import unbroadcast


def forecast_error_grad(alpha, beta, series):
    """Gradient of forecast_error (for_loop.py:6) with respect to (alpha, beta)."""
    level = series[0]
    trend = series[1] - series[0]
    total = 0.0
    saved = []
    for y in series[2:]:
        total_0 = total + 0
        sum = level + trend
        error = y - sum
        power = error ** 2
        total += power
        sum_ = level + trend
        prod = alpha * error
        new = sum_ + prod
        diff = new - level
        diff_ = diff - trend
        prod_ = beta * diff_
        saved.append((level, total_0, trend, sum, error, power, sum_, prod, new, diff, diff_, prod_))
        trend = trend + prod_
        level = new
    den = len(series)
    value = total / den
    require_scalar(value)

    # for_loop.py:16  return total / len(series)
    total_bar = unbroadcast(1.0 / den, total)
    # for_loop.py:10  for y in series[2:]:
    level_bar = np.zeros_like(level)
    trend_bar = np.zeros_like(trend)
    beta_bar = 0.0
    alpha_bar = 0.0
    for level, total_0, trend, sum, error, power, sum_, prod, new, diff, diff_, prod_ in saved[::-1]:
        # for_loop.py:14  trend = trend + beta * (new - level - trend)
        prod_bar = unbroadcast(trend_bar, prod_)
        diff_bar = prod_bar * beta
        beta_bar += unbroadcast(prod_bar * diff_, beta)
        diff_bar2 = unbroadcast(diff_bar, diff)
        trend_bar = unbroadcast(trend_bar, trend) + unbroadcast(-diff_bar, trend)
        level_bar2 = unbroadcast(-diff_bar2, level)
        new_bar = level_bar + unbroadcast(diff_bar2, new)
        # for_loop.py:13  new = level + trend + alpha * error
        sum_bar = unbroadcast(new_bar, sum_)
        prod_bar = unbroadcast(new_bar, prod)
        error_bar = prod_bar * alpha
        alpha_bar += unbroadcast(prod_bar * error, alpha)
        level_bar = level_bar2 + unbroadcast(sum_bar, level)
        trend_bar = trend_bar + unbroadcast(sum_bar, trend)
        # for_loop.py:12  total += error ** 2
        total_bar2 = unbroadcast(total_bar, total_0)
        error_bar = error_bar + 2 * unbroadcast(total_bar, power) * error
        # for_loop.py:11  error = y - (level + trend)
        sum_bar = unbroadcast(-error_bar, sum)
        level_bar = level_bar + unbroadcast(sum_bar, level)
        trend_bar = trend_bar + unbroadcast(sum_bar, trend)
        total_bar = total_bar2
    return alpha_bar, beta_bar
