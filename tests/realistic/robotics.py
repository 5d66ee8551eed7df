"""Robotics: attitude."""


import numpy as np

from tests.realistic.table import program

# --- quaternions with operators, an attitude filter ----------------------------------------

class Quaternion:
    __slots__ = ("w", "x", "y", "z")

    def __init__(self, w=1.0, x=0.0, y=0.0, z=0.0):
        self.w, self.x, self.y, self.z = w, x, y, z

    @classmethod
    def from_rotvec(cls, v):
        angle = np.sqrt(v @ v + 1e-16)
        s = np.sin(angle / 2) / angle
        return cls(np.cos(angle / 2), *(s * v))

    def __mul__(self, o):
        if isinstance(o, (int, float)):
            return Quaternion(self.w * o, self.x * o, self.y * o, self.z * o)
        return Quaternion(
            self.w * o.w - self.x * o.x - self.y * o.y - self.z * o.z,
            self.w * o.x + self.x * o.w + self.y * o.z - self.z * o.y,
            self.w * o.y - self.x * o.z + self.y * o.w + self.z * o.x,
            self.w * o.z + self.x * o.y - self.y * o.x + self.z * o.w,
        )

    def __add__(self, o):
        return Quaternion(*(a + b for a, b in zip(self, o)))

    def __iter__(self):
        return iter((self.w, self.x, self.y, self.z))

    def __abs__(self):
        return np.sqrt(sum(c * c for c in self))

    def conjugate(self):
        return Quaternion(self.w, -self.x, -self.y, -self.z)

    def normalised(self):
        n = abs(self)
        return Quaternion(*(c / n for c in self))

    def rotate(self, v):
        r = self * Quaternion(0.0, *v) * self.conjugate()
        return np.array([r.x, r.y, r.z])

@program(
    lambda rng: (np.array([0.02, -0.01, 0.03]), 0.15, rng.normal(0, 0.5, (10, 3)), rng.normal(0, 0.1, (10, 3)) + [0, 0, 9.81]),
    wrt=(0, 1, 2),
)
def attitude_filter(bias, gain, gyro, accel, dt=0.05):
    """A Mahony-like complementary filter; how far gravity ends from the vertical."""
    q = Quaternion()
    drift = []
    for omega, a in zip(gyro, accel):
        a = a / np.linalg.norm(a)
        vertical = q.conjugate().rotate([0.0, 0.0, 1.0])
        correction = np.cross(a, vertical)
        q = (q * Quaternion.from_rotvec((omega - bias + gain * correction) * dt)).normalised()
        drift.append(correction @ correction)
    up = q.rotate(np.array([0.0, 0.0, 1.0]))
    return 1 - up[2] + np.mean(drift) + 0.1 * (q + q.conjugate()).w
