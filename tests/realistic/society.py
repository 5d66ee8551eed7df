"""Insurance, sports, genetics, forestry, music, oceans, telephones, stores and maps."""

import bisect
import collections
import heapq
import itertools
import logging
import math
import statistics
from collections import Counter, defaultdict, namedtuple
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import lru_cache, wraps

import numpy as np
from scipy import fft, optimize, signal, special, stats

from tests.realistic.table import calls, program

logger = logging.getLogger(__name__)
logger.addHandler(logging.NullHandler())


def validated(**bounds):
    """Check keyword arguments against bounds, and pass them on."""

    def decorate(fn):
        @wraps(fn)
        def checked(*args, **options):
            for name, (low, high) in bounds.items():
                if name in options and not low <= options[name] <= high:
                    raise ValueError(f"{name}={options[name]} is not between {low} and {high}")
            return fn(*args, **options)

        return checked

    return decorate


# --- claims reserves by the chain ladder, with a tail ----------------------------------------------


class Triangle:
    """Paid claims by year and age, those of the future missing."""

    def __init__(self, paid):
        self.paid = np.array(paid, dtype=float)
        self.known = ~np.isnan(self.paid)

    def factors(self):
        found = []
        for age in range(self.paid.shape[1] - 1):
            rows = self.known[:, age + 1]
            found.append(self.paid[rows, age + 1].sum() / self.paid[rows, age].sum())
        return np.array(found)

    def completed(self, factors, tail=1.0):
        full = self.paid.copy()
        for age in range(1, full.shape[1]):
            missing = np.isnan(full[:, age])
            full[missing, age] = full[missing, age - 1] * factors[age - 1]
        return full[:, -1] * tail


PAID = [[100.0, 160.0, 180.0], [110.0, 170.0, np.nan], [95.0, np.nan, np.nan]]


@program(lambda rng: (np.array([1.6, 1.1]), 1.02), wrt=(0, 1))
def reserve(factors, tail):
    triangle = Triangle(PAID)
    blended = 0.7 * factors + 0.3 * triangle.factors()
    ultimate = triangle.completed(blended, tail=tail)
    latest = np.array([row[known][-1] for row, known in zip(triangle.paid, triangle.known)])
    spread = statistics.pstdev([float(u) for u in triangle.factors()])
    return np.sum(ultimate - latest) * (1.0 + 0.1 * spread)


# --- ratings of teams with home advantage: a season in order, ratings in a dict ---------------------

Game = namedtuple("Game", "home away goals_home goals_away")
SEASON = [Game("a", "b", 2, 1), Game("b", "c", 0, 0), Game("c", "a", 1, 3), Game("a", "c", 2, 2)]


@lru_cache(maxsize=None)
def log_factorial(n):
    return math.lgamma(n + 1)


@program(lambda rng: ({"attack": 0.3, "home": 0.25, "rate": 0.15}, SEASON))
def season_likelihood(theta, season):
    strength = defaultdict(lambda: [theta["attack"], 0.0])
    total, played = 0.0, Counter()
    for game in season:
        (ah, dh), (aa, da) = strength[game.home], strength[game.away]
        expected = math.exp(ah - da + theta["home"]), math.exp(aa - dh)
        for team, rate, goals in zip((game.home, game.away), expected, game[2:]):
            total += goals * math.log(rate) - rate - log_factorial(goals)
            played[team] += 1
            step = theta["rate"] / math.sqrt(played[team])
            strength[team][0] += step * (goals - rate)
        strength[game.home][1] -= 0.5 * theta["rate"] * (game.goals_away - expected[1])
    best = max(strength, key=lambda team: strength[team][0])
    return total + 0.01 * strength[best][0]


# --- crosses of plants: genotype frequencies through generations with selection ---------------------


@dataclass
class Locus:
    """One gene with two variants."""

    dominance: float
    gain: float
    frequency: float = 0.5

    def fitness(self):
        return 1.0 + self.gain, 1.0 + self.dominance * self.gain, 1.0

    def generation(self, selfing):
        p = self.frequency
        q = 1.0 - p
        inbred = selfing / (2.0 - selfing)
        shares = p * p + inbred * p * q, 2 * p * q * (1 - inbred), q * q + inbred * p * q
        weighted = [s * w for s, w in zip(shares, self.fitness())]
        self.frequency = (weighted[0] + 0.5 * weighted[1]) / sum(weighted)
        return sum(weighted)


