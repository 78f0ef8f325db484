"""Calls of the fused steps, as their tests make them."""

import numpy as np

import glassgrad as gg
from glassgrad.trajectory import kernels

NAMES = kernels.__all__
BUFFERS = ("out_position", "out_velocity", "out_acceleration", "out_jerk")


def padding(name):
    return 4 if "Central" in name else 0


def is_indexed(name):
    return "Idx" in name


def arguments(name, *, shape=(2, 7, 2), rows=3, seed=0, dtype=gg.float64, buffers=False):
    """Arguments of a call by name, of an output of that shape; NaN in the buffers, if any."""
    rng = np.random.default_rng(seed)
    batch, horizon, joints = shape
    actions = batch, horizon - padding(name), joints
    start = (rows if is_indexed(name) else batch), joints

    def numbers(*size):
        return gg.tensor(rng.standard_normal(size), dtype=dtype)

    given = {"u_act": numbers(*actions)}
    for part in ("position", "velocity", "acceleration"):
        given[f"start_{part}"] = numbers(*start)
    if is_indexed(name):
        given["start_idx"] = gg.tensor(rng.integers(0, rows, batch))
    for buffer in BUFFERS:
        given[buffer] = gg.full(shape, float("nan"), dtype=dtype) if buffers else None
    steps = rng.uniform(0.5, 1.5, horizon) if "Acceleration" in name else [2.0]
    given["traj_dt"] = gg.tensor(steps, dtype=dtype)
    given["out_grad_position"] = gg.full(actions, float("nan"), dtype=dtype) if buffers else None
    return given


def on(device, given):
    """The same arguments on a device."""
    return {name: None if x is None else x.to(device) for name, x in given.items()}


def step(name, given, **changed):
    """The step by its name, of arguments by name."""
    return getattr(kernels, name).apply(**(given | changed))


def of_actions(name, given):
    """The step as a function of its actions alone."""
    return lambda u: step(name, given, u_act=u)
