"""Programs with arrays of objects that hold what is differentiated."""

import numpy as np

def mixed(x):
    y = np.array(x, dtype=object)
    return np.sum(y * x) + np.sum(x * y * y) + y @ x + np.dot(x, y) + np.sum(np.concatenate([y, x * x]) ** 2)
def obj_filled(x):
    y = np.empty(3, dtype=object)
    for k in range(3): y[k] = x[k] ** 2
    return np.sum(y * x) + y.sum() + (y * 2 + 1).sum() * x[0] + np.sum(y.astype(float) ** 2)
def obj_inplace(x):
    y = np.array([1., 2., 3.], dtype=object)
    y += x
    y *= x[0]
    y[1:] = x[:2]
    y[0] -= x[2]
    return np.sum(y * y)
def obj_max(x):
    y = np.array(x, dtype=object)
    return max(y) * min(y) + np.max(y * x)
def obj_copyto(x):
    y = np.zeros(3, dtype=object)
    np.copyto(y, x)
    return np.sum(y * x)
def obj_stack(x):
    y = np.array(x, dtype=object)
    return np.sum(np.stack([y, x])[0] * x) + np.sum(np.where(x > 1, y, 0.0)) + np.sum(np.outer(x, y))
