"""A two-layer network in plain NumPy learns to read handwritten digits.

The network is an ordinary NumPy function. srcgrad writes its gradient as Python
source; this script prints it, checks it against finite differences, trains the
network with an optimiser of SciPy, and times the gradient against autograd's.

Data: the 1,797 digits of 8 x 8 pixels that come with scikit-learn.
"""

import sys
import time
from statistics import median
from types import FunctionType

import autograd
import autograd.numpy
import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from srcgrad import check, differentiate

DECAY = 1e-4  # weight of the penalty on large weights


def network(W1, b1, W2, b2, x):
    """Return the scores (n, 10) of the ten digits for images x (n, 64)."""
    h = np.tanh(x @ W1 + b1)
    return h @ W2 + b2


@differentiate(wrt=("W1", "b1", "W2", "b2"))
def loss(W1, b1, W2, b2, x, y):
    """Return the mean cross-entropy of images x (n, 64) and labels y (n, 10)."""
    # hidden layer
    h = np.tanh(x @ W1 + b1)
    scores = h @ W2 + b2
    # tanh keeps the scores small: exp cannot overflow
    log_norm = np.log(np.sum(np.exp(scores), axis=1))
    fit = np.mean(log_norm - np.sum(scores * y, axis=1))
    return fit + DECAY * (np.sum(W1**2) + np.sum(W2**2))


def load():
    """Return training images and labels, then those held back for the test."""
    images, digits = load_digits(return_X_y=True)
    return train_test_split(images / 16, digits, test_size=0.25, random_state=0, stratify=digits)


def initial(hidden, rng):
    """Return small random weights and zero biases for a hidden layer of a size."""
    return (
        rng.normal(size=(64, hidden)) / 8,
        np.zeros(hidden),
        rng.normal(size=(hidden, 10)) / np.sqrt(hidden),
        np.zeros(10),
    )


def flatten(parameters):
    """Return one vector that holds all parameters one after another."""
    return np.concatenate([p.ravel() for p in parameters])


def unflatten(vector, like):
    """Return the parameters in a vector, with the shapes of those in ``like``."""
    ends = np.cumsum([p.size for p in like])[:-1]
    pieces = np.split(vector, ends)
    return tuple(piece.reshape(p.shape) for piece, p in zip(pieces, like, strict=True))


def train(parameters, x, y, iterations):
    """Return the trained parameters and the last value of the loss."""
    seen = {"iteration": 0, "loss": np.nan}

    def objective(vector):
        value, gradient = loss.value_and_grad(*unflatten(vector, parameters), x, y)
        seen["loss"] = value
        return value, flatten(gradient)

    def progress(_vector):
        seen["iteration"] += 1
        line = f"  iteration {seen['iteration']:3d}   loss {seen['loss']:.4f}"
        if sys.stdout.isatty():
            print("\r" + line, end="", flush=True)
        elif seen["iteration"] % 20 == 0:
            print(line)

    result = minimize(
        objective,
        flatten(parameters),
        method="L-BFGS-B",
        jac=True,
        callback=progress,
        options={"maxiter": iterations},
    )
    if sys.stdout.isatty():
        print()
    return unflatten(result.x, parameters), float(result.fun)


def with_autograd(function):
    """Return autograd's gradient of the same code, under its own NumPy."""
    own_numpy = {**globals(), "np": autograd.numpy}
    same_code = FunctionType(function.__code__, own_numpy)
    return autograd.value_and_grad(same_code, argnum=(0, 1, 2, 3))


def seconds(functions, arguments, repetitions):
    """Return each function's median time, measured in turn so that all are fair."""
    times = [[] for _ in functions]
    for _ in range(repetitions):
        for function, record in zip(functions, times, strict=True):
            start = time.perf_counter()
            function(*arguments)
            record.append(time.perf_counter() - start)
    return [median(record) for record in times]


def main(hidden=32, iterations=120, repetitions=50):
    """Run everything and return the figures that are printed.

    Args:
        hidden: units of the hidden layer.
        iterations: the most steps that the optimiser takes.
        repetitions: how often each gradient is timed.

    Returns:
        A dict with the test accuracy, the last loss, the seconds of training,
        and the ratio of autograd's time for a gradient to srcgrad's.
    """
    x, x_test, digits, digits_test = load()
    y = np.eye(10)[digits]
    parameters = initial(hidden, np.random.default_rng(0))

    # One call, so that the source is written for arrays of these ranks.
    loss.grad(*parameters, x, y)
    print(loss.source("grad"))

    check(loss, *parameters, x[:20], y[:20], wrt=("W1", "b1", "W2", "b2"))
    print("The gradient agrees with finite differences, and so does its gradient.\n")

    print(f"Training on {len(x)} digits:")
    start = time.perf_counter()
    parameters, last = train(parameters, x, y, iterations)
    elapsed = time.perf_counter() - start
    guesses = np.argmax(network(*parameters, x_test), axis=1)
    accuracy = float(np.mean(guesses == digits_test))
    print(f"  {accuracy:.1%} of {len(x_test)} other digits are read correctly;")
    print(f"  training took {elapsed:.2f} s.\n")

    ours, theirs = seconds(
        (loss.value_and_grad, with_autograd(loss.__wrapped__)),
        (*parameters, x, y),
        repetitions,
    )
    print(f"One gradient: srcgrad {ours * 1e3:.2f} ms, autograd {theirs * 1e3:.2f} ms")
    print(f"(medians of {repetitions}): autograd takes {theirs / ours:.2f} times as long.")
    return {
        "accuracy": accuracy,
        "loss": last,
        "seconds": elapsed,
        "autograd_over_srcgrad": theirs / ours,
    }


if __name__ == "__main__":
    main()
