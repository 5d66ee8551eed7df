"""Fields and waves: beams of light, wavefronts, tomography, registration, finite elements."""

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.linalg import norm, solve
from scipy import ndimage, sparse

from tests.realistic.table import program

# --- a beam through lenses by ABCD matrices, a resonator's stability, coupling into a fibre --------------------


class Element:
    matrix = np.eye(2)

    def __matmul__(self, other):
        return Composite(self, other)

class Space(Element):
    def __init__(self, d):
        self.matrix = np.array([[1.0, d], [0.0, 1.0]])

class Lens(Element):
    def __init__(self, f):
        self.matrix = np.array([[1.0, 0.0], [-1.0 / f, 1.0]])

class Composite(Element):
    def __init__(self, *parts):
        self.parts = parts

    @property
    def matrix(self):
        return functools.reduce(np.dot, [p.matrix for p in self.parts])

@dataclass(frozen=True)
class Beam:
    q: complex
    wavelength: float

    @classmethod
    def from_waist(cls, w0, wavelength):
        return cls(1j * np.pi * w0**2 / wavelength, wavelength)

    def through(self, element):
        (a, b), (c, d) = element.matrix
        return Beam((a * self.q + b) / (c * self.q + d), self.wavelength)

    @property
    def width(self):
        return np.sqrt(-self.wavelength / (np.pi * np.imag(1 / self.q)))

@program(lambda rng: (np.array([0.8, 0.5]), np.array([1.1, 0.6, 0.4]), 0.3), wrt=(0, 1, 2))
def coupling_loss(focal, gaps, w0):
    train = Space(gaps[2]) @ Lens(focal[1]) @ Space(gaps[1]) @ Lens(focal[0]) @ Space(gaps[0])
    out = Beam.from_waist(w0, 0.5).through(train)
    target = Beam.from_waist(0.25, 0.5)
    overlap = 4 * np.imag(out.q) * np.imag(target.q) / np.abs(out.q - np.conj(target.q)) ** 2
    return -10 * np.log10(overlap) + 0.1 * out.width

# --- wavefronts: Zernike polynomials with a cache, slopes of a sensor, an estimate by least squares -------------


