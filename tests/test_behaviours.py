"""Behaviours of PyTorch's in a few lines each: they do the same here.

A row is a sentence and a program, in which `torch` is PyTorch, and then glassgrad. What it leaves
in `found` is compared: values, dtypes, strides, nodes, and the classes of errors.
"""

import copy
import io
import pickle
import textwrap
import warnings
from types import ModuleType

import numpy as np
import pytest
import torch

import glassgrad as gg
from both import bare
from checks import together

OFFSETS = {
    "a detached view keeps its storage offset": """
        x = torch.arange(10.0, requires_grad=True)
        found = [y.storage_offset() for y in (x[3:].detach(), x[3:].data, x[::2][1:].detach())]
    """,
    "a view of another dtype counts its offset in elements of its own": """
        x = torch.arange(12.0)
        found = x.view(torch.int32)[3:].detach().storage_offset(), x[2:].view(torch.float64)
        found = *found, torch.view_as_complex(x.view(6, 2))[2:].storage_offset()
    """,
    "memory that is shared with a NumPy array begins where the array does": """
        a = np.arange(10.0)
        x = torch.from_numpy(a[3:])
        a[3] = 7.0
        found = x, x.storage_offset(), x.untyped_storage().nbytes(), x[1:].storage_offset()
        found = *found, torch.as_tensor(a[2:])[1:].storage_offset()
    """,
    "as_strided of a detached view walks the whole memory": """
        x = torch.arange(12.0)
        y = x[3:7].detach()
        found = y.as_strided((2, 2), (2, 1), 0), y.as_strided((3, 3), (2, 1))
        found[0][0] = 50.0
        found = *found, x, attempt(lambda: y.as_strided((3, 3), (4, 1), 3))
    """,
    "views that are saved together share their memory, and have their offsets, when loaded": """
        x = torch.arange(12.0).view(3, 4)
        file = io.BytesIO()
        torch.save({"a": x[1], "b": x.t(), "c": x[:, 1:]}, file)
        file.seek(0)
        found = torch.load(file)
        found["a"].zero_()
        found = found, [y.storage_offset() for y in found.values()]
    """,
    "a view that is saved alone has all of its memory": """
        file = io.BytesIO()
        torch.save(torch.arange(10.0)[3:6], file)
        file.seek(0)
        y = torch.load(file)
        found = y, y.storage_offset(), y.untyped_storage().nbytes()
    """,
    "views that are copied together share their memory": """
        x = torch.arange(6.0).view(2, 3)
        found = copy.deepcopy([x, x[1], x.t()])
        found[0][1, 1] = 77.0
        found = found, found[1].storage_offset(), x
    """,
}

NUMBERS = {
    "an integer power that is negative rounds to zero": """
        y = torch.tensor([-3, -2, -1, 0, 1])
        found = 2**y, 0**y, 1**y, (-1) ** y, torch.tensor([2, 1, -1, 5, 3]) ** y
        found = *found, torch.pow(torch.tensor(3), y), attempt(lambda: y**-1)
    """,
    "a number of Python's is made of one element only": """
        x = torch.ones(2)
        found = [attempt(lambda: kind(x)) for kind in (float, int, complex, bool)]
        found += [attempt(x.item), float(torch.ones(1, 1)), complex(torch.tensor(2j))]
    """,
    "a tensor without dims transposed is the same, with a warning": """
        x = torch.tensor(1 + 2j)
        found = x.mT, x.mH, x.H, x.adjoint(), attempt(lambda: torch.ones(1).mT)
        found = *found, attempt(lambda: torch.ones(1).H), attempt(lambda: torch.ones(1).mH)
    """,
    "the place of a number takes a tensor of one element, of any dims": """
        x = torch.zeros(3)
        x[0] = torch.tensor([5.0])
        x[1] = torch.tensor([[6.0]])
        z = torch.tensor([1 + 2j])
        z[-1] = z
        found = x, z, attempt(lambda: x.__setitem__(0, torch.tensor([5.0, 6.0])))
    """,
}

OPERATORS = {
    "an operator in place leaves foreign objects to their own": """
        class Foreign:
            def __radd__(self, other):
                return "radd"

            def __ror__(self, other):
                return "ror"

        x, i = torch.ones(2), torch.ones(2, dtype=torch.int64)
        x += Foreign()
        i |= Foreign()
        found = x, i
    """,
    "an operator in place refuses what nobody can add": """
        x = torch.ones(2)
        def add(other):
            y = x
            y += other
        found = [attempt(lambda: add(other)) for other in (None, "a", [1, 2], object())]
    """,
    "a flag in place writes to the mask itself": """
        found = []
        for write in ("|=", "&=", "^="):
            m = torch.tensor([True, False])
            scope = {"m": m}
            exec(f"m {write} True", scope)
            found += [scope["m"] is m, m, m._version]
    """,
    "an object that is no tensor is unequal, and has no order": """
        x = torch.ones(2)
        found = x == None, x != None, x == "a", x == {}, x != object(), attempt(lambda: x < None)
    """,
}

