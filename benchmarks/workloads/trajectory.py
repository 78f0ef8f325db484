"""W11: a batch of robot-arm trajectories: commanded positions in, four arrays out, and back.

    p = [q₀, u₀, u₁, …]   vₕ = s(pₕ - pₕ₋₁)   aₕ = s(vₕ - vₕ₋₁)   jₕ = s(aₕ - aₕ₋₁)

B trajectories of H samples and D joints, starting at rest; each of the four arrays is given a
gradient. The same step in five forms, from the most nodes in the graph to the fewest: a loop over
samples, slices of all samples, products with matrices, one Function around these products, and one
fused Function that writes into memory made beforehand.

"÷ torch" is measured against torch's fastest form of each size, and "nodes" are those of
p.sum() + v.sum() + a.sum() + j.sum(). The second row of NumPy takes differences over all memory
at once, as the fused step of glassgrad does, and mends the first samples afterwards.
"""

from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from benchmarks.contenders import tapes
from benchmarks.effort import Effort
from benchmarks.race import Contender, Race, race
from benchmarks.records import Outcome
from benchmarks.workloads import trajectory_torch

SIZES = ((1, 32, 2), (64, 32, 7), (512, 32, 7), (64, 128, 7))
RATE = 20.0  # s: one over the time step


@dataclass(frozen=True, slots=True)
class Task:
    """Actions `u: (B, H, D)`, a start `(B, D)`, its rest, and the gradients of four results."""

    u: np.ndarray
    start: np.ndarray
    rest: np.ndarray
    grads: list[np.ndarray]

    @classmethod
    def of(cls, batch: int, horizon: int, joints: int) -> "Task":
        random = np.random.default_rng(0)
        shape = batch, horizon, joints

        def draw(*shape):
            return random.standard_normal(shape).astype(np.float32)

        rest = np.zeros((batch, joints), np.float32)
        return cls(draw(*shape), draw(batch, joints), rest, [draw(*shape) for _ in range(4)])

    def matrices(self) -> list[np.ndarray]:
        """What puts the start first, what delays actions, and the three differences."""
        horizon = self.u.shape[1]
        delay = np.eye(horizon, k=-1)
        first, difference = np.eye(horizon, 1), np.eye(horizon) - delay
        difference[0] = 0.0
        powers = [np.linalg.matrix_power(RATE * difference, order) for order in (1, 2, 3)]
        return [matrix.astype(np.float32) for matrix in (first, delay, *powers)]

    def memory(self, arrays: int) -> list[np.ndarray]:
        return [np.empty_like(self.u) for _ in range(arrays)]


# By hand ----------------------------------------------------------------------------------------


def by_hand(task: Task):
    u, out, (grad, work) = task.u, task.memory(4), task.memory(2)
    p, v, a, j = out
    p_bar, v_bar, a_bar, j_bar = task.grads

    def run():
        p[:, 0] = task.start
        p[:, 1:] = u[:, :-1]
        for x, y in ((p, v), (v, a), (a, j)):
            np.subtract(x[:, 1:], x[:, :-1], out=y[:, 1:])
            y[:, 1:] *= RATE
            y[:, 0] = 0.0
        x = j_bar[:, 1:]
        for bar, y in ((a_bar, grad[:, :-1]), (v_bar, work[:, :-1]), (p_bar, grad[:, :-1])):
            np.subtract(x[:, :-1], x[:, 1:], out=y[:, :-1])
            y[:, -1] = x[:, -1]
            y *= RATE
            y += bar[:, 1:]
            x = y
        grad[:, -1] = 0.0
        return *out, grad

    return run


def by_hand_over_all_memory(task: Task):
    u, out, (grad, work) = task.u, task.memory(4), task.memory(2)
    p, v, a, j = rows = [x.reshape(-1) for x in out]
    bars = [bar.reshape(-1) for bar in task.grads]
    joints = u.shape[2]

    def run():
        p[joints:] = u.reshape(-1)[:-joints]
        out[0][:, 0] = task.start
        for x, y, samples in zip(rows, (v, a, j), out[1:], strict=False):
            np.subtract(x[joints:], x[:-joints], out=y[joints:])
            y[joints:] *= RATE
            samples[:, 0] = 0.0
        work[:, :-1] = task.grads[3][:, 1:]
        work[:, -1] = 0.0
        for bar, x, y in zip(bars[2::-1], (work, grad, work), (grad, work, grad), strict=True):
            before, after = x.reshape(-1), y.reshape(-1)[:-joints]
            np.subtract(before[:-joints], before[joints:], out=after)
            after *= RATE
            after += bar[joints:]
            y[:, -1] = 0.0
        return *out, grad

    return run


