"""W16: training steps inside of `with gg.watch():` beside the same ones outside.

A perceptron 64-100-10 on a batch of 64, with an optimiser. The block is entered once for twenty
steps, the first of a program, which are looked at most closely.
"""

from contextlib import nullcontext

from benchmarks.contenders import tapes
from benchmarks.effort import Effort
from benchmarks.race import Contender, race
from benchmarks.records import Outcome
from benchmarks.workloads.recording import BATCH, perceptron

STEPS = 20


def contender(name, module, batch, block) -> Contender:
    parameters, loss_of = perceptron(module, batch)
    optimizer = module.optim.SGD(parameters, lr=1e-3)

    def steps():
        with block():
            for _ in range(STEPS):
                optimizer.zero_grad()
                loss = loss_of()
                loss.backward()
                optimizer.step()
        return loss

    def probe():
        return [steps().item()], [p.detach().numpy() for p in parameters]

    return Contender(name, steps, probe=probe)


def measure(effort: Effort) -> Outcome:
    from glassgrad import watch

    outcome, batch, contenders = Outcome(), effort.size(BATCH), []
    for name, module in tapes().items():
        contenders.append(contender(name, module, batch, nullcontext))
        contenders.append(contender(f"{name}, watched", module, batch, watch))
    result = race(
        f"W16 training steps of a perceptron 64-100-10, batch {batch}, float32",
        contenders,
        effort=effort,
        unit="µs per step",
        per=STEPS,
        tolerance=1e-3,  # float32, summed in another order
    )
    outcome.timings.extend(result.timings())
    outcome.measures["W16 watched / step"] = result.ratio("glassgrad, watched", "glassgrad")
    return outcome