LAZY = {
    "a parameter without a shape is not computed with": """
        w = torch.nn.LazyLinear(3).weight
        calls = [w.sum, w.clone, w.detach, w.numel, w.dim, w.stride, w.numpy, w.tolist, w.item]
        calls += [w.zero_, w.requires_grad_, w.backward, w.untyped_storage, w.is_contiguous]
        calls += [w.__len__, w.__bool__, w.__neg__, w.__iter__, w.data_ptr, w.storage_offset]
        calls += [lambda: w + 1, lambda: 1 - w, lambda: w == 1, lambda: w[0], lambda: torch.exp(w)]
        calls += [lambda: torch.add(w, 1), lambda: torch.cat([w]), lambda: torch.ones(1) * w]
        calls += [lambda: w.register_hook(print), lambda: np.asarray(w), lambda: w.view(-1)]
        found = [attempt(call) for call in calls]
    """,
    "a parameter without a shape knows what it is to become": """
        w = torch.nn.LazyLinear(3).double().weight
        found = w.dtype, w.requires_grad, w.is_leaf, w.grad, str(w), attempt(lambda: w.shape)
        found = *found, copy.deepcopy(w).dtype, str(copy.deepcopy(w)), w.is_floating_point()
    """,
    "a buffer without a shape is not computed with": """
        mean = torch.nn.LazyBatchNorm1d().running_mean
        found = attempt(lambda: mean + 1), attempt(mean.sum), attempt(lambda: mean.shape), str(mean)
    """,
    "a parameter of a class of one's own computes by its __torch_function__": """
        class Mine(torch.nn.Parameter):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return "mine"

        w = Mine(torch.ones(2))
        found = w + 1, torch.exp(w), w.exp()
    """,
}

DATA = {
    "strings in a tuple are collated to a tuple": """
        collate = torch.utils.data.default_collate
        rows = collate([(1, "a"), (2, "b")]), collate(["a", "b"]), collate([{"k": "x"}])
        found = rows, type(rows[0][1]), type(rows[1]), type(rows[2]["k"])
    """,
    "backward sees the data that an operand was given since": """
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x * x
        x.data = torch.tensor([3.0, 4.0])
        found = y.grad_fn._saved_self, x._version
        y.sum().backward()
        found = *found, x.grad
        y = x**3
        x.data = torch.tensor([5.0, 6.0])
        (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        found = *found, g, torch.autograd.grad(g.sum(), x)
    """,
    "backward sees the result of an op as it was, whatever data that was given since": """
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x.exp()
        y.data = torch.tensor([3.0, 4.0])
        y.sum().backward()
        found = x.grad
    """,
    "a weight that was given other data sends the gradient of the old ones through linear": """
        x, w = torch.ones(4, 3, requires_grad=True), torch.ones(2, 3, requires_grad=True)
        y = torch.nn.functional.linear(x, w)
        x.data, w.data = x.data * 7, w.data * 5
        y.sum().backward()
        found = x.grad, w.grad
    """,
    "data of another shape do not fit what was saved": """
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x * x
        x.data = torch.tensor([3.0, 4.0, 5.0])
        found = attempt(y.sum().backward)
    """,
}

NODES = {
    "a node prints, and names its class, as PyTorch's": """
        x = torch.ones(3, requires_grad=True)
        y = x * 1
        y[:2].mul_(2)
        leaf = x.view_as(x).grad_fn.next_functions[0][0]
        found = []
        for node in (leaf, y.grad_fn, (x * 2).grad_fn, y[:1].grad_fn):
            kind = type(node)
            found += [node.name(), str(kind), kind.__module__, str(node).split(" at ")[0]]
        found += [str(y), str(x.exp())]
    """,
    "the class of the node of a Function lives beside Function": """
        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, grad):
                return grad * 2

        node = Twice.apply(torch.ones(2, requires_grad=True)).grad_fn
        kind = type(node)
        found = node.name(), str(kind), kind.__module__, kind.__qualname__
        found = *found, kind is Twice._backward_cls, Twice.__module__ == kind.__module__
    """,
}

