"""Chapter 10, memory: half of the bytes, a checkpoint for dropout, a net under a byte budget."""

from typing import NamedTuple

import numpy as np

from glassgrad.autograd import Function, grad
from glassgrad.autograd.grad_mode import enable_grad
from glassgrad.autograd.graph import saved_tensors_hooks
from glassgrad.core.tensor import Tensor
from glassgrad.course.task import Case, Mistake, Task, kind
from glassgrad.ops.creation import ones, tensor, zeros
from glassgrad.ops.generator import get_rng_state, set_rng_state
from glassgrad.ops.random import dropout, randn
from glassgrad.tracing import record
from glassgrad.values.dtypes import float16, float32, float64

# Half of the bytes -------------------------------------------------------------------------------

NUMBERS = [0.5, 1.3, 3.0]


def _packed(half, function, dtype):
    """What is kept of what a function saves."""
    kept = []

    def pack(saved):
        kept.append(half.pack(saved))
        return saved.detach()

    with saved_tensors_hooks(pack, lambda saved: saved):
        function(tensor(NUMBERS, dtype=dtype, requires_grad=True))
    return kept[0]


def _kept(function, dtype):
    """The same in words: how large, and of which type."""

    def run(half):
        kept = _packed(half, function, dtype)
        if not isinstance(kept, (Tensor, np.ndarray)):
            return f"a {type(kept).__name__}"
        return f"{kept.nbytes} bytes of {str(kept.dtype).rpartition('.')[2]}"

    return run


def _back(half):
    return half.unpack(_packed(half, Tensor.exp, float32)).detach()


def _by_pass(dtype):
    """The gradient of exp, if what is saved is packed."""

    def run(half):
        x = tensor(NUMBERS, dtype=dtype, requires_grad=True)
        with saved_tensors_hooks(half.pack, half.unpack):
            loss = x.exp().sum()
        loss.backward()
        return x.grad

    return run


class _Half:
    @staticmethod
    def pack(kept):
        is_half = kept.dtype == float32 and not kept.is_leaf
        return kept.detach().to(float16) if is_half else kept.detach()

    @staticmethod
    def unpack(kept):
        return kept.to(float32) if kept.dtype == float16 else kept


class _AllHalved(_Half):
    @staticmethod
    def pack(kept):
        return kept.detach().to(float16)


class _LeavesHalved(_Half):
    @staticmethod
    def pack(kept):
        return kept.detach().to(float16) if kept.dtype == float32 else kept.detach()


class _NothingPacked(_Half):
    @staticmethod
    def pack(kept):
        return kept.detach()


HALF = Task(
    "10.half",
    "saved tensors in half the bytes",
    stub='''
class Half:
    """What is saved, in half the bytes."""

    @staticmethod
    def pack(tensor):
        """What is kept of a saved tensor."""
        return tensor.detach()  # your code

    @staticmethod
    def unpack(kept):
        """The saved tensor again."""
        return kept  # your code
''',
    right=_Half,
    cases=[
        Case("what is kept of 3 float32 numbers, 12 bytes,", _kept(Tensor.exp, float32)),
        Case("the same, unpacked,", _back),
        Case("the gradient of exp", _by_pass(float32)),
        Case("what is kept of 3 float64 numbers, 24 bytes,", _kept(Tensor.exp, float64)),
        Case("what is kept of a leaf of 3 float32 numbers", _kept(Tensor.sin, float32)),
    ],
    mistakes=[
        Mistake(
            _NothingPacked,
            "Nothing is packed: it is kept as it was. Which type has half the bytes of float32?",
        ),
        Mistake(
            _AllHalved,
            "All is halved, also float64, which is chosen for its digits, and leaves, which are in "
            "memory anyway. Ask the tensor what it is first.",
        ),
        Mistake(
            _LeavesHalved,
            "A leaf was packed. It stays in memory whoever keeps it, so the packed copy comes on "
            "top. A tensor knows whether it is a leaf.",
        ),
    ],
    read="src/glassgrad/hooks/on_saved.py: pack and unpack.",
)

