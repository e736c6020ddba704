"""Option prices on a lattice, and their Greeks

An American put is worth the larger of waiting and exercising, at each node of a binomial tree. The tree is
rolled back in place in one array; the gradient in price, volatility and rate are the Greeks, all from one
reverse sweep. The payoff at the end is averaged over the prices that a node stands for: the derivative of its
kink would otherwise jump with the place of the nodes, and the Greeks with it.
"""

import math

import numpy as np

import adjit


def payoff(price, strike, half):
    """The payoff, averaged over prices from price * exp(-half) to price * exp(half)."""
    if price * math.exp(half) <= strike:
        return strike - price * math.sinh(half) / half
    if price * math.exp(-half) >= strike:
        return 0.0
    kink = math.log(strike / price)
    return (strike * (kink + half) - (strike - price * math.exp(-half))) / (2.0 * half)


def put(spot, volatility, rate, strike, years, steps, american):
    dt = years / steps
    half = volatility * math.sqrt(dt)
    up = math.exp(half)
    discount = math.exp(-rate * dt)
    p = (math.exp(rate * dt) - 1.0 / up) / (up - 1.0 / up)
    value = np.zeros(steps + 1)
    for j in range(steps + 1):
        value[j] = payoff(spot * up ** (2.0 * j - steps), strike, half)
    for n in range(steps - 1, -1, -1):
        for j in range(n + 1):
            waiting = discount * (p * value[j + 1] + (1.0 - p) * value[j])
            exercising = strike - spot * up ** (2.0 * j - n)
            value[j] = max(waiting, exercising) if american else waiting
    return value[0]


def main(steps=60):
    greeks = adjit.value_and_grad(put, argnums=("spot", "volatility", "rate"))
    market = (100.0, 0.25, 0.05, 105.0, 1.0, steps)
    found = {american: greeks(*market, american) for american in (True, False)}
    for american, (price, (delta, vega, rho)) in found.items():
        kind = "American" if american else "European"
        print(f"{kind}: price {price:.4f}, delta {delta:.4f}, vega {vega:.3f}, rho {rho:.3f}")
    return found


if __name__ == "__main__":
    main()
