"""Ten classic programs, to be written alike in glassgrad and in PyTorch: each makes a loss."""

from itertools import pairwise
from typing import Any

from both import leaf, plain

__all__ = ["CLASSICS", "in_place_on_a_view", "vmap_of_grad"]


def _numbers(*shape: int, start: float = 0.1) -> Any:
    """Numbers of that shape, no two the same."""
    size = 1
    for n in shape:
        size *= n
    flat = [start + 0.07 * ((7 * i) % size) - 0.03 * i for i in range(size)]
    for n in reversed(shape[1:]):
        flat = [flat[i : i + n] for i in range(0, len(flat), n)]
    return flat


def neuron(lib):
    x, w, b = leaf(lib, [1.0, 2.0]), leaf(lib, [0.5, -0.25]), leaf(lib, 0.1)
    return [x, w, b], ((x * w).sum() + b).tanh()


def a_times_a(lib):
    a = leaf(lib, [1.0, 2.0])
    return [a], (a * a).sum()


def diamond(lib):
    x = leaf(lib, [0.3, -0.7])
    h = x.exp()
    left, right = h.sin(), h.tanh()
    return [x], (left * right + h).sum()


def mlp(lib):
    x = plain(lib, _numbers(4, 3))
    sizes = (3, 5, 4, 1)
    params, h = [], x
    for n, m in pairwise(sizes):
        w, b = leaf(lib, _numbers(n, m)), leaf(lib, _numbers(m))
        params += [w, b]
        h = (h @ w + b).relu()
    return params, (h**2).mean()


def rnn(lib):
    w, u, b = leaf(lib, _numbers(3, 3)), leaf(lib, _numbers(2, 3)), leaf(lib, _numbers(3))
    h = plain(lib, _numbers(1, 3))
    for step in range(6):
        x = plain(lib, _numbers(1, 2, start=0.2 * step))
        h = (h @ w + x @ u + b).tanh()
    return [w, u, b], h.sum()


def custom_function(lib):
    class Cube(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 * x**2

    x = leaf(lib, [1.0, -2.0])
    return [x], (Cube.apply(x.sin()) * x).sum()


def in_place_on_a_view(lib):
    x, y = leaf(lib, _numbers(2, 3)), leaf(lib, _numbers(3))
    base = x * 1.0
    base[0].mul_(y)
    base[:, 1:].add_(y[:2])
    return [x, y], base.exp().sum()


def double_backward(lib):
    x = leaf(lib, [0.5, -1.5])  # of unary ops: which operand's gradient is first is each one's own
    (grad,) = lib.autograd.grad(x.sin().exp().sum(), x, create_graph=True)
    return [x], (grad * grad).sum()


def vmap_of_grad(lib):
    w, xs = leaf(lib, [0.5, -0.25]), plain(lib, _numbers(4, 2))
    per_sample = lib.func.vmap(lib.func.grad(lambda w, x: ((w * x).sin()).sum()), (None, 0))
    return [w], (per_sample(w, xs) ** 2).sum()


def transformer_block(lib):
    x = leaf(lib, _numbers(5, 4))
    q, k, v, o = (leaf(lib, _numbers(4, 4, start=0.1 * i)) for i in range(4))
    up, down = leaf(lib, _numbers(4, 8)), leaf(lib, _numbers(8, 4))

    def normed(h):
        centred = h - h.mean(-1, keepdim=True)
        return centred / ((centred * centred).mean(-1, keepdim=True) + 1e-5).sqrt()

    h = normed(x)
    scores = (h @ q) @ (h @ k).transpose(-2, -1) * 0.5
    x1 = x + scores.softmax(-1) @ (h @ v) @ o
    return [x, q, k, v, o, up, down], (x1 + (normed(x1) @ up).relu() @ down).sum()


CLASSICS = [
    neuron,
    a_times_a,
    diamond,
    mlp,
    rnn,
    custom_function,
    in_place_on_a_view,
    double_backward,
    vmap_of_grad,
    transformer_block,
]