@program(lambda rng: (np.array([[0.5, 0.1], [0.2, 0.25]]), 0.3), wrt=(0, 1))
def breeding_gain(effects, selfing, generations=6):
    loci = [Locus(dominance=h, gain=s) for h, s in effects]
    means = []
    for _ in range(generations):
        means.append(math.prod(locus.generation(selfing) for locus in loci))
        if all(locus.frequency > 0.995 for locus in loci):
            break
    growth = [b - a for a, b in itertools.pairwise(means)]
    return means[-1] + sum(g * 0.5**k for k, g in enumerate(growth))


# --- a forest's stand: trees compete, some are thinned, records by kind ------------------------------


@dataclass
class Tree:
    """One tree."""

    kind: str
    width: float
    alive: bool = True

    @property
    def area(self):
        return math.pi * (self.width / 200.0) ** 2


@dataclass
class Policy:
    """When to thin."""

    limit: float = 0.12
    share: float = 0.25
    every: int = 3
    grow: dict = field(default_factory=lambda: {"oak": 0.9, "pine": 1.3})


@program(lambda rng: ({"rate": 1.0, "crowd": 2.5}, [14.0, 9.5, 17.0, 11.0, 20.5], Policy()))
def stand_value(theta, widths, policy):
    trees = [Tree("oak" if k % 2 else "pine", w) for k, w in enumerate(widths)]
    sold, years = defaultdict(float), range(1, 10)
    for year in years:
        living = [t for t in trees if t.alive]
        basal = sum(t.area for t in living)
        for tree in living:
            larger = sum(t.area for t in living if t.width > tree.width)
            tree.width += theta["rate"] * policy.grow[tree.kind] * math.exp(-theta["crowd"] * larger)
        if year % policy.every == 0 and basal > policy.limit:
            count = max(1, int(policy.share * len(living)))
            for tree in heapq.nsmallest(count, living, key=lambda t: t.width):
                tree.alive = False
                sold[tree.kind] += tree.area * 80.0
            logger.info("year %d: %d trees thinned", year, count)
    standing = sum(t.area for t in trees if t.alive)
    return 120.0 * standing + sum(sold.values()) + 0.1 * len(sold)


# --- tuning of strings: partials beat against each other, a roughness curve --------------------------

SCALE = {"c": 0, "e": 4, "g": 7}


@contextmanager
def tuning(cents):
    """Detune the scale for a while."""
    before = dict(SCALE)
    SCALE.update({name: step + cents / 100.0 for name, step in SCALE.items() if name != "c"})
    try:
        yield SCALE
    finally:
        SCALE.clear()
        SCALE.update(before)


@program(lambda rng: (np.array([3.0, 0.02]), 261.6))
def roughness(theta, base, partials=4):
    total = 0.0
    with tuning(2.0) as scale:
        pitches = [base * 2 ** ((step + theta[0] / 100.0 * (step > 0)) / 12) for step in scale.values()]
    for low, high in itertools.combinations(pitches, 2):
        for i, j in itertools.product(range(1, partials + 1), repeat=2):
            f, g = i * low * (1 + theta[1] * i * i / 100), j * high
            s = 0.24 / (0.0207 * min(f, g) + 18.96)
            gap = abs(g - f)
            total += (math.exp(-3.5 * s * gap) - math.exp(-5.75 * s * gap)) / (i * j)
    return total


# --- tides at a harbour: harmonic analysis, gaps in the record, a tide table by name ------------------

PERIODS = {"M2": 12.4206, "S2": 12.0, "O1": 25.8193}


