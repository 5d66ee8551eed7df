"""Minds and schools: item responses, learning."""

from abc import ABCMeta, abstractmethod
from dataclasses import InitVar, dataclass, field

import numpy as np
from scipy.special import expit, logsumexp

from tests.realistic.table import program

# --- item response theory: quadrature over ability, two and three parameters, patterns counted -----------


class Item(metaclass=ABCMeta):
    registry = {}

    def __init_subclass__(cls, kind=None, **kw):
        super().__init_subclass__(**kw)
        if kind:
            Item.registry[kind] = cls

    @abstractmethod
    def prob(self, theta): ...

    def loglik(self, theta, answer):
        if answer is None:
            return np.zeros_like(theta)
        p = np.clip(self.prob(theta), 1e-12, 1 - 1e-12)
        return np.log(p) if answer else np.log1p(-p)

class Rasch(Item, kind="rasch"):
    def __init__(self, b):
        self.b = b

    def prob(self, theta):
        return expit(theta - self.b)

class TwoPL(Item, kind="2pl"):
    def __init__(self, a, b):
        self.a, self.b = a, b

    def prob(self, theta):
        return expit(self.a * (theta - self.b))

class ThreePL(TwoPL, kind="3pl"):
    def __init__(self, a, b, c):
        super().__init__(a, b)
        self.c = c

    def prob(self, theta):
        return self.c + (1 - self.c) * super().prob(theta)


# --- learning from reward: a bandit's Q values, choice by softmax, stickiness, subjects in a loop -----------


@dataclass
class Learner:
    params: InitVar[dict]
    n_arms: int = 3
    q: np.ndarray = field(init=False)
    last: int = field(default=-1, init=False)

    def __post_init__(self, params):
        self.alpha = {+1: expit(params["a_pos"]), -1: expit(params["a_neg"])}
        self.beta = np.exp(params["log_beta"])
        self.stick = params.get("stick", 0.0)
        self.q = np.full(self.n_arms, 0.5)

    def log_policy(self):
        u = self.beta * self.q
        if self.last >= 0:
            u[self.last] += self.stick
        return u - logsumexp(u)

    def learn(self, arm, reward):
        delta = reward - self.q[arm]
        self.q[arm] += self.alpha[1 if delta >= 0 else -1] * delta
        self.last = arm

@program(lambda rng: ({"a_pos": 0.3, "a_neg": -0.5, "log_beta": 0.8, "stick": 0.2}, [(0, 1), (0, 1), (2, 0), (1, 1), (0, 0), (1, 1), (1, 0), (2, 1)]),
         changes=(lambda a: a[0].pop("stick"), lambda a: (a[0], [(2, 0), (2, 1)])))
def bandit_nll(params, choices):
    agent = Learner(params)
    nll = 0.0
    for arm, reward in choices:
        nll -= agent.log_policy()[arm]
        agent.learn(arm, reward)
    return nll
