"""Sparse tensors compute what PyTorch's do, and give gradients to both factors."""

import copy
import io
import pickle

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together

pytestmark = pytest.mark.filterwarnings("ignore:Sparse")  # PyTorch's
PLACES, NUMBERS = [[0, 1, 1, 0], [2, 0, 2, 2]], [1.0, 2.0, 3.0, 4.0]


def made(lib):
    """A sparse matrix of shape (2, 3), its numbers, and a dense one of shape (3, 2)."""
    numbers = lib.tensor(NUMBERS, dtype=lib.float64, requires_grad=True)
    dense = lib.arange(6.0, dtype=lib.float64).reshape(3, 2).requires_grad_()
    return lib.sparse_coo_tensor(lib.tensor(PLACES), numbers, (2, 3)), numbers, dense


COMPUTED = {
    "dense": lambda lib, x, y: x.to_dense(),
    "coalesced": lambda lib, x, y: x.coalesce().values(),
    "indices": lambda lib, x, y: x.coalesce().indices() * y.sum(),
    "sparse.mm": lambda lib, x, y: lib.sparse.mm(x, y),
    "spmm": lambda lib, x, y: lib.spmm(x, y),
    "mm": lambda lib, x, y: lib.mm(x, y),
    "matmul": lambda lib, x, y: lib.matmul(x, y),
    "at": lambda lib, x, y: x @ y,
    "vector": lambda lib, x, y: x @ y[:, 0],
    "mv": lambda lib, x, y: lib.mv(x, y[:, 0]),
    "transposed": lambda lib, x, y: x.t() @ y[:2],
    "right": lambda lib, x, y: y.t() @ x.t(),
    "both": lambda lib, x, y: lib.sparse.mm(x, x.t()).to_dense(),
    "sum": lambda lib, x, y: lib.sparse.sum(x),
    "sum of rows": lambda lib, x, y: lib.sparse.sum(x, 1).to_dense(),
    "softmax": lambda lib, x, y: lib.sparse.softmax(x, 1).to_dense(),
    "log_softmax": lambda lib, x, y: lib.sparse.log_softmax(x, 1).to_dense(),
    "addmm": lambda lib, x, y: lib.sparse.addmm(y[:2], x, y, beta=0.5, alpha=2.0),
    "twice": lambda lib, x, y: (x * 2 / 3 - x).to_dense(),
    "more": lambda lib, x, y: (x + x).to_dense(),
    "dense and sparse": lambda lib, x, y: y.t() + x,
    "times dense": lambda lib, x, y: (x * y.t()).to_dense(),
    "negative": lambda lib, x, y: (-x).to_dense(),
    "there and back": lambda lib, x, y: (x.to_dense() * 2).to_sparse() @ y,
    "other dtype": lambda lib, x, y: x.to(lib.float32).to_dense(),
    "copy": lambda lib, x, y: x.clone().transpose(0, 1).to_dense(),
}


@together
@pytest.mark.parametrize("name", COMPUTED)
def test_values_and_gradients_are_pytorchs(name):
    found = []
    for lib in (gg, torch):
        x, *leaves = made(lib)
        y = COMPUTED[name](lib, x, leaves[1])
        y.pow(2).sum().backward()
        grads = [
            np.zeros(1) if leaf.grad is None else leaf.grad.to_dense().numpy() for leaf in leaves
        ]
        found.append([y.detach().numpy(), *grads])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_what_is_asked_of_it_is_answered_as_by_pytorch():
    for lib in (gg, torch):
        x, _, _ = made(lib)
        assert x.is_sparse
        assert x.layout is lib.sparse_coo
        assert not x.is_coalesced()
        assert x.coalesce().is_coalesced()
        assert (x._nnz(), x.coalesce()._nnz()) == (4, 3)
        assert (x.sparse_dim(), x.dense_dim()) == (2, 0)
        assert tuple(x.T.shape) == (3, 2)
        assert x.requires_grad
        assert not x.detach().requires_grad
        assert x.cpu().device.type == "cpu"
        assert tuple(lib.sparse_coo_tensor(PLACES, NUMBERS).shape) == (2, 3)
        with pytest.raises(RuntimeError, match="Cannot get values on an uncoalesced tensor"):
            x.values()
        with pytest.raises(RuntimeError, match=r"add\(sparse, dense\) is not supported"):
            x + lib.ones(2, 3)
        with pytest.raises(NotImplementedError, match="Could not run 'aten::exp' with arguments"):
            x.exp()
        with pytest.raises(TypeError, match="can't convert Sparse layout tensor to numpy"):
            x.detach().numpy()
        with pytest.raises(RuntimeError, match="indices and values must have same nnz"):
            lib.sparse_coo_tensor(PLACES, NUMBERS[:3], (2, 3))


def test_it_is_shown_as_in_pytorch():
    ours, theirs = (repr(made(lib)[0].detach()) for lib in (gg, torch))
    shown = ours.replace("glassgrad", "torch")
    assert shown.replace(", dtype=torch.float64", "") == theirs.replace(" dtype=torch.float64,", "")


@pytest.mark.parametrize("places", [[[0, 2], [0, 0]], [[0, -1], [0, 0]]])
def test_a_place_outside_is_refused(places):
    with pytest.raises(gg.errors.ShapeError, match=r"inconsistent with indices|negative index"):
        gg.sparse_coo_tensor(places, [1.0, 2.0], (2, 3))


def test_a_module_keeps_one_as_a_buffer_and_moves_it():
    class Graph(gg.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("adjacency", gg.eye(3).to_sparse())
            self.layer = gg.nn.Linear(2, 2)

        def forward(self, x):
            return gg.spmm(self.adjacency, self.layer(x))

    model = Graph().double()
    assert model.adjacency.is_sparse
    assert model.adjacency.dtype == gg.float64
    model(gg.ones(3, 2, dtype=gg.float64)).sum().backward()
    assert model.layer.bias.grad.tolist() == [3.0, 3.0]


def test_it_is_copied_pickled_saved_and_loaded():
    x = made(gg)[0].detach()
    file = io.BytesIO()
    gg.save({"x": x}, file)
    file.seek(0)
    filled = (x * 0).coalesce()
    for each in (
        copy.deepcopy(x),
        pickle.loads(pickle.dumps(x)),
        gg.load(file)["x"],
        filled.copy_(x),
    ):
        assert each.is_sparse
        assert each.is_coalesced() == x.is_coalesced()
        assert gg.equal(each.to_dense(), x.to_dense())


def test_old_names_make_them():
    x = gg.sparse.FloatTensor(gg.tensor(PLACES), gg.tensor(NUMBERS), gg.Size([2, 3]))
    assert x.dtype == gg.float32
    assert x.to_dense().tolist() == [[0, 0, 5], [2, 0, 3]]
    assert gg.sparse.FloatTensor(2, 3).to_dense().tolist() == [[0] * 3] * 2
