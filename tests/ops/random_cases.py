"""One row per function that draws random numbers. Each call seeds first, so that differences see one
sample.
"""

from __future__ import annotations

import random

import numpy as np

from .rows import constant, normal, number, positive, row


def seeded(function: object, *expressions: str, module: str = "np.random", **arguments: object) -> None:
    texts = [f"{module}.seed(3); return {text}" for text in expressions]
    row(function, *texts, single=False, **arguments)  # type: ignore[arg-type]


for _name in ("random", "random_sample", "sample", "ranf", "standard_normal"):
    seeded(getattr(np.random, _name), f"a * np.random.{_name}()", f"a * np.random.{_name}(4)", a=normal(4))
for _name in ("standard_exponential", "standard_cauchy"):
    seeded(
        getattr(np.random, _name), f"a * np.random.{_name}()", f"a * np.random.{_name}(size=4)", a=normal(4)
    )
for _name in ("rand", "randn"):
    seeded(
        getattr(np.random, _name),
        f"a * np.random.{_name}()",
        f"a * np.random.{_name}(3, 4)",
        f"a * np.random.{_name}(3, 1) + np.random.{_name}() * a",
        a=normal(4),
    )
for _name in ("normal", "laplace", "logistic", "gumbel", "uniform"):
    seeded(
        getattr(np.random, _name),
        f"np.random.{_name}(a, b)",
        f"np.random.{_name}(a, 2.0, size=(3, 4))",
        f"np.random.{_name}(size=4) * a",
        f"np.random.{_name}(0.5, b)",
        a=normal(4),
        b=positive(3, 1),
    )
seeded(
    np.random.lognormal,
    "np.random.lognormal(a, b)",
    "a * np.random.lognormal()",
    a=normal(4),
    b=positive(3, 1),
)
for _name in ("exponential", "rayleigh"):
    seeded(
        getattr(np.random, _name),
        f"np.random.{_name}(b)",
        f"np.random.{_name}(b[0, 0], 3)",
        f"b * np.random.{_name}(size=(3, 1))",
        b=positive(3, 1),
    )
for _name in ("weibull", "pareto"):
    seeded(
        getattr(np.random, _name),
        f"np.random.{_name}(b)",
        f"np.random.{_name}(b[0, 0], 3)",
        b=positive(3, 1),
    )
for _name in ("standard_gamma", "chisquare", "standard_t"):
    seeded(
        getattr(np.random, _name),
        f"a * np.random.{_name}(2.5)",
        f"a * np.random.{_name}(0.7, 4)",
        a=normal(4),
    )
seeded(np.random.gamma, "np.random.gamma(2.5, b)", "np.random.gamma(0.7, b[0, 0], 4)", b=positive(3, 1))
seeded(np.random.beta, "a * np.random.beta(2.0, 0.5)", "a * np.random.beta(0.5, 0.5, 4)", a=normal(4))
seeded(np.random.poisson, "a * np.random.poisson(3.0)", "a * np.random.poisson(0.4, 4)", a=normal(4))
seeded(
    np.random.binomial, "a * np.random.binomial(10, 0.3)", "a * np.random.binomial(7, 0.6, 4)", a=normal(4)
)
seeded(np.random.geometric, "a * np.random.geometric(0.3)", "a * np.random.geometric(0.6, 4)", a=normal(4))
seeded(
    np.random.randint,
    "a * np.random.randint(5)",
    "a * np.random.randint(2, 9, size=4)",
    "a[np.random.randint(4)] * a",
    a=normal(4),
)
seeded(
    np.random.permutation,
    "a * np.random.permutation(a)",
    "a[np.random.permutation(4)] * a",
    "np.random.permutation(b) * b",
    a=normal(4),
    b=normal(3, 2),
)
seeded(
    np.random.choice,
    "a * np.random.choice(a)",
    "a * np.random.choice(a, 4)",
    "a[:3] * np.random.choice(a, 3, replace=False)",
    "a * a[np.random.choice(4, 4)]",
    a=normal(4),
)
row(
    np.random.shuffle,
    "np.random.seed(3); b = a.copy(); np.random.shuffle(b); return a * b",
    "np.random.seed(3); b = c.copy(); np.random.shuffle(b); return c * b",
    a=normal(4),
    c=normal(3, 2),
    single=False,
)
seeded(
    np.random.seed,
    "np.random.rand() * a; np.random.seed(n); return np.random.rand() * a",
    a=normal(4),
    n=constant(5),
)
seeded(random.seed, "random.random() * x", module="random", x=number(0.5, 2.0))
seeded(random.random, "random.random() * x", module="random", x=number(0.5, 2.0))
seeded(random.uniform, "random.uniform(x, y)", module="random", x=number(0.5, 1.0), y=number(1.5, 2.0))
for _name in ("gauss", "normalvariate"):
    seeded(
        getattr(random, _name),
        f"random.{_name}(x, y)",
        module="random",
        x=number(0.5, 1.0),
        y=number(1.5, 2.0),
    )