@program(
    lambda rng: (
        {"M2": np.array([1.0, 0.2]), "S2": np.array([0.3, -0.1]), "O1": np.array([0.2, 0.05])},
        np.arange(0.0, 48.0, 1.5),
        rng.normal(size=32),
    )
)
def tide_misfit(waves, hours, level, missing=(3, 4, 17)):
    if set(waves) - set(PERIODS):
        raise KeyError("no such tide")
    good = np.ones(len(hours), bool)
    good[list(missing)] = False
    height = np.zeros_like(hours)
    for name, (a, b) in waves.items():
        phase = 2 * np.pi * hours / PERIODS[name]
        height += a * np.cos(phase) + b * np.sin(phase)
    residual = np.where(good, level - height, 0.0)
    residual -= residual[good].mean()
    spectrum = np.abs(fft.rfft(residual)) ** 2
    smooth = signal.lfilter([0.25, 0.5, 0.25], [1.0], residual)
    return np.sum(residual**2) + 0.01 * np.sum(spectrum[:4]) + np.sum(smooth[2:] ** 2)


# --- a telephone centre: Erlang's formulas by recursion, staffing by bisection ------------------------


def erlang_b(load, lines):
    if lines == 0:
        return 1.0
    before = erlang_b(load, lines - 1)
    return load * before / (lines + load * before)


@validated(target=(0.0, 1.0))
def waiting(load, agents, handle, *, target):
    blocked = erlang_b(load, agents)
    queued = agents * blocked / (agents - load * (1 - blocked))
    return queued * math.exp(-(agents - load) * target / handle)


@program(lambda rng: (7.3, np.array([3.1, 4.5]), [0.2, 0.35]), wrt=(0, 1))
def centre_cost(load, handle, shares):
    costs = []
    for mean, share in zip(handle, shares):
        agents = next(n for n in itertools.count(int(load) + 1) if erlang_b(load, n) < 0.3)
        late = waiting(load * (1 + share), agents + 3, mean, target=0.3)
        costs.append(late * mean + 0.05 * agents)
    costs.sort(reverse=True)
    return costs[0] + 0.5 * costs[1]


# --- a store room: order-up-to levels over a year of demand, back orders in a queue -------------------


class Store:
    """Stock with orders on the way."""

    lead = 2
    holding, shortage = 0.1, 1.5

    def __init__(self, level, start):
        self.level, self.stock = level, start
        self.pipeline = collections.deque([0.0] * self.lead, maxlen=self.lead)
        self.cost = 0.0

    def day(self, demand):
        self.stock += self.pipeline[0]
        self.stock -= demand
        position = self.stock + sum(list(self.pipeline)[1:])
        self.pipeline.append(max(0.0, self.level - position))
        self.cost += self.holding * self.stock if self.stock > 0 else -self.shortage * self.stock

    def year(self, demands):
        for demand in demands:
            self.day(demand)
        return self.cost / len(demands)


@program(lambda rng: (np.array([11.3, 9.7]), rng.gamma(4.0, 1.1, 25)))
def inventory_cost(theta, demands):
    store = Store(theta[0], theta[1])
    cost = store.year(demands)
    unmet = special.expit(-store.stock)
    return cost + 0.1 * unmet


# --- a map's grid: distances on a sphere, a shortest path over stations -------------------------------


def great_circle(a, b):
    dlat, dlon = b[0] - a[0], b[1] - a[1]
    h = math.sin(dlat / 2) ** 2 + math.cos(a[0]) * math.cos(b[0]) * math.sin(dlon / 2) ** 2
    return 2 * 6371.0 * math.asin(math.sqrt(h))


@program(lambda rng: (np.radians(np.array([[50.0, 8.0], [51.3, 9.5], [49.4, 11.0], [52.5, 13.4]])),))
def route_length(places):
    edges = {0: [1, 2], 1: [3, 2], 2: [3], 3: []}
    best, queue, done = {0: 0.0}, [(0.0, 0)], set()
    while queue:
        far, here = heapq.heappop(queue)
        if here in done:
            continue
        done.add(here)
        for there in edges[here]:
            length = far + great_circle(places[here], places[there])
            if there not in best or length < best[there]:
                best[there] = length
                heapq.heappush(queue, (length, there))
    order = sorted(best, key=best.get)
    return best[3] + 0.01 * sum(best[k] for k in order[:2])


# --- a survey: weights raked to margins, a quantile of incomes -----------------------------------------


