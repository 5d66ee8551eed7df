"""Traffic and queues: signals, car following, call centres, warehouses, lifts."""

import logging
from collections import OrderedDict, defaultdict, deque, namedtuple
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from tests.realistic.table import calls, program

log = logging.getLogger(__name__)

# --- car following with a configuration object and a ring road --------------------------------


@dataclass
class DriverConfig:
    desired: float = 30.0
    headway: float = 1.5
    max_accel: float = 1.2
    comfort: float = 1.8
    min_gap: float = 2.0
    exponent: int = 4

    def __post_init__(self):
        if self.headway <= 0:
            raise ValueError("headway must be positive")


class RingRoad:
    length = 400.0

    def __init__(self, n, config):
        self.n = n
        self.config = config
        self.x = np.linspace(0, self.length, n, endpoint=False)
        self.v = np.full(n, 5.0)
        self.history = []

    @property
    def gaps(self):
        ahead = np.roll(self.x, -1)
        ahead[-1] += self.length
        return ahead - self.x - 4.5

    def accelerate(self):
        c = self.config
        dv = self.v - np.roll(self.v, -1)
        wish = c.min_gap + np.maximum(0.0, self.v * c.headway + self.v * dv / (2 * np.sqrt(c.max_accel * c.comfort)))
        return c.max_accel * (1 - (self.v / c.desired) ** c.exponent - (wish / self.gaps) ** 2)

    def run(self, steps, dt=0.4):
        for k in range(steps):
            a = self.accelerate()
            self.v = np.maximum(self.v + dt * a, 0.0)
            self.x += dt * self.v
            self.history.append(self.v.mean())
            if k and abs(self.history[-1] - self.history[-2]) < 1e-12:
                break
        return self


@program(lambda rng: (np.array([28.0, 1.4, 1.1, 1.7]),))
def ring_road_flow(theta):
    config = DriverConfig(*theta)
    road = RingRoad(8, config).run(25)
    density = road.n / road.length
    return density * road.history[-1] * 3600 + 0.1 * np.var(road.v)


# --- an intersection with signal phases held in an ordered dict ---------------------------------


def phases_from(greens, lost=3.0):
    table = OrderedDict()
    for name, g in zip(("north", "east", "left"), greens):
        table[name] = {"green": g, "lost": lost}
    table.move_to_end("left", last=False)
    return table


def webster_delay(green, cycle, flow, saturation):
    share = green / cycle
    x = flow / (share * saturation)
    if x >= 1.0:
        return 60.0 + 100.0 * (x - 1.0)
    uniform = cycle * (1 - share) ** 2 / (2 * (1 - share * x))
    random = x**2 / (2 * flow * (1 - x))
    return 0.9 * (uniform + random)


@program(lambda rng: (np.array([25.0, 18.0, 9.0]), {"north": 0.22, "east": 0.16, "left": 0.055}))
def signal_timing(greens, flows):
    table = phases_from(greens)
    cycle = sum(p["green"] + p["lost"] for p in table.values())
    delays = {}
    for name, phase in table.items():
        delays[name] = webster_delay(phase["green"], cycle, flows[name], 0.5)
        log.debug("%s %s", name, delays[name])
    worst = max(delays, key=delays.get)
    total = sum(flows[k] * d for k, d in delays.items()) / sum(flows.values())
    return total + 0.05 * delays[worst]


# --- a multi-class queue with a recursive formula and a memo ------------------------------------


class ErlangTable:
    """Blocking probabilities by recursion, kept for each number of servers."""

    def __init__(self, load):
        self.load = load
        self._memo = {0: 1.0}

    def __getitem__(self, servers):
        if servers not in self._memo:
            before = self[servers - 1]
            self._memo[servers] = self.load * before / (servers + self.load * before)
        return self._memo[servers]

    def waiting(self, servers):
        b = self[servers]
        rho = self.load / servers
        if not rho < 1:
            raise OverflowError(f"{servers} servers are too few")
        return b / (1 - rho * (1 - b))


