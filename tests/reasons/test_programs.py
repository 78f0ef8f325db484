"""Beginners' programs: what an error says of their lines, and what it must not say."""

import linecache
import traceback
import warnings

import pytest

import glassgrad as gg
from checks import together
from glassgrad import nn
from glassgrad.core.state import is_ours

W = "w = gg.tensor([0.5, 1.5], requires_grad=True)\n"
NET = "net = nn.Linear(2, 3)\nx = gg.ones(4, 2)\n"


def failed(text):
    """The exception that a program ends with."""
    name = f"<program {abs(hash(text))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    try:
        with warnings.catch_warnings(action="ignore"):
            exec(compile(text, name, "exec"), {"gg": gg, "nn": nn})
    except Exception as error:  # noqa: BLE001  # of any kind
        return error
    finally:
        gg.set_grad_enabled(True)
    raise AssertionError("it did not fail")


# A program; what its error says; what it does not say.
CUTS = [
    (W + "h = (w * 2).detach()\nloss = h.sum()\nloss.backward()",
     ["cut off from `w`", "line 2: `h = (w * 2).detach()`", "Leave `.detach()` out"], []),
    (W + "loss = (w.data * 2).sum()\nloss.backward()", ["line 2", "`w.data`"], []),
    (W + "(w.long() * 2).sum().float().backward()", ["line 2", "`w.long()` gives integers"], []),
    (W + "loss = w.to(gg.int64).float().sum()\nloss.backward()", ["gives integers"], []),
    (NET + "loss = (net(x).argmax(1) == 0).float().mean()\nloss.backward()",
     ["cut off from `net`", "gives positions", "the scores themselves"], ["True or False"]),
    (NET + "loss = (net(x) > 0).float().mean()\nloss.backward()", ["True or False"], []),
    (W + "total = 0\nfor i in range(3):\n    total += (w * i).sum().item()\n"
     "gg.tensor(total).backward()", ["line 4: `total +=", "a Python number"], []),
    (W + "y = gg.tensor(w.sum())\ny.backward()", ["line 2", "a copy of the values"], []),
    (W + "import numpy as np\ny = gg.tensor(np.exp(w.detach().numpy())).sum()\ny.backward()",
     ["line 3", "with tensors all the way"], ["Leave `.detach()`"]),
    (NET + "with gg.no_grad():\n    out = net(x)\nout.sum().backward()",
     ["line 4: `out = net(x)`", "line 3: `with gg.no_grad():`"], []),
    (NET + "@gg.no_grad()\ndef f(x):\n    return net(x)\nf(x).sum().backward()",
     ["`f`", "decorated with no_grad"], []),
    (NET + "def f(x):\n    h = net(x)\n    return h.detach()\ny = f(x)\ny.sum().backward()",
     ["line 5: `return h.detach()`"], []),
    (("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
     "        self.a = nn.Linear(2, 2)\n    def forward(self, x):\n        h = self.a(x).detach()\n"
     "        return h * 2\nnet = Net()\nnet(gg.ones(1, 2)).sum().backward()"),
     ["`self.a`", "line 6"], []),
    (NET + "gg.set_grad_enabled(False)\nloss = net(x).sum()\nloss.backward()",
     ["line 3: `gg.set_grad_enabled(False)` has switched it off"], []),
    ("w = gg.tensor([1.0])\nloss = (w * 2).sum()\nloss.backward()",
     ["`w` (<program", "does not require grad", "requires_grad=True"], ["cut off"]),
    (W + "for _ in range(2):\n    loss = (w * w).sum()\n    loss.backward()\n"
     "    with gg.no_grad():\n        w = w - 0.1 * w.grad",
     ["`w` is another tensor since", "line 6", "Write `w -= 0.1 * w.grad`"], []),
    (W + "x = gg.tensor([1.0], requires_grad=True)\nloss = (w.detach() * x).sum()\n"
     "gg.autograd.grad(loss, w)", ["cut off from `w`", "line 3"], []),
    (W + "y = w.sum()\nw = w.clone()\ngg.autograd.grad(y, w)",
     ["`w` is another tensor since", "line 3", "line 2"], ["cut off"]),
    # Where it may have been another line, or nobody knows:
    (W + "h = gg.ones(2)\nif h.sum() > 100:\n    h = w.detach()\nh.sum().backward()",
     ["Nothing it was computed from requires grad"], ["line 4", "`h`"]),
    ("made = [gg.ones(2)]\nmade.pop().sum().backward()", ["Nothing it was computed from"], []),
    (W + "v = w.detach()\nh = gg.ones(2)\nh.sum().backward()", ["`h` (<program"], ["detach"]),
]  # fmt: skip