FILLED = {
    "nn.init refuses bounds and scales that no numbers have": """
        w = torch.zeros(3, 3)
        init = torch.nn.init
        found = [attempt(init.uniform_, w, 2, 1), attempt(init.normal_, w, 0, -1)]
        found += [attempt(init.trunc_normal_, w, 0, 1, 2, 1), attempt(init.xavier_uniform_, w, -1)]
        found += [attempt(init.uniform_, w, float("nan")), attempt(init.normal_, w, 0, 1j), w]
    """,
    "nn.init draws no integers": """
        w = torch.zeros(3, 3, dtype=torch.int64)
        init = torch.nn.init
        found = [attempt(fill, w) for fill in (init.uniform_, init.normal_, init.xavier_normal_)]
        found += [init.eye_(w), init.constant_(w, 2), attempt(init.eye_, w[0])]
    """,
    "classes that are safe to load are remembered, in a block until its end": """
        class Own:
            pass

        serialization = torch.serialization
        serialization.clear_safe_globals()
        serialization.add_safe_globals([Own])
        found = serialization.get_safe_globals()
        serialization.clear_safe_globals()
        with serialization.safe_globals([Own]):
            found += serialization.get_safe_globals()
        found += [len(serialization.get_safe_globals())]
    """,
}

BATCHES = {
    "each example of a batch may have repeats of its own, if all become of one size": """
        x, times = torch.arange(12.0).reshape(3, 2, 2), torch.tensor([[1, 2], [2, 1], [0, 3]])
        repeated = torch.vmap(torch.repeat_interleave)
        found = repeated(x[..., 0], times), torch.vmap(lambda n: torch.repeat_interleave(n))(times)
        along = torch.vmap(lambda a, n: torch.repeat_interleave(a, n, dim=1, output_size=3))
        found = *found, along(x, times), attempt(repeated, x[..., 0], times * torch.arange(2))
        loss = lambda x: repeated(x, times).pow(2).sum()
        found = *found, torch.func.grad(loss)(x[..., 0])
    """,
    "least squares of a batch are those of its examples": """
        a, b = torch.tensor([[[2.0, 0], [1, 1]], [[1, 0], [0, 4]]]), torch.ones(2, 2, 1)
        found = (torch.vmap(torch.linalg.lstsq)(a, b)[0] * 60).round().int().tolist()
    """,
}

NO_TENSORS = {
    "what stands for a tensor and is none is refused as an argument of another type": """
        F, x = torch.nn.functional, torch.ones(2, 3)
        calls = [lambda y: x.gather(0, y), lambda y: x.index_select(0, y), lambda y: x.lerp_(y, 1)]
        calls += [lambda y: x.addcdiv_(x, y), lambda y: x.addcmul(y, x), lambda y: x.hypot_(y)]
        calls += [lambda y: torch.cat([x, y]), torch.cat, lambda y: torch.where(y, x, x)]
        calls += [lambda y: x.expand_as(y), lambda y: x.view_as(y), x.matmul, x.take, x.dot, x.kron]
        calls += [F.relu, lambda y: F.linear(y, x), lambda y: F.conv2d(y, x), F.one_hot, torch.sum]
        calls += [torch.flatten, torch.linalg.inv, torch.fft.fft, torch.unbind, torch.bincount]
        calls += [torch.squeeze, torch.sort, lambda y: torch.topk(y, 1), torch.zeros_like]
        calls += [torch.nn.Linear(2, 3), torch.nn.ReLU(), lambda y: F.embedding(y, x), F.dropout]
        found = [attempt(call, y) for call in calls for y in (3, 2.5, "a", None, object())]
    """,
}

REFUSED = {
    "an input of the wrong size is refused by cells and by lazy layers": """
        nn, x = torch.nn, torch.ones(1, 3)
        calls = nn.LSTMCell(2, 3), nn.GRUCell(2, 3), nn.RNNCell(2, 3), nn.LazyConv2d(2, 3)
        found = [attempt(call, x) for call in calls], nn.LSTMCell(3, 2)(x)[0].shape
    """,
    "items of a tensor are not deleted, and only one number has a format": """
        x = torch.ones(2)
        found = attempt(x.__delitem__, 0), attempt(lambda: f"{x:.3f}"), f"{x[0]:.3f}", f"{x}"
    """,
    "a range has no flags": """
        found = attempt(lambda: torch.arange(3, dtype=torch.bool)), torch.arange(3)
    """,
}

