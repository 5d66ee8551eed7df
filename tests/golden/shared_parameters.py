"""Parameters in a tree, of which functions are given all, a part, or one and the same part."""

import numpy as np

from srcgrad import grad


def layers(params, h):
    for W, b in params[:-1]:
        h = np.tanh(h @ W + b)
    W, b = params[-1]
    return h @ W + b


def encoded(p, x):
    h = layers(p["layers"], x)
    return h @ p["mean"], h @ p["spread"]


def cell(p, h, x):
    return np.tanh(x @ p["W"] + h @ p["U"] + p["b"])


def loss(params, xs, noise):
    mean, spread = encoded(params["encoder"], xs)
    h = mean[-1] + np.exp(spread[-1]) * noise
    for x in xs:
        h = cell(params["cell"], h, x)
    return np.sum(h**2) + 0.1 * np.sum(params["encoder"]["mean"] ** 2)


def arguments():
    rng = np.random.default_rng(0)
    sizes = [(3, 4), (4, 4), (4, 2)]
    params = {
        "encoder": {
            "layers": [(rng.normal(size=size), rng.normal(size=size[1])) for size in sizes],
            "mean": rng.normal(size=(2, 3)),
            "spread": rng.normal(size=(2, 3)),
        },
        "cell": {
            "W": rng.normal(size=(3, 3)),
            "U": rng.normal(size=(3, 3)),
            "b": rng.normal(size=3),
        },
    }
    return params, rng.normal(size=(5, 3)), rng.normal(size=3)


derivative = grad(loss)


# ------------------------------------------------------------------------------------------

def loss_grad(params, xs, noise):
    """Gradient of loss (shared_parameters.py:24) with respect to params."""
    (mean, spread), encoded_residuals = encoded_forward(params["encoder"], xs)
    exp = np.exp(spread[-1])
    h = mean[-1] + exp * noise
    saved = []
    for x in xs:
        h, cell_residuals = cell_forward(params["cell"], h, x)
        saved.append(cell_residuals)

    # shared_parameters.py:29  return np.sum(h**2) + 0.1 * np.sum(params["encoder"]["mean"]  ...
    mean_bar = 0.2 * params["encoder"]["mean"]
    h_bar = 2 * h
    # shared_parameters.py:27  for x in xs:
    W_bar = np.zeros(params["cell"]["W"].shape)
    U_bar = np.zeros(params["cell"]["U"].shape)
    b_bar = np.zeros(params["cell"]["b"].shape)
    for cell_residuals in saved[::-1]:
        # shared_parameters.py:28  h = cell(params["cell"], h, x)
        p_bar, h_bar = cell_backward(cell_residuals, h_bar)
        W_bar += p_bar["W"]
        U_bar += p_bar["U"]
        b_bar += p_bar["b"]
    # shared_parameters.py:26  h = mean[-1] + np.exp(spread[-1]) * noise
    spread_bar = np.zeros(spread.shape)
    spread_bar[-1] = h_bar * noise * exp
    mean_bar2 = np.zeros(mean.shape)
    mean_bar2[-1] = h_bar
    # shared_parameters.py:25  mean, spread = encoded(params["encoder"], xs)
    p_bar = encoded_backward(encoded_residuals, mean_bar2, spread_bar)
    mean_bar += p_bar["mean"]
    return {
        "encoder": {"layers": p_bar["layers"], "mean": mean_bar, "spread": p_bar["spread"]},
        "cell": {"W": W_bar, "U": U_bar, "b": b_bar},
    }


def cell_forward(p, h, x):
    """cell (shared_parameters.py:20), with what its backward function needs."""
    value = np.tanh(x @ p["W"] + h @ p["U"] + p["b"])
    return value, (p["U"], h, x, value)


def cell_backward(residuals, value_bar):
    """Backward function of cell (shared_parameters.py:20)."""
    U, h, x, value = residuals
    # shared_parameters.py:21  return np.tanh(x @ p["W"] + h @ p["U"] + p["b"])
    pre_bar = value_bar * (1 - value ** 2)
    h_bar = U @ pre_bar
    U_bar = np.outer(h, pre_bar)
    W_bar = np.outer(x, pre_bar)
    return {"W": W_bar, "U": U_bar, "b": pre_bar}, h_bar


def encoded_forward(p, x):
    """encoded (shared_parameters.py:15), with what its backward function needs."""
    h, layers_residuals = layers_forward(p["layers"], x)
    return (h @ p["mean"], h @ p["spread"]), (p["mean"], p["spread"], h, layers_residuals)


def layers_forward(params, h):
    """layers (shared_parameters.py:8), with what its backward function needs."""
    saved = []
    for W, b in params[:-1]:
        h_0 = h
        h = np.tanh(h @ W + b)
        saved.append((h_0, W, h))
    W, b = params[-1]
    return h @ W + b, (W, h, saved)


def layers_backward(residuals, value_bar):
    """Backward function of layers (shared_parameters.py:8)."""
    W, h, saved = residuals
    # shared_parameters.py:12  return h @ W + b
    params_2_1_bar = value_bar.sum(axis=0)
    h_bar = value_bar @ W.T
    params_2_0_bar = h.T @ value_bar
    # shared_parameters.py:9  for W, b in params[:-1]:
    params_bar = []
    for h_0, W, h in saved[::-1]:
        # shared_parameters.py:10  h = np.tanh(h @ W + b)
        pre_bar = h_bar * (1 - h ** 2)
        b_bar = pre_bar.sum(axis=0)
        h_bar = pre_bar @ W.T
        W_bar = h_0.T @ pre_bar
        params_bar.append((W_bar, b_bar))
    return [*params_bar[::-1], (params_2_0_bar, params_2_1_bar)]


def encoded_backward(residuals, prod_bar, prod_bar2):
    """Backward function of encoded (shared_parameters.py:15)."""
    mean, spread, h, layers_residuals = residuals
    # shared_parameters.py:17  return h @ p["mean"], h @ p["spread"]
    spread_bar = h.T @ prod_bar2
    mean_bar = h.T @ prod_bar
    h_bar = prod_bar2 @ spread.T + prod_bar @ mean.T
    # shared_parameters.py:16  h = layers(p["layers"], x)
    layers_bar = layers_backward(layers_residuals, h_bar)
    return {"layers": layers_bar, "mean": mean_bar, "spread": spread_bar}
