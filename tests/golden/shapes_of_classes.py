"""Objects told apart by their classes, written as if and elif."""

from dataclasses import dataclass

import numpy as np

from srcgrad import grad


@dataclass
class Gaussian:
    """A bell of some width."""

    width: float


@dataclass
class Lorentzian:
    """A peak with wide feet."""

    width: float
    offset: float = 0.0


def peak(shape, t):
    match shape:
        case Gaussian(width):
            return np.exp(-((t / width) ** 2))
        case Lorentzian(width, offset):
            return offset + 1 / (1 + (t / width) ** 2)


def misfit(widths, t, y):
    model = peak(Gaussian(widths[0]), t) + peak(Lorentzian(widths[1]), t)
    return np.sum((model - y) ** 2)


def arguments():
    t = np.linspace(-2.0, 2.0, 9)
    return np.array([0.8, 1.5]), t, np.exp(-(t**2))


derivative = grad(misfit)


# ------------------------------------------------------------------------------------------

def misfit_grad(widths, t, y):
    """Gradient of misfit (shapes_of_classes.py:33) with respect to widths."""
    peak_value, peak_residuals = peak_forward(Gaussian(widths[0]), t)
    peak_value2, peak_residuals2 = peak_forward_2(Lorentzian(widths[1]), t)
    model = peak_value + peak_value2
    diff = model - y

    # shapes_of_classes.py:35  return np.sum((model - y) ** 2)
    model_bar = 2 * diff
    # shapes_of_classes.py:34  model = peak(Gaussian(widths[0]), t) + peak(Lorentzian(widths ...
    widths_bar = np.zeros(widths.shape)
    widths_bar[1] = peak_backward_2(peak_residuals2, model_bar)
    widths_bar[0] = peak_backward(peak_residuals, model_bar)
    return widths_bar


def peak_forward_2(shape, t):
    """peak (shapes_of_classes.py:25), with what its backward function needs."""
    if isinstance(shape, Gaussian):
        width = shape.width
        value = np.exp(-((t / width) ** 2))
    elif isinstance(shape, Lorentzian):
        width, offset = shape.width, shape.offset
        ratio = t / width
        den = 1 + ratio ** 2
        ratio2 = 1 / den
        value = offset + ratio2
    return value, (width, ratio, den, ratio2)


def peak_backward_2(residuals, value_bar):
    """Backward function of peak (shapes_of_classes.py:25)."""
    width, ratio, den, ratio2 = residuals
    # shapes_of_classes.py:30  return offset + 1 / (1 + (t / width) ** 2)
    width_bar = -2 * np.dot(value_bar / den * ratio2 * ratio, ratio) / width
    width_bar = -width_bar
    return width_bar


def peak_forward(shape, t):
    """peak (shapes_of_classes.py:25), with what its backward function needs."""
    if isinstance(shape, Gaussian):
        width = shape.width
        ratio = t / width
        value = np.exp(-(ratio ** 2))
        value2 = value
    elif isinstance(shape, Lorentzian):
        width, offset = shape.width, shape.offset
        value2 = offset + 1 / (1 + (t / width) ** 2)
    return value2, (width, ratio, value)


def peak_backward(residuals, value_bar):
    """Backward function of peak (shapes_of_classes.py:25)."""
    width, ratio, value = residuals
    # shapes_of_classes.py:28  return np.exp(-((t / width) ** 2))
    width_bar = 2 * np.dot(value_bar * value * ratio, ratio) / width
    return width_bar