# A checkpoint for dropout ------------------------------------------------------------------------

_WEIGHT = [2.0, -1.0]


def _gradients(function, *inputs):
    """The gradients of inputs and of a weight that the function uses, where (1, 10) arrives."""

    def run(checkpoint):
        args = [tensor(values, requires_grad=needed) for values, needed in inputs]
        weight = tensor(_WEIGHT, requires_grad=True)
        y = checkpoint.apply(lambda *args: function(weight, *args), *args)
        (y * tensor([1.0, 10.0])).sum().backward()
        return (*(each.grad for each in args), weight.grad)

    return run


def _dropped(checkpoint):
    x = ones(8, requires_grad=True)
    y = checkpoint.apply(lambda x: dropout(x, 0.5), x)
    dropout(y, 0.5)  # somebody draws meanwhile
    y.sum().backward()
    return x.grad - y.detach()  # of ones, both are 0 where dropped, and 2 elsewhere


class _Checkpoint(Function):
    """An answer; what may be forgotten in it are attributes."""

    same_numbers = True
    detached = True
    upstream = True
    weights = True

    @staticmethod
    def forward(ctx, function, *args):
        ctx.function, ctx.state = function, get_rng_state()
        ctx.save_for_backward(*args)
        return function(*args)

    @classmethod
    def backward(cls, ctx, upstream):
        needed = ctx.needs_input_grad[1:]
        args = ctx.saved_tensors
        if cls.detached:
            pairs = zip(args, needed, strict=True)
            args = [each.detach().requires_grad_(needs) for each, needs in pairs]
        if cls.same_numbers:
            set_rng_state(ctx.state)
        with enable_grad():
            y = ctx.function(*args)
        if not cls.upstream:
            upstream = ones(y.shape)
        if cls.weights:
            y.backward(upstream)
            return None, *(each.grad for each in args)
        asked = [each for each in args if each.requires_grad]
        found = iter(grad(y, asked, upstream))
        return None, *(next(found) if each.requires_grad else None for each in args)


class _OtherNumbers(_Checkpoint):
    same_numbers = False


class _WithoutUpstream(_Checkpoint):
    upstream = False


class _NotDetached(_Checkpoint):
    detached = False


class _WithoutWeights(_Checkpoint):
    weights = False


def _times(w, a):
    return w * a


def _mixed(w, a, b):
    return w * a * a * b


CHECKPOINT = Task(
    "10.checkpoint",
    "a checkpoint of several arguments, and of random numbers",
    stub='''
class Checkpoint(gg.autograd.Function):
    """Calls a function, keeps its arguments alone, and calls it again in backward."""

    @staticmethod
    def forward(ctx, function, *args):
        ctx.function, ctx.state = function, gg.get_rng_state()
        ctx.save_for_backward(*args)
        return function(*args)

    @staticmethod
    def backward(ctx, grad):
        return None, *(None for _ in ctx.saved_tensors)  # your code
''',
    cases=[
        Case(
            "the gradients of a and w in w·a",
            _gradients(_times, ([3.0, 5.0], True)),
            (tensor([2.0, -10.0]), tensor([3.0, 50.0])),
        ),
        Case(
            "the gradients of a, b and w in w·a²·b",
            _gradients(_mixed, ([3.0, 5.0], True), ([0.5, 2.0], True)),
            (tensor([6.0, -200.0]), tensor([18.0, -250.0]), tensor([4.5, 500.0])),
        ),
        Case(
            "the same, where b does not require grad,",
            _gradients(_mixed, ([3.0, 5.0], True), ([0.5, 2.0], False)),
            (tensor([6.0, -200.0]), None, tensor([4.5, 500.0])),
        ),
        Case("the gradient of dropout(ones), less its result,", _dropped, zeros(8)),
    ],
    mistakes=[
        Mistake(
            _OtherNumbers,
            "The gradient is that of other numbers than those which were dropped: the second run "
            "drew again. Where did the random numbers stand when the first one began?",
        ),
        Mistake(
            _WithoutUpstream,
            "The gradient that came in is not used. What is behind the checkpoint scales what "
            "arrives at it.",
        ),
        Mistake(
            _NotDetached,
            "The arguments got their gradients twice: from the pass inside, which went on into "
            "them, and from what is returned. The graph of the second run has to begin at copies.",
        ),
        Mistake(
            _WithoutWeights,
            "The arguments are right, and the weight that the function uses gets nothing. The pass "
            "inside has to reach all leaves, as `backward` does.",
        ),
    ],
    read="class CheckpointFunction in src/glassgrad/utils/checkpoint.py.",
)

