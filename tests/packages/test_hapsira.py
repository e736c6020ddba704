"""Orbital mechanics: functions of hapsira's core, from the angles of an orbit to Lambert's problem."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("hapsira", reason="the extra `packages` is not installed")

from hapsira._math.special import hyp2f1b, stumpff_c2, stumpff_c3
from hapsira.core import angles, elements, events, iod, maneuver, perturbations, spheroid_location
from hapsira.core.propagation import (
    danby,
    gooding,
    markley,
    mikkola,
    pimienta,
    recseries,
    vallado,
)
from hapsira.core.propagation.farnocchia import M_to_D_near_parabolic, delta_t_from_nu, farnocchia_rv

from .judged import Case, check

pytestmark = pytest.mark.slow

K = 4.0
R = np.array([1.0, 0.2, 0.3])
V = np.array([-0.3, 1.7, 0.4])
STATE = np.concatenate([R, V])
ORBIT = (K, 1.2, 0.2, 0.4, 0.8, 1.1, 0.6)
TWO, THREE, FOUR = (0, 1), (0, 1, 2), (0, 1, 2, 3)

ANGLES = [
    *(Case(f, (0.7, 0.3), TWO) for f in (angles.nu_to_E, angles.E_to_nu, angles.M_to_E, angles.E_to_M)),
    *(Case(f, (0.7, 1.4), TWO) for f in (angles.nu_to_F, angles.F_to_nu, angles.M_to_F, angles.F_to_M)),
    *(Case(f, (0.6,), (0,)) for f in (angles.D_to_nu, angles.nu_to_D, angles.M_to_D, angles.D_to_M)),
    Case(angles.fp_angle, (0.7, 0.2), TWO),
]
ELEMENTS = [
    Case(elements.coe2rv, ORBIT, tuple(range(7))),
    Case(elements.rv2coe, (K, R, V), THREE),
    Case(elements.coe2mee, ORBIT[1:], tuple(range(6))),
    Case(elements.mee2coe, (1.2, 0.1, 0.2, 0.15, 0.25, 0.7), tuple(range(6))),
    Case(elements.eccentricity_vector, (K, R, V), THREE),
]
PROPAGATION = [
    Case(vallado, (K, R, V, 0.4, 350), FOUR, 1e-5),
    Case(farnocchia_rv, (K, R, V, 0.4), FOUR, 1e-5),
    *(
        Case(f, (K, R, V, 0.4), FOUR, 1e-5)
        for f in (
            danby,
            mikkola,
            gooding,
            recseries,
            markley,
            pimienta,
        )
    ),
    Case(delta_t_from_nu, (0.6, 1.3), TWO),
    Case(M_to_D_near_parabolic, (0.6, 0.99), TWO),
]
OTHERS = [
    Case(perturbations.J2_perturbation, (0.0, STATE, K, 0.01, 0.9), (1, 2, 3, 4)),
    Case(perturbations.J3_perturbation, (0.0, STATE, K, 0.01, 0.9), (1, 2, 3, 4)),
    Case(
        perturbations.atmospheric_drag_exponential,
        (0.0, STATE, K, 0.9, 2.2, 0.1, 0.5, 0.8),
        (1, 3, 4, 5, 6, 7),
    ),
    Case(iod.izzo, (K, R, np.array([0.3, 1.2, 0.4]), 0.6, 0, True, True, 35, 1e-10), FOUR, 1e-5),
    Case(maneuver.correct_pericenter, (K, 0.9, 0.01, 0.01, V, 1.3, 0.3, 0.2), (0, 1, 2, 4, 5)),
    Case(maneuver.hohmann, (K, (R, V), 2.0), (0, 2)),
    Case(maneuver.bielliptic, (K, 4.0, 2.0, (R, V)), THREE),
    Case(spheroid_location.cartesian_to_ellipsoidal, (1.2, 1.1, 1.0, 0.6, 0.7), tuple(range(5))),
    Case(events.line_of_sight, (2.0 * R, np.array([0.6, 2.4, 0.8]), 0.9), THREE),
    Case(hyp2f1b, (0.3,), (0,)),
    Case(stumpff_c2, (0.7,), (0,)),
    Case(stumpff_c3, (-0.7,), (0,)),
]


@pytest.mark.parametrize("case", [*ANGLES, *ELEMENTS, *PROPAGATION, *OTHERS], ids=lambda c: c.name)
def test_gradient(case: Case) -> None:
    check(case)
