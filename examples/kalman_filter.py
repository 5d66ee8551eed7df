"""The flow of the Nile: maximum likelihood through a Kalman filter.

The yearly flow is a level that drifts, seen with noise. The two variances are
found by maximising the likelihood that the filter computes, with the gradient
taken through all its steps.

Data: the flow at Aswan, 1871 to 1970, in 10^8 cubic metres. The example and the
estimates to compare with (15099 and 1469.1) are those of J. Durbin and S. J.
Koopman, "Time Series Analysis by State Space Methods" (2nd edition, 2012),
section 2.10.
"""

import math

import numpy as np
from scipy.optimize import minimize

from srcgrad import differentiate

# fmt: off
NILE = np.array([
    1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935, 1110, 994,
    1020, 960, 1180, 799, 958, 1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100,
    774, 840, 874, 694, 940, 833, 701, 916, 692, 1020, 1050, 969, 831, 726,
    456, 824, 702, 1120, 1100, 832, 764, 821, 768, 845, 864, 862, 698, 845,
    744, 796, 1040, 759, 781, 865, 845, 944, 984, 897, 822, 1010, 771, 676,
    649, 846, 812, 742, 801, 1040, 860, 874, 848, 890, 744, 749, 838, 1050,
    918, 986, 797, 923, 975, 815, 1020, 906, 901, 1170, 912, 746, 919, 718,
    714, 740,
], dtype=float)
# fmt: on


@differentiate(wrt=("Q", "R"))
def loss(Q, R, F, H, mean, P, observations):
    """Return minus the log-likelihood of a linear-Gaussian state space model.

    Args:
        Q: (d, d), covariance of the noise that drives the state.
        R: (m, m), covariance of the noise of an observation.
        F: (d, d), moves the state one step ahead.
        H: (m, d), what is observed of a state.
        mean: (d,), the expected first state.
        P: (d, d), its covariance.
        observations: (n, m), one row a step.
    """
    total = 0.0
    for y in observations:
        # compare the observation with what was expected
        surprise = y - H @ mean
        S = H @ P @ H.T + R
        _, log_det = np.linalg.slogdet(S)
        whitened = np.linalg.solve(S, surprise)
        total = total + log_det + surprise @ whitened
        # learn from it
        gain = np.linalg.solve(S, H @ P).T
        mean = mean + gain @ surprise
        P = P - gain @ H @ P
        # look one step ahead
        mean = F @ mean
        P = F @ P @ F.T + Q
    return 0.5 * (total + observations.size * math.log(2 * math.pi))


def main(years=100, iterations=50):
    """Fit both variances and return the figures that are printed.

    Args:
        years: how many of the 100 years to fit.
        iterations: the most steps that the optimiser takes.

    Returns:
        A dict with the log-likelihood and the variances of the observation and
        of the level.
    """
    one = np.eye(1)
    # Before the first year the level is as good as unknown.
    fixed = one, one, np.array([1000.0]), 1e7 * one, NILE[:years, None]

    def objective(logs):
        q, r = np.exp(logs)
        value, (Q_bar, R_bar) = loss.value_and_grad(q * one, r * one, *fixed)
        return value, np.array([Q_bar[0, 0] * q, R_bar[0, 0] * r])

    result = minimize(
        objective,
        np.log([1e3, 1e4]),
        method="L-BFGS-B",
        jac=True,
        options={"maxiter": iterations},
    )
    level, observation = np.exp(result.x).tolist()
    likelihood = -float(result.fun)
    print(f"log-likelihood {likelihood:.3f} after {result.nit} iterations")
    print(f"variance of an observation {observation:.0f}, of the level {level:.0f}")
    return {"log_likelihood": likelihood, "observation": observation, "level": level}


if __name__ == "__main__":
    main()
