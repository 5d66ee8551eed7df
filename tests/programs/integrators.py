"""Differential equations stepped through time, and simulations."""

import math

import numpy as np

from tests.programs.table import program


@program(
    args=lambda rng: (np.array([1.0, 0.5]), np.array([1.1, 0.4, 0.1, 0.4])), wrt=(0, 1)
)
def runge_kutta_of_lotka_volterra(state, rates):
    def rhs(s):
        prey, predator = s
        a, b, c, d = rates
        return np.array(
            [a * prey - b * prey * predator, c * prey * predator - d * predator]
        )

    dt = 0.1
    for _ in range(3):
        k1 = rhs(state)
        k2 = rhs(state + dt / 2 * k1)
        k3 = rhs(state + dt / 2 * k2)
        k4 = rhs(state + dt * k3)
        state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return np.sum(state**2)


def runge_kutta_step(rhs, t, y, dt):
    k1 = rhs(t, y)
    k2 = rhs(t + dt / 2, y + dt / 2 * k1)
    k3 = rhs(t + dt / 2, y + dt / 2 * k2)
    k4 = rhs(t + dt, y + dt * k3)
    return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@program(args=lambda rng: (rng.normal(size=2), rng.normal(size=(2, 2))), wrt=(0, 1))
def runge_kutta_by_a_helper(y, a):
    t, dt = 0.0, 0.2
    for _ in range(3):
        y = runge_kutta_step(
            lambda time, state: np.tanh(a @ state) + math.sin(time), t, y, dt
        )
        t += dt
    return y @ y


@program(args=lambda rng: (np.array([1.0, 0.2]), np.array([-0.1, 0.9])), wrt=(0, 1))
def orbit_with_velocity_verlet(x, v):
    dt = 0.05
    a = -x / np.sum(x**2) ** 1.5
    for _ in range(4):
        x = x + dt * v + 0.5 * dt**2 * a
        new_a = -x / np.sum(x**2) ** 1.5
        v = v + 0.5 * dt * (a + new_a)
        a = new_a
    return 0.5 * v @ v - 1 / np.sqrt(x @ x)


@program(
    args=lambda rng: (rng.normal(size=(3, 2)), np.array([1.0, 2.0, 0.5])), wrt=(0, 1)
)
def gravity_between_bodies(x, mass):
    energy = 0.0
    for i in range(3):
        for j in range(i + 1, 3):
            d = x[i] - x[j]
            energy = energy - mass[i] * mass[j] / np.sqrt(d @ d + 0.1)
    return energy


@program(args=lambda rng: (rng.normal(size=6), 0.2), wrt=(0, 1))
def heat_equation(u, kappa):
    zero = np.zeros(1)
    for _ in range(3):
        flux = np.diff(u)
        u = u + kappa * (np.concatenate([flux, zero]) - np.concatenate([zero, flux]))
    return np.sum(u**2)


@program(args=(1.0, 0.7))
def adaptive_step_size(y, rate):
    """Steps are rejected or lengthened by an error estimate."""
    t, dt = 0.0, 0.5
    while t < 1.0:
        if t + dt > 1.0:
            dt = 1.0 - t
        full = y - dt * rate * y**2
        half = y - dt / 2 * rate * y**2
        two_halves = half - dt / 2 * rate * half**2
        if abs(full - two_halves) > 0.015:
            dt = dt / 2
            continue
        y = two_halves
        t = t + dt
        dt = dt * 1.5
    return y


@program(args=(12.0, 0.8, 0.02), wrt=(0, 1, 2))
def projectile_until_it_lands(speed, angle, drag):
    x, y = 0.0, 0.0
    vx, vy = speed * math.cos(angle), speed * math.sin(angle)
    dt = 0.1
    while True:
        v = math.sqrt(vx**2 + vy**2)
        vx = vx - dt * drag * v * vx
        vy = vy - dt * (9.81 + drag * v * vy)
        new_y = y + dt * vy
        if new_y < 0:
            return x + vx * dt * y / (y - new_y)
        x = x + dt * vx
        y = new_y
