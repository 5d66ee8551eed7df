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


def perceptron(W1, b1, W2, b2, x, y):
    """Return the loss of a network with one hidden layer and a penalty: 7 lines."""
    # hidden layer
    h = np.tanh(x @ W1 + b1)
    z = h @ W2 + b2
    r = z - y  # residual
    loss = np.mean(r**2)
    penalty = np.sum(W1**2) + np.sum(W2**2)
    return loss + 1e-4 * penalty


def perceptron_again(V1, c1, V2, c2, x, y):
    """Return another loss of the same kind, from the same formulas."""
    r = np.tanh(x @ V1 + c1) @ V2 - y
    return np.mean(r**2) + 1e-3 * (np.sum(V1**2) + np.sum(c2**2) + np.sum(c1 * c1))


def perceptron_arguments():
    """Return small random arguments for ``perceptron``."""
    return mlp_arguments(8, 4, 16, 3)


def twenty_lines(w, b, rate, x, y, steps):
    """Return the loss of a line after steps of descent: 20 lines with comments."""
    # start at the first guess
    n = x.shape[0]
    best = 0.0
    for k in range(steps):
        # residuals of the line
        r = x @ w + b - y
        slope = x.T @ r / n
        offset = np.mean(r)
        if k < 2:
            # small steps at first
            w = w - 0.1 * rate * slope
            b = b - 0.1 * rate * offset
        else:
            w = w - rate * slope
            b = b - rate * offset
        best = best + np.sum(slope**2)
    # the final loss
    loss = np.mean((x @ w + b - y) ** 2)
    return loss + 1e-3 * best


def twenty_lines_again(w, b, rate, x, y, steps):
    """Return another loss of the same kind, from the same formulas."""
    for _ in range(steps):
        r = x @ w + b - y
        w = w - rate * (x.T @ r) / x.shape[0]
    return np.mean(x @ w - y) + np.sum(w**2)


def twenty_lines_arguments():
    """Return small random arguments for ``twenty_lines``."""
    rng = np.random.default_rng(0)
    return rng.normal(size=3), 0.1, 0.01, rng.normal(size=(8, 3)), rng.normal(size=8), 5


def recurrent(W, U, b, V, c, x, y, steps):
    """Return the loss of a small recurrent network: many operations in 20 lines."""
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


def recurrent_arguments():
    """Return small random arguments for ``recurrent``."""
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


def recurrent_again(W, U, b, V, c, x, y, steps):
    """Return another loss of the same kind, from the same formulas."""
    h = np.zeros_like(b)
    total = 0.0
    for t in range(steps):
        h = np.tanh(x[t] @ W + h @ U + b)
        total = total + np.log(np.sum(np.exp(h @ V + c))) - np.sum(y[t] * c)
    return total + np.sqrt(np.sum(W**2) + np.sum(U**2))


def for_engines():
    """Return programs that other engines run: name, function, wrt, arguments, how to time them."""
    small, large = mlp_arguments(8, 4, 16, 3), mlp_arguments(512, 784, 512, 10)
    often = {"repetitions": 200, "calls": 10}
    return [
        ("MLP, batch 8, 4-16-3", mlp, (0, 1, 2, 3), small, often),
        ("MLP, batch 512, 784-512-10", mlp, (0, 1, 2, 3), large, {"repetitions": 40}),
        ("perceptron", perceptron, (0, 1, 2, 3), perceptron_arguments(), often),
        ("twenty lines", twenty_lines, (0, 1, 2), twenty_lines_arguments(), often),
        ("recurrent network", recurrent, (0, 1, 2, 3, 4), recurrent_arguments(), often),
        ("pendulum, 100 scalar steps", pendulum, (0, 1), (1.0, 0.0, 0.05, 0.1), often),
    ]


def calls():
    """Return functions that do next to nothing, with arguments of several kinds."""
    x, m = np.ones(3), np.ones((3, 4))
    return (
        ("1 number", lambda a: a * a, (2.0,)),
        ("5 numbers", lambda a, b, c, d, e: a * b + c * d + e, (1.0, 2.0, 3.0, 4.0, 5.0)),
        ("1 array", lambda a: np.sum(a * a), (x,)),
        ("5 arrays", lambda a, b, c, d, e: np.sum(a * b + c * d + e), (x,) * 5),
        ("5 matrices", lambda a, b, c, d, e: np.sum(a * b + c * d + e), (m,) * 5),
    )
