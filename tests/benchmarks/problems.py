"""Scientific programs of many kinds, with the gradients that an expert writes for them.

Each gradient by hand is an honest one: it computes what the gradient needs and nothing of the
value, keeps what it reads later, and reads as a careful author would leave it. Lines of the
program that it needs are the program's own; it differentiates that program, and does not
replace it by what a textbook knows of the problem.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import erf

from srcgrad import hvp
from tests.benchmarks.programs import mlp, mlp_arguments, mlp_by_hand


@dataclass(frozen=True)
class Problem:
    """A function, its gradient by hand, and arguments at some sizes.

    Attributes:
        name: what it is.
        function: the function.
        by_hand: its gradient with respect to the arguments ``wrt``, of the same arguments.
        wrt: positions of arguments.
        sizes: from the name of a size to arguments.
        made: makes the derivative from the function, where that is not its gradient.
    """

    name: str
    function: Any
    by_hand: Any
    wrt: Any
    sizes: dict[str, tuple]
    made: Any = None


rng = np.random.default_rng(0)


def logistic(w, b, x, y):
    """Return the mean loss of logistic regression, with a penalty."""
    z = x @ w + b
    return np.mean(np.log1p(np.exp(-z)) + (1 - y) * z) + 0.01 * np.sum(w**2)


def logistic_by_hand(w, b, x, y):
    """Return the gradient of ``logistic`` by hand."""
    e = np.exp(-(x @ w + b))
    z_bar = (1 - y - e / (1 + e)) / y.size
    return z_bar @ x + 0.02 * w, z_bar.sum()


def logistic_arguments(n, d):
    """Return arguments of some size."""
    x = rng.normal(size=(n, d))
    return rng.normal(size=d) / math.sqrt(d), 0.1, x, (x[:, 0] > 0).astype(float)


def mixture(weights, means, log_scales, x):
    """Return the log-likelihood of a mixture of Gaussians with diagonal covariances."""
    z = (x[:, None, :] - means) * np.exp(-log_scales)
    log_p = weights - np.sum(log_scales, axis=1) - 0.5 * np.sum(z**2, axis=2)
    top = np.max(log_p, axis=1)
    log_sum = top + np.log(np.sum(np.exp(log_p - top[:, None]), axis=1))
    return np.sum(log_sum) - x.shape[0] * np.log(np.sum(np.exp(weights)))


def mixture_by_hand(weights, means, log_scales, x):
    """Return the gradient of ``mixture`` by hand."""
    scales = np.exp(-log_scales)
    z = (x[:, None, :] - means) * scales
    log_p = weights - np.sum(log_scales, axis=1) - 0.5 * np.sum(z**2, axis=2)
    top = np.max(log_p, axis=1)
    p = np.exp(log_p - top[:, None])
    p /= np.sum(p, axis=1)[:, None]
    counts = p.sum(axis=0)
    e = np.exp(weights)
    pz = p[:, :, None] * z
    means_bar = pz.sum(axis=0) * scales
    log_scales_bar = (pz * z).sum(axis=0) - counts[:, None]
    return counts - x.shape[0] / np.sum(e) * e, means_bar, log_scales_bar


def mixture_arguments(n, k, d):
    """Return arguments of some size."""
    return (
        rng.normal(size=k),
        rng.normal(size=(k, d)),
        0.1 * rng.normal(size=(k, d)),
        rng.normal(size=(n, d)),
    )


def lstm(w, u, b, v, x, y):
    """Return the squared error of a long short-term memory over a sequence."""
    n = u.shape[0]
    h = np.zeros(n)
    c = np.zeros(n)
    loss = 0.0
    for t in range(x.shape[0]):
        z = x[t] @ w + h @ u + b
        i = 1 / (1 + np.exp(-z[:n]))
        f = 1 / (1 + np.exp(-z[n : 2 * n]))
        o = 1 / (1 + np.exp(-z[2 * n : 3 * n]))
        g = np.tanh(z[3 * n :])
        c = f * c + i * g
        h = o * np.tanh(c)
        loss = loss + np.sum((h @ v - y[t]) ** 2)
    return loss


def lstm_by_hand(w, u, b, v, x, y):
    """Return the gradient of ``lstm`` by hand."""
    n = u.shape[0]
    h = np.zeros(n)
    c = np.zeros(n)
    saved = []
    for t in range(x.shape[0]):
        h_0, c_0 = h, c
        z = x[t] @ w + h @ u + b
        i = 1 / (1 + np.exp(-z[:n]))
        f = 1 / (1 + np.exp(-z[n : 2 * n]))
        o = 1 / (1 + np.exp(-z[2 * n : 3 * n]))
        g = np.tanh(z[3 * n :])
        c = f * c + i * g
        s = np.tanh(c)
        h = o * s
        saved.append((h_0, c_0, i, f, o, g, s, h, h @ v - y[t]))
    w_bar, u_bar = np.zeros(w.shape), np.zeros(u.shape)
    b_bar, v_bar = np.zeros(b.shape), np.zeros(v.shape)
    h_bar, c_bar = np.zeros(n), np.zeros(n)
    z_bar = np.empty(4 * n)
    for t in range(x.shape[0] - 1, -1, -1):
        h_0, c_0, i, f, o, g, s, h, r = saved[t]
        r_bar = 2 * r
        v_bar += np.outer(h, r_bar)
        h_bar += v @ r_bar
        c_bar += h_bar * o * (1 - s**2)
        z_bar[:n] = c_bar * g * i * (1 - i)
        z_bar[n : 2 * n] = c_bar * c_0 * f * (1 - f)
        z_bar[2 * n : 3 * n] = h_bar * s * o * (1 - o)
        z_bar[3 * n :] = c_bar * i * (1 - g**2)
        w_bar += np.outer(x[t], z_bar)
        u_bar += np.outer(h_0, z_bar)
        b_bar += z_bar
        h_bar = u @ z_bar
        c_bar *= f
    return w_bar, u_bar, b_bar, v_bar


def lstm_arguments(steps, d, n, m):
    """Return arguments of some size."""
    return (
        rng.normal(size=(d, 4 * n)) / math.sqrt(d),
        rng.normal(size=(n, 4 * n)) / math.sqrt(n),
        rng.normal(size=4 * n),
        rng.normal(size=(n, m)) / math.sqrt(n),
        rng.normal(size=(steps, d)),
        rng.normal(size=(steps, m)),
    )


def k_means(centers, x):
    """Return the sum of squared distances to the nearest centers."""
    d = np.sum(x**2, axis=1)[:, None] - 2 * x @ centers.T + np.sum(centers**2, axis=1)
    return np.sum(np.min(d, axis=1))


def k_means_by_hand(centers, x):
    """Return the gradient of ``k_means`` by hand."""
    d = np.sum(x**2, axis=1)[:, None] - 2 * x @ centers.T + np.sum(centers**2, axis=1)
    nearest = d == np.min(d, axis=1)[:, None]
    nearest = nearest / nearest.sum(axis=1)[:, None]
    return 2 * (nearest.sum(axis=0)[:, None] * centers - nearest.T @ x)


def k_means_product_by_hand(centers, x, v):
    """Return the product of the Hessian of ``k_means`` with a vector by hand."""
    d = np.sum(x**2, axis=1)[:, None] - 2 * x @ centers.T + np.sum(centers**2, axis=1)
    nearest = d == np.min(d, axis=1)[:, None]
    nearest = nearest / nearest.sum(axis=1)[:, None]
    return 2 * nearest.sum(axis=0)[:, None] * v


def k_means_arguments(n, k, d):
    """Return arguments of some size."""
    return rng.normal(size=(k, d)), rng.normal(size=(n, d))


def log_sum_exp(x):
    """Return the logarithm of the sum of exponentials."""
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def log_sum_exp_by_hand(x):
    """Return the gradient of ``log_sum_exp`` by hand."""
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


def horner(c, x, y):
    """Return the mean squared error of a polynomial, by Horner's rule."""
    p = np.zeros_like(x)
    for k in range(c.shape[0] - 1, -1, -1):
        p = p * x + c[k]
    return np.mean((p - y) ** 2)


