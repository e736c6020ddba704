"""Sample programs: parameters in dicts, tuples, lists, named tuples and dataclasses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .programs import program


class Layer(NamedTuple):
    w: Any
    b: Any


@dataclass
class Model:
    first: Any
    scale: float


@program(lambda r: ({"w": r.normal(size=(3, 2)), "b": r.normal(size=2)}, r.normal(size=(4, 3))), wrt=(0, 1))
def dict_parameters(p, x):
    return np.sum(np.tanh(x @ p["w"] + p["b"]) ** 2)


@program(
    lambda r: ({"w0": r.normal(size=(3, 3)), "w1": r.normal(size=(3, 2)), "w2": 0.7}, r.normal(size=3)),
    wrt=(0, 1),
)
def keys_by_number(p, x):
    for i in range(2):
        x = np.tanh(x @ p[f"w{i}"]) * (p["w" + str(i + 1)] if f"{i:02d}" == "01" else 1.0)
    return np.sum(x * x)


@program(
    lambda r: ([Layer(r.normal(size=(3, 3)), r.normal(size=3)) for _ in range(2)], r.normal(size=3)),
    wrt=(0, 1),
)
def list_of_layers(layers, x):
    for layer in layers:
        x = np.tanh(layer.w @ x + layer.b)
    return np.sum(x * x)


@program(lambda r: (Model((r.normal(size=3), 0.5), 1.3), r.normal(size=3)), wrt=(0, 1))
def dataclass_parameters(model, x):
    v, c = model.first
    return model.scale * np.sum(v * x) + c * model.scale**2


@program(lambda r: ({"a": (0.3, [r.normal(size=2), 2.0]), "n": 3},), wrt=(0,))
def nested_parameters(p):
    c, (v, d) = p["a"]
    s = 0.0
    for i in range(p["n"]):
        s += c * v[i % 2] * d
    return s * s


def step(state, force):
    position, velocity = state
    velocity = velocity + 0.1 * force - 0.1 * np.sin(position)
    return position + 0.1 * velocity, velocity


@program(lambda r: (0.4, -0.2, r.normal(size=4)), wrt=(0, 1, 2))
def tuple_state_in_loop(x, v, forces):
    state = (x, v)
    for f in forces:
        state = step(state, f)
    return state[0] ** 2 + state[1] ** 2


@program(lambda r: (r.normal(size=4),))
def dict_made_inside(x):
    d = {"a": x * 2.0, "b": x[0]}
    e = Layer(w=d["a"], b=d["b"])
    return np.sum(e.w * e.b)
