"""Finance: curves and swaps."""

from bisect import bisect_right

import numpy as np

from tests.realistic.table import program

# --- a yield curve, bootstrapped, then a swap ----------------------------------------------------

class DiscountCurve:
    """Log-linear in discount factors between nodes."""

    def __init__(self):
        self.times = [0.0]
        self.log_dfs = [0.0]

    def add(self, t, log_df):
        if t <= self.times[-1]:
            raise ValueError("nodes must be added in order")
        self.times.append(t)
        self.log_dfs.append(log_df)

    def __call__(self, t):
        k = min(bisect_right(self.times, t), len(self.times) - 1)
        t0, t1 = self.times[k - 1], self.times[k]
        w = (t - t0) / (t1 - t0)
        return np.exp((1 - w) * self.log_dfs[k - 1] + w * self.log_dfs[k])

    def forward(self, a, b):
        return (self(a) / self(b) - 1) / (b - a)

    def __len__(self):
        return len(self.times) - 1

def bootstrap(deposits, swaps):
    curve = DiscountCurve()
    for t, rate in sorted(deposits.items()):
        curve.add(t, -np.log1p(rate * t))
    for maturity, rate in sorted(swaps.items(), key=lambda item: item[0]):
        annuity = sum(curve(k) for k in range(1, maturity) if k <= curve.times[-1])
        # flat forward for missing coupon dates is good enough here
        missing = [k for k in range(1, maturity) if k > curve.times[-1]]
        df = (1 - rate * annuity) / (1 + rate * (1 + len(missing)))
        curve.add(maturity, np.log(df))
    return curve

@program(
    lambda rng: ({0.25: 0.03, 0.5: 0.031}, {1: 0.032, 2: 0.034, 3: 0.035, 5: 0.037}, 0.036),
    wrt=(0, 1, 2),
)
def swap_value(deposits, swaps, fixed):
    curve = bootstrap(deposits, swaps)
    schedule = np.arange(0.5, 4.51, 0.5)
    floating = 0.0
    fixed_leg = 0.0
    previous = 0.0
    for t in schedule:
        tau = t - previous
        df = curve(t)
        if previous > 0:
            floating += tau * curve.forward(previous, t) * df
        else:
            floating += tau * 0.03 * df
        fixed_leg += tau * fixed * df
        previous = t
    assert len(curve) == 6
    return 1e4 * (floating - fixed_leg)
