"""Long lists of objects in arguments: loops over them are text, whatever changes between calls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from srcgrad import differentiate, tape


@dataclass
class Spring:
    k: float
    rest: float
    i: int
    j: int
    name: str = "spring"

    def force(self, r):
        return self.k * (r - self.rest)


@dataclass
class Stiff(Spring):
    def force(self, r):
        return self.k * (r - self.rest) ** 3


class Model:
    def __init__(self, springs):
        self.springs = springs
        self.scale = 2.0

    def energy(self, x):
        total = 0.0
        for s in self.springs:
            d = x[s.i] - x[s.j]
            total += s.force(np.sqrt(d @ d)) ** 2
        return self.scale * total

    def parts(self, x):
        return sum(self.part(s, x) for s in self.springs) + np.sum(x)

    def part(self, spring, x):
        return spring.k * np.sum((x[spring.i] - x[spring.j]) ** 2)

    def soften(self, x):
        for s in self.springs:
            s.k = 0.9 * s.k
        return self.energy(x)

    def first(self, x):
        soft = [s for s in self.springs if s.k < 1.2]
        found = None
        for s in self.springs:
            if s.name == "last":
                found = s
        return x[found.i] @ x[found.j] * len(soft) + self.springs[3].force(x[0, 0])


def model(n=30):
    """A model with many springs."""
    rng = np.random.default_rng(0)
    made = [Spring(rng.uniform(1, 2), 0.1, int(k % 3), int((k + 1) % 3)) for k in range(n)]
    made[-1].name = "last"
    return Model(made)


X = np.array([[0.0, 0.1], [1.0, 0.3], [0.4, 1.2]])
CHANGES = {
    "a number": lambda m: setattr(m.springs[4], "k", 9.0),
    "a whole number": lambda m: setattr(m.springs[4], "k", 3),
    "an array": lambda m: setattr(m.springs[4], "rest", np.array(0.3)),
    "arrays without axes": lambda m: [setattr(s, "rest", np.array(0.1)) for s in m.springs],
    "a place": lambda m: setattr(m.springs[4], "i", 0),
    "a text": lambda m: setattr(m.springs[4], "name", "last"),
    "one more": lambda m: m.springs.append(Spring(1.0, 0.2, 0, 2)),
    "fewer": lambda m: m.springs.__delitem__(slice(0, 12)),
    "few": lambda m: m.springs.__delitem__(slice(0, 24)),
    "another class": lambda m: m.springs.insert(2, Stiff(1.0, 0.1, 0, 1)),
    "the class of all": lambda m: [setattr(s, "__class__", Stiff) for s in m.springs],
    "an attribute more": lambda m: setattr(m.springs[3], "extra", 1.0),
    "the same twice": lambda m: m.springs.append(m.springs[0]),
    "another list": lambda m: setattr(m, "springs", [*m.springs[::-1]]),
    "a tuple": lambda m: setattr(m, "springs", tuple(m.springs)),
    "nothing": lambda m: setattr(m.springs[5], "name", None),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("method", ["energy", "parts", "soften", "first"])
def test_changes_between_calls(method, change):
    """Each call is that of the recorded function, and leaves the same in the objects."""
    mine, theirs = model(), model()
    own = getattr(Model, method)
    made = differentiate(own, wrt="x", recorded="allow").value_and_grad
    recorded = tape.value_and_grad(own, wrt="x")
    for _ in range(2):
        for found, expected in zip(made(mine, X), recorded(theirs, X), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12)
        assert [vars(s) for s in mine.springs] == [vars(s) for s in theirs.springs]
        CHANGES[change](mine)
        CHANGES[change](theirs)


@pytest.mark.parametrize("method", ["energy", "parts"])
def test_loops_over_many_objects_are_text(method):
    """The loop stays one, and nothing is spread over shapes in it."""
    made = differentiate(getattr(Model, method), wrt="x")
    made.grad(model(), X)
    text = made.source("grad")
    assert "for s in self.springs:" in text
    assert "unbroadcast" not in text
    assert len(text.splitlines()) < 45


S = [Spring(1.0 + 0.01 * k, 0.1, k % 3, (k + 1) % 3) for k in range(90)]


def energy_of_all(x):
    total = 0.0
    for s in S:
        d = x[s.i] - x[s.j]
        total += s.force(np.sqrt(d @ d)) ** 2
    return total


def test_lists_of_the_module():
    """A list of objects of the module is a list for loops, and guarded."""
    made = differentiate(energy_of_all)
    for change in (lambda: None, lambda: setattr(S[4], "k", 9.0), lambda: S.append(S[0])):
        change()
        np.testing.assert_allclose(made.grad(X), tape.grad(energy_of_all)(X), rtol=1e-12)
    text = made.source("grad")
    assert "for s in S:" in text
    assert "unbroadcast" not in text
