"""Programs with complex numbers, as users write them: real inputs or complex ones, real results.

Each is a Python function with example arguments; `PROGRAMS` has them by name.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np

PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {}


def program(*args: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[function.__name__] = (function, args)
        return function

    return register


RNG = np.random.default_rng(20240611)
SIGNAL = RNG.normal(size=9)
POINTS = np.linspace(0.1, 1.9, 7)
WAVE = RNG.normal(size=6) + 1j * RNG.normal(size=6)
MATRIX = RNG.normal(size=(3, 3)) + 1j * RNG.normal(size=(3, 3))
TALL = RNG.normal(size=(9, 5)) + 1j * RNG.normal(size=(9, 5))


@program(-0.35, 0.21, 12)
def mandelbrot(x, y, n):
    c = complex(x, y)
    z = 0j
    for _ in range(n):
        z = z * z + c
    return abs(z) ** 2


@program(0.4, 0.45, 40)
def escape_time(x, y, n):
    c = x + 1j * y
    z = 0.0
    k = 0
    while k < n and abs(z) <= 2.0:
        z = z**2 + c
        k += 1
    return z.real * z.imag + k


@program(1.3, POINTS)
def phase_sum(k, x):
    return np.abs(np.sum(np.exp(1j * k * x))) ** 2


@program(SIGNAL)
def dft_in_loops(x):
    n = len(x)
    power = 0.0
    for k in range(n):
        total = 0j
        for j in range(n):
            total += x[j] * cmath.exp(-2j * cmath.pi * k * j / n)
        power += (k + 1) * (total.real**2 + total.imag**2)
    return power


@program(SIGNAL)
def dft_by_matrix(x):
    n = x.shape[0]
    k = np.arange(n)
    w = np.exp(-2j * np.pi * np.outer(k, k) / n)
    found = w @ x
    return np.sum(k * np.abs(found) ** 2)


@program(np.array([0.12, 0.31, 0.08, 0.2]), np.array([1.4, 2.1, 1.7, 1.5]), 0.9)
def thin_film(thickness, index, wavelength):
    """Reflectance of a stack of layers by 2x2 characteristic matrices."""
    total = np.eye(2, dtype=np.complex128)
    for j in range(len(thickness)):
        n = index[j] + 0.02j
        delta = 2.0 * np.pi * n * thickness[j] / wavelength
        layer = np.empty((2, 2), dtype=np.complex128)
        layer[0, 0] = np.cos(delta)
        layer[0, 1] = 1j * np.sin(delta) / n
        layer[1, 0] = 1j * n * np.sin(delta)
        layer[1, 1] = np.cos(delta)
        total = total @ layer
    b = total[0, 0] + 1.5 * total[0, 1]
    c = total[1, 0] + 1.5 * total[1, 1]
    r = (b - c) / (b + c)
    return abs(r) ** 2


@program(np.array([1.5, 1.2, 0.04, -0.6, 0.3]), 100.0, 95.0)
def heston(p, spot, strike):
    """A probability of Heston's model from its characteristic function, by quadrature."""
    kappa, theta, sigma, rho, v0 = p
    total = 0.0
    for k in range(1, 40):
        u = 0.5 * k
        iu = 1j * u
        d = np.sqrt((rho * sigma * iu - kappa) ** 2 + sigma**2 * (iu + u * u))
        g = (kappa - rho * sigma * iu - d) / (kappa - rho * sigma * iu + d)
        e = np.exp(-d)
        big_c = (
            kappa * theta / sigma**2 * ((kappa - rho * sigma * iu - d) - 2.0 * np.log((1 - g * e) / (1 - g)))
        )
        big_d = (kappa - rho * sigma * iu - d) / sigma**2 * (1 - e) / (1 - g * e)
        phi = np.exp(big_c + big_d * v0 + iu * math.log(spot))
        total += (np.exp(-iu * math.log(strike)) * phi / iu).real * 0.5
    return 0.5 + total / math.pi


@program(np.array([50.0, 2.0, 1.0, 75.0]), np.array([300.0, 1000.0, 3000.0, 5000.0]))
def impedance(parts, frequencies):
    """The response of a resistor and a coil in series with a loaded capacitor."""
    r, inductance, capacity, load = parts[0], parts[1] * 1e-3, parts[2] * 1e-6, parts[3]  # ohms, mH, uF, ohms
    total = 0.0
    for f in frequencies:
        w = 2.0 * np.pi * f
        z1 = r + 1j * w * inductance
        z2 = 1.0 / (1j * w * capacity + 1.0 / load)
        gain = z2 / (z1 + z2)
        total += 20.0 * np.log10(abs(gain)) + cmath.phase(gain)
    return total


