"""Pictures of ten classic programs, and of other ways to draw: `make gallery` writes docs/images/.

Each function is one program and returns what is drawn, or the drawing. The numbers are written
out, nothing is random, so that the files are the same on every machine with the same Graphviz.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import glassgrad as gg
from glassgrad import nn
from glassgrad.autograd import Function, grad
from glassgrad.tracing import Trace

IMAGES = Path(__file__).parent / "images"


def leaf(name: str, values: Any) -> gg.Tensor:
    """A named tensor that requires grad."""
    tensor = gg.tensor(values, requires_grad=True)
    tensor.name = name
    return tensor


def named(name: str, tensor: gg.Tensor) -> gg.Tensor:
    """`tensor`, called `name` in the picture."""
    tensor.name = name
    return tensor


def matrix(rows: int, columns: int) -> list[list[float]]:
    """Small numbers, no two rows alike."""
    return [[((3 * i + 5 * j) % 7 - 3) / 4 for j in range(columns)] for i in range(rows)]


def neuron() -> Trace:
    """A neuron: tanh(w·x + b)."""
    w, b = leaf("w", [0.5, -1.0]), leaf("b", 0.25)
    x = named("x", gg.tensor([2.0, 1.0]))
    return gg.record(named("loss", gg.tanh((w * x).sum() + b)))


def square() -> Trace:
    """The square a * a: two edges, one leaf, one sum."""
    a = leaf("a", [1.0, 2.0])
    return gg.record(named("loss", (a * a).sum()))


def diamond() -> Trace:
    """A diamond: two ways from the loss to x, whose gradients are added."""
    x = leaf("x", 0.5)
    middle = gg.exp(x)
    return gg.record(named("loss", gg.sin(middle) * gg.cos(middle)))


def mlp() -> Trace:
    """A multilayer perceptron on a batch of four, with how much gradient flows where."""
    first, second = nn.Linear(3, 4), nn.Linear(4, 2)
    model = nn.Sequential({"hidden": first, "relu": nn.ReLU(), "output": second})
    with gg.no_grad():
        for name, parameter in model.named_parameters():
            values = matrix(*parameter.shape) if parameter.ndim == 2 else [0.1] * len(parameter)
            parameter.copy_(gg.tensor(values))
            parameter.name = name
    scores = model(named("x", gg.tensor(matrix(4, 3))))
    return gg.record(named("loss", nn.functional.cross_entropy(scores, gg.tensor([0, 1, 1, 0]))))


def rnn() -> Trace:
    """A recurrent net of four steps: shared weights are drawn as stubs."""
    w, u, b = leaf("W", matrix(2, 2)), leaf("U", matrix(2, 2)), leaf("b", [0.1, -0.1])
    h = named("h0", gg.tensor([[0.0, 0.0]]))
    for step in range(4):
        x = named(f"x{step}", gg.tensor([[1.0, step / 4]]))
        h = gg.tanh(x @ w + h @ u + b)
    return gg.record(named("loss", h.sum()))


class Clip(Function):
    """A clamp that lets every gradient through."""

    @staticmethod
    def forward(ctx: Any, x: gg.Tensor) -> gg.Tensor:
        """Values between -1 and 1."""
        ctx.save_for_backward(x)
        return x.clamp(-1, 1)

    @staticmethod
    def backward(ctx: Any, grad: gg.Tensor) -> gg.Tensor:
        """The gradient, as if nothing had been cut off."""
        return grad


def custom() -> Trace:
    """A Function of one's own, and a hook on its output."""
    x = leaf("x", [0.5, 2.0])
    clipped = Clip.apply(x * 3)

    def halve(gradient: gg.Tensor) -> gg.Tensor:
        return gradient / 2

    clipped.register_hook(halve)
    return gg.record(named("loss", (clipped * clipped).sum()))


def inplace() -> Trace:
    """A write into a view: the base's history goes on through CopySlices."""
    x = leaf("x", [1.0, 2.0, 3.0])
    y = x * 2
    y[:2].mul_(10)
    return gg.record(named("loss", y.sum()))


def double() -> tuple[gg.Tensor, gg.Tensor]:
    """Double backward: x³, and its slope 3x², which has a graph of its own."""
    x = leaf("x", 2.0)
    cube = named("cube", x**3)
    (slope,) = grad(cube, x, create_graph=True)
    return cube, named("slope", slope)


def vmap_of_grad() -> Trace:
    """The vmap of a grad: one gradient per example, and the graph behind all of them."""
    w = leaf("w", [0.5, -1.0])

    def loss(x: gg.Tensor) -> gg.Tensor:
        return gg.tanh((w * x).sum())

    slopes = gg.vmap(gg.func.grad(loss))(gg.tensor(matrix(3, 2)))
    return gg.record(named("loss", slopes.sum()))


def transformer() -> Trace:
    """A transformer block: attention, then a small network, each with a way around it."""
    x = named("x", gg.tensor(matrix(3, 4)))
    weights = {name: leaf(name, matrix(4, 4)) for name in ("Wq", "Wk", "Wv", "Wo", "W1", "W2")}
    with gg.scope("attention"):
        q, k, v = (x @ weights[name] for name in ("Wq", "Wk", "Wv"))
        shares = gg.softmax(q @ k.T / 2.0, dim=-1)
        x = x + shares @ v @ weights["Wo"]
    with gg.scope("network"):
        x = x + gg.relu(x @ weights["W1"]) @ weights["W2"]
    return gg.record(named("loss", (x * x).mean()))


