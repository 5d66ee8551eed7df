import numpy as np

from srcgrad import grad


def compliance(areas, nodes, bars, fixed, load):
    """The work of a load on a truss: element matrices are added up, and the rest is solved."""
    K = np.zeros((load.size, load.size))
    for k in range(len(bars)):
        i, j = bars[k]
        d = nodes[j] - nodes[i]
        length = np.sqrt(d @ d)
        T = np.concatenate((d, -d)) / length
        at = np.array([2 * i, 2 * i + 1, 2 * j, 2 * j + 1])
        K[np.ix_(at, at)] += areas[k] / length * np.outer(T, T)
    free = np.setdiff1d(np.arange(load.size), fixed)
    u = np.zeros(load.size)
    u[free] = np.linalg.solve(K[np.ix_(free, free)], load[free])
    return load @ u


derivative = grad(compliance)


def arguments():
    nodes = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    bars = np.array([[0, 1], [0, 2], [1, 3], [2, 3], [0, 3], [1, 2]])
    load = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, -2.0])
    return 1.0 + 0.1 * np.arange(6.0), nodes, bars, np.array([0, 1, 4]), load


# ------------------------------------------------------------------------------------------

from srcgrad.runtime import is_last_write


def compliance_grad(areas, nodes, bars, fixed, load):
    """Gradient of compliance (assembled.py:6) with respect to areas."""
    K = np.zeros((load.size, load.size))
    saved = []
    for k in range(len(bars)):
        i, j = bars[k]
        d = nodes[j] - nodes[i]
        length = np.sqrt(d @ d)
        T = np.concatenate((d, -d)) / length
        at = np.array([2 * i, 2 * i + 1, 2 * j, 2 * j + 1])
        ix = np.ix_(at, at)
        outer = np.outer(T, T)
        saved.append((k, length, ix[0], ix[1], outer))
        K[ix] += areas[k] / length * outer
    free = np.setdiff1d(np.arange(load.size), fixed)
    ix2 = np.ix_(free, free)
    K_item = K[ix2]
    solution = np.linalg.solve(K_item, load[free])

    # assembled.py:18  u[free] = np.linalg.solve(K[np.ix_(free, free)], load[free])
    K_bar = np.zeros(K.shape)
    K_bar[ix2[0], ix2[1]] = -np.outer(np.linalg.solve(K_item.T, load[free]), solution)
    # assembled.py:9  for k in range(len(bars)):
    areas_bar = np.zeros(areas.shape)
    for k, length, ix_0, ix_1, outer in saved[::-1]:
        # assembled.py:15  K[np.ix_(at, at)] += areas[k] / length * np.outer(T, T)
        term = np.where(is_last_write(K_bar, (ix_0, ix_1)), K_bar[ix_0, ix_1], 0.0) * outer
        areas_bar[k] = term.sum() / length
    return areas_bar
