"""The programs that are timed, with the gradients an expert writes for them."""

import math

import numpy as np


def mlp(W1, b1, W2, b2, x, y):
    """Return the mean squared error of a network with one hidden layer."""
    h = np.tanh(x @ W1 + b1)
    r = h @ W2 + b2 - y
    return np.mean(r**2)


def mlp_by_hand(W1, b1, W2, b2, x, y):
    """Return the gradient of ``mlp`` with respect to its parameters."""
    h = np.tanh(x @ W1 + b1)
    r = h @ W2 + b2 - y
    r_bar = 2 / r.size * r
    h_bar = r_bar @ W2.T
    W2_bar = h.T @ r_bar
    b2_bar = r_bar.sum(axis=0)
    pre_bar = h_bar * (1 - h**2)
    return x.T @ pre_bar, pre_bar.sum(axis=0), W2_bar, b2_bar


def mlp_arguments(batch, inputs, hidden, outputs):
    """Return random parameters, inputs and targets for ``mlp``."""
    rng = np.random.default_rng(0)
    return (
        rng.normal(size=(inputs, hidden)) / math.sqrt(inputs),
        rng.normal(size=hidden),
        rng.normal(size=(hidden, outputs)) / math.sqrt(hidden),
        rng.normal(size=outputs),
        rng.normal(size=(batch, inputs)),
        rng.normal(size=(batch, outputs)),
    )


def pendulum(angle, speed, h, friction):
    """Return the squared angle of a damped pendulum after 100 Euler steps."""
    for _ in range(100):
        speed = speed - h * (math.sin(angle) + friction * speed)
        angle = angle + h * speed
    return angle * angle


def pendulum_by_hand(angle, speed, h, friction):
    """Return the gradient of ``pendulum`` with respect to its first two arguments."""
    saved = []
    for _ in range(100):
        saved.append(angle)
        speed = speed - h * (math.sin(angle) + friction * speed)
        angle = angle + h * speed
    angle_bar = 2 * angle
    speed_bar = 0.0
    for angle in saved[::-1]:
        speed_bar = speed_bar + h * angle_bar
        angle_bar = angle_bar - h * speed_bar * math.cos(angle)
        speed_bar = speed_bar - h * friction * speed_bar
    return angle_bar, speed_bar


def twenty_lines(W, U, b, V, c, x, y, steps):
    """Return the loss of a small recurrent network: 20 lines to transform."""
    n = x.shape[0]
    h = np.zeros_like(b)
    total = 0.0
    for t in range(steps):
        pre = x[t] @ W + h @ U + b
        if t % 2 == 0:
            h = np.tanh(pre)
        else:
            h = pre / (1 + np.abs(pre))
        score = h @ V + c
        top = np.max(score)
        log_norm = top + np.log(np.sum(np.exp(score - top)))
        total = total + log_norm - np.sum(score * y[t])
    size = np.sqrt(np.sum(W**2) + np.sum(U**2) + 1e-12)
    spread = np.mean((h - np.mean(h)) ** 2)
    smooth = np.where(h > 0, h, 0.1 * h)
    penalty = 1e-3 * size + 1e-2 * spread + 1e-3 * np.mean(smooth)
    mean = total / n
    return mean + penalty


def twenty_lines_arguments():
    """Return small random arguments for ``twenty_lines``."""
    rng = np.random.default_rng(0)
    return (
        rng.normal(size=(3, 4)),
        rng.normal(size=(4, 4)),
        rng.normal(size=4),
        rng.normal(size=(4, 2)),
        rng.normal(size=2),
        rng.normal(size=(5, 3)),
        rng.normal(size=(5, 2)),
        5,
    )
