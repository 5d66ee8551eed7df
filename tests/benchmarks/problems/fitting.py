"""Least squares, likelihoods and prices: what models are fitted by."""

import math

import numpy as np
from scipy.special import erf

from tests.benchmarks.problem import Problem, of


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


def polynomial_arguments(rng, n, degree):
    """Return arguments of some size."""
    x = np.linspace(-1, 1, n)
    return rng.normal(size=degree), x, np.sin(3 * x)


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


def black_scholes_arguments(rng, n):
    """Return arguments of some size."""
    return 80 + 40 * rng.random(n), 100.0, 0.5 + rng.random(n), 0.03, 0.25


def bundle(cameras, points, weights, by, of_point, measured):
    """Return the squared error of what cameras with a lens see of points."""
    c = cameras[by]
    f, k = c[:, 6:7], c[:, 9:]
    theta = np.sqrt(np.sum(c[:, :3] ** 2, axis=1))[:, None]
    cos, sin = np.cos(theta), np.sin(theta)
    w = c[:, :3] / theta
    p = points[of_point] - c[:, 3:6]
    along = np.sum(w * p, axis=1)[:, None]
    turned = p * cos + np.cross(w, p) * sin + w * (along * (1 - cos))
    xy = turned[:, :2] / turned[:, 2:]
    rr = np.sum(xy**2, axis=1)[:, None]
    lens = 1 + k[:, :1] * rr + k[:, 1:] * rr**2
    e = weights[:, None] * (f * lens * xy + c[:, 7:9] - measured)
    return np.sum(e**2)


def bundle_by_hand(cameras, points, weights, by, of_point, measured):
    """Return the gradient of ``bundle`` by hand."""
    c = cameras[by]
    f, k = c[:, 6:7], c[:, 9:]
    theta = np.sqrt(np.sum(c[:, :3] ** 2, axis=1))[:, None]
    cos, sin = np.cos(theta), np.sin(theta)
    w = c[:, :3] / theta
    p = points[of_point] - c[:, 3:6]
    along = np.sum(w * p, axis=1)[:, None]
    side, versed = np.cross(w, p), 1 - cos
    turned = p * cos + side * sin + w * (along * versed)
    xy = turned[:, :2] / turned[:, 2:]
    rr = np.sum(xy**2, axis=1)[:, None]
    lens = 1 + k[:, :1] * rr + k[:, 1:] * rr**2
    r = f * lens * xy + c[:, 7:9] - measured
    r_bar = 2 * (weights**2)[:, None] * r
    weights_bar = 2 * weights * np.sum(r**2, axis=1)
    c_bar = np.empty(c.shape)
    c_bar[:, 7:9] = r_bar
    scale_bar = np.sum(r_bar * xy, axis=1)[:, None]
    c_bar[:, 6:7] = lens * scale_bar
    lens_bar = f * scale_bar
    c_bar[:, 9:10] = lens_bar * rr
    c_bar[:, 10:] = lens_bar * rr**2
    xy_bar = f * lens * r_bar + 2 * lens_bar * (k[:, :1] + 2 * k[:, 1:] * rr) * xy
    turned_bar = np.empty(p.shape)
    turned_bar[:, :2] = xy_bar / turned[:, 2:]
    turned_bar[:, 2] = -np.sum(xy_bar * xy, axis=1) / turned[:, 2]
    side_bar = sin * turned_bar
    versed_bar = along * np.sum(turned_bar * w, axis=1)[:, None]
    along_bar = versed * np.sum(turned_bar * w, axis=1)[:, None]
    w_bar = np.cross(p, side_bar) + along * versed * turned_bar + along_bar * p
    p_bar = cos * turned_bar + np.cross(side_bar, w) + along_bar * w
    theta_bar = np.sum(turned_bar * (side * cos - p * sin) - w_bar * w / theta, axis=1)[:, None]
    c_bar[:, :3] = w_bar / theta + (theta_bar + sin * versed_bar) * w
    c_bar[:, 3:6] = -p_bar
    cameras_bar, points_bar = np.zeros(cameras.shape), np.zeros(points.shape)
    np.add.at(cameras_bar, by, c_bar)
    np.add.at(points_bar, of_point, p_bar)
    return cameras_bar, points_bar, weights_bar


