"""Neural networks by hand: layers, optimisers, training loops."""

import math
from typing import Callable

import numpy as np

from tests.realistic.table import program

# --- a layer library in the style of PyTorch modules ---------------------------------------------

class Module:
    def __init__(self):
        self.training = True

    def __call__(self, x):
        return self.forward(x)

    def forward(self, x):
        raise NotImplementedError(type(self).__name__)

    def children(self):
        for value in vars(self).values():
            if isinstance(value, Module):
                yield value
            elif isinstance(value, (list, tuple)):
                yield from (v for v in value if isinstance(v, Module))

    def train(self, mode=True):
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self):
        return self.train(False)

class Linear(Module):
    def __init__(self, n_in, n_out, rng, bias=True):
        super().__init__()
        bound = 1 / math.sqrt(n_in)
        self.weight = rng.uniform(-bound, bound, (n_out, n_in))
        self.bias = rng.uniform(-bound, bound, n_out) if bias else None

    def forward(self, x):
        out = x @ self.weight.T
        if self.bias is not None:
            out = out + self.bias
        return out

class BatchNorm(Module):
    def __init__(self, n, momentum=0.1, eps=1e-5):
        super().__init__()
        self.gamma, self.beta = np.ones(n), np.zeros(n)
        self.running_mean, self.running_var = np.zeros(n), np.ones(n)
        self.momentum, self.eps = momentum, eps
        self.num_batches = 0

    def forward(self, x):
        if self.training:
            mean, var = x.mean(axis=0), x.var(axis=0)
            m = self.momentum
            self.running_mean = (1 - m) * self.running_mean + m * mean
            self.running_var = (1 - m) * self.running_var + m * var * len(x) / (len(x) - 1)
            self.num_batches += 1
        else:
            mean, var = self.running_mean, self.running_var
        return self.gamma * (x - mean) / np.sqrt(var + self.eps) + self.beta

class Dropout(Module):
    def __init__(self, p, seed):
        super().__init__()
        self.p = p
        self.rng = np.random.default_rng(seed)

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        keep = self.rng.random(x.shape) >= self.p
        return x * keep / (1 - self.p)

class Activation(Module):
    table: dict[str, Callable] = {
        "relu": lambda x: np.maximum(x, 0),
        "tanh": np.tanh,
        "silu": lambda x: x / (1 + np.exp(-x)),
        "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    }

    def __init__(self, name):
        super().__init__()
        if name not in self.table:
            raise KeyError(f"no activation {name}")
        self.name = name

    def forward(self, x):
        return self.table[self.name](x)

class Sequential(Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = list(layers)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def __getitem__(self, i):
        return self.layers[i]

    def __len__(self):
        return len(self.layers)

class Residual(Sequential):
    def forward(self, x):
        return x + super().forward(x)

def make_net(rng):
    return Sequential(
        Linear(3, 5, rng),
        BatchNorm(5),
        Activation("silu"),
        Residual(Linear(5, 5, rng, bias=False), Activation("elu"), Dropout(0.3, seed=3)),
        Linear(5, 4, rng),
    )

def cross_entropy(logits, labels, smoothing=0.1):
    n, k = logits.shape
    shifted = logits - logits.max(axis=1, keepdims=True)
    logp = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    target = np.full((n, k), smoothing / k)
    target[np.arange(n), labels] += 1 - smoothing
    return -np.mean(np.sum(target * logp, axis=1))

@program(lambda rng: (make_net(rng), rng.normal(size=(6, 3)), rng.integers(0, 4, 6)))
def module_evaluation_loss(net, x, labels):
    net.train()
    net(x)  # a batch to fill the running statistics
    net.eval()
    logits = net(x[:3])
    confident = np.argmax(logits, axis=1)
    accuracy = np.mean(confident == labels[:3])
    return cross_entropy(logits, labels[:3], smoothing=0.0) + 0.1 * accuracy

# --- optimisers that are differentiated through: learned learning rates ---------------------------

class Optimizer:
    registry: dict = {}

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        Optimizer.registry[cls.__name__.lower()] = cls

    def __init__(self, lr, **options):
        self.lr = lr
        self.state = {}
        self.t = 0
        for name, value in options.items():
            setattr(self, name, value)

    def step(self, params, grads):
        self.t += 1
        return {name: p - self.update(name, grads[name]) for name, p in params.items()}

class Momentum(Optimizer):
    momentum = 0.9

    def update(self, name, g):
        v = self.momentum * self.state.get(name, 0.0) + self.lr * g
        self.state[name] = v
        return v

class Adam(Optimizer):
    b1, b2, eps = 0.9, 0.99, 1e-6

    def update(self, name, g):
        m, s = self.state.setdefault(name, (np.zeros_like(g), np.zeros_like(g)))
        m = self.b1 * m + (1 - self.b1) * g
        s = self.b2 * s + (1 - self.b2) * g * g
        self.state[name] = (m, s)
        mhat = m / (1 - self.b1**self.t)
        shat = s / (1 - self.b2**self.t)
        return self.lr * mhat / (np.sqrt(shat) + self.eps)