OLD_WAYS = {
    "memory_format of what is made like a tensor is the order of its memory": """
        x = torch.ones(1, 2, 3, 4).to(memory_format=torch.channels_last)
        orders = torch.contiguous_format, torch.preserve_format, torch.channels_last
        makers = torch.empty_like, torch.zeros_like, torch.ones_like
        found = [make(x, memory_format=order).stride() for make in makers for order in orders]
    """,
    "a factor may come before the tensors, as it did once": """
        x, a, b = torch.ones(2), torch.tensor([3.0, 4.0]), torch.tensor([2.0, 5.0])
        found = [x.clone().add_(2, a), torch.add(x, 0.5, a), x.clone().sub_(2, a)]
        found += [x.clone().addcmul_(0.1, a, b), x.clone().addcdiv_(-0.1, a, b)]
        found += [torch.addcdiv(x, 0.1, a, b), torch.addcmul(x, 2, a, b, out=torch.zeros(2))]
        w = torch.ones(2, requires_grad=True)
        found += torch.autograd.grad(torch.add(a, 3, w).sum(), w)
    """,
    "elements of a storage are read and written by their places": """
        x = torch.tensor([[4.0, 1.0], [5.0, 3.0]])
        storage = x[1].storage()
        storage[1] = 2.0
        found = storage[0], list(storage), x
    """,
    "sample_n draws a number of samples; mixtures and chains of transforms show their parts": """
        D = torch.distributions
        two = D.MixtureSameFamily(D.Categorical(logits=torch.ones(2)), D.Cauchy(torch.ones(2), 1.0))
        chain = D.ComposeTransform([D.ExpTransform(), D.TanhTransform()])
        found = D.Normal(0.0, 1.0).sample_n(2).shape, str(chain), str(two)
    """,
}

FUNCTIONS = {
    "forward and backward of a Function may be classmethods": """
        class Twice(torch.autograd.Function):
            @classmethod
            def forward(cls, ctx, x):
                return x * 2

            @classmethod
            def backward(cls, ctx, grad):
                return grad * 7

        x = torch.ones(2, requires_grad=True)
        found = torch.autograd.grad(Twice.apply(x).sum(), x)
    """,
    "a sparse gradient of a Function is a gradient": """
        class Sparse(torch.autograd.Function):
            forward = staticmethod(lambda ctx, x: x * 2)
            backward = staticmethod(lambda ctx, grad: (grad * 2).to_sparse())

        x = torch.ones(2, requires_grad=True)
        found = torch.autograd.grad(Sparse.apply(x).sum(), x)[0].to_dense()
    """,
    "only tensors are marked": """
        class Marks(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, mark):
                getattr(ctx, mark)(3)
                return x * 2

        x = torch.ones(2)
        found = [attempt(Marks.apply, x, m) for m in ("mark_dirty", "mark_non_differentiable")]
    """,
    "a pass from nowhere does nothing": """
        found = torch.autograd.backward([])
    """,
}

GROUPS = (OFFSETS, NUMBERS, OPERATORS, LAZY, DATA, NODES, FILLED, BATCHES, NO_TENSORS, REFUSED)
GROUPS += (OLD_WAYS, FUNCTIONS)
ROWS = {sentence: program for group in GROUPS for sentence, program in group.items()}


@together
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("sentence", list(ROWS))
def test_it_does_what_pytorch_does(sentence):
    program = textwrap.dedent(ROWS[sentence])
    assert left_by(program, gg) == left_by(program, torch)


def left_by(program, lib):
    """What a program leaves in `found`, described."""
    scope = {"torch": lib, "attempt": attempt, "np": np, "io": io, "copy": copy, "pickle": pickle}
    scope["warnings"] = warnings
    lib.manual_seed(0)
    exec(program, scope)  # of this file
    return described(scope["found"])


def attempt(call, *args):
    """What a call returns, or the kind of error that it raises."""
    try:
        return call(*args)
    except Exception as error:  # noqa: BLE001  # of whatever kind: that is the question
        kinds = [kind for kind in type(error).__mro__ if kind.__module__ == "builtins"]
        return f"raises {kinds[0].__name__}"


def described(found):
    """Values without the library that made them."""
    if isinstance(found, (list, tuple, set)):
        return [described(each) for each in found]
    if isinstance(found, dict):
        return {described(key): described(value) for key, value in found.items()}
    if isinstance(found, (gg.Tensor, torch.Tensor)):
        node = found.grad_fn and bare(found.grad_fn.name())
        numbers = np.round(found.detach().resolve_conj().numpy().astype(complex), 4).tolist()
        kind = str(found.dtype).rpartition(".")[2]
        return kind, repr(numbers), found.stride(), found.requires_grad, node
    if isinstance(found, (type, ModuleType)):
        return found.__name__
    known = isinstance(found, (int, float, complex, type(None)))
    return found if known else str(found).replace("glassgrad.", "torch.").replace("torch.", "")