def horner_by_hand(c, x, y):
    """Return the gradient of ``horner`` by hand."""
    p = np.zeros_like(x)
    for k in range(c.shape[0] - 1, -1, -1):
        p = p * x + c[k]
    p_bar = 2 / p.size * (p - y)
    c_bar = np.empty(c.shape)
    for k in range(c.shape[0]):
        c_bar[k] = p_bar.sum()
        p_bar *= x
    return c_bar


def vandermonde(c, x, y):
    """Return the mean squared error of a polynomial, by the matrix of powers."""
    powers = x[:, None] ** np.arange(c.shape[0])
    r = powers @ c - y
    return np.mean(r**2)


def vandermonde_by_hand(c, x, y):
    """Return the gradient of ``vandermonde`` by hand."""
    powers = x[:, None] ** np.arange(c.shape[0])
    r = powers @ c - y
    return 2 / r.size * r @ powers


def polynomial_arguments(n, degree):
    """Return arguments of some size."""
    x = np.linspace(-1, 1, n)
    return rng.normal(size=degree), x, np.sin(3 * x)


def lorenz(y, sigma, rho, beta):
    """Return the slope of the Lorenz system."""
    return np.array([sigma * (y[1] - y[0]), y[0] * (rho - y[2]) - y[1], y[0] * y[1] - beta * y[2]])


