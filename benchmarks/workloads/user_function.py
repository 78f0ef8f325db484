"""W7: a user's own Function, called 1,000 times in a chain: what `apply` costs.

    y = sin x        x̄ = ȳ cos x

Written as a course writes it, `forward(ctx, x)` and `backward(ctx, grad)` on tensors, the same
class text for glassgrad and torch; a second row has `setup_context` apart from `forward`. HIPS
autograd and MyGrad have their own ways to say it.
"""

import numpy as np

from benchmarks.contenders import has, tapes
from benchmarks.effort import Effort
from benchmarks.race import Contender, race
from benchmarks.records import Outcome

CALLS = 1_000
X = np.linspace(-1.0, 1.0, 10, dtype=np.float32)
SEED = np.ones(10, np.float32)


def combined(module):
    class Sine(module.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * x.cos()

    return Sine


def apart(module):
    class Sine(module.autograd.Function):
        @staticmethod
        def forward(x):
            return x.sin()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * x.cos()

    return Sine


def on_tape(module, function, calls):
    x = module.tensor(X, requires_grad=True)
    seed = module.tensor(SEED)

    def run():
        x.grad = None
        y = x
        for _ in range(calls):
            y = function.apply(y)
        y.backward(seed)
        return x.grad

    return run


def by_hand(calls):
    def run():
        kept = []
        y = X
        for _ in range(calls):
            kept.append(y)
            y = np.sin(y)
        grad = SEED.copy()
        for x in reversed(kept):
            grad *= np.cos(x)
        return grad

    return run


def with_autograd(calls):
    import autograd
    from autograd.extend import defvjp, primitive

    sine = primitive(np.sin)
    defvjp(sine, lambda _, x: lambda grad: grad * np.cos(x))

    def chain(x):
        for _ in range(calls):
            x = sine(x)
        return x

    vjp_of_chain = autograd.make_vjp(chain)

    def run():
        vjp, _ = vjp_of_chain(X)
        return vjp(SEED)

    return run


def with_mygrad(calls):
    import mygrad
    from mygrad.operation_base import Operation

    class Sine(Operation):
        def __call__(self, x):
            self.variables = (x,)
            return np.sin(x.data)

        def backward_var(self, grad, index, **options):
            return grad * np.cos(self.variables[index].data)

    x = mygrad.tensor(X)

    def run():
        y = x
        for _ in range(calls):
            y = mygrad.execute_op(Sine, y)
        y.backward(SEED)
        return x.grad

    return run


def measure(effort: Effort) -> Outcome:
    calls = effort.size(CALLS)
    contenders = [Contender("NumPy", by_hand(calls))]
    for name, module in tapes().items():
        contenders.append(Contender(name, on_tape(module, combined(module), calls)))
        text = on_tape(module, apart(module), calls)
        contenders.append(Contender(f"{name}, setup_context apart", text))
    if has("autograd"):
        contenders.append(Contender("HIPS autograd", with_autograd(calls)))
    if has("mygrad"):
        contenders.append(Contender("MyGrad", with_mygrad(calls)))
    result = race(
        "W7 a user's Function called 1,000 times, shape (10,), float32",
        contenders,
        effort=effort,
        unit="µs per call, forward + backward",
        per=calls,
    )
    return Outcome(result.timings(), {"W7 / torch": result.ratio("glassgrad", "torch")})
