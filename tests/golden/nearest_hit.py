"""What is nearest to each ray, if there is anything: None, or an object."""

from dataclasses import dataclass

import numpy as np

from srcgrad import grad


@dataclass
class Hit:
    t: float
    shade: float


def brightness(depths, shades, rays):
    total = 0.0
    for ray in rays:
        hit = None
        for depth, shade in zip(depths, shades, strict=True):
            t = depth * ray
            if t > 0.2 and (hit is None or t < hit.t):
                hit = Hit(t, shade)
        if hit is not None:
            total += hit.shade * np.exp(-hit.t)
    return total


def arguments():
    return np.array([0.5, 1.5, -0.5]), np.array([0.3, 0.2, 0.1]), np.array([1.0, 0.1, -2.0])


derivative = grad(brightness, wrt=("depths", "shades"))


# ------------------------------------------------------------------------------------------

def brightness_grad(depths, shades, rays):
    """Gradient of brightness (nearest_hit.py:16) with respect to (depths, shades)."""
    saved = []
    saved3 = []
    for ray in rays:
        hit = None
        saved2 = []
        for depth, shade in zip(depths, shades, strict=True):
            t = depth * ray
            cond = t > 0.2 and (hit is None or t < hit.t)
            saved2.append(cond)
            if cond:
                hit = Hit(t, shade)
        cond2 = hit is not None
        saved3.append((ray, cond2, saved2))
        if cond2:
            exp = np.exp(-hit.t)
            saved.append((hit.shade, exp))

    # nearest_hit.py:18  for ray in rays:
    shades_bar = np.zeros(shades.shape)
    depths_bar = np.zeros(depths.shape)
    for ray, cond2, saved2 in saved3[::-1]:
        if cond2:
            shade_, exp = saved.pop()
            # nearest_hit.py:25  total += hit.shade * np.exp(-hit.t)
            t_bar = -shade_ * exp
            shade_bar = exp
        else:
            shade_bar = 0.0
            t_bar = 0.0
        i = len(saved2)
        for cond in saved2[::-1]:
            i -= 1
            if cond:
                t_bar2 = t_bar
                shade_bar2 = shade_bar
                t_bar = 0.0
                shade_bar = 0.0
            else:
                t_bar2 = 0.0
                shade_bar2 = 0.0
            # nearest_hit.py:21  t = depth * ray
            depth_bar = t_bar2 * ray
            # nearest_hit.py:20  for depth, shade in zip(depths, shades, strict=True):
            shades_bar[i] += shade_bar2
            depths_bar[i] += depth_bar
    return depths_bar, shades_bar