# Under a budget ----------------------------------------------------------------------------------


class _Layer:
    """tanh(x·W): keeps one tensor as large as x, and counts its calls."""

    def __init__(self, width):
        self.weight = (randn(width, width) / width**0.5).requires_grad_()
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return (x @ self.weight).tanh()


class _Fitted(NamedTuple):
    """What became of a net: the largest difference, bytes at the peak, layers that ran again."""

    error: float
    is_reached: bool
    peak: int
    budget: int
    again: int
    needed: int


def _fitted(count, width, batch, units):
    """Have `count` layers fit into the memory of so many tensors as large as x."""

    def run(fit):
        layers = [_Layer(width) for _ in range(count)]
        x = randn(batch, width)
        budget = units * x.nbytes
        output = fit(layers, x, budget)
        if not isinstance(output, Tensor):
            return output
        plain = x
        for layer in layers:
            plain = layer(plain)
            layer.weight.grad, layer.calls = None, 0
        error = float((output - plain).detach().abs().max())
        if not output.requires_grad:
            return _Fitted(error, False, 0, budget, 0, 0)
        trace = record(output.sum())
        risen = [place for place, e in enumerate(trace.events, 1) if e["type"] == "recompute"]
        held = trace.held_over_time()
        peak = max(held[place] for place in (0, *risen))
        again = sum(layer.calls for layer in layers)
        peaks = {k: (count - count // k * (k - 1) + k) for k in range(1, count + 1)}
        needed = next(count // k * (k - 1) for k in peaks if peaks[k] <= units)
        is_reached = layers[0].weight.grad is not None
        return _Fitted(error, is_reached, peak, budget, again, needed)

    return run


def _judged(found):
    if not isinstance(found, _Fitted):
        return f"it returns {kind(found)}, and should return the output, a tensor."
    if found.error > 1e-5:
        return "the output is not that of all layers, one after the other, in their order."
    if not found.is_reached:
        return "no gradient arrives at the first weight. Without a graph there is nothing to fit."
    if found.peak > found.budget:
        return (
            f"at its peak the graph holds {found.peak} bytes, and the budget is {found.budget}. "
            "What is held are the arguments of all segments, and the inside of one."
        )
    if found.again > found.needed:
        return (
            f"{found.peak} bytes fit into {found.budget}, but {found.again} layers run again, "
            f"where {found.needed} are enough. Do not cut more than the budget asks for."
        )
    return None


BUDGET = Task(
    "10.budget",
    "a net that fits into a budget of bytes",
    stub='''
def fit(layers, x, budget):
    """The output of all layers, whose graph holds at most `budget` bytes."""
    for layer in layers:  # your code: this one keeps everything
        x = layer(x)
    return x
''',
    cases=[
        Case("4 layers, room for all", _fitted(4, 3, 2, 5), complains=_judged),
        Case("4 layers, room for 4 tensors like x", _fitted(4, 3, 2, 4), complains=_judged),
        Case("9 layers, room for 7", _fitted(9, 4, 5, 7), complains=_judged),
        Case("9 layers, room for 6", _fitted(9, 4, 5, 6), complains=_judged),
        Case("9 layers, room for 20", _fitted(9, 4, 5, 20), complains=_judged),
    ],
    read="checkpoint_sequential in src/glassgrad/utils/checkpoint.py.",
)
