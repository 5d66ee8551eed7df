"""Computer vision: alignment, rendering."""

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from tests.realistic.table import program

# --- Lucas-Kanade alignment over a pyramid -----------------------------------------------------

def pyramid(image, levels):
    yield image
    for _ in range(levels - 1):
        image = ndimage.gaussian_filter(image, 1.0)[::2, ::2]
        yield image

class AffineWarp:
    def __init__(self, params):
        self.matrix = np.array([[1 + params[0], params[1]], [params[2], 1 + params[3]]])
        self.offset = np.array([params[4], params[5]])

    def at_level(self, level):
        return self.matrix, self.offset / 2**level

    def apply(self, image, level=0):
        A, b = self.at_level(level)
        h, w = image.shape
        ys, xs = np.mgrid[0:h, 0:w]
        coords = np.stack([ys.ravel(), xs.ravel()]).astype(float)
        warped = A @ coords + b[:, None]
        return ndimage.map_coordinates(image, warped, order=3, mode="nearest").reshape(h, w)

@program(lambda rng: (0.01 * rng.normal(size=6), ndimage.gaussian_filter(rng.uniform(size=(12, 12)), 1.5)), order2=False, rtol=1e-4)
def alignment_ssd(params, image):
    template = np.roll(image, 1, axis=0)
    warp = AffineWarp(params)
    total = 0.0
    for level, (a, b) in enumerate(zip(pyramid(image, 2), pyramid(template, 2))):
        diff = warp.apply(a, level) - b
        total += np.mean(diff[1:-1, 1:-1] ** 2) * 4**level
    return total

# --- a small differentiable renderer: splatted Gaussians, blending front to back -----------------

@dataclass
class Splat:
    mean: np.ndarray
    log_scale: np.ndarray
    colour: np.ndarray
    opacity: float
    depth: float

    def __lt__(self, other):
        return self.depth < other.depth

    def weight(self, xs, ys):
        s = np.exp(self.log_scale)
        return self.opacity * np.exp(-0.5 * (((xs - self.mean[0]) / s[0]) ** 2 + ((ys - self.mean[1]) / s[1]) ** 2))

class Renderer:
    background = np.array([0.1, 0.1, 0.2])

    def __init__(self, size):
        self.ys, self.xs = np.mgrid[0:size, 0:size] / (size - 1.0)

    def render(self, splats):
        image = np.zeros(self.xs.shape + (3,))
        transmittance = np.ones(self.xs.shape)
        for splat in sorted(splats):
            alpha = np.minimum(splat.weight(self.xs, self.ys), 0.99)
            image += (transmittance * alpha)[..., None] * splat.colour
            transmittance *= 1 - alpha
            if transmittance.max() < 1e-4:
                break
        return image + transmittance[..., None] * self.background

def _splats(rng):
    return [
        Splat(rng.uniform(0.2, 0.8, 2), rng.uniform(-2, -1, 2), rng.uniform(0, 1, 3), float(rng.uniform(0.4, 0.9)), float(d))
        for d in rng.permutation(4) + 1.0
    ]

@program(lambda rng: (_splats(rng), rng.uniform(0, 1, (7, 7, 3))))
def photometric_loss(splats, target):
    image = Renderer(len(target)).render(splats)
    l1 = np.mean(np.sqrt((image - target) ** 2 + 1e-4))
    mu_a, mu_b = image.mean(axis=(0, 1)), target.mean(axis=(0, 1))
    cov = ((image - mu_a) * (target - mu_b)).mean(axis=(0, 1))
    ssim = (2 * mu_a * mu_b + 0.01) * (2 * cov + 0.03)
    ssim = ssim / ((mu_a**2 + mu_b**2 + 0.01) * (image.var(axis=(0, 1)) + target.var(axis=(0, 1)) + 0.03))
    return 0.8 * l1 + 0.2 * (1 - ssim.mean())
