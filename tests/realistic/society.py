"""Insurance, sports, genetics, forestry, music, oceans, telephones, stores and maps."""

import bisect
import heapq
import itertools
import logging
import math
from collections import Counter, defaultdict, namedtuple
from dataclasses import dataclass
from functools import lru_cache, wraps

import numpy as np

from tests.realistic.table import program

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

# --- a forest's stand: trees compete, some are thinned, records by kind ------------------------------


# --- tuning of strings: partials beat against each other, a roughness curve --------------------------


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
