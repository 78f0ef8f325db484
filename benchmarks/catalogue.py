"""The workloads by the name that the command line knows, in the order of the report."""

import importlib
from dataclasses import dataclass

from benchmarks.effort import Effort
from benchmarks.records import Outcome


@dataclass(frozen=True, slots=True)
class Workload:
    """A file of `workloads/`: its name on the command line, and what it measures in a line."""

    key: str
    module: str
    summary: str

    def measure(self, effort: Effort) -> Outcome:
        """Run it here. Its module, and with it numpy, is imported only now."""
        return importlib.import_module(f"benchmarks.workloads.{self.module}").measure(effort)


CATALOGUE = {
    workload.key: workload
    for workload in (
        Workload("W1", "chain", "1,000 small ops: what one op on the tape costs"),
        Workload("W1s", "neuron", "a neuron of 16 scalars"),
        Workload("W2", "mlp", "an MLP training step at batch 8, 64 and 512"),
        Workload("W3", "long_chain", "100,000 adds: time, bytes and litter per node"),
        Workload("W4", "cnn", "a training step of a small convolutional network"),
        Workload("W5", "rosenbrock", "jvp, Hessian times a vector and Hessian, by transforms"),
        Workload("W6", "branches", "2,000 branches of one leaf; stacked diamonds"),
        Workload("W7", "user_function", "a user's own Function called 1,000 times"),
        Workload("W8", "hooks", "hooks that do nothing, used and unused"),
        Workload("W9", "importing", "import time above numpy's"),
        Workload("W10", "per_example", "gradients per example by vmap(grad); a Jacobian"),
        Workload("W11", "trajectory", "a robot arm's trajectory step in five forms, four sizes"),
        Workload("W12", "transformer", "a transformer's block, forward and backward"),
        Workload("W13", "programs", "programs written for PyTorch, run as they are"),
        Workload("W14", "lstm", "an LSTM of 32 steps, forward and backward"),
        Workload("W15", "recording", "a pass that is recorded, beside one that is not"),
        Workload("W16", "watched", "training steps inside of `watch()`, beside the same outside"),
        Workload("million", "million", "1,000,000 nodes: built, run, freed without recursion"),
    )
}