@functools.lru_cache
def radial(n, m):
    return tuple((n - 2 * k, (-1) ** k * math.factorial(n - k) / (math.factorial(k) * math.factorial((n + m) // 2 - k) * math.factorial((n - m) // 2 - k))) for k in range((n - m) // 2 + 1))

def zernike(n, m, rho, phi):
    r = sum(c * rho**p for p, c in radial(n, abs(m)))
    return r * (np.cos(m * phi) if m >= 0 else np.sin(-m * phi))

MODES = [(1, 1), (1, -1), (2, 0), (2, 2), (3, -1)]

@program(lambda rng: (rng.normal(0, 0.3, 5), 0.9), wrt=(0, 1), changes=(lambda a: MODES.__delitem__(-1), lambda a: MODES.insert(0, (4, 0))))
def strehl(coefficients, radius):
    axis = np.linspace(-1, 1, 9)
    x, y = np.meshgrid(axis, axis)
    rho, phi = np.hypot(x, y), np.arctan2(y, x)
    inside = rho <= 0.95
    phase = np.zeros_like(x)
    for c, (n, m) in zip(coefficients, MODES):
        phase += c * zernike(n, m, rho * radius, phi)
    field_ = np.where(inside, np.exp(1j * phase), 0)
    psf = np.abs(np.fft.fftshift(np.fft.fft2(field_, s=(16, 16)))) ** 2
    return psf.max() / inside.sum() ** 2 + 0.1 * phase[inside].std()

# --- tomography: rays through pixels by stepping, Kaczmarz sweeps with relaxation, nonnegativity ----------------


class Projector:
    def __init__(self, n, angles, detectors):
        self.n = n
        self.rays = [(a, s) for a in angles for s in np.linspace(-0.8, 0.8, detectors)]

    def weights(self, angle, offset):
        w = np.zeros((self.n, self.n))
        c, s = math.cos(angle), math.sin(angle)
        for t in np.arange(-1.2, 1.2, 0.1):
            x, y = offset * c - t * s, offset * s + t * c
            i, j = int((y + 1) / 2 * self.n), int((x + 1) / 2 * self.n)
            if 0 <= i < self.n and 0 <= j < self.n:
                w[i, j] += 0.1
        return w.ravel()

    def __iter__(self):
        return (self.weights(*r) for r in self.rays)

@program(lambda rng: (rng.uniform(0.5, 1.5, (4, 4)), 0.7), wrt=(0, 1), order2=False)
def reconstruction_error(image, relax):
    rows = list(Projector(4, np.linspace(0, np.pi, 4, endpoint=False), 4))
    data = [w @ image.ravel() for w in rows]
    x = np.full(16, 0.1)
    for sweep in range(2):
        for w, d in zip(rows, data):
            wn = w @ w
            if wn == 0:
                continue
            x = x + relax * (d - w @ x) / wn * w
        np.clip(x, 0.0, None, out=x)
    return norm(x - image.ravel())

# --- registration of images: affine maps, cubic interpolation by ndimage's filters, a pyramid --------------------


class Pyramid(Sequence):
    def __init__(self, image, levels):
        self.levels = [image]
        for _ in range(levels - 1):
            blurred = ndimage.gaussian_filter(self.levels[-1], 0.8)
            self.levels.append(blurred[::2, ::2])

    def __len__(self):
        return len(self.levels)

    def __getitem__(self, k):
        return self.levels[k]

def bilinear(img, y, x):
    h, w = img.shape
    y, x = np.clip(y, 0, h - 1.001), np.clip(x, 0, w - 1.001)
    i, j = y.astype(int), x.astype(int)
    fy, fx = y - i, x - j
    return (img[i, j] * (1 - fy) * (1 - fx) + img[i + 1, j] * fy * (1 - fx) + img[i, j + 1] * (1 - fy) * fx + img[i + 1, j + 1] * fy * fx)

@program(lambda rng: (np.array([0.05, 0.31, -0.22]), ndimage.gaussian_filter(rng.normal(size=(12, 12)), 1.5), ndimage.gaussian_filter(rng.normal(size=(12, 12)), 1.5)), wrt=(0, 1), order2=False)
def similarity(pose, fixed, moving):
    total = 0.0
    for level, (f, m) in enumerate(zip(Pyramid(fixed, 2), Pyramid(moving, 2))):
        scale = 0.5**level
        yy, xx = np.mgrid[: f.shape[0], : f.shape[1]].astype(float)
        cy, cx = (np.array(f.shape) - 1) / 2
        c, s = np.cos(pose[0]), np.sin(pose[0])
        ys = c * (yy - cy) - s * (xx - cx) + cy + scale * pose[1]
        xs = s * (yy - cy) + c * (xx - cx) + cx + scale * pose[2]
        warped = bilinear(m, ys, xs)
        a, b = f - f.mean(), warped - warped.mean()
        total -= (a * b).sum() / np.sqrt((a**2).sum() * (b**2).sum()) * 2**level
    return total

# --- finite elements: triangles, assembly by triplets, boundary conditions, an energy ------------------------------


class Mesh(NamedTuple):
    nodes: np.ndarray
    triangles: list
    fixed: frozenset

def unit_square(n):
    pts = [(i / n, j / n) for j in range(n + 1) for i in range(n + 1)]
    tri = []
    for j, i in itertools.product(range(n), repeat=2):
        a = j * (n + 1) + i
        tri += [(a, a + 1, a + n + 2), (a, a + n + 2, a + n + 1)]
    return Mesh(np.array(pts), tri, frozenset(k for k, (x, y) in enumerate(pts) if x in (0, 1) or y == 0))

def local_matrix(xy):
    B = np.array([xy[1] - xy[2], xy[2] - xy[0], xy[0] - xy[1]])
    area = 0.5 * abs((xy[1, 0] - xy[0, 0]) * (xy[2, 1] - xy[0, 1]) - (xy[2, 0] - xy[0, 0]) * (xy[1, 1] - xy[0, 1]))
    return B @ B.T / (4 * area), area

@program(lambda rng: (rng.uniform(0.5, 2.0, 8), np.array([0.03, -0.02])), wrt=(0, 1))
def heat_compliance(conductivity, shift):
    mesh = unit_square(2)
    nodes = mesh.nodes.copy()
    nodes[4] += shift
    rows, cols, vals = [], [], []
    load = np.zeros(len(nodes))
    for k, tri in zip(conductivity, mesh.triangles):
        K, area = local_matrix(nodes[list(tri)])
        for a, b in itertools.product(range(3), repeat=2):
            rows.append(tri[a]); cols.append(tri[b]); vals.append(k * K[a, b])
        for a in tri:
            load[a] += area / 3
    A = sparse.coo_matrix((np.array(vals), (rows, cols)), shape=(len(nodes), len(nodes))).toarray()
    free = np.array(sorted(set(range(len(nodes))) - mesh.fixed))
    u = np.zeros(len(nodes))
    u[free] = solve(A[np.ix_(free, free)], load[free])
    return load @ u