FREED = [
    (W + "loss = (w * w).sum()\nloss.backward()\nloss.backward()",
     ["MulBackward0", "line 2", "line 3: `loss.backward()`", "the same graph again",
      "`loss.backward(retain_graph=True)`"], ["turn of a loop", "detach"]),
    (W + "s = w.exp()\na = (s * 2).sum()\nb = (s * 3).sum()\na.backward()\nb.backward()",
     ["ExpBackward0", "line 2: `s = w.exp()`", "line 5", "add the results"], ["same graph again"]),
    (("v = gg.eye(2).requires_grad_()\nh = gg.ones(2)\nfor _ in range(2):\n    h = gg.tanh(v @ h)\n"
     "    h.sum().backward()"),
     ["earlier turn of a loop", "line 4", "`h = h.detach()`"], ["same graph again"]),
    (W + "total = 0\nfor _ in range(2):\n    total = total + (w * w).sum()\n    total.backward()",
     ["`total` adds up", "the new part alone"], ["total.detach()"]),
    (W + "f = w.exp()\nfor _ in range(2):\n    (f * 2).sum().backward()",
     ["line 2: `f = w.exp()`", "earlier turn", "compute the rest anew"], ["carries it over"]),
    (W + "y = w.exp().sum()\ngg.autograd.grad(y, w)\ngg.autograd.grad(y, w)",
     ["`gg.autograd.grad(y, w, retain_graph=True)`"], []),
]  # fmt: skip

