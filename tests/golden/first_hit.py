"""What a ray hits first: a function that gives a tuple, or None."""

import numpy as np

from srcgrad import grad


def meet(origin, direction, centre, radius):
    offset = origin - centre
    b = np.dot(offset, direction)
    disc = b * b - np.dot(offset, offset) + radius**2
    if disc < 0:
        return None
    depth = -b - np.sqrt(disc)
    if depth < 1e-3:
        return None
    normal = (origin + depth * direction - centre) / radius
    return depth, normal


def first(origin, direction, centres, radii):
    best = None
    for centre, radius in zip(centres, radii, strict=True):
        hit = meet(origin, direction, centre, radius)
        if hit is not None and (best is None or hit[0] < best[0]):
            best = hit
    return best


def light(centres, radii, directions, sun):
    total = 0.0
    for direction in directions:
        hit = first(np.zeros(3), direction, centres, radii)
        if hit is None:
            continue
        depth, normal = hit
        total += np.exp(-depth) * np.dot(normal, sun)
    return total


def arguments():
    centres = np.array([[0.1, 0.2, 3.0], [0.0, -0.3, 5.0], [2.0, 0.0, 0.0]])
    directions = np.array([[0.0, 0.0, 1.0], [0.0, 0.6, 0.8], [0.0, -0.1, 0.99]])
    return centres, np.array([0.8, 1.0, 0.5]), directions, np.array([0.3, 0.5, -0.8])


derivative = grad(light, wrt=("centres", "radii"))


# ------------------------------------------------------------------------------------------

def light_grad(centres, radii, directions, sun):
    """Gradient of light (first_hit.py:30) with respect to (centres, radii)."""
    saved = []
    saved2 = []
    for direction in directions:
        hit, first_residuals = first_forward(np.zeros(3), direction, centres, radii)
        cond = hit is None
        saved2.append((first_residuals, cond))
        if cond:
            continue
        depth, normal = hit
        exp = np.exp(-depth)
        dot = np.dot(normal, sun)
        saved.append((exp, dot))

    # first_hit.py:32  for direction in directions:
    centres_bar = np.zeros(centres.shape)
    radii_bar = np.zeros(radii.shape)
    for first_residuals, cond in saved2[::-1]:
        if cond:
            # first_hit.py:34  if hit is None:
            normal_bar = np.zeros((3,))
            depth_bar = 0.0
        else:
            exp, dot = saved.pop()
            # first_hit.py:37  total += np.exp(-depth) * np.dot(normal, sun)
            normal_bar = exp * sun
            depth_bar = -dot * exp
        # first_hit.py:33  hit = first(np.zeros(3), direction, centres, radii)
        centres_term, radii_term = first_backward(first_residuals, depth_bar, normal_bar)
        centres_bar += centres_term
        radii_bar += radii_term
    return centres_bar, radii_bar


def first_forward(origin, direction, centres, radii):
    """first (first_hit.py:21), with what its backward function needs."""
    best = None
    saved = []
    for centre, radius in zip(centres, radii, strict=True):
        hit, meet_residuals = meet_forward(origin, direction, centre, radius)
        cond = hit is not None and (best is None or hit[0] < best[0])
        saved.append((meet_residuals, cond))
        if cond:
            best = hit
    return best, (centres, radii, saved)


def meet_forward(origin, direction, centre, radius):
    """meet (first_hit.py:8), with what its backward function needs."""
    offset = origin - centre
    b = np.dot(offset, direction)
    disc = b * b - np.dot(offset, offset) + radius**2
    root = normal = depth = float("nan")
    if disc < 0:
        value = None
    else:
        root = np.sqrt(disc)
        depth = -b - root
        if depth < 1e-3:
            value = None
        else:
            normal = (origin + depth * direction - centre) / radius
            value = depth, normal
    return value, (direction, centre, radius, offset, b, root, normal, depth, disc)


def meet_backward(residuals, depth_bar, normal_bar):
    """Backward function of meet (first_hit.py:8)."""
    direction, centre, radius, offset, b, root, normal, depth, disc = residuals
    if disc < 0:
        # first_hit.py:12  if disc < 0:
        centre_bar = np.zeros(centre.shape)
        radius_bar = 0.0
        disc_bar = 0.0
        b_bar = 0.0
    else:
        if depth < 0.001:
            # first_hit.py:15  if depth < 1e-3:
            centre_bar = np.zeros(centre.shape)
            depth_bar = 0.0
            radius_bar = 0.0
        else:
            # first_hit.py:17  normal = (origin + depth * direction - centre) / radius
            num_bar = normal_bar / radius
            centre_bar = -num_bar
            radius_bar = -np.dot(num_bar, normal)
            depth_bar += np.dot(num_bar, direction)
        # first_hit.py:14  depth = -b - np.sqrt(disc)
        b_bar = -depth_bar
        disc_bar = -depth_bar / (2 * root)
    # first_hit.py:11  disc = b * b - np.dot(offset, offset) + radius**2
    radius_bar += 2 * disc_bar * radius
    b_bar += 2 * disc_bar * b
    # first_hit.py:9  offset = origin - centre
    centre_bar += 2 * disc_bar * offset - b_bar * direction
    return centre_bar, radius_bar


def first_backward(residuals, best_bar, best_bar2):
    """Backward function of first (first_hit.py:21)."""
    centres, radii, saved = residuals
    # first_hit.py:23  for centre, radius in zip(centres, radii, strict=True):
    radii_bar = np.zeros(radii.shape)
    centres_bar = np.zeros(centres.shape)
    i = len(saved)
    for meet_residuals, cond in saved[::-1]:
        i -= 1
        if cond:
            # first_hit.py:25  if hit is not None and (best is None or hit[0] < best[0]):
            best_bar3 = np.zeros(best_bar2.shape)
            meet_value_1_bar = best_bar2
            meet_value_0_bar = best_bar
            best_bar = 0.0
            best_bar2 = best_bar3
        else:
            # first_hit.py:25  if hit is not None and (best is None or hit[0] < best[0]):
            meet_value_1_bar = np.zeros((3,))
            meet_value_0_bar = 0.0
        # first_hit.py:24  hit = meet(origin, direction, centre, radius)
        centre_bar, radius_bar = meet_backward(
            meet_residuals, meet_value_0_bar, meet_value_1_bar
        )
        # first_hit.py:23  for centre, radius in zip(centres, radii, strict=True):
        radii_bar[i] += radius_bar
        centres_bar[i] += centre_bar
    return centres_bar, radii_bar
