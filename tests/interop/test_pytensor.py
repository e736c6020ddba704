"""adjit's functions as PyTensor ops, checked by PyTensor's own gradient test, and a short NUTS run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import warnings
warnings.simplefilter("ignore")
import numpy as np
import pytensor
import pytensor.tensor as pt
from adjit.interop.pytensor import wrap
from tests.interop import functions

pytensor.config.cxx = ""
rng = np.random.default_rng(0)
op = wrap(functions.recurrence)
pytensor.config.mode = "FAST_COMPILE"
points = [rng.normal(size=5), np.array(0.8)]
pytensor.gradient.verify_grad(lambda x, r: op(x, r), points, rng=rng)
x, r = pt.dvector(), pt.dscalar()
f = pytensor.function([x, r], op(x, r))
v = rng.normal(size=5)
assert np.isclose(f(v, 0.8), functions.recurrence(v, 0.8))
print("agrees")
"""

NUTS = """
import warnings
warnings.simplefilter("ignore")
import numpy as np
import pymc as pm
import pytensor
from adjit.interop.pytensor import wrap
from tests.interop import likelihood

pytensor.config.cxx = ""
pytensor.config.mode = "FAST_COMPILE"
data = likelihood.data()
loglike = wrap(likelihood.autoregression)
with pm.Model():
    slope = pm.Normal("slope", 0.0, 1.0)
    spread = pm.HalfNormal("spread", 1.0)
    pm.Potential("loglike", loglike(slope, spread, data))
    quiet = {"progressbar": False, "compute_convergence_checks": False}
    trace = pm.sample(60, tune=100, chains=1, cores=1, random_seed=1, **quiet)
print(float(trace.posterior["slope"].mean()), float(trace.posterior["spread"].mean()))
"""


def run(script: str) -> str:
    root = Path(__file__).parent.parent.parent
    path = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_pytensors_own_check() -> None:
    pytest.importorskip("pytensor")
    assert "agrees" in run(SCRIPT)


@pytest.mark.slow
def test_nuts_on_a_likelihood_that_is_a_loop() -> None:
    pytest.importorskip("pymc")
    slope, spread = map(float, run(NUTS).split())
    # The data are drawn with slope 0.6 and spread 0.5; 200 numbers tell them to about 0.06 and 0.03.
    assert abs(slope - 0.6) < 0.25 and abs(spread - 0.5) < 0.12