CALLS = [
    ("a, b = gg.ones(3), gg.ones(4)\na + b",
     ["`a` has the shape (3,), and `b` has the shape (4,)"], []),
    ("w, x = gg.ones(3, 4), gg.ones(3)\nw @ x", ["size mismatch", "`w` has the shape (3, 4)"], []),
    ("w, x = gg.ones(3, 4), gg.ones(5, 6)\ngg.matmul(w, x)",
     ["cannot be multiplied (3x4 and 5x6)", "`x` has the shape (5, 6)"], ["gufunc"]),
    ("a = gg.ones(3)\ngg.cat([a, gg.ones(1, 1)])", ["`a` has the shape (3,)"], []),
    ("net = nn.Sequential(nn.Linear(4, 9), nn.ReLU(), nn.Linear(8, 2))\nnet(gg.ones(1, 4))",
     ["Linear(8 → 2) got the shape (1, 9), and wants 8 features", "It is `2` of the Sequential",
      "mat1 and mat2 shapes cannot be multiplied (1x9 and 8x2)"], ["x @ y.T"]),
    ("nn.Conv2d(3, 8, 3)(gg.ones(2, 1, 9, 9))", ["Conv2d(3 → 8)", "wants 3 channels"], []),
    ("nn.Embedding(10, 3)(gg.tensor([1, 12]))", ["wants indices from 0 to 9"], []),
    ("nn.LSTM(5, 7)(gg.ones(3, 2, 6))", ["LSTM(5 → 7)", "wants 5 features"], []),
    ("q = gg.ones(3, 2, 6)\nnn.MultiheadAttention(8, 2)(q, q, q)",
     ["MultiheadAttention(8, heads: 2) got", "wants 8 features"], ["divisible"]),
    ("x, y = gg.randn(3, 4), gg.tensor([1, 2, 3])\nnn.CrossEntropyLoss(x, y)",
     ["value of Tensor with more than one", "`CrossEntropyLoss()(input, target)`"], []),
    ("nn.BatchNorm1d(4)(gg.ones(1, 4))", ["more than 1 value", "BatchNorm1d(4)"], ["wants"]),
    ("nn.Linear(2, 2)(gg.ones(3, 2).double())", ["of float64, and its weights are float32"], []),
    ("nn.CrossEntropyLoss()(gg.ones(3, 4), gg.tensor([1, 4, 2]))",
     ["Target 4 is out of bounds", "(3, 4) of float32 and (3,) of int64"], []),
    ("nn.MSELoss()(gg.ones(3, 2), gg.ones(3))", ["MSELoss got the shapes (3, 2) and (3,)"], []),
    (W + "w -= 0.1", ["`w -= 0.1` in `with no_grad():`", "keeps the leaf"], ["out of place"]),
    (("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
     "        self.all = [nn.Linear(1, 1)]\nnet = Net()\n"
     "gg.optim.SGD(net.parameters(), lr=0.1)"),
     ["empty parameter list", "`net.all` is a plain list", "`nn.ModuleList`"], []),
    ("gg.optim.SGD([], lr=0.1)", ["empty parameter list", "plain list or dict"], []),
    (("x = gg.tensor([0.0, 1.0], requires_grad=True)\nwith gg.autograd.detect_anomaly():\n"
     "    gg.where(x > 0, x.log(), x).sum().backward()"),
     ["'LogBackward0' returned nan", "At index [0]", "that arrived was 0 and `self` was 0",
      "x̄ = ȳ/x"], []),
    (W + "with gg.autograd.detect_anomaly():\n    (w * 0).sum().sqrt().mul(0).backward()",
     ["'SqrtBackward0' returned nan", "arrived was 0", "`result` was 0"], []),
    (("class F(gg.autograd.Function):\n    forward = staticmethod(lambda ctx, x: x * 2)\n"
     "    @staticmethod\n    def backward(g):\n        return g\n"
     "F.apply(gg.ones(1, requires_grad=True)).backward()"),
     ["takes 1 positional argument", "`def backward(ctx, g)` in F"], []),
    (("class F(gg.autograd.Function):\n    forward = staticmethod(lambda ctx, x: x * 2)\n"
     "    @staticmethod\n    def backward(ctx, g):\n        (x,) = ctx.saved_tensors\n"
     "F.apply(gg.ones(1, requires_grad=True)).backward()"),
     ["not enough values", "ctx.save_for_backward"], []),
    (W + "y = gg.autograd.grad((w**2).sum(), w)[0]\ny.sum().backward()",
     ["line 2: `y =", "gives a gradient that has no graph", "`create_graph=True`"],
     ["on the leaves"]),
    (W + "with gg.no_grad():\n    w = w - 0.1\n(w * w).sum().backward()",
     ["`w` is another tensor since", "Write `w -= 0.1` in that block"], ["Make `w`"]),
    (W + "(w * 2).backward([1.0, 1.0])", ["or None, but got float", "tensor(gradient)"], []),
    (W + "(w * 2).backward(True)", ["but got bool", "`retain_graph=True`"], ["tensor(gradient)"]),
    (W + "(w * 2).backward(1.0)", ["but got float", "glassgrad.full((2,), 1.0)"], []),
    ("gg.ones(2, 3)[0, 5]", ["dimension 1 with size 3", "of size [2, 3]"], []),
    ("x = gg.zeros(2, 3)\nx[0] = gg.ones(2)",
     ["The expanded size of the tensor (3) must match the existing size (2)"], ["x + "]),
    ("x = gg.zeros(3)\nx[x > -1] = gg.ones(2)", ["shape [2] cannot be broadcast to indexing"], []),
    ("gg.ones(4, 4)[[0, 1], [0, 1, 2]]", ["could not be broadcast together with shapes [2], [3]"],
     ["index()"]),
    ("nn.Linear(2, 1)(gg.tensor([[1, 2]]))",
     ["mat1 and mat2 must have the same dtype, but got Long and Float", "x.to(weight.dtype)"], []),
    ("nn.LSTM(5, 7)(gg.ones(4, 3, 5), gg.zeros(1, 3, 7))", ["Write `(h, c)`"], ["2-D"]),
    ("nn.LSTM(5, 7)([1.0])", ["LSTM(): argument 'input' (position 1) must be Tensor, not list"],
     []),
    ("x = gg.ones(5, 1, 8)\nnn.MultiheadAttention(8, 2)(x, x, x, attn_mask=gg.ones(4, 4))",
     ["The shape of the 2D attn_mask is (4, 4), but should be (5, 5)"], []),
    ("nn.ModuleList([])(gg.ones(2))", ["for layer in layers"], ["def forward"]),
    ("nn.Sequential(nn.ReLU)", ["`ReLU()`"], []),
    ("nn.Sequential([nn.ReLU()])", ["`Sequential(*parts)`"], []),
    ("nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))(None)", ["not NoneType", "`return`"], []),
    ("class Net(nn.Module):\n    def __init__(self):\n        self.n = 2\nNet()(1)",
     ["super().__init__()"], []),
    ("class Net(nn.Module):\n    def forward(self):\n        return 1\nNet()(1)",
     ["`def forward(self)` in", "Write `def forward(self, x)`"], []),
    ("gg.optim.SGD([{'lr': 0.1}])", ["'params'", "model.parameters()"], []),
    ("gg.tensor(None)", ["Could not infer dtype of NoneType", "`return`"], ["iterator"]),
    ("gg.mean([gg.ones(2)])", ["`glassgrad.stack(x)`"], ["glassgrad.tensor("]),
    ("gg.func.grad(gg.ones(2))", ["object is not callable", "autograd.grad(outputs"], []),
    ("gg.ones(2).to('cuda')", ["needs CuPy", "device='cpu'"], []),
    ("gg.ones(2).clamp(min='a')", ["bound must be Number or Tensor, not str"], ["ufunc"]),
    ("gg.save('a.pt', {})", ["The object comes first"], []),
    ("gg.func.vmap(lambda x: x @ gg.ones(4))(gg.ones(3, 2))", ["[2]", "[4]"], []),
    ("gg.func.grad(lambda x: x * x, argnums=1)(gg.ones(2))", ["argnum=1"], []),
    ("f = gg.autograd.functional\nf.hessian(lambda x: x * x, gg.ones(2))", ["single element"], []),
    ("data = gg.utils.data.DataLoader([gg.ones(2), gg.ones(3)], batch_size=2)\nnext(iter(data))",
     ["stack expects each tensor to be equal size"], []),
    (("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
     "        self.a = nn.Linear(2, 2)\n    def forward(self, x):\n        return self.a(x)\n"
     "nn.Sequential(nn.Sequential(Net()))(gg.ones(3))"), ["It is `0.0.a` of the Sequential"], []),
    (W + "opt = gg.optim.LBFGS([w])\nopt.step(lambda: w * gg.ones(3))", ["`w` has the shape"], []),
    (("class Data(gg.utils.data.Dataset):\n    __len__ = lambda self: 2\n"
     "    __getitem__ = lambda self, i: gg.ones(2) + gg.ones(3)\n"
     "next(iter(gg.utils.data.DataLoader(Data())))"), ["The size of tensor a (2)"], []),
    (W + "w.uniform_(0, 1)", ["`w.uniform_(0, 1)` in `with no_grad():`"], []),
    ("gg.distributions.Normal(0.0, -1.0)", ["GreaterThan(lower_bound=0.0)"], []),
    ("try:\n    {}['a']\nexcept KeyError:\n    gg.ones(2.5)", ["must be tuple of ints, not float"],
     []),
]  # fmt: skip

