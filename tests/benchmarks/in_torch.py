"""Programs of the problems in PyTorch's words, where these are not NumPy's.

A program that is not here is run as it stands, with ``names`` in the place of NumPy.
"""

import math
from types import SimpleNamespace

import torch


class Names:
    """PyTorch under the names of NumPy: its own functions, but for those that differ."""

    linalg = torch.linalg
    fft = torch.fft
    array = staticmethod(torch.stack)
    concatenate = staticmethod(lambda parts, axis=0: torch.cat(parts, axis))
    cross = staticmethod(lambda a, b: torch.linalg.cross(a, b))
    max = staticmethod(lambda x, axis=(): torch.amax(x, axis))
    min = staticmethod(lambda x, axis=(): torch.amin(x, axis))
    maximum = staticmethod(lambda x, least: torch.clamp(x, min=least))
    add = SimpleNamespace(at=lambda y, at, values: y.index_add_(0, at, values))

    def __getattr__(self, name):
        """Return PyTorch's function of that name."""
        return getattr(torch, name)

    @staticmethod
    def sqrt(x):
        """Return the root of a tensor or a number."""
        return torch.sqrt(x) if torch.is_tensor(x) else math.sqrt(x)


names = Names()
erf = torch.special.erf


def wave(u, c, steps):
    """Return the energy at the end of a wave on a square, computed in place."""
    u = u.clone()
    v = torch.zeros_like(u)
    for _ in range(steps):
        lap = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        v[1:-1, 1:-1] += c * lap
        u += v
    return torch.sum(u**2)


def tridiagonal(a, b, c, d):
    """Return the squared norm of the solution of a tridiagonal system, in lists."""
    n = d.shape[0]
    p, q = [c[0] / b[0]], [d[0] / b[0]]
    for i in range(1, n):
        m = b[i] - a[i] * p[i - 1]
        p.append(c[i] / m)
        q.append((d[i] - a[i] * q[i - 1]) / m)
    x = [q[n - 1]]
    for i in range(n - 2, -1, -1):
        x.append(q[i] - p[i] * x[-1])
    return torch.sum(torch.stack(x) ** 2)


def gram_schmidt(a):
    """Return a weighted sum of the orthonormal columns that a matrix gives, in a list."""
    columns = []
    for k in range(a.shape[1]):
        v = a[:, k]
        if k:
            q = torch.stack(columns, 1)
            v = v - q @ (q.T @ a[:, k])
        columns.append(v / torch.sqrt(torch.sum(v**2)))
    return torch.sum(torch.stack(columns) ** 3)


def correlation(x):
    """Return the sum of squares of the correlations of the columns, row by row."""
    n, m = x.shape
    x = x - x.mean(axis=0)
    x = x / torch.sqrt(torch.mean(x**2, axis=0))
    corr = torch.eye(m)
    for i in range(m - 1):
        corr[i, i + 1 :] = x[:, i] @ x[:, i + 1 :] / n
    return torch.sum(corr**2)


def conv_net(k, b, w, images, labels):
    """Return the cross entropy of a network with a convolution, by PyTorch's own layers."""
    functional = torch.nn.functional
    z = functional.conv2d(images[:, None], k.permute(2, 0, 1)[:, None], b)
    pooled = functional.avg_pool2d(torch.relu(z), 2)
    scores = pooled.permute(0, 2, 3, 1).reshape(images.shape[0], -1) @ w
    return torch.mean(torch.logsumexp(scores, 1) - torch.sum(scores * labels, 1))


def hand(angles, axes, bones, skin, targets):
    """Return how far the skin of a finger is from targets, in a list."""
    turn, joint = torch.eye(3), torch.zeros(3)
    far = []
    for k in range(angles.shape[0]):
        about = axes[k]
        step = torch.eye(3) + torch.sin(angles[k]) * about
        step = step + (1 - torch.cos(angles[k])) * (about @ about)
        turn = turn @ step
        joint = joint + turn @ bones[k]
        far.append(skin[k] @ turn.T + joint - targets[k])
    return torch.stack(far)
