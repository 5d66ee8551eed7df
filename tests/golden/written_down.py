"""Gradient descent that shows each step to a function, which writes down what it sees."""

import numpy as np

from srcgrad import grad


def height(x):
    return np.sum(x**2) + np.cos(x[0])


def descend(f, x, steps, show=None):
    for k in range(steps):
        x = x - 0.1 * f(x) * x
        if show is not None:
            show(k, x)
    return x


def study(x):
    tops, lowest = [], np.inf

    def look(k, x):
        nonlocal lowest
        tops.append(np.max(x))
        if height(x) < lowest:
            lowest = height(x)

    end = descend(height, x, 5, show=look)
    return np.sum(end) + np.mean(tops) + lowest


def arguments():
    return (np.array([0.5, 1.5, -0.5]),)


derivative = grad(study)


# ------------------------------------------------------------------------------------------

def study_grad(x):
    """Gradient of study (written_down.py:20) with respect to x."""
    tops, lowest = [], [np.inf]

    def look(k, x):
        tops.append(np.max(x))
        if height(x) < lowest[0]:
            lowest[0] = height(x)

    end, descend_residuals = descend_forward(height, x, 5, show=look, show_lowest=lowest, show_tops=tops)
    array_show_tops = np.array(tops)

    # written_down.py:30  return np.sum(end) + np.mean(tops) + lowest
    show_tops_bar = list(np.full_like(array_show_tops, 1.0 / max(array_show_tops.size, 1)))
    end_bar = np.ones_like(end)
    # written_down.py:29  end = descend(height, x, 5, show=look)
    x_bar, _ = descend_backward(descend_residuals, end_bar, 1.0, show_tops_bar)
    return x_bar


def descend_forward(f, x, steps, show=None, *, show_lowest, show_tops):
    """descend (written_down.py:12), with what its backward function needs."""
    saved = []
    for k in range(steps):
        x_0 = x
        height_value, height_residuals = height_forward(x)
        x = x - 0.1 * height_value * x
        if show is not None:
            _, look_residuals = look_forward(k, x, lowest=show_lowest, tops=show_tops)
            saved.append((x_0, height_value, height_residuals, look_residuals))
    return x, (saved,)


def height_forward(x):
    """height (written_down.py:8), with what its backward function needs."""
    return np.sum(x**2) + np.cos(x[0]), (x,)


def height_backward(residuals, value_bar):
    """Backward function of height (written_down.py:8)."""
    x, = residuals
    # written_down.py:9  return np.sum(x**2) + np.cos(x[0])
    x_bar = np.zeros(x.shape)
    x_bar[0] = -value_bar * np.sin(x[0])
    x_bar += 2 * value_bar * x
    return x_bar


def look_forward(k, x, *, lowest, tops):
    """look (written_down.py:23), with what its backward function needs."""
    max_x = np.max(x)
    tops.append(max_x)
    height_residuals = float("nan")
    cond = height(x) < lowest[0]
    if cond:
        lowest[0], height_residuals = height_forward(x)
    return None, (x, max_x, cond, height_residuals)


def look_backward(residuals, lowest_bar, tops_bar):
    """Backward function of look (written_down.py:23)."""
    x, max_x, cond, height_residuals = residuals
    if cond:
        # written_down.py:27  lowest = height(x)
        x_bar = height_backward(height_residuals, lowest_bar)
        lowest_bar = 0.0
    else:
        # written_down.py:26  if height(x) < lowest:
        x_bar = np.zeros(x.shape)
    # written_down.py:25  tops.append(np.max(x))
    max_x_bar = tops_bar.pop()
    ties = x == max_x
    x_bar += max_x_bar / ties.sum(dtype=max_x.dtype) * ties
    return x_bar, lowest_bar, tops_bar


def descend_backward(residuals, x_bar, show_lowest_0_bar, show_tops_bar):
    """Backward function of descend (written_down.py:12)."""
    saved, = residuals
    for x_0, height_value, height_residuals, look_residuals in saved[::-1]:
        # written_down.py:16  show(k, x)
        x_term, show_lowest_0_bar, show_tops_bar = look_backward(
            look_residuals, show_lowest_0_bar, show_tops_bar
        )
        x_bar = x_bar + x_term
        # written_down.py:14  x = x - 0.1 * f(x) * x
        x_bar = (
            x_bar
            - 0.1 * height_value * x_bar
            + height_backward(height_residuals, -0.1 * np.dot(x_bar, x_0))
        )
    return x_bar, show_tops_bar