@program(lambda rng: (np.array([3.2, 0.8]),))
def staffing_cost(p):
    load, patience = p
    table = ErlangTable(load)
    servers = 1
    while True:
        try:
            wait = table.waiting(servers)
        except OverflowError:
            servers += 1
            continue
        if wait < 0.2:
            break
        servers += 1
    service = 1 - wait * np.exp(-patience * (servers - load))
    return 12.0 * servers + 100 * (1 - service) ** 2 + table[servers]


# --- Lindley recursion over a deque, and per-customer bookkeeping -----------------------------------

Customer = namedtuple("Customer", "arrival service kind")


def lindley(customers, discipline="fifo"):
    clock, busy = 0.0, 0.0
    waits = defaultdict(list)
    queue = deque(customers)
    while queue:
        c = queue.popleft() if discipline == "fifo" else queue.pop()
        clock = c.arrival
        start = clock if clock > busy else busy
        busy = start + c.service
        waits[c.kind].append(start - clock)
    return waits, busy


@program(lambda rng: (1.3, rng.exponential(1.0, 12), rng.exponential(0.8, 12)), wrt=(0, 2))
def weighted_wait(rate, gaps, services):
    arrivals = np.cumsum(gaps) / rate
    kinds = ["gold" if k % 3 == 0 else "plain" for k in range(len(gaps))]
    customers = [Customer(a, s, kind) for a, s, kind in zip(arrivals, services, kinds)]
    waits, end = lindley(customers)
    weights = {"gold": 3.0, "plain": 1.0}
    total = 0.0
    for kind in sorted(waits):
        total += weights[kind] * np.mean(waits[kind])
    return total + 0.01 * end


# --- cell transmission with flux limiters and boundary object ------------------------------------


class Boundary:
    def __init__(self, inflow):
        self.inflow = inflow
        self.queue = 0.0

    def __call__(self, t, supply):
        demand = self.inflow(t) + self.queue
        sent = min(demand, supply)
        self.queue = demand - sent
        return sent


@program(lambda rng: (np.array([0.8, 0.25, 0.6]), 30))
def cell_transmission_delay(params, steps):
    vf, w, cap = params
    n = 10
    rho = np.zeros(n)
    rho[4] = 0.9
    entry = Boundary(lambda t: 0.35 * (1 + np.sin(0.3 * t)))
    spent = 0.0
    for t in range(steps):
        demand = np.minimum(vf * rho, cap)
        supply = np.minimum(w * (2.0 - rho), cap)
        flux = np.empty(n + 1)
        flux[0] = entry(t, supply[0])
        flux[1:n] = np.minimum(demand[:-1], supply[1:])
        flux[n] = demand[-1]
        rho += flux[:-1] - flux[1:]
        spent += rho.sum() + entry.queue
    return spent / steps


# --- a warehouse with replenishment policies chosen by name ---------------------------------------

POLICIES = {}


def policy(name):
    def register(fn):
        POLICIES[name] = fn
        return fn

    return register


@policy("base-stock")
def base_stock(level, target, **_):
    return max(target - level, 0.0)


@policy("proportional")
def proportional(level, target, gain=0.5, **_):
    return gain * np.logaddexp(0.0, target - level)


@dataclass
class Warehouse:
    level: float
    target: float
    policy: str = "base-stock"
    options: dict = field(default_factory=dict)
    costs: list = field(default_factory=list)

    def day(self, demand, holding, penalty):
        order = POLICIES[self.policy](self.level, self.target, **self.options)
        self.level = self.level + order - demand
        self.costs.append(holding * self.level if self.level > 0 else -penalty * self.level)


@program(lambda rng: (np.array([7.0, 5.0]), rng.gamma(2.0, 2.0, 14), {"gain": 0.7}))
def supply_cost(targets, demand, options):
    sites = [
        Warehouse(4.0, targets[0]),
        Warehouse(level=3.0, target=targets[1], policy="proportional", options=options),
    ]
    backup = replace(sites[1], level=1.0, costs=[])
    for d in demand:
        for site in (*sites, backup):
            site.day(d, holding=0.4, penalty=2.5)
    return sum(np.sum(s.costs) for s in sites) + 0.1 * np.max(backup.costs)