@program(0.7, 1.9)
def spherical_harmonic(theta, phi):
    """|Y_2^1 + Y_1^1|^2 along with the real part of their product."""
    ct, st = math.cos(theta), math.sin(theta)
    y21 = -math.sqrt(15.0 / (8.0 * math.pi)) * st * ct * cmath.exp(1j * phi)
    y11 = -math.sqrt(3.0 / (8.0 * math.pi)) * st * cmath.exp(1j * phi)
    y20 = 0.25 * math.sqrt(5.0 / math.pi) * (3.0 * ct * ct - 1.0)
    return abs(y21 + y11 + y20) ** 2 + (y21 * y11.conjugate()).real + (y20 * y11).imag


@program(0.3, np.array([0.8, 1.1, 0.5]))
def quantum_steps(t, detuning):
    """A state under 2x2 rotations; the state is a pair of complex numbers carried by a loop."""
    up, down = 1.0 + 0j, 0j
    for d in detuning:
        c, s = np.cos(t * d), np.sin(t * d)
        up, down = c * up - 1j * s * down, -1j * s * up + c * np.exp(1j * d) * down
    return abs(down) ** 2 + 0.1 * (up * np.conj(down)).real


@program(WAVE)
def split_step(psi):
    """Steps in place on a complex array: phases, then exchange with neighbours."""
    u = psi.copy()
    for _ in range(4):
        u *= np.exp(-0.1j * np.abs(u) ** 2)
        u[1:-1] = 0.5 * u[1:-1] + 0.25j * (u[2:] + u[:-2])
    return np.sum(np.abs(u) ** 2 * np.arange(len(u)))


@program(WAVE, WAVE[::-1] * 0.7)
def overlap(a, b):
    return np.abs(np.vdot(a, b)) ** 2 / (np.vdot(a, a).real * np.vdot(b, b).real)


@program(MATRIX)
def hermitian_form(m):
    h = m + m.conj().T
    v = np.array([1.0, 2.0j, -0.5])
    return (v.conj() @ (h @ v)).real + np.trace(m @ h).imag


@program(TALL)
def gram(a):
    g = a.conj().T @ a
    return np.sum(np.abs(g) ** 2) + np.sum(g.real)


@program(WAVE)
def roots_and_logs(z):
    return np.sum(np.sqrt(z).real + np.log(z).imag * np.abs(z) + (z**1.5).imag + (2.0**z).real)


@program(np.array([1.0, -2.5, 3.0, 0.5]), 0.3, 0.8)
def polynomial(p, x, y):
    z = complex(x, y)
    total = 0
    for c in p:
        total = total * z + c
    return total.real - 2.0 * total.imag


@program(WAVE, 0.4)
def branches(z, x):
    total = 0.0
    for k in range(len(z)):
        if z[k].real > 0:
            w = z[k] * x
        elif x > 0.2:
            w = x
        else:
            w = 1j
        total += abs(w) + np.angle(w + 2.0)
    return total


def helper(z: complex, factor: float) -> dict[str, Any]:
    return {"value": z * factor, "parts": (z.real, z.imag)}


@program(0.6, WAVE)
def structures(x, z):
    found = helper(z[1], x)
    more = helper(x, 2.0)
    pair = (found["value"], more["value"])
    return (pair[0] * pair[1]).real + found["parts"][1] * more["parts"][0]


@program(WAVE)
def parts_are_views(z):
    w = z.copy()
    x, y = w.real, w.imag
    x[1:] += y[:-1]
    y[0] = 2.0 * x[2]
    w.imag[3] = 0.0
    return np.sum(np.abs(w) ** 2) + np.prod(x)


@program(WAVE.astype(np.complex64), np.float32(0.7))
def single_precision(z, x):
    w = z * x + np.complex64(1j)
    for _ in range(3):
        w = w * w * np.float32(0.3) + z
    return np.sum(np.abs(w))


@program(np.array([[0.2, 0.5], [0.7, 0.1]]))
def transfer_matrices(x):
    """Products of 2x2 matrices held in one array of them."""
    t = np.zeros((2, 2, 2), dtype=complex)
    t[:, 0, 0] = np.exp(1j * x[:, 0])
    t[:, 1, 1] = np.exp(-1j * x[:, 0])
    t[:, 0, 1] = 1j * x[:, 1]
    t[:, 1, 0] = -1j * x[:, 1]
    m = t[0] @ t[1] @ t[0]
    return 1.0 / abs(m[1, 1]) ** 2


@program(2.0, 0.4)
def damped(omega, gamma):
    s = -gamma + 1j * cmath.sqrt(omega * omega - gamma * gamma)
    r, phi = cmath.polar(cmath.exp(s * 0.7) + cmath.rect(0.3, gamma))
    return r * math.sin(phi)