@dataclass(frozen=True)
class Survey:
    """Answers with their groups."""

    age: tuple
    sex: tuple
    margins: dict

    def groups(self, name):
        members = defaultdict(list)
        for k, value in enumerate(getattr(self, name)):
            members[value].append(k)
        return members


ANSWERS = Survey(
    age=("y", "o", "o", "y", "y", "o"),
    sex=("f", "m", "f", "m", "f", "m"),
    margins={"age": {"y": 0.4, "o": 0.6}, "sex": {"f": 0.52, "m": 0.48}},
)


@program(lambda rng: (rng.uniform(0.5, 1.5, 6), rng.uniform(1, 5, 6), ANSWERS), wrt=(0, 1))
def raked_income(weights, incomes, survey, rounds=4):
    weights = weights / weights.sum()
    for _ in range(rounds):
        for name, margin in survey.margins.items():
            for value, members in survey.groups(name).items():
                weights[members] *= margin[value] / weights[members].sum()
    order = np.argsort(incomes)
    reached = np.cumsum(weights[order])
    k = bisect.bisect_left(reached.tolist(), 0.5)
    share = (0.5 - (reached[k - 1] if k else 0.0)) / weights[order[k]]
    left = incomes[order[k - 1]] if k else incomes[order[0]]
    return left + share * (incomes[order[k]] - left) + np.sum(weights * incomes)


# --- a life table: deaths by age, an annuity, a mortality law with limits ------------------------------


@dataclass
class Law:
    """Gompertz's and Makeham's law of mortality."""

    a: float
    b: float
    c: float

    def __post_init__(self):
        if min(asdict(self).values()) <= 0:
            raise ValueError("all parameters are positive")

    def force(self, age):
        return self.a + self.b * self.c**age

    def survival(self, age, years):
        hazard = self.a * years + self.b * self.c**age * (self.c**years - 1) / math.log(self.c)
        return math.exp(-hazard)


@program(lambda rng: (np.array([0.5, 0.7, 1.095]), 0.03), wrt=(0, 1))
def annuity(theta, interest, age=62, last=105):
    law = Law(theta[0] * 1e-3, theta[1] * 1e-4, theta[2])
    value, alive = 0.0, []
    for t in itertools.count():
        if age + t > last:
            break
        alive.append(law.survival(age, t))
        value += alive[-1] / (1 + interest) ** t
    median = next(t for t, share in enumerate(alive) if share < 0.5)
    return value + 0.1 * law.force(age + median) * 100


# --- a taste test: ranks of judges, a model of worths, fitted inside --------------------------------------


def worth_loss(worth, wins, pull):
    gaps = worth[:, None] - worth
    return np.sum(wins * np.logaddexp(0.0, -gaps)) + 0.5 * pull * np.sum(worth**2)


@program(lambda rng: (rng.uniform(1, 5, (3, 3)), 0.7), wrt=(0, 1), order2=False, rtol=1e-5)
def favourite(wins, pull):
    wins = wins * (1.0 - np.eye(3))
    fit = optimize.minimize(worth_loss, np.zeros(3), args=(wins, pull), method="BFGS", options={"gtol": 1e-10})
    best = fit.x
    share = special.softmax(best)
    return share[0] - 0.5 * share[1] + 0.01 * stats.norm.cdf(best[2])


class Thermostat:
    """Keeps a room warm; knows its history, and changes its mind late."""

    band = 0.5

    def __init__(self, target, gain=0.8):
        self.target, self.gain = target, gain
        self.on, self.hours = False, []

    def __call__(self, room):
        if room < self.target - self.band:
            self.on = True
        elif room > self.target + self.band:
            self.on = False
        self.hours.append(self.on)
        return self.gain * (self.target - room + 2.0) if self.on else 0.0

    def evening(self, start, outside):
        room, used = start, 0.0
        for air in outside:
            heat = self(room)
            used += heat
            room += 0.3 * (air - room) * 0.2 + 0.5 * heat
        return used + (room - self.target) ** 2 + 0.01 * sum(self.hours)


calls(
    "evening",
    lambda rng: (Thermostat(20.0).evening, (18.37, rng.uniform(2, 9, 12))),
    wrt=(0, 1),
)
