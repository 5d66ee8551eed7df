"""Computer vision: alignment."""


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
