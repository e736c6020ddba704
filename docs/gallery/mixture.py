"""A Gaussian mixture by gradient

Three clouds of points; weights, centres and spreads are found at once. Parameters are a dict, and so is the
gradient.
"""

import numpy as np

import adjit


def negative_log_likelihood(p, points):
    n, k = points.shape[0], p["centre"].shape[0]
    log_weight = p["logit"] - np.log(np.sum(np.exp(p["logit"])))
    total = 0.0
    for i in range(n):
        score = np.zeros(k)
        for j in range(k):
            distance = 0.0
            for a in range(points.shape[1]):
                distance += (points[i, a] - p["centre"][j, a]) ** 2
            spread = p["log_spread"][j]
            score[j] = log_weight[j] - points.shape[1] * spread - 0.5 * distance * np.exp(-2.0 * spread)
        top = np.max(score)
        total -= top + np.log(np.sum(np.exp(score - top)))
    return total / n


def main(count=120, steps=150, rate=0.1):
    rng = np.random.default_rng(0)
    centres = np.array([[-3.0, 0.0], [0.0, 3.0], [3.0, -1.0]])
    points = centres[rng.integers(0, 3, count)] + 0.5 * rng.normal(size=(count, 2))
    guess = np.array([[-2.0, -1.0], [0.0, 2.0], [2.0, 0.0]])  # near the clouds
    p = {"logit": np.zeros(3), "centre": guess, "log_spread": np.zeros(3)}
    mean = {key: np.zeros_like(value) for key, value in p.items()}
    square = {key: np.zeros_like(value) for key, value in p.items()}
    gradient = adjit.value_and_grad(negative_log_likelihood)
    for step in range(1, steps + 1):  # Adam
        value, g = gradient(p, points)
        for key in p:
            mean[key] += 0.1 * (g[key] - mean[key])
            square[key] += 0.01 * (g[key] ** 2 - square[key])
            p[key] -= rate * mean[key] / (1 - 0.9**step) / (np.sqrt(square[key] / (1 - 0.99**step)) + 1e-8)
    print("centres", p["centre"].round(2).tolist(), "spreads", np.exp(p["log_spread"]), "value", value)
    return p, centres


if __name__ == "__main__":
    main()
