"""Games and images."""

import itertools
import math
from abc import abstractmethod
from enum import Flag, auto
from functools import reduce

import numpy as np
from scipy.interpolate import RegularGridInterpolator, interp1d  # noqa: F401

from tests.realistic.table import program

# --- a physics engine of a game: vectors with operators, contacts, springs ---------------------------

class Vec2:
    __slots__ = ("x", "y")

    def __init__(self, x=0.0, y=0.0):
        self.x, self.y = x, y

    def __add__(self, o):
        return Vec2(self.x + o.x, self.y + o.y)

    def __sub__(self, o):
        return Vec2(self.x - o.x, self.y - o.y)

    def __mul__(self, k):
        if isinstance(k, Vec2):
            return self.x * k.x + self.y * k.y
        return Vec2(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __truediv__(self, k):
        return self * (1 / k)

    def __neg__(self):
        return Vec2(-self.x, -self.y)

    def __iter__(self):
        yield self.x
        yield self.y

    def __matmul__(self, o):
        return self.x * o.y - self.y * o.x

    @property
    def length(self):
        return math.sqrt(self.x * self.x + self.y * self.y)

    def normalized(self):
        return self / self.length

class Tag(Flag):
    NONE = 0
    STATIC = auto()
    BOUNCY = auto()

class Body:
    def __init__(self, pos, vel=None, mass=1.0, radius=0.2, tag=Tag.NONE):
        self.pos, self.vel = pos, vel or Vec2()
        self.mass, self.radius, self.tag = mass, radius, tag
        self.force = Vec2()

    @property
    def inverse_mass(self):
        return 0.0 if Tag.STATIC in self.tag else 1 / self.mass

class Spring:
    def __init__(self, a, b, rest, k, damping=0.1):
        self.a, self.b, self.rest, self.k, self.damping = a, b, rest, k, damping

    def apply(self):
        d = self.b.pos - self.a.pos
        n = d.normalized()
        f = n * (self.k * (d.length - self.rest) + self.damping * ((self.b.vel - self.a.vel) * n))
        self.a.force = self.a.force + f
        self.b.force = self.b.force - f

class World:
    gravity = Vec2(0.0, -9.81)

    def __init__(self, restitution):
        self.bodies, self.springs, self.restitution = [], [], restitution
        self.events = []

    def collide(self, a, b):
        d = b.pos - a.pos
        overlap = a.radius + b.radius - d.length
        if overlap <= 0:
            return
        n = d.normalized()
        closing = (b.vel - a.vel) * n
        if closing < 0:
            e = self.restitution if Tag.BOUNCY in (a.tag | b.tag) else 0.1
            j = -(1 + e) * closing / (a.inverse_mass + b.inverse_mass)
            a.vel, b.vel = a.vel - n * (j * a.inverse_mass), b.vel + n * (j * b.inverse_mass)
            self.events.append("hit")

    def step(self, dt):
        for body in self.bodies:
            body.force = self.gravity * body.mass
        for spring in self.springs:
            spring.apply()
        for body in self.bodies:
            body.vel = body.vel + body.force * (dt * body.inverse_mass)
            body.pos = body.pos + body.vel * dt
        for a, b in itertools.combinations(self.bodies, 2):
            self.collide(a, b)

@program(lambda rng: (np.array([3.0, 4.0]), 0.8, 40.0), wrt=(0, 1, 2))
def throw_at_pendulum(velocity, restitution, stiffness):
    world = World(restitution)
    anchor = Body(Vec2(1.0, 2.0), tag=Tag.STATIC, radius=0.0)
    bob = Body(Vec2(1.05, 1.0), mass=2.0, radius=0.3, tag=Tag.BOUNCY)
    ball = Body(Vec2(0.0, 0.5), Vec2(*velocity))
    world.bodies += [anchor, bob, ball]
    world.springs.append(Spring(anchor, bob, 1.0, stiffness))
    for _ in range(25):
        world.step(0.02)
    x, y = bob.pos
    return (x - 1.5) ** 2 + (y - 1.2) ** 2 + 0.1 * ball.vel.length + 0.01 * (ball.pos @ bob.pos)

# --- image registration by mutual information, transform objects with a common base -----------------------

class Transform:
    parameters: np.ndarray

    @abstractmethod
    def __call__(self, coords): ...

    def __or__(self, other):
        return Composite(self, other)


class Composite(Transform):
    def __init__(self, *parts):
        self.parts = parts

    def __call__(self, coords):
        return reduce(lambda c, t: t(c), self.parts, coords)
