"""Loops over lists of objects, dicts and tuples that are left early: the others have slope 0."""

from tests.programs.table import program


class Point:
    """An object that is sorted by its depth."""

    def __init__(self, w, depth):
        self.w, self.depth = w, depth

    def __lt__(self, other):
        return self.depth < other.depth

def total(parts):
    """Add up the first parts."""
    t = 0.0
    for p in parts:
        t += p.w**2 * p.depth
        if t > 0.5:
            break
    return t

@program(args=([Point(0.5, 3.0), Point(0.9, 1.0), Point(0.7, 2.0)],), order2=False)
def sorted_objects(points):
    return total(sorted(points))


@program(args=([{"w": 0.5, "depth": 3.0}, {"w": 0.9, "depth": 1.0}],))
def chosen_dicts(points):
    kept = []
    for p in points:
        if p["depth"] > 0:
            kept.append(p)
    t = 0.0
    for p in kept:
        t += p["w"] ** 2 * p["depth"]
        if t > 0.5:
            break
    return t
