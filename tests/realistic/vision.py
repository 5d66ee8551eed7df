"""Computer vision: cameras, bundle adjustment, alignment, rendering."""

from dataclasses import dataclass
from enum import Enum, auto

import numpy as np
from scipy import ndimage

from tests.realistic.table import calls, program


class Distortion(Enum):
    NONE = auto()
    RADIAL = auto()
    BROWN = auto()

@dataclass
class Camera:
    f: float
    cx: float
    cy: float
    k: tuple = (0.0, 0.0)
    model: Distortion = Distortion.RADIAL

    def project(self, points):
        if points.ndim != 2 or points.shape[1] != 3:
            raise ValueError("points must be (n, 3)")
        xy = points[:, :2] / points[:, 2:]
        match self.model:
            case Distortion.NONE:
                factor = 1.0
            case Distortion.RADIAL:
                r2 = np.sum(xy**2, axis=1, keepdims=True)
                factor = 1 + self.k[0] * r2 + self.k[1] * r2**2
            case _:
                raise NotImplementedError(self.model)
        return self.f * factor * xy + np.array([self.cx, self.cy])

def rodrigues(r):
    theta = np.linalg.norm(r)
    if theta < 1e-10:
        return np.eye(3)
    k = r / theta
    K = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    return np.eye(3) + np.sin(theta) * K + (1 - np.cos(theta)) * K @ K

def huber(r, delta=1.0):
    a = np.abs(r)
    return np.where(a <= delta, 0.5 * r**2, delta * (a - 0.5 * delta))

class BundleAdjustment:
    """Reprojection error of all observations; poses are rotation vector and translation."""

    def __init__(self, camera, observations, loss=huber):
        self.camera = camera
        self.observations = observations  # (frame, point index, pixel)
        self.loss = loss
        self.n_calls = 0

    def by_frame(self):
        frames = {}
        for frame, index, pixel in self.observations:
            frames.setdefault(frame, ([], []))
            frames[frame][0].append(index)
            frames[frame][1].append(pixel)
        return frames

    def __call__(self, poses, points):
        self.n_calls += 1
        total = 0.0
        for frame, (rows, pixels) in self.by_frame().items():
            R, t = rodrigues(poses[frame, :3]), poses[frame, 3:]
            residual = self.camera.project(points[rows] @ R.T + t) - np.array(pixels)
            total += self.loss(residual / 2.0).sum()
        return total

def _bundle(rng):
    points = rng.uniform(-1, 1, (6, 3)) + [0, 0, 5]
    poses = rng.normal(0, 0.05, (2, 6))
    camera = Camera(500.0, 320.0, 240.0, (0.01, -0.002))
    obs = [(f, i, camera.project(points[i : i + 1])[0] + rng.normal(0, 3, 2)) for f in range(2) for i in range(6)]
    return BundleAdjustment(camera, obs), (poses, points)

calls("bundle_adjustment", _bundle, wrt=(0, 1))

# --- homography from four points by SVD-free DLT, composition of transforms --------------------

def translation(tx, ty):
    return np.array([[1.0, 0.0, tx], [0.0, 1.0, ty], [0.0, 0.0, 1.0]])

def rotation(deg):
    c, s = np.cos(np.radians(deg)), np.sin(np.radians(deg))
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

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