HEAD = "class F(gg.autograd.Function):\n"
STATIC = "    @staticmethod\n    def "
CALL = "y = F.apply(gg.ones(2, requires_grad=True))\n"

# A Function's methods, or a hook; what the error says of them.
MISFITS = [
    (HEAD + STATIC + "forward(x): 0\n" + CALL,
     ["F.forward() takes 1 positional argument but 2 were given", "gets ctx first",
      "`def forward(x)` in", "line 3", "Write `def forward(ctx, x)`"]),
    (HEAD + STATIC + "forward(ctx, x, y): 0\n" + CALL,
     ["missing 1 required positional argument: 'y'",
      "Write `F.apply(x, y)`, or `def forward(ctx, x)`"]),
    (HEAD + STATIC + "forward(ctx, x): 0\n"
     + STATIC + "setup_context(ctx, inputs, output): 0\n" + CALL,
     ["missing 1 required positional argument: 'x'", "Write `def forward(x)`"]),
    (HEAD + STATIC + "forward(x): return x\n" + STATIC + "setup_context(ctx, x): 0\n" + CALL,
     ["Write `def setup_context(ctx, inputs, output)`"]),
    (HEAD + STATIC + "forward(ctx, x): return x, 2 * x\n" + STATIC + "backward(ctx, g): 0\n" + CALL
     + "(y[0] + y[1]).sum().backward()",
     ["takes 2 positional arguments but 3 were given", "2 here", "`def backward(ctx, g)` in",
      "Write `def backward(ctx, g, grad_1)` in F"]),
    (HEAD + STATIC + "forward(ctx, x): return 2 * x\n" + STATIC + "backward(ctx): 0\n" + CALL
     + "y.sum().backward()", ["Write `def backward(ctx, grad)` in F"]),
    (HEAD + STATIC + "forward(ctx, x):\n        ctx.n = 2\n        return 2 * x\n"
     + STATIC + "backward(ctx, g): return g * ctx.m\n" + CALL + "y.sum().backward()",
     ["no attribute 'm'", "ctx has n of F's forward", "`ctx.m = …`"]),
    (HEAD + STATIC + "forward(ctx, x):\n        ctx.save_for_backward(x)\n        return 2 * x\n"
     + STATIC + "backward(ctx, g): a, b = ctx.saved_tensors\n" + CALL + "y.sum().backward()",
     ["F saved 1 tensor for backward"]),
    (HEAD + STATIC + "forward(ctx, x, n):\n        ctx.save_for_backward(n)\n        return 2 * x\n"
     + "F.apply(gg.ones(2, requires_grad=True), 3)",
     ["argument 0 is of type int", "ctx.dim = dim"]),
    (W + "w.register_hook(lambda: None)\n(w * 2).sum().backward()",
     ["called with (grad)", "`lambda: …` in", "line 2", "Write `lambda grad: …`"]),
    (NET + "net.register_forward_hook(lambda out: out)\nnet(x)",
     ["called with (module, args, output)", "Write `lambda module, args, output: …`"]),
]  # fmt: skip


