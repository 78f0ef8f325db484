"""Thirty steps of gradient descent down to a smooth trajectory, number by number."""

import pytest

import glassgrad as gg
from glassgrad.trajectory import (
    CliqueTensorStep,
    TensorDeviceType,
    build_fd_matrix,
    build_start_state_mask,
    jit_tensor_step_pos_clique,
)
from trajectory.oracle import build, cases, close

(CASE,) = cases("study_min_jerk")


def matrices(horizon, dt):
    orders = (1, 2, 3)
    fds = [build_fd_matrix(horizon, dtype=gg.float64, order=k, SHIFT=True) for k in orders]
    scaled = [fd / dt**k for fd, k in zip(fds, orders, strict=True)]
    return *build_start_state_mask(horizon, TensorDeviceType(dtype=gg.float64)), *scaled


def cost(steps, goal, weights):
    p, v, a, j = steps
    effort = weights["jerk"] * j.square().sum() + weights["acc"] * a.square().sum()
    miss = weights["goal"] * (p[:, -1] - goal).square().sum()
    return effort + miss + weights["vel_end"] * v[:, -1].square().sum()


@pytest.mark.parametrize(
    "step", [CliqueTensorStep.apply, jit_tensor_step_pos_clique], ids=["one Function", "of ops"]
)
def test_descent_follows_the_curve_of_the_oracle(step):
    given = CASE.arguments()
    u, start, goal = given["u0"].requires_grad_(), given["start_position"], given["goal"]
    fixed = matrices(u.shape[1], given["dt"])
    curve, gradients = [], []
    for _ in range(given["steps"] + 1):
        loss = cost(step(u, start, *fixed), goal, given["weights"])
        curve.append(loss.item())
        (grad,) = gg.autograd.grad(loss, u)
        gradients.append(grad)
        if len(curve) <= given["steps"]:
            u = (u - given["lr"] * grad).detach().requires_grad_()
    want = {name: build(value, CASE.arrays) for name, value in CASE.entry["result"].items()}
    assert close(gg.tensor(curve, dtype=gg.float64), want["loss_curve"], CASE)
    assert close(gradients[0], want["grad0"], CASE)
    assert close(u, want["u_final"], CASE)