# On a tape --------------------------------------------------------------------------------------


def forms(module, task: Task):
    """The actions, and for each form what computes the four results of them."""
    u = module.tensor(task.u, requires_grad=True)
    start, rest = module.tensor(task.start), module.tensor(task.rest)
    start_row, rest_row = start.unsqueeze(1), rest.unsqueeze(1)
    matrices = [module.tensor(matrix) for matrix in task.matrices()]
    first, delay, *differences = matrices
    buffers = [module.tensor(array) for array in task.memory(5)]
    rate = module.tensor([RATE])
    matrix_function, fused_function = functions(module)

    def loop():
        p, v, a, j = [start], [rest], [rest], [rest]
        for h in range(1, u.shape[1]):
            p.append(u[:, h - 1])
            v.append((p[h] - p[h - 1]) * RATE)
            a.append((v[h] - v[h - 1]) * RATE)
            j.append((a[h] - a[h - 1]) * RATE)
        return tuple([module.stack(samples, 1) for samples in (p, v, a, j)])

    def slices():
        p = module.cat((start_row, u[:, :-1]), 1)
        v = module.cat((rest_row, (p[:, 1:] - p[:, :-1]) * RATE), 1)
        a = module.cat((rest_row, (v[:, 1:] - v[:, :-1]) * RATE), 1)
        j = module.cat((rest_row, (a[:, 1:] - a[:, :-1]) * RATE), 1)
        return p, v, a, j

    def products():
        p = first @ start_row + delay @ u
        return p, *[difference @ p for difference in differences]

    def product_function():
        return matrix_function.apply(u, start, *matrices)

    def fused():
        return fused_function.apply(u, start, rest, rest, *buffers[:4], rate, buffers[4])

    return u, {
        "loop of steps": loop,
        "slices": slices,
        "matrices": products,
        "matrix Function": product_function,
        "fused": fused,
    }


def functions(module):
    """The two Functions of one's own."""
    if module.__name__ == "torch":
        return trajectory_torch.MatrixStep, trajectory_torch.FusedStep
    from glassgrad.trajectory import CliqueTensorStep, CliqueTensorStepKernel

    return CliqueTensorStep, CliqueTensorStepKernel


def on_tape(module, u, step, task: Task):
    backward = module.autograd.backward
    grads = [module.tensor(grad) for grad in task.grads]

    def run():
        u.grad = None
        results = step()
        backward(results, grads)
        return *results, u.grad

    return run


def count_nodes(results) -> int:
    """The nodes of the graph of all results' sum, the leaf among them."""
    p, v, a, j = results
    loss = p.sum() + v.sum() + a.sum() + j.sum()
    seen, waiting = {loss.grad_fn}, [loss.grad_fn]
    while waiting:
        found = {node for node, _ in waiting.pop().next_functions if node is not None} - seen
        seen |= found
        waiting += found
    return len(seen)


# The race ---------------------------------------------------------------------------------------


def measure(effort: Effort) -> Outcome:
    outcome = Outcome()
    for batch, horizon, joints in SIZES:
        size = f"{batch}×{horizon}×{joints}"
        task = Task.of(min(batch, effort.size(batch)), horizon, joints)
        result, nodes = _race(f"W11 trajectory step of {size}, float32", task, effort)
        best = fastest(result, "torch")
        outcome.timings.extend(
            [replace(row, nodes=nodes.get(row.contender)) for row in result.timings(torch=best)]
        )
        outcome.measures[f"W11 {size} / NumPy"] = result.ratio("glassgrad, fused", "NumPy")
        outcome.measures[f"W11 {size} / best torch"] = result.ratio("glassgrad, fused", best)
    return outcome


def _race(title: str, task: Task, effort: Effort) -> tuple[Race, dict[str, int]]:
    contenders = [
        Contender("NumPy", by_hand(task)),
        Contender("NumPy, over all memory", by_hand_over_all_memory(task)),
    ]
    nodes = {}
    for tape, module in tapes().items():
        u, steps = forms(module, task)
        for form, step in steps.items():
            contenders.append(Contender(f"{tape}, {form}", on_tape(module, u, step, task)))
            nodes[f"{tape}, {form}"] = count_nodes(step())
    unit = "µs, forward + backward"
    return race(title, contenders, effort=effort, unit=unit), nodes


def fastest(result: Race, tape: str) -> str:
    """Which of a tape's forms takes least, by the median of its samples."""
    medians = {
        name: median([sample for sample in samples if sample is not None])
        for name, samples in result.samples.items()
        if name.startswith(tape)
    }
    return min(medians, key=medians.__getitem__, default=tape)
