"""A matrix that is put together of blocks."""

import numpy as np

from srcgrad import grad


def multipliers(Q, a):
    K = np.block([[Q, a[:, None]], [a[None, :], np.zeros((1, 1))]])
    z = np.linalg.solve(K, np.ones(len(K)))
    return np.sum(z[:-1] ** 2)


def arguments():
    return np.array([[2.0, 0.3], [0.1, 1.5]]), np.array([1.0, -0.5])


derivative = grad(multipliers, wrt=("Q", "a"))


# ------------------------------------------------------------------------------------------

def multipliers_grad(Q, a):
    """Gradient of multipliers (saddle_point.py:8) with respect to (Q, a)."""
    K = np.vstack((np.hstack((Q, a[:, None])), np.hstack((a[None, :], np.zeros((1, 1))))))
    z = np.linalg.solve(K, np.ones(len(K)))

    # saddle_point.py:11  return np.sum(z[:-1] ** 2)
    z_bar = np.zeros(z.shape)
    z_bar[:-1] = 2 * z[:-1]
    # saddle_point.py:10  z = np.linalg.solve(K, np.ones(len(K)))
    K_bar = -np.outer(np.linalg.solve(K.T, z_bar), z)
    # saddle_point.py:9  K = np.block([[Q, a[:, None]], [a[None, :], np.zeros((1, 1))]])
    hstack_bar = K_bar[:-1]
    Q_bar = hstack_bar[:, :-1]
    a_bar = K_bar[-1, :-1] + hstack_bar[:, -1]
    return Q_bar, a_bar