def runge_kutta(y, sigma, rho, beta, h, steps):
    """Return the squared norm of the state after steps of the classical method."""
    for _ in range(steps):
        k1 = lorenz(y, sigma, rho, beta)
        k2 = lorenz(y + h / 2 * k1, sigma, rho, beta)
        k3 = lorenz(y + h / 2 * k2, sigma, rho, beta)
        k4 = lorenz(y + h * k3, sigma, rho, beta)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return np.sum(y**2)


def lorenz_back(y, k_bar, sigma, rho, beta):
    """Return what ``lorenz`` hands back for a cotangent: those of its arguments."""
    a, b, c = k_bar
    y_bar = np.array(
        [b * (rho - y[2]) - sigma * a + c * y[1], sigma * a - b + c * y[0], -b * y[0] - beta * c]
    )
    return y_bar, a * (y[1] - y[0]), b * y[0], -c * y[2]


def runge_kutta_by_hand(y, sigma, rho, beta, h, steps):
    """Return the gradient of ``runge_kutta`` by hand."""
    saved = []
    for _ in range(steps):
        k1 = lorenz(y, sigma, rho, beta)
        y2 = y + h / 2 * k1
        k2 = lorenz(y2, sigma, rho, beta)
        y3 = y + h / 2 * k2
        k3 = lorenz(y3, sigma, rho, beta)
        y4 = y + h * k3
        saved.append((y, y2, y3, y4))
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + lorenz(y4, sigma, rho, beta))
    y_bar = 2 * y
    sigma_bar = rho_bar = beta_bar = 0.0
    for y, y2, y3, y4 in saved[::-1]:
        k_bar = h / 6 * y_bar
        y4_bar, s4, r4, b4 = lorenz_back(y4, k_bar, sigma, rho, beta)
        y3_bar, s3, r3, b3 = lorenz_back(y3, 2 * k_bar + h * y4_bar, sigma, rho, beta)
        y2_bar, s2, r2, b2 = lorenz_back(y2, 2 * k_bar + h / 2 * y3_bar, sigma, rho, beta)
        y1_bar, s1, r1, b1 = lorenz_back(y, k_bar + h / 2 * y2_bar, sigma, rho, beta)
        y_bar = y_bar + y1_bar + y2_bar + y3_bar + y4_bar
        sigma_bar += s1 + s2 + s3 + s4
        rho_bar += r1 + r2 + r3 + r4
        beta_bar += b1 + b2 + b3 + b4
    return y_bar, sigma_bar, rho_bar, beta_bar


def runge_kutta_arguments(steps):
    """Return arguments of some size."""
    return np.array([1.0, 1.2, 0.9]), 10.0, 28.0, 8 / 3, 0.01, steps


def kalman(a, q, x, p, h, r, ys):
    """Return the negative log-likelihood of measurements of a linear system."""
    loss = 0.0
    for y in ys:
        x = a @ x
        p = a @ p @ a.T + q
        s = h @ p @ h.T + r
        k = np.linalg.solve(s, h @ p).T
        e = y - h @ x
        loss = loss + 0.5 * (e @ np.linalg.solve(s, e) + np.log(np.linalg.det(s)))
        x = x + k @ e
        p = p - k @ h @ p
    return loss


