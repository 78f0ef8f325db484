"""How ops are found by their names, in files that load when one of these is first asked for."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from forking import forking
from glassgrad.ops._index import NAMES
from glassgrad.ops._lookup import FILES, ORDERS

IMPORTS = """
import sys
import numpy as np
import glassgrad as gg

def loaded(file):
    return f"glassgrad.ops.{file}" in sys.modules
"""


@pytest.fixture(scope="module")
def in_a_new_process(tmp_path_factory):
    """Runs a program that nothing was loaded for, and fails if it does."""
    folder = tmp_path_factory.mktemp("lookup")
    with forking("import numpy, glassgrad") as run:

        def play(program):
            code, _, complaint = run(folder, IMPORTS + program)
            assert code == 0, complaint

        yield play


def test_a_file_loads_when_a_function_of_it_is_asked_for(in_a_new_process):
    in_a_new_process("""
assert not loaded("special") and not loaded("elementary") and not loaded("matrices")
assert gg.special.gammaln is gg.lgamma
assert repr(gg.sparse_coo) == "glassgrad.sparse_coo" and loaded("sparse")
assert loaded("special") and not loaded("matrices")
assert vars(gg)["lgamma"] is gg.lgamma  # nobody asks again
assert gg.ops.exp is gg.exp and loaded("elementary")
from glassgrad.linalg import inv
from glassgrad import inverse
assert inverse is gg.inverse and inv is gg.linalg.inv and loaded("matrices")
""")


def test_a_file_loads_when_a_method_of_it_is_asked_for(in_a_new_process):
    in_a_new_process("""
x = gg.tensor([1.0, 4.0])
assert not loaded("elementary") and not loaded("matrices") and not loaded("rounding")
assert x.sqrt().tolist() == [1, 2] and loaded("elementary")
assert gg.Tensor.inverse(gg.eye(2)).tolist() == [[1, 0], [0, 1]] and loaded("matrices")
assert hasattr(x, "floor_") and not hasattr(x, "floorr") and loaded("rounding")
assert x.sin_() is x
assert type(vars(gg.Tensor)["sqrt"]) is type(vars(gg.Tensor)["sin_"]) is type(lambda: 0)
""")


def test_a_file_loads_when_an_operator_of_it_is_used(in_a_new_process):
    in_a_new_process("""
