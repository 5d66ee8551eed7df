"""Fields and waves: wavefronts, tomography, registration."""

import functools
import math
from collections.abc import Sequence

import numpy as np
from numpy.linalg import norm
from scipy import ndimage

from tests.realistic.table import program

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