def kalman_by_hand(a, q, x, p, h, r, ys):
    """Return the gradient of ``kalman`` by hand."""
    saved = []
    for y in ys:
        x_0, p_0 = x, p
        x = a @ x
        p = a @ p @ a.T + q
        hp = h @ p
        s = hp @ h.T + r
        k = np.linalg.solve(s, hp).T
        e = y - h @ x
        saved.append((x_0, p_0, s, k, e, hp))
        x = x + k @ e
        p = p - k @ h @ p
    a_bar, q_bar = np.zeros(a.shape), np.zeros(q.shape)
    x_bar, p_bar = np.zeros(x.shape), np.zeros(p.shape)
    for x_0, p_0, s, k, e, hp in saved[::-1]:
        s_inv = np.linalg.inv(s)
        w, w_t = s_inv @ e, s_inv.T @ e
        k_bar = np.outer(x_bar, e) - p_bar @ hp.T
        e_bar = 0.5 * (w + w_t) + k.T @ x_bar
        hk_bar = s_inv.T @ k_bar.T
        s_bar = 0.5 * (s_inv.T - np.outer(w_t, w)) - hk_bar @ k
        hp_bar = hk_bar - k.T @ p_bar + s_bar @ h
        p_bar = p_bar + h.T @ hp_bar
        x_bar = x_bar - h.T @ e_bar
        q_bar += p_bar
        pa_bar = p_bar @ a
        a_bar += pa_bar @ p_0.T + p_bar.T @ a @ p_0 + np.outer(x_bar, x_0)
        p_bar = a.T @ pa_bar
        x_bar = a.T @ x_bar
    return a_bar, q_bar


def kalman_arguments(steps, n, m):
    """Return arguments of some size."""
    a = np.eye(n) + 0.1 * rng.normal(size=(n, n))
    a /= np.abs(np.linalg.eigvals(a)).max()
    h = rng.normal(size=(m, n))
    ys = rng.normal(size=(steps, m))
    return a, 0.1 * np.eye(n), np.zeros(n), np.eye(n), h, np.eye(m), ys


def wave(u, c, steps):
    """Return the energy at the end of a wave on a square, computed in place."""
    u = u.copy()
    v = np.zeros_like(u)
    for _ in range(steps):
        v[1:-1, 1:-1] += c * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        )
        u += v
    return np.sum(u**2)


def wave_by_hand(u, c, steps):
    """Return the gradient of ``wave`` by hand."""
    u = u.copy()
    v = np.zeros_like(u)
    saved = []
    for _ in range(steps):
        lap = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        saved.append(lap)
        v[1:-1, 1:-1] += c * lap
        u += v
    u_bar = 2 * u
    v_bar = np.zeros_like(u)
    c_bar = 0.0
    for lap in saved[::-1]:
        v_bar += u_bar
        inner = v_bar[1:-1, 1:-1]
        c_bar += np.sum(inner * lap)
        lap_bar = c * inner
        u_bar[2:, 1:-1] += lap_bar
        u_bar[:-2, 1:-1] += lap_bar
        u_bar[1:-1, 2:] += lap_bar
        u_bar[1:-1, :-2] += lap_bar
        u_bar[1:-1, 1:-1] -= 4 * lap_bar
    return u_bar, c_bar


def wave_arguments(n, steps):
    """Return arguments of some size."""
    return rng.normal(size=(n, n)), 0.1, steps


