"""Systems that go on in time: filters, waves, particles."""

import numpy as np

from tests.benchmarks.problem import Problem, of


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


def runge_kutta_arguments(rng, steps):
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


def kalman_arguments(rng, steps, n, m):
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


def wave_arguments(rng, n, steps):
    """Return arguments of some size."""
    return rng.normal(size=(n, n)), 0.1, steps


def particles(x, v, k, steps):
    """Return the spread of damped particles when they have come to rest, or after all steps."""
    for _ in range(steps):
        force = -k * x - 0.5 * v + 0.1 * np.sin(x)
        v = v + 0.05 * force
        x = x + 0.05 * v
        if np.sum(v**2) < 1e-3 * v.shape[0]:
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
        if np.sum(v**2) < 1e-3 * v.shape[0]:
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


def particles_arguments(rng, n, steps):
    """Return arguments of some size."""
    return rng.normal(size=n), rng.normal(size=n), 1.5, steps


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


def diffusion_arguments(rng, n, steps):
    """Return arguments of some size."""
    return rng.normal(size=n), 0.2, steps


def spectral(u, viscosity, h, steps):
    """Return the energy of Burgers' equation after steps in which slopes come from a transform."""
    n = u.shape[0]
    k = np.arange(n // 2 + 1)
    for _ in range(steps):
        modes = np.fft.rfft(u)
        slope = np.fft.irfft(1j * k * modes, n)
        bend = np.fft.irfft(-(k**2) * modes, n)
        u = u + h * (viscosity * bend - u * slope)
    return np.sum(u**2)


def spectral_by_hand(u, viscosity, h, steps):
    """Return the gradient of ``spectral`` by hand: a derivative's transpose is its negative."""
    n = u.shape[0]
    k = np.arange(n // 2 + 1)
    saved = []
    for _ in range(steps):
        modes = np.fft.rfft(u)
        slope = np.fft.irfft(1j * k * modes, n)
        bend = np.fft.irfft(-(k**2) * modes, n)
        saved.append((u, slope, bend))
        u = u + h * (viscosity * bend - u * slope)
    u_bar = 2 * u
    viscosity_bar = 0.0
    for u, slope, bend in saved[::-1]:
        step_bar = h * u_bar
        viscosity_bar += step_bar @ bend
        modes_bar = 1j * k * np.fft.rfft(step_bar * u)
        modes_bar -= viscosity * k**2 * np.fft.rfft(step_bar)
        u_bar = u_bar - step_bar * slope + np.fft.irfft(modes_bar, n)
    return u_bar, viscosity_bar


def spectral_arguments(rng, n, steps):
    """Return arguments of some size."""
    x = 2 * np.pi * np.arange(n) / n
    u = np.sin(x) + 0.5 * np.cos(2 * x) + 0.1 * rng.normal()
    return u, 0.1, 1.0 / n**2, steps


PROBLEMS = [
    Problem(
        "Runge-Kutta",
        runge_kutta,
        runge_kutta_by_hand,
        (0, 1, 2, 3),
        runge_kutta_arguments,
        of((5,), (100,), (1000,)),
        loops=True,
    ),
    Problem(
        "Kalman filter",
        kalman,
        kalman_by_hand,
        (0, 1),
        kalman_arguments,
        of((5, 2, 1), (50, 20, 10), (50, 60, 30)),
        loops=True,
    ),
    Problem(
        "wave in place",
        wave,
        wave_by_hand,
        (0, 1),
        wave_arguments,
        of((8, 10), (200, 40), (400, 40)),
        loops=True,
    ),
    Problem(
        "particles, early exit",
        particles,
        particles_by_hand,
        (0, 1, 2),
        particles_arguments,
        of((10, 200), (10_000, 200), (50_000, 200)),
        loops=True,
    ),
    Problem(
        "diffusion",
        diffusion,
        diffusion_by_hand,
        (0, 1),
        diffusion_arguments,
        of((50, 10), (10_000, 40), (100_000, 40)),
        loops=True,
    ),
    Problem(
        "diffusion, of the state",
        diffusion,
        diffusion_of_u_by_hand,
        0,
        diffusion_arguments,
        of((50, 10), (10_000, 40), (100_000, 40)),
        loops=True,
    ),
    Problem(
        "spectral solver",
        spectral,
        spectral_by_hand,
        (0, 1),
        spectral_arguments,
        of((16, 10), (256, 100), (4096, 100)),
        loops=True,
    ),
]