x = gg.tensor([7.0, 8.0])
assert not loaded("rounding") and not loaded("elementary") and not loaded("linalg")
assert not loaded("arithmetic") and not loaded("comparison") and not loaded("indexing")
assert (x + 1)[0].item() == 8 and (x == 7).tolist() == [True, False]
assert loaded("arithmetic") and loaded("comparison") and loaded("indexing")
assert (10 % x).tolist() == [3, 2] and (x // 2).tolist() == [3, 4] and loaded("rounding")
assert (2**x).tolist() == [128, 256] and loaded("elementary")
x **= 2
assert x.tolist() == [49, 64]
assert (x @ x).item() == 49**2 + 64**2 and loaded("linalg")
""")


def test_a_file_loads_when_a_property_of_it_is_read_or_written(in_a_new_process):
    in_a_new_process("""
x = gg.tensor([1 + 2j, 3j])
assert not loaded("arithmetic") and not loaded("shape")
x.imag = gg.zeros(2)
assert x.tolist() == [1, 0] and vars(x) == {} and loaded("arithmetic")
assert gg.ones(2, 3).T.shape == (3, 2) and loaded("shape")
x.sinh = "mine"
assert x.sinh == "mine" and gg.ones(1).sinh().shape == (1,)
""")


def test_a_file_loads_when_numpy_hands_a_call_to_it(in_a_new_process):
    in_a_new_process("""
x = gg.tensor([[0.0, 1.0], [2.0, 3.0]])
assert not loaded("elementary") and not loaded("reduction") and not loaded("matrices")
assert np.exp(x).tolist() == x.exp().tolist() and loaded("elementary")
assert np.sum(x).item() == 6 and loaded("reduction")
assert np.linalg.inv(x).tolist() == x.inverse().tolist() and loaded("matrices")
""")


def test_what_is_nowhere_loads_nothing(in_a_new_process):
    in_a_new_process("""
x = gg.ones(2)
files = set(sys.modules)
for where in (gg, gg.ops, gg.linalg, gg.Tensor, x):
    try:
        where.no_such_name
    except AttributeError as error:
        assert "no_such_name" in str(error)
    else:
        raise AssertionError(where)
    assert {"exp", "exp_"} <= set(dir(where)) or where is gg.linalg
loaded = {name for name in set(sys.modules) - files if name.startswith("glassgrad")}
assert loaded == {"glassgrad.linalg"}
""")


def test_threads_that_ask_at_once_all_get_the_same(in_a_new_process):
    in_a_new_process("""
from threading import Barrier, Thread

barrier, found = Barrier(8), []
x = gg.ones(2, 2)

def ask(at):
    barrier.wait()
    asked = (lambda: gg.linalg.norm, lambda: x.svd(), lambda: np.exp(x), lambda: x.softmax(0))
    asked += (lambda: x + 1, lambda: x[0], lambda: x == 1, lambda: x.T)
    for k in range(8):
        asked[(at + k) % 8]()
    found.append((gg.exp, gg.Tensor.softmax, gg.linalg.svd, gg.Tensor.__add__, gg.Tensor.T))

threads = [Thread(target=ask, args=(at,)) for at in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(found) == 8 and len(set(found)) == 1, found
""")


def test_a_star_has_all_names(in_a_new_process):
    in_a_new_process("""
everything = {}
exec("from glassgrad import *", everything)
assert set(gg.__all__) <= set(everything)
""")


def test_all_that_is_declared_can_be_asked_for(in_a_new_process):
    in_a_new_process("""
from glassgrad.ops._declaring import FUNCTIONS, METHODS, NUMPY
from glassgrad.ops._lookup import FILES, load_all

def whole_names():
    of_numpy = [f"{each.__module__}.{each.__name__}" for each in NUMPY]
    return {*FUNCTIONS, *[f"Tensor.{name}" for name in METHODS], *of_numpy}

known = whole_names() | {
    f"{home}.{name}" if home else name for home, names in FILES.items() for name in names
}
load_all()
assert whole_names() == known, whole_names() ^ known
""")


def test_no_file_is_called_like_a_function():
    """The file would take the function's place in `glassgrad.ops` when it loads."""
    assert set(NAMES) & set(FILES[""]) == set()


@pytest.mark.slow
@pytest.mark.parametrize("file", NAMES)
def test_each_name_is_found_by_whoever_asks_first(in_a_new_process, file):
    in_a_new_process(f"""
from importlib import import_module
from glassgrad.ops._declaring import FUNCTIONS, METHODS, NUMPY
from glassgrad.ops._lookup import load

for whole in {NAMES[file].split()}:
    home, _, name = whole.rpartition(".")
    load(home, name)
    if home.startswith("numpy"):
        assert getattr(import_module(home), name) in NUMPY, whole
    elif home == "Tensor":
        assert name in METHODS, whole
    else:
        assert whole in FUNCTIONS, whole
""")


X = np.sin(np.arange(24.0)).reshape(2, 3, 4)
IN_ORDER = {
    "adaptive_max_pool1d": lambda t, x: (x, 2),
    "affine_grid_generator": lambda t, x: (x[:, :2, :3], [2, 1, 3, 4], False),
    "batch_norm": lambda t, x: (x, x[0, :, 0], x[0, :, 1], None, None, True, 0.1, 1e-5, False),
    "binary_cross_entropy_with_logits": lambda t, x: (x, x.sigmoid(), None, None, 1),
    "cosine_embedding_loss": lambda t, x: (x[0], x[1], t.tensor([1, -1, 1]), 0.2, 2),
    "ctc_loss": lambda t, x: (
        *(x.reshape(6, 1, 4).log_softmax(-1), t.tensor([[1, 2]]), t.tensor([6]), t.tensor([2])),
        *(0, 1, True),
    ),
    "embedding": lambda t, x: (x[0], t.tensor([2, 0]), -1, False, False),
    "grid_sampler": lambda t, x: (x[:, None], x[:, None, :, :2], 0, 1, False),
    "hinge_embedding_loss": lambda t, x: (x, x.sign()),
    "instance_norm": lambda t, x: (x, None, None, None, None, True, 0.1, 1e-5, False),
    "kl_div": lambda t, x: (x.log_softmax(-1), x.softmax(1)),
    "margin_ranking_loss": lambda t, x: (x[0], x[1], x[0].sign(), 0.1, 1),
    "max_pool1d_with_indices": lambda t, x: (x, 2),
    "poisson_nll_loss": lambda t, x: (x, x.exp(), True, False, 1e-8, 1),
    "triplet_margin_loss": lambda t, x: (x[0], x[1], x[1].flip(0), 1.0, 2.0, 1e-6, False, 2),
}


@pytest.mark.filterwarnings("ignore:reduction")
def test_functions_that_pytorch_has_twice_take_their_arguments_in_both_orders():
    assert IN_ORDER.keys() == ORDERS.keys()
    for name, arguments in IN_ORDER.items():
        ours, theirs = [getattr(t, name)(*arguments(t, t.tensor(X))) for t in (gg, torch)]
        pairs = zip(ours, theirs, strict=True) if isinstance(ours, tuple) else [(ours, theirs)]
        for mine, other in pairs:
            np.testing.assert_allclose(mine.numpy(), other.numpy(), rtol=1e-10, err_msg=name)
    for number in (3, -1):  # PyTorch reads what lies behind its table, or takes it for another
        with pytest.raises(ValueError, match=f"{number} is not a valid value for reduction"):
            gg.kl_div(gg.ones(2), gg.ones(2), reduction=number)
    by_name = gg.embedding(weight=gg.eye(3), indices=gg.tensor([1]))
    assert by_name.tolist() == [[0, 1, 0]]