def tridiagonal(a, b, c, d):
    """Return the squared norm of the solution of a tridiagonal system."""
    n = d.shape[0]
    p = np.zeros(n)
    q = np.zeros(n)
    p[0] = c[0] / b[0]
    q[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * p[i - 1]
        p[i] = c[i] / m
        q[i] = (d[i] - a[i] * q[i - 1]) / m
    x = np.zeros(n)
    x[n - 1] = q[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = q[i] - p[i] * x[i + 1]
    return np.sum(x**2)


def tridiagonal_by_hand(a, b, c, d):
    """Return the gradient of ``tridiagonal`` by hand."""
    n = d.shape[0]
    p = np.zeros(n)
    q = np.zeros(n)
    m = b.copy()
    p[0] = c[0] / b[0]
    q[0] = d[0] / b[0]
    for i in range(1, n):
        m[i] = b[i] - a[i] * p[i - 1]
        p[i] = c[i] / m[i]
        q[i] = (d[i] - a[i] * q[i - 1]) / m[i]
    x = np.zeros(n)
    x[n - 1] = q[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = q[i] - p[i] * x[i + 1]
    q_bar = 2 * x
    p_bar = np.zeros(n)
    for i in range(n - 1):
        q_bar[i + 1] -= q_bar[i] * p[i]
        p_bar[i] = -q_bar[i] * x[i + 1]
    a_bar, b_bar, c_bar, d_bar = np.zeros(n), np.empty(n), np.empty(n), np.empty(n)
    for i in range(n - 1, 0, -1):
        d_bar[i] = q_bar[i] / m[i]
        c_bar[i] = p_bar[i] / m[i]
        b_bar[i] = -d_bar[i] * q[i] - c_bar[i] * p[i]
        a_bar[i] = -d_bar[i] * q[i - 1] - b_bar[i] * p[i - 1]
        q_bar[i - 1] -= d_bar[i] * a[i]
        p_bar[i - 1] -= b_bar[i] * a[i]
    d_bar[0] = q_bar[0] / b[0]
    c_bar[0] = p_bar[0] / b[0]
    b_bar[0] = -d_bar[0] * q[0] - c_bar[0] * p[0]
    return a_bar, b_bar, c_bar, d_bar


def tridiagonal_arguments(n):
    """Return arguments of some size."""
    return rng.normal(size=n), 4 + rng.random(n), rng.normal(size=n), rng.normal(size=n)


def gram_schmidt(a):
    """Return a weighted sum of the orthonormal columns that a matrix gives."""
    n = a.shape[1]
    q = np.zeros_like(a)
    for k in range(n):
        v = a[:, k] - q[:, :k] @ (q[:, :k].T @ a[:, k])
        q[:, k] = v / np.sqrt(np.sum(v**2))
    return np.sum(q**3)


def gram_schmidt_by_hand(a):
    """Return the gradient of ``gram_schmidt`` by hand."""
    n = a.shape[1]
    q = np.zeros_like(a)
    norms = np.empty(n)
    for k in range(n):
        v = a[:, k] - q[:, :k] @ (q[:, :k].T @ a[:, k])
        norms[k] = np.sqrt(np.sum(v**2))
        q[:, k] = v / norms[k]
    q_bar = 3 * q**2
    a_bar = np.empty(a.shape)
    for k in range(n - 1, -1, -1):
        qk_bar = q_bar[:, k]
        v_bar = (qk_bar - (qk_bar @ q[:, k]) * q[:, k]) / norms[k]
        before, ak = q[:, :k], a[:, k]
        w, w_bar = before.T @ ak, before.T @ v_bar
        a_bar[:, k] = v_bar - before @ w_bar
        q_bar[:, :k] -= np.outer(v_bar, w) + np.outer(ak, w_bar)
    return a_bar


def correlation(x):
    """Return the sum of squares of the correlations of the columns, row by row."""
    n, m = x.shape
    x = x - x.mean(axis=0)
    x = x / np.sqrt(np.mean(x**2, axis=0))
    corr = np.eye(m)
    for i in range(m - 1):
        corr[i, i + 1 :] = x[:, i] @ x[:, i + 1 :] / n
    return np.sum(corr**2)


def correlation_by_hand(x):
    """Return the gradient of ``correlation`` by hand."""
    n, m = x.shape
    x = x - x.mean(axis=0)
    scale = np.sqrt(np.mean(x**2, axis=0))
    x = x / scale
    corr = np.eye(m)
    for i in range(m - 1):
        corr[i, i + 1 :] = x[:, i] @ x[:, i + 1 :] / n
    upper = np.triu(2 / n * corr, 1)
    x_bar = x @ (upper + upper.T)
    x_bar = (x_bar - x * np.mean(x_bar * x, axis=0)) / scale
    return x_bar - x_bar.mean(axis=0)


def particles(x, v, k, steps):
    """Return the spread of damped particles when they have come to rest, or after all steps."""
    for _ in range(steps):
        force = -k * x - 0.5 * v + 0.1 * np.sin(x)
        v = v + 0.05 * force
        x = x + 0.05 * v
        if np.sum(v**2) < 1e-3 * v.size:
            break
    return np.sum(x**2)


def particles_by_hand(x, v, k, steps):
    """Return the gradient of ``particles`` by hand."""
    saved = []
    for _ in range(steps):
        saved.append(x)
        force = -k * x - 0.5 * v + 0.1 * np.sin(x)
        v = v + 0.05 * force
        x = x + 0.05 * v
        if np.sum(v**2) < 1e-3 * v.size:
            break
    x_bar = 2 * x
    v_bar = np.zeros(v.shape)
    k_bar = 0.0
    for x in saved[::-1]:
        v_bar += 0.05 * x_bar
        force_bar = 0.05 * v_bar
        k_bar -= force_bar @ x
        x_bar += force_bar * (0.1 * np.cos(x) - k)
        v_bar -= 0.5 * force_bar
    return x_bar, v_bar, k_bar


def particles_arguments(n, steps):
    """Return arguments of some size."""
    return rng.normal(size=n), rng.normal(size=n), 1.5, steps


def black_scholes(s, k, t, r, sigma):
    """Return the total price of calls."""
    root = sigma * np.sqrt(t)
    d1 = (np.log(s / k) + (r + 0.5 * sigma**2) * t) / root
    d2 = d1 - root
    price = s * 0.5 * (1 + erf(d1 / np.sqrt(2))) - k * np.exp(-r * t) * 0.5 * (
        1 + erf(d2 / np.sqrt(2))
    )
    return np.sum(price)


def black_scholes_by_hand(s, k, t, r, sigma):
    """Return the gradient of ``black_scholes`` by hand."""
    root_t = np.sqrt(t)
    root = sigma * root_t
    drift = r + 0.5 * sigma**2
    d1 = (np.log(s / k) + drift * t) / root
    d2 = d1 - root
    scale = 1 / math.sqrt(2 * math.pi)
    chance = 0.5 * (1 + erf(d1 / math.sqrt(2)))
    strike = k * np.exp(-r * t)
    owed = strike * 0.5 * (1 + erf(d2 / math.sqrt(2)))
    d1_bar = scale * s * np.exp(-0.5 * d1**2)
    d2_bar = -scale * strike * np.exp(-0.5 * d2**2)
    num_bar = (d1_bar + d2_bar) / root
    root_bar = -num_bar * d1 - d2_bar
    sum_bar = num_bar @ t
    s_bar = chance + num_bar / s
    t_bar = drift * num_bar + r * owed + 0.5 * sigma * root_bar / root_t
    return s_bar, t_bar, sum_bar + owed @ t, sum_bar * sigma + root_bar @ root_t


def black_scholes_arguments(n):
    """Return arguments of some size."""
    return 80 + 40 * rng.random(n), 100.0, 0.5 + rng.random(n), 0.03, 0.25


def diffusion(u, rate, steps):
    """Return the sum of squares after explicit steps of diffusion."""
    n = u.shape[0]
    for _ in range(steps):
        new = np.zeros(n)
        new[1:-1] = u[1:-1] + rate * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = new
    return np.sum(u**2)


def diffusion_by_hand(u, rate, steps):
    """Return the gradient of ``diffusion`` by hand."""
    n = u.shape[0]
    saved = []
    for _ in range(steps):
        new = np.zeros(n)
        lap = u[2:] - 2 * u[1:-1] + u[:-2]
        saved.append(lap)
        new[1:-1] = u[1:-1] + rate * lap
        u = new
    u_bar = 2 * u
    rate_bar = 0.0
    for lap in saved[::-1]:
        inner = u_bar[1:-1]
        rate_bar += inner @ lap
        lap_bar = rate * inner
        u_bar = np.zeros(n)
        u_bar[1:-1] = inner - 2 * lap_bar
        u_bar[2:] += lap_bar
        u_bar[:-2] += lap_bar
    return u_bar, rate_bar


def diffusion_of_u_by_hand(u, rate, steps):
    """Return the gradient of ``diffusion`` with respect to the state by hand."""
    n = u.shape[0]
    for _ in range(steps):
        new = np.zeros(n)
        new[1:-1] = u[1:-1] + rate * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = new
    u_bar = 2 * u
    for _ in range(steps):
        inner = u_bar[1:-1]
        lap_bar = rate * inner
        u_bar = np.zeros(n)
        u_bar[1:-1] = inner - 2 * lap_bar
        u_bar[2:] += lap_bar
        u_bar[:-2] += lap_bar
    return u_bar


def problems():
    """Return all problems."""
    return [
        Problem(
            "MLP",
            mlp,
            mlp_by_hand,
            (0, 1, 2, 3),
            {"small": mlp_arguments(8, 4, 16, 3), "middle": mlp_arguments(128, 64, 128, 10)},
        ),
        Problem(
            "logistic regression",
            logistic,
            logistic_by_hand,
            (0, 1),
            {"small": logistic_arguments(20, 3), "middle": logistic_arguments(10_000, 20)},
        ),
        Problem(
            "Gaussian mixture",
            mixture,
            mixture_by_hand,
            (0, 1, 2),
            {"small": mixture_arguments(20, 3, 2), "middle": mixture_arguments(2000, 10, 8)},
        ),
        Problem(
            "LSTM",
            lstm,
            lstm_by_hand,
            (0, 1, 2, 3),
            {"small": lstm_arguments(10, 3, 4, 2), "middle": lstm_arguments(50, 32, 64, 8)},
        ),
        Problem(
            "k-means",
            k_means,
            k_means_by_hand,
            0,
            {"small": k_means_arguments(20, 3, 2), "middle": k_means_arguments(10_000, 20, 10)},
        ),
        Problem(
            "k-means, Hessian product",
            k_means,
            k_means_product_by_hand,
            None,
            {
                "small": (*k_means_arguments(20, 3, 2), rng.normal(size=(3, 2))),
                "middle": (*k_means_arguments(10_000, 20, 10), rng.normal(size=(20, 10))),
            },
            hvp,
        ),
        Problem(
            "log-sum-exp",
            log_sum_exp,
            log_sum_exp_by_hand,
            0,
            {"small": (rng.normal(size=100),), "middle": (rng.normal(size=100_000),)},
        ),
        Problem(
            "least squares, Horner",
            horner,
            horner_by_hand,
            0,
            {"small": polynomial_arguments(50, 5), "middle": polynomial_arguments(10_000, 10)},
        ),
        Problem(
            "least squares, matrix",
            vandermonde,
            vandermonde_by_hand,
            0,
            {"small": polynomial_arguments(50, 5), "middle": polynomial_arguments(10_000, 10)},
        ),
        Problem(
            "Runge-Kutta",
            runge_kutta,
            runge_kutta_by_hand,
            (0, 1, 2, 3),
            {"small": runge_kutta_arguments(5), "middle": runge_kutta_arguments(100)},
        ),
        Problem(
            "Kalman filter",
            kalman,
            kalman_by_hand,
            (0, 1),
            {"small": kalman_arguments(5, 2, 1), "middle": kalman_arguments(50, 20, 10)},
        ),
        Problem(
            "wave in place",
            wave,
            wave_by_hand,
            (0, 1),
            {"small": wave_arguments(8, 10), "middle": wave_arguments(200, 40)},
        ),
        Problem(
            "tridiagonal sweep",
            tridiagonal,
            tridiagonal_by_hand,
            (0, 1, 2, 3),
            {"small": tridiagonal_arguments(10), "middle": tridiagonal_arguments(1000)},
        ),
        Problem(
            "Gram-Schmidt",
            gram_schmidt,
            gram_schmidt_by_hand,
            0,
            {"small": (rng.normal(size=(6, 4)),), "middle": (rng.normal(size=(200, 50)),)},
        ),
        Problem(
            "correlation by rows",
            correlation,
            correlation_by_hand,
            0,
            {"small": (rng.normal(size=(20, 4)),), "middle": (rng.normal(size=(500, 50)),)},
        ),
        Problem(
            "particles, early exit",
            particles,
            particles_by_hand,
            (0, 1, 2),
            {"small": particles_arguments(10, 200), "middle": particles_arguments(10_000, 200)},
        ),
        Problem(
            "Black-Scholes",
            black_scholes,
            black_scholes_by_hand,
            (0, 2, 3, 4),
            {"small": black_scholes_arguments(10), "middle": black_scholes_arguments(10_000)},
        ),
        Problem(
            "diffusion",
            diffusion,
            diffusion_by_hand,
            (0, 1),
            {
                "small": (rng.normal(size=50), 0.2, 10),
                "middle": (rng.normal(size=100_000), 0.2, 40),
            },
        ),
        Problem(
            "diffusion, of the state",
            diffusion,
            diffusion_of_u_by_hand,
            0,
            {
                "small": (rng.normal(size=50), 0.2, 10),
                "middle": (rng.normal(size=100_000), 0.2, 40),
            },
        ),
    ]