def provenance() -> Trace:
    """A gradient's own graph: made by create_graph, below the nodes whose rules made it."""
    x = leaf("x", [0.5, 1.0])
    return gg.record(named("loss", gg.tanh(x * x).sum()), create_graph=True)


def views() -> Trace:
    """Views and their base: no copies, one memory."""
    x = leaf("x", matrix(2, 3))
    y = named("y", x * 2)
    return gg.record(named("loss", (y[1:].T.reshape(3) * y[0]).sum()))


def comparison() -> Any:
    """Two programs compared: b was detached, and the other function differs."""

    def run(*, detached: bool) -> Trace:
        w, b = leaf("w", [0.5, -1.0]), leaf("b", 0.25)
        product = (w * gg.tensor([2.0, 1.0])).sum()
        loss = gg.sigmoid(product + b.detach()) if detached else gg.tanh(product + b)
        return gg.record(named("loss", loss))

    return gg.compare(run(detached=False), run(detached=True))


def layers(count: int) -> gg.Tensor:
    """The loss of a transformer of `count` blocks, each a module scope."""
    x = named("x", gg.tensor(matrix(3, 4)))
    for number in range(count):
        weights = [leaf(f"{name}{number}", matrix(4, 4)) for name in ("Wq", "Wk", "Wv", "W1", "W2")]
        with gg.scope(f"block{number}"):
            with gg.scope("attention"):
                q, k, v = (x @ weight for weight in weights[:3])
                x = x + gg.softmax(q @ k.T / 2.0, dim=-1) @ v / 40.0
            with gg.scope("network"):
                x = x + gg.relu(x @ weights[3]) @ weights[4] / 40.0
    return named("loss", (x * x).mean())


def folded() -> Trace:
    """A transformer of sixteen blocks: one box a block, and how much gradient flows."""
    return gg.record(layers(16))


def overview() -> Trace:
    """A transformer of a hundred blocks at a glance: modules above, gradients below."""
    return gg.record(layers(100))


def stale() -> Trace:
    """A pass that failed: y was written to after exp had saved it."""
    x = leaf("x", [0.5, 1.0])
    y = named("y", x * 2)
    loss = named("loss", (y * y.exp()).sum())
    y.add_(1)
    try:
        return gg.record(loss)
    except gg.errors.GraphError as error:
        trace: Trace = error.trace
        return trace


def paused() -> gg.viz.Drawing:
    """A pass that is paused: what has run has its turn."""
    w, b = leaf("w", [0.5, -1.0]), leaf("b", 0.25)
    loss = named("loss", gg.tanh((w * gg.tensor([2.0, 1.0])).sum() + b))
    with gg.step(loss) as session:
        session.run_until("SumBackward0")
        return gg.draw(session, title="A pass that is paused: what has run has its turn")


def segment(x: gg.Tensor, w: gg.Tensor) -> gg.Tensor:
    """What a checkpoint computes again."""
    h = gg.tanh(x * w)
    return (h * h).exp()


def checkpointed() -> Trace:
    """A checkpoint: only its argument is kept, and what its nodes need is computed again."""
    x, w = leaf("x", [1.0, 2.0]), leaf("w", [0.5, 0.2])
    y = gg.utils.checkpoint.checkpoint(segment, gg.sin(x), w, use_reentrant=False)
    return gg.record(named("loss", y.sum()))


def inside() -> Trace:
    """The pass inside of a checkpoint: the reentrant kind runs one of its own."""
    x, w = leaf("x", [1.0, 2.0]), leaf("w", [0.5, 0.2])
    y = gg.utils.checkpoint.checkpoint(segment, gg.sin(x), w, use_reentrant=True)
    return gg.record(named("loss", y.sum())).inner()[0]


PROGRAMS: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "neuron": (neuron, {}),
    "square": (square, {}),
    "diamond": (diamond, {}),
    "mlp": (mlp, {"flow": True}),
    "rnn": (rnn, {"rankdir": "TB"}),
    "custom": (custom, {}),
    "inplace": (inplace, {}),
    "double": (double, {}),
    "vmap": (vmap_of_grad, {"rankdir": "TB"}),
    "transformer": (transformer, {"rankdir": "TB"}),
}

WAYS: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "mirror": (mlp, {"mirror": True, "title": "Forward and backward of a multilayer perceptron"}),
    "provenance": (provenance, {}),
    "views": (views, {"rankdir": "TB"}),
    "comparison": (comparison, {}),
    "folded": (folded, {"flow": True, "max_nodes": 24, "rankdir": "TB"}),
    "overview": (overview, {}),
    "stale": (stale, {}),
    "paused": (paused, {}),
    "checkpoint": (checkpointed, {}),
    "inside": (inside, {}),
}


def draw_all(folder: Path) -> list[Path]:
    """Write all pictures into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, (program, options) in (PROGRAMS | WAYS).items():
        title = (program.__doc__ or "").partition("\n")[0].rstrip(".")
        made = program()
        drawing = (
            made
            if isinstance(made, gg.viz.Drawing)
            else gg.draw(made, **{"title": title} | options)
        )
        paths.append(drawing.save(folder / f"{name}.svg"))
    return paths


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES
    for path in draw_all(target):
        sys.stdout.write(f"{path}\n")
