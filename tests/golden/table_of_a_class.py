"""A model whose parameters are one vector, which a table of its class takes apart."""

import numpy as np

from srcgrad import grad


class Network:
    shapes = [("w", (2, 3)), ("b", (3,)), ("v", (3,))]

    def __init__(self, theta):
        at = 0
        for name, shape in self.shapes:
            size = int(np.prod(shape))
            setattr(self, name, theta[at : at + size].reshape(shape))
            at += size

    def __call__(self, x):
        return np.tanh(x @ self.w + self.b) @ self.v


def loss(theta, x, y):
    return np.mean((Network(theta)(x) - y) ** 2)


def arguments():
    x = np.array([[0.5, -1.5], [1.0, 0.2], [-0.3, 0.4]])
    return np.linspace(-1.0, 1.0, 12), x, np.array([0.1, 0.5, -0.2])


derivative = grad(loss)


# ------------------------------------------------------------------------------------------

def loss_grad(theta, x, y):
    """Gradient of loss (table_of_a_class.py:22) with respect to theta."""
    network, network_residuals = network_forward(theta)
    network_call_value, network_call_residuals = network_call_forward(network, x)
    diff = network_call_value - y

    # table_of_a_class.py:23  return np.mean((Network(theta)(x) - y) ** 2)
    w_bar, b_bar, v_bar = network_call_backward(network_call_residuals, 2 * diff / y.size)
    theta_bar = network_backward(network_residuals, w_bar, b_bar, v_bar)
    return theta_bar


def network_call_forward(self, x):
    """network_call (table_of_a_class.py:18), with what its backward function needs."""
    tanh = np.tanh(x @ self.w + self.b)
    return tanh @ self.v, (self.v, x, tanh)


def network_call_backward(residuals, value_bar):
    """Backward function of network_call (table_of_a_class.py:18)."""
    v, x, tanh = residuals
    # table_of_a_class.py:19  return np.tanh(x @ self.w + self.b) @ self.v
    v_bar = tanh.T @ value_bar
    pre_bar = np.outer(value_bar, v) * (1 - tanh ** 2)
    b_bar = pre_bar.sum(axis=0)
    w_bar = x.T @ pre_bar
    return w_bar, b_bar, v_bar


def network_forward(theta):
    """network (table_of_a_class.py:11), with what its backward function needs."""
    self = object.__new__(Network)
    at = 0
    items = self.shapes
    name, shape = items[0]
    size = int(np.prod(shape))
    sum_ = at + size
    setattr(self, name, theta[at : sum_].reshape(shape))
    at += size
    at_0 = at
    name, shape = items[1]
    size = int(np.prod(shape))
    sum_2 = at + size
    setattr(self, name, theta[at : sum_2].reshape(shape))
    at += size
    at_0_2 = at
    name, shape = items[2]
    size = int(np.prod(shape))
    setattr(self, name, theta[at : at + size].reshape(shape))
    return self, (theta, sum_, at_0, sum_2, at_0_2, size)


def network_backward(residuals, w_bar, b_bar, v_bar):
    """Backward function of network (table_of_a_class.py:11)."""
    theta, sum_, at_0, sum_2, at_0_2, size = residuals
    # table_of_a_class.py:15  setattr(self, name, theta[at : at + size].reshape(shape))
    theta_bar = np.zeros(theta.shape)
    theta_bar[at_0_2:at_0_2 + size] = v_bar.reshape(theta[at_0_2:at_0_2 + size].shape)
    theta_bar[at_0:sum_2] += b_bar.reshape(theta[at_0:sum_2].shape)
    theta_bar[0:sum_] += w_bar.reshape(theta[0:sum_].shape)
    return theta_bar
