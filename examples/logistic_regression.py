"""Logistic regression by gradient descent: benign or malignant?

Data: the 569 tumours of the Wisconsin breast cancer study that come with
scikit-learn, 30 measurements each.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer

from srcgrad import differentiate


@differentiate(wrt=("w", "b"))
def loss(w, b, x, y, penalty=1e-3):
    """Return the mean logistic loss for labels y of -1 and 1, with a penalty."""
    margin = y * (x @ w + b)
    return np.mean(np.logaddexp(0.0, -margin)) + penalty * np.sum(w**2)


def load():
    """Return standardised measurements (569, 30) and labels (569,) of -1 and 1."""
    x, benign = load_breast_cancer(return_X_y=True)
    return (x - x.mean(axis=0)) / x.std(axis=0), np.where(benign, 1.0, -1.0)


def fit(x, y, steps, rate=0.5, momentum=0.9):
    """Return the weights, the bias and the loss after so many steps of descent."""
    w, b = np.zeros(x.shape[1]), 0.0
    w_speed, b_speed = np.zeros_like(w), 0.0
    value = np.nan
    for _ in range(steps):
        value, (w_bar, b_bar) = loss.value_and_grad(w, b, x, y)
        w_speed = momentum * w_speed - rate * w_bar
        b_speed = momentum * b_speed - rate * b_bar
        w, b = w + w_speed, b + b_speed
    return w, b, float(value)


def main(steps=300):
    """Fit on every other tumour, test on the rest, and return the figures.

    Args:
        steps: the number of steps of gradient descent.

    Returns:
        A dict with the accuracy on the tumours held back and the last loss.
    """
    x, y = load()
    w, b, value = fit(x[::2], y[::2], steps)
    accuracy = float(np.mean(np.sign(x[1::2] @ w + b) == y[1::2]))
    print(f"loss {value:.4f} after {steps} steps")
    print(f"{accuracy:.1%} of {len(y) // 2} tumours held back are told apart")
    return {"accuracy": accuracy, "loss": value}


if __name__ == "__main__":
    main()
