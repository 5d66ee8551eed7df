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
        P_0 = P
        # compare the observation with what was expected
        surprise = y - H @ mean
        T_H = H.T
        S = H @ P @ T_H + R
        solve_ = np.linalg.solve(S, surprise)
        solve_3 = np.linalg.solve(S, H @ P)
        # learn from it
        gain = solve_3.T
        mean = mean + gain @ surprise
        prod = gain @ H
        P = P - prod @ P
        # look one step ahead
        mean = F @ mean
        T_F = F.T
        saved.append((P_0, surprise, T_H, S, solve_, solve_3, gain, prod, T_F))
        P = F @ P @ T_F + Q

    # kalman_filter.py:10  for y in observations:
    P_bar = np.zeros_like(P)
    mean_bar = np.zeros_like(mean)
    R_bar = np.zeros_like(R)
    Q_bar = np.zeros_like(Q)
    total_bar = 1.0
    for P_0, surprise, T_H, S, solve_, solve_3, gain, prod, T_F in saved[::-1]:
        # kalman_filter.py:21  P = F @ P @ F.T + Q
        Q_bar += P_bar
        term = F.T
        P_bar = term @ (P_bar @ T_F.T)
        # kalman_filter.py:20  mean = F @ mean
        mean_bar = term @ mean_bar
        # kalman_filter.py:18  P = P - gain @ H @ P
        prod_bar = -P_bar
        P_bar = P_bar + prod.T @ prod_bar
        term = H.T
        gain_bar = prod_bar @ P_0.T @ term
        # kalman_filter.py:17  mean = mean + gain @ surprise
        surprise_bar = gain.T @ mean_bar
        gain_bar += np.outer(mean_bar, surprise)
        # kalman_filter.py:16  gain = np.linalg.solve(S, H @ P).T
        term2 = S.T
        prod_bar = np.linalg.solve(term2, gain_bar.T)
        S_bar = -prod_bar @ solve_3.T
        P_bar += term @ prod_bar
        # kalman_filter.py:14  total += np.linalg.slogdet(S)[1] + surprise @ np.linalg.solve ...
        term2 = np.linalg.solve(term2, total_bar * surprise)
        surprise_bar = surprise_bar + total_bar * solve_ + term2
        S_bar = S_bar - np.outer(term2, solve_) + total_bar * np.linalg.inv(S).T
        # kalman_filter.py:13  S = H @ P @ H.T + R
        R_bar += S_bar
        P_bar += term @ (S_bar @ T_H.T)
        # kalman_filter.py:12  surprise = y - H @ mean
        mean_bar = mean_bar + term @ -surprise_bar
    return Q_bar, R_bar
