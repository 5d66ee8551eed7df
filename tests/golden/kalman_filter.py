"""The likelihood of a series, by the Kalman filter."""

import numpy as np

from srcgrad import grad


def loss(Q, R, F, H, mean, P, observations):
    total = 0.0
    for y in observations:
        # compare the observation with what was expected
        surprise = y - H @ mean
        S = H @ P @ H.T + R
        total += np.linalg.slogdet(S)[1] + surprise @ np.linalg.solve(S, surprise)
        # learn from it
        gain = np.linalg.solve(S, H @ P).T
        mean = mean + gain @ surprise
        P = P - gain @ H @ P
        # look one step ahead
        mean = F @ mean
        P = F @ P @ F.T + Q
    return total


def arguments():
    rng = np.random.default_rng(9)
    F, H = np.array([[1.0, 0.5], [0.0, 0.9]]), np.array([[1.0, 0.2]])
    return 0.2 * np.eye(2), 0.5 * np.eye(1), F, H, np.zeros(2), np.eye(2), rng.normal(size=(4, 1))


derivative = grad(loss, wrt=("Q", "R"))


# ------------------------------------------------------------------------------------------

def loss_grad(Q, R, F, H, mean, P, observations):
    """Gradient of loss (kalman_filter.py:8) with respect to (Q, R)."""
    saved = []
    for y in observations:
        # compare the observation with what was expected
        surprise = y - H @ mean
        prod = H @ P
        S = prod @ H.T + R
        # learn from it
        solution = np.linalg.solve(S, H @ P)
        gain = solution.T
        mean = mean + gain @ surprise
        prod2 = gain @ H
        saved.append((surprise, prod, S, solution, gain, prod2))
        P = P - prod2 @ P
        # look one step ahead
        mean = F @ mean
        P = F @ P @ F.T + Q

    # kalman_filter.py:10  for y in observations:
    P_bar = np.zeros(P.shape)
    mean_bar = np.zeros(mean.shape)
    R_bar = np.zeros(R.shape)
    Q_bar = np.zeros(Q.shape)
    for surprise, prod, S, solution, gain, prod2 in saved[::-1]:
        # kalman_filter.py:21  P = F @ P @ F.T + Q
        Q_bar += P_bar
        P_bar = F.T @ (P_bar @ F)
        # kalman_filter.py:20  mean = F @ mean
        mean_bar = F.T @ mean_bar
        # kalman_filter.py:18  P = P - gain @ H @ P
        prod_bar = -P_bar
        P_bar += prod2.T @ prod_bar
        gain_bar = prod_bar @ prod.T
        # kalman_filter.py:17  mean = mean + gain @ surprise
        surprise_bar = gain.T @ mean_bar
        gain_bar += np.outer(mean_bar, surprise)
        # kalman_filter.py:16  gain = np.linalg.solve(S, H @ P).T
        inverse = np.linalg.inv(S)
        prod_bar = inverse.T @ gain_bar.T
        P_bar += H.T @ prod_bar
        # kalman_filter.py:14  total += np.linalg.slogdet(S)[1] + surprise @ np.linalg.solve ...
        solution_ = inverse @ surprise
        surprise_term = inverse.T @ surprise
        S_bar = -np.outer(surprise_term, solution_) - prod_bar @ solution.T
        surprise_bar = surprise_bar + solution_ + surprise_term
        S_bar += inverse.T
        # kalman_filter.py:13  S = H @ P @ H.T + R
        R_bar += S_bar
        P_bar += H.T @ (S_bar @ H)
        # kalman_filter.py:12  surprise = y - H @ mean
        mean_bar -= H.T @ surprise_bar
    return Q_bar, R_bar