def bundle_arguments(rng, n, m, seen):
    """Return arguments of some size: cameras, points, and how many views."""
    cameras = rng.normal(size=(n, 11))
    cameras[:, 3:6] -= [0, 0, 10]
    cameras[:, :3] *= 0.1
    cameras[:, 9:] *= 0.01
    by, of_point = rng.integers(0, n, size=seen), rng.integers(0, m, size=seen)
    return (
        cameras,
        rng.normal(size=(m, 3)),
        rng.normal(size=seen),
        by,
        of_point,
        rng.normal(size=(seen, 2)),
    )


def hand(angles, axes, bones, skin, targets):
    """Return how far the skin of a finger is from targets: bones that are turned about axes."""
    turn, joint = np.eye(3), np.zeros(3)
    far = np.zeros(targets.shape)
    for k in range(angles.shape[0]):
        about = axes[k]
        step = np.eye(3) + np.sin(angles[k]) * about + (1 - np.cos(angles[k])) * (about @ about)
        turn = turn @ step
        joint = joint + turn @ bones[k]
        far[k] = skin[k] @ turn.T + joint - targets[k]
    return far


def hand_by_hand(angles, axes, bones, skin, targets):
    """Return the Jacobian of ``hand`` by hand, forwards, for all angles at once."""
    n = angles.shape[0]
    turn = np.eye(3)
    turn_dots, joint_dots = np.zeros((n, 3, 3)), np.zeros((n, 3))
    far_dots = np.zeros((n, *targets.shape))
    for k in range(n):
        about = axes[k]
        twice = about @ about
        s, c = np.sin(angles[k]), np.cos(angles[k])
        step = np.eye(3) + s * about + (1 - c) * twice
        dots = turn_dots[: k + 1]
        dots[:k] = dots[:k] @ step
        dots[k] = turn @ (c * about + s * twice)
        turn = turn @ step
        joint_dots[: k + 1] += dots @ bones[k]
        far_dots[: k + 1, k] = skin[k] @ dots.transpose(0, 2, 1) + joint_dots[: k + 1, None]
    return np.moveaxis(far_dots, 0, -1)


def hand_arguments(rng, joints, vertices):
    """Return arguments of some size."""
    a = rng.normal(size=(joints, 3))
    a /= np.sqrt(np.sum(a**2, axis=1))[:, None]
    axes = np.zeros((joints, 3, 3))
    axes[:, 2, 1], axes[:, 0, 2], axes[:, 1, 0] = a.T
    axes -= axes.transpose(0, 2, 1)
    skin = rng.normal(size=(joints, vertices, 3))
    return rng.normal(size=joints), axes, rng.normal(size=(joints, 3)), skin, 0.5 * skin


PROBLEMS = [
    Problem(
        "log-sum-exp",
        log_sum_exp,
        log_sum_exp_by_hand,
        0,
        lambda rng, n: (rng.normal(size=n),),
        of((100,), (100_000,), (1_000_000,)),
    ),
    Problem(
        "least squares, Horner",
        horner,
        horner_by_hand,
        0,
        polynomial_arguments,
        of((50, 5), (10_000, 10), (300_000, 10)),
        loops=True,
    ),
    Problem(
        "least squares, matrix",
        vandermonde,
        vandermonde_by_hand,
        0,
        polynomial_arguments,
        of((50, 5), (10_000, 10), (100_000, 10)),
    ),
    Problem(
        "bundle adjustment",
        bundle,
        bundle_by_hand,
        (0, 1, 2),
        bundle_arguments,
        of((2, 10, 20), (20, 500, 5000), (100, 10_000, 50_000)),
    ),
    Problem(
        "hand model, Jacobian",
        hand,
        hand_by_hand,
        0,
        hand_arguments,
        of((3, 5), (10, 50), (20, 1000)),
        kind="jacobian",
        loops=True,
    ),
    Problem(
        "Black-Scholes",
        black_scholes,
        black_scholes_by_hand,
        (0, 2, 3, 4),
        black_scholes_arguments,
        of((10,), (10_000,), (200_000,)),
    ),
]