# --- a lift controller with a context manager that restores the state --------------------------------


class Lift:
    def __init__(self, gains):
        self.gains = dict(gains)
        self.position, self.velocity = 0.0, 0.0
        self.trace = np.zeros((0, 2))

    @contextmanager
    def tuned(self, **changes):
        before = dict(self.gains)
        self.gains.update(changes)
        try:
            yield self
        finally:
            self.gains = before

    def step(self, floor, dt=0.1):
        force = self.gains["kp"] * (floor - self.position) - self.gains["kd"] * self.velocity
        force = np.clip(force, -6.0, 6.0)
        self.velocity += dt * force
        self.position += dt * self.velocity
        self.trace = np.vstack((self.trace, [self.position, self.velocity]))


@program(lambda rng: ({"kp": 2.1, "kd": 1.9},))
def ride_comfort(gains):
    lift = Lift(gains)
    for floor in (2.0, 1.0):
        for _ in range(8):
            lift.step(floor)
        with lift.tuned(kd=3.0):
            lift.step(floor)
    jerk = np.diff(lift.trace[:, 1], n=2)
    return np.sum((lift.trace[-5:, 0] - 1.0) ** 2) + 0.5 * np.sum(jerk**2)


# --- route choice by the method of successive averages -------------------------------------------------

NETWORK = {
    "links": {"a": (10.0, 4.0), "b": (14.0, 7.0), "c": (6.0, 3.0), "d": (9.0, 5.0)},
    "routes": (("a", "c"), ("b",), ("a", "d")),
}


def bpr(flow, free, capacity, alpha=0.15, beta=4):
    return free * (1 + alpha * (flow / capacity) ** beta)


@program(lambda rng: (6.0, 0.4), wrt=(0, 1))
def equilibrium_time(demand, theta):
    routes = NETWORK["routes"]
    share = np.ones(len(routes)) / len(routes)
    for k in range(1, 30):
        flows = dict.fromkeys(NETWORK["links"], 0.0)
        for s, route in zip(share, routes):
            for link in route:
                flows[link] += demand * s
        times = np.array([sum(bpr(flows[l], *NETWORK["links"][l]) for l in r) for r in routes])
        logit = np.exp(-theta * (times - times.min()))
        new = logit / logit.sum()
        step = 1.0 / (k + 1)
        if np.abs(new - share).max() < 1e-14:
            break
        share = (1 - step) * share + step * new
    return float(len(routes)) * 0.0 + share @ times


class Platoon:
    """Trucks that follow each other; a linked list of vehicles."""

    def __init__(self, lead, count, gain):
        self.front = lead
        self.followers = []
        ahead = lead
        for k in range(count):
            truck = Truck(ahead, -12.0 * (k + 1), gain / (1 + 0.1 * k))
            self.followers.append(truck)
            ahead = truck


class Truck:
    def __init__(self, ahead, position, gain):
        self.ahead, self.position, self.speed, self.gain = ahead, position, 20.0, gain

    def advance(self, dt):
        gap = self.ahead.position - self.position
        self.speed = self.speed + dt * (self.gain * (gap - 10.0) + 0.8 * (self.ahead.speed - self.speed))
        self.position = self.position + dt * self.speed


class Leader(Truck):
    def __init__(self, brake):
        super().__init__(None, 0.0, 0.0)
        self.brake = brake

    def advance(self, dt):
        self.speed = self.speed - dt * self.brake * np.tanh(self.speed)
        self.position += dt * self.speed


def platoon_margin(p):
    lead = Leader(p[1])
    platoon = Platoon(lead, 3, p[0])
    closest = np.inf
    for _ in range(20):
        for vehicle in [lead, *platoon.followers]:
            vehicle.advance(0.2)
        gaps = [t.ahead.position - t.position for t in platoon.followers]
        closest = min(closest, min(gaps))
    return closest - 0.01 * sum(t.speed**2 for t in platoon.followers)


calls("platoon_margin", lambda rng: (platoon_margin, (np.array([0.3, 1.1]),)))