@together
@pytest.mark.parametrize(
    ("text", "said", "unsaid"), [*CUTS, *FREED, *CALLS, *[(*row, []) for row in MISFITS]]
)
def test_an_error_names_the_lines_and_says_nothing_false(text, said, unsaid):
    error = failed(text)
    message = "\n".join([str(error), *getattr(error, "__notes__", [])])
    assert [words for words in said if words not in message] == []
    assert [words for words in unsaid if words in message] == []
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__


@together
@pytest.mark.parametrize("text", [row[0] for row in (*CUTS, *FREED, *CALLS, *MISFITS)])
def test_a_traceback_shows_at_most_three_frames_of_ours(text):
    frames = traceback.extract_tb(failed(text).__traceback__)
    assert sum(is_ours[frame.filename] for frame in frames) <= 3


OPERATORS = [  # on what no fast door takes
    "gg.ones(2, dtype=gg.int64) + gg.ones(3, dtype=gg.int64)",
    "gg.ones(2, dtype=gg.int64) / gg.ones(3)",
    "(gg.ones(2) > 0) - (gg.ones(2) > 0)",
    "gg.ones(2, dtype=gg.complex64) > 1",
    "gg.ones(2) & gg.ones(2)",
]


@together
@pytest.mark.parametrize("text", OPERATORS)
def test_a_traceback_of_an_operator_shows_no_more(text):
    frames = traceback.extract_tb(failed(text).__traceback__)
    assert sum(is_ours[frame.filename] for frame in frames) <= 3


def test_lines_of_a_class_that_computes_by_itself_stay_in_the_traceback():
    text = """\
class Own(gg.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        gg.ones(2, dtype=gg.int64) + gg.ones(3, dtype=gg.int64)
gg.ones(2) + Own(2)
"""
    frames = traceback.extract_tb(failed(text).__traceback__)
    assert [frame.lineno for frame in frames if not is_ours[frame.filename]][-2:] == [5, 4]


def test_an_exception_that_the_user_has_caught_is_still_shown():
    caught = failed("try:\n    {}['a']\nexcept KeyError:\n    gg.ones(2).sum(dim=7)")
    assert type(caught.__context__) is KeyError
    assert not caught.__suppress_context__


def test_the_first_sentence_is_pytorchs():
    said = "element 0 of tensors does not require grad and does not have a grad_fn"
    assert str(failed(CUTS[0][0])).startswith(said)
    assert str(failed(FREED[0][0])).startswith("Trying to backward through the graph a second time")


def test_a_result_says_which_line_made_it_and_a_leaf_by_which_it_was_lost():
    def warned(text):
        name = f"<warned {abs(hash(text))}>"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        with pytest.warns(UserWarning, match="not a leaf") as caught:
            exec(compile(text, name, "exec"), {"gg": gg})
        return str(caught[0].message)

    said = warned(W + "y = w * 2\ny.grad")
    assert "line 2: `y = w * 2`. Write `y.retain_grad()` before backward()." in said
    said = warned(W + "w = w - 0.1\nw.grad")
    assert "no longer the leaf of that name. Write `w -= 0.1` in `with no_grad():`" in said


def test_without_a_source_an_error_says_what_is_known():
    with pytest.raises(RuntimeError, match="Nothing it was computed from requires grad"):
        exec("gg.ones(1).backward()", {"gg": gg})


def test_objects_that_raise_when_they_are_looked_at_do_no_harm():
    text = (
        "class Bad:\n    def __getattribute__(self, name):\n        raise KeyError(name)\n"
        "bad = Bad()\ndef f(x):\n    return gg.ones(1)\nloss = f(bad)\nloss.backward()"
    )
    assert "does not require grad" in str(failed(text))
