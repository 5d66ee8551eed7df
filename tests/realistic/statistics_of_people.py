"""Genetics: likelihoods of pedigrees."""

import itertools
import math
from collections import ChainMap
from dataclasses import dataclass, field

from tests.realistic.table import program

# --- pedigree likelihood by peeling; genotypes as tuples, penetrance in a ChainMap -------------------

@dataclass
class Person:
    name: str
    affected: bool | None = None
    mother: "Person" = None
    father: "Person" = None
    children: list = field(default_factory=list)

    def __post_init__(self):
        for parent in (self.mother, self.father):
            if parent is not None:
                parent.children.append(self)

    @property
    def is_founder(self):
        return self.mother is None and self.father is None

GENOTYPES = list(itertools.combinations_with_replacement("Aa", 2))

def transmission(child, mother, father):
    p = 0.0
    for m, f in itertools.product(mother, father):
        if tuple(sorted((m, f))) == tuple(sorted(child)):
            p += 0.25
    return p

def _family():
    ma, pa = Person("ma"), Person("pa", affected=True)
    kids = [Person(f"kid{k}", affected=k % 2 == 0, mother=ma, father=pa) for k in range(2)]
    spouse = Person("spouse", affected=False)
    grandchild = Person("grandchild", affected=True, mother=spouse, father=kids[0])
    return [ma, pa, *kids, spouse, grandchild]

@program(lambda rng: (0.12, {"AA": 0.9, "Aa": 0.7}, 0.05), wrt=(0, 1, 2))
def pedigree_log_likelihood(frequency, penetrance, phenocopy):
    """Elston-Stewart on a small family: descendants are peeled on to their parents."""
    risk = ChainMap(penetrance, {"aa": phenocopy})
    people = _family()

    def founder(g):
        q = frequency
        return {"AA": q * q, "Aa": 2 * q * (1 - q), "aa": (1 - q) ** 2}["".join(g)]

    def phenotype(person, g):
        if person.affected is None:
            return 1.0
        r = risk["".join(g)]
        return r if person.affected else 1 - r

    def descend(person, g):
        like = phenotype(person, g)
        spouses = {}
        for child in person.children:
            other = child.father if child.mother is person else child.mother
            spouses.setdefault(other.name, (other, []))[1].append(child)
        for other, kids in spouses.values():
            if not other.is_founder:
                continue
            total = 0.0
            for h in GENOTYPES:
                term = founder(h) * phenotype(other, h)
                for kid in kids:
                    term *= sum(transmission(k, g, h) * descend(kid, k) for k in GENOTYPES)
                total += term
            like *= total
        return like

    ma = people[0]
    return math.log(sum(founder(g) * descend(ma, g) for g in GENOTYPES))
