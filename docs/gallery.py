"""Pictures of ten classic programs: `make gallery` writes them into docs/images/.

Each function is one program and returns what is drawn. The numbers are written out, nothing is
random, so that the files are the same on every machine with the same Graphviz.
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


PROGRAMS: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "neuron": (neuron, {}),
    "square": (square, {}),
    "diamond": (diamond, {}),
    "mlp": (mlp, {"flow": True}),
    "rnn": (rnn, {}),
    "custom": (custom, {}),
    "inplace": (inplace, {}),
    "double": (double, {}),
    "vmap": (vmap_of_grad, {}),
    "transformer": (transformer, {}),
}


def draw_all(folder: Path) -> list[Path]:
    """Write the picture of each program into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, (program, options) in PROGRAMS.items():
        title = (program.__doc__ or "").partition("\n")[0].rstrip(".")
        drawing = gg.draw(program(), title=title, **options)
        paths.append(drawing.save(folder / f"{name}.svg"))
    return paths


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES
    for path in draw_all(target):
        sys.stdout.write(f"{path}\n")
