"""Two arrays that change places: a wave on a string."""

import numpy as np

from srcgrad import grad


def wave(u0, speed, steps):
    old = u0.copy()
    now = u0.copy()
    for _ in range(steps):
        new = np.zeros_like(now)
        new[1:-1] = 2 * now[1:-1] - old[1:-1] + speed * (now[2:] - 2 * now[1:-1] + now[:-2])
        old, now = now, new
    return np.sum(now ** 2)


def arguments():
    return np.array([0.0, 0.3, 1.0, 0.4, 0.1, 0.0]), 0.2, 5


derivative = grad(wave, wrt=("u0", "speed"))


# ------------------------------------------------------------------------------------------

def wave_grad(u0, speed, steps):
    """Gradient of wave (double_buffer.py:8) with respect to (u0, speed)."""
    old = u0.copy()
    now = u0.copy()
    saved = []
    for _ in range(steps):
        new = np.zeros_like(now)
        sum_ = now[2:] - 2 * now[1:-1] + now[:-2]
        saved.append(sum_)
        new[1:-1] = 2 * now[1:-1] - old[1:-1] + speed * sum_
        old, now = now, new

    # double_buffer.py:15  return np.sum(now ** 2)
    now_bar = 2 * now
    # double_buffer.py:11  for _ in range(steps):
    now_bar2 = np.zeros(old.shape)
    speed_bar = 0.0
    for sum_ in saved[::-1]:
        # double_buffer.py:13  new[1:-1] = 2 * now[1:-1] - old[1:-1] + speed * (now[2:] - 2  ...
        sum_bar = now_bar[1:-1]
        sum_bar2 = speed * sum_bar
        speed_bar += np.dot(sum_bar, sum_)
        now_bar2[:-2] += sum_bar2
        now_bar2[2:] += sum_bar2
        old_bar = np.zeros(now.shape)
        old_bar[1:-1] = -sum_bar
        now_bar2[1:-1] += 2 * sum_bar - 2 * sum_bar2
        now_bar = now_bar2
        now_bar2 = old_bar
    # double_buffer.py:9  old = u0.copy()
    u0_bar = now_bar + now_bar2
    return u0_bar, speed_bar
