"""A first model of a newcomer: layers of objects."""


import numpy as np

from tests.realistic.table import program

# --- robotics: planar arm, DH chain, trajectory optimisation with limits ------------


class Joint:
    def __init__(self, length, lo=-np.pi, hi=np.pi):
        self.length = length
        self.lo = lo
        self.hi = hi

    def transform(self, q):
        c, s = np.cos(q), np.sin(q)
        return np.array([[c, -s, self.length * c], [s, c, self.length * s], [0.0, 0.0, 1.0]])

    def violation(self, q):
        return np.maximum(0.0, q - self.hi) ** 2 + np.maximum(0.0, self.lo - q) ** 2


class Arm:
    def __init__(self, joints):
        self.joints = joints

    def __len__(self):
        return len(self.joints)

    def forward(self, q, return_all=False):
        T = np.eye(3)
        points = [T[:2, 2]]
        for joint, angle in zip(self.joints, q):
            T = T @ joint.transform(angle)
            points.append(T[:2, 2])
        return np.stack(points) if return_all else T[:2, 2]

    def penalty(self, q):
        return sum(j.violation(a) for j, a in zip(self.joints, q))


OBSTACLES = [((0.5, 0.9), 0.3), ((1.4, 0.2), 0.2)]


def clearance(points):
    cost = 0.0
    for centre, radius in OBSTACLES:
        d = np.linalg.norm(points - np.array(centre), axis=1)
        cost += np.sum(np.where(d < 2 * radius, (2 * radius - d) ** 2, 0.0))
    return cost


@program(
    lambda rng: (
        rng.normal(size=(3, 3)),
        np.array([1.2, 1.0]),
        Arm([Joint(1.0), Joint(0.7, -2, 2), Joint(0.4, 0, 1.0)]),
    ),
    wrt=(0, 1),
)
def trajectory_cost(Q, target, arm):
    steps, n = Q.shape
    assert n == len(arm)
    cost = 0.0
    prev = None
    for k in range(steps):
        q = Q[k]
        pts = arm.forward(q, return_all=True)
        cost += 2.0 * clearance(pts) + arm.penalty(q)
        if prev is not None:
            cost += 0.1 * np.sum((q - prev) ** 2)
        prev = q
    tip = arm.forward(Q[-1])
    return cost + 10 * np.sum((tip - target) ** 2)
