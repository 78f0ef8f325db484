"""`as_torch()` in processes of their own: here PyTorch is imported already."""

import subprocess
import sys

import pytest
import torch

import glassgrad as gg
from checks import together

assert torch  # the oracle is there, so `as_torch` is refused here

IMPORTS = """
import glassgrad as gg
gg.as_torch()
import torch, torch.nn as nn, torch.nn.functional as F, torch.optim as optim
import torch.utils.data, torch.linalg, torch.autograd.functional, torch.backends.cudnn as cudnn
from torch import Tensor, nn as again
from torch.autograd import Function, Variable
from torch.cuda.amp import GradScaler
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.checkpoint import checkpoint

assert nn is again is gg.nn is torch.nn and F is gg.nn.functional and Tensor is gg.Tensor
assert gg.nn.__spec__.name == "glassgrad.nn" and gg.nn.__name__ == "glassgrad.nn"
assert torch.__version__ >= "2.0" and torch.__version__ >= (2, 1)
assert cudnn is torch.backends.cudnn is gg.backends.cudnn
assert torch.zeros is gg.zeros and "zeros" in dir(torch)
assert nn.modules.loss._Loss and nn.modules.batchnorm._BatchNorm and torch.testing.assert_close

from torch.distributions.multivariate_normal import _precision_to_scale_tril
assert torch._C._log_api_usage_once("here") is torch._C._get_tracing_state() is None
assert nn.init._no_grad_normal_(torch.ones(2), 3.0, 0.0).tolist() == [3.0, 3.0]
assert torch.torch is torch and not torch.onnx.is_in_onnx_export()
assert torch.fx.wrap(len) is len and not torch.cuda._initialized
assert isinstance(torch._C.Generator(), torch.Generator)

from functorch import grad, make_functional, make_functional_with_buffers, vmap
call, own = make_functional(nn.Linear(2, 1))
assert [g.shape for g in grad(lambda own: call(own, torch.ones(2)).sum())(own)] == [(1, 2), (1,)]
call, own, kept = make_functional_with_buffers(nn.BatchNorm1d(2).eval(), True)
assert len(kept) == 3 and not own[0].requires_grad
assert call(own, kept, torch.ones(1, 2)).shape == (1, 2)
assert torch.func.functionalize(torch.sin) is torch.sin and nn.Linear(1, 1).compile() is None
from torch.fx import Graph, GraphModule, Node, Tracer
from torch.optim.adamw import AdamW
from torch.optim.optimizer import required, ParamsT
from torch.utils.hooks import RemovableHandle
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten
from torch.utils.data._utils.collate import default_collate
from torch.functional import einsum
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.modules.dropout import _DropoutNd
from torch.nn.modules.module import _IncompatibleKeys, _addindent
from torch.nn.modules.pooling import _MaxPoolNd
from torch.nn.modules.transformer import _get_activation_fn, _get_clones
from torch.hub import HASH_REGEX, urlparse
from torch.jit.annotations import BroadcastingList2, List
from torch._dynamo import OptimizedModule
from torch._tensor import Tensor as again
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors
from torch.storage import TypedStorage, UntypedStorage
from torch.nn.parallel import DataParallel, DistributedDataParallel
from torch.nn.init import _calculate_correct_fan, _calculate_fan_in_and_fan_out
from torch.nn.utils.stateless import _reparametrize_module
from torch.distributions.utils import _standard_normal, _sum_rightmost
from torch.utils._foreach_utils import _group_tensors_by_device_and_dtype
import torch._dynamo, torch._inductor.config, torch.distributed.nn, torch.futures
import torch.multiprocessing as mp, torch.profiler, torch.autograd.profiler, torch.sparse
from torch.hub import load_state_dict_from_url
from torch.utils.model_zoo import load_url
from torch.nn.parallel.scatter_gather import gather, scatter_kwargs
from torch.nn.parallel.data_parallel import data_parallel
from torch.nn.utils.fusion import fuse_conv_bn_eval
from torch.utils.data.distributed import DistributedSampler
from torch.utils.tensorboard import SummaryWriter
from torch.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal
from torch.distributions.constraint_registry import biject_to
from torch.distributed.elastic.multiprocessing.errors import record
from torch.types import _dtype, _size
from torch._C import _disabled_torch_function_impl
from torch._vmap_internals import _vmap
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.common_types import _ratio_3_t, _size_2_t
from torch.nn.modules.utils import _reverse_repeat_tuple
from torch.optim.lr_scheduler import EPOCH_DEPRECATION_WARNING
from torch.serialization import MAP_LOCATION
from torch.utils.data.dataset import Dataset, T_co

assert _size_2_t == int | tuple[int, int] and _reverse_repeat_tuple((1, 2), 2) == (2, 2, 1, 1)
assert _vmap(torch.sum)(torch.ones(2, 3)).tolist() == [3.0, 3.0] and Dataset[T_co]
assert torch.hub._get_torch_home().endswith("torch") and "epoch" in EPOCH_DEPRECATION_WARNING
assert not isinstance(torch.ones(3).shape[0], (torch.SymInt, torch.SymFloat, torch.SymBool))
try:
    ZeroRedundancyOptimizer([])
except RuntimeError as error:
    assert "there are no process groups" in str(error)

assert torch.utils.data.distributed.DistributedSampler is DistributedSampler
assert not torch.distributed.is_available() and mp.get_context("fork")

assert AdamW is optim.AdamW and default_collate is torch.utils.data.default_collate
assert torch.optim.adamw.AdamW is AdamW and einsum is torch.einsum
torch._dynamo.config.suppress_errors = True
leaves, spec = tree_flatten({"a": [1, 2]})
assert tree_unflatten(tree_map(str, leaves), spec) == {"a": ["1", "2"]}
with sdpa_kernel([SDPBackend.MATH]):
    pass

x = torch.zeros(1, dtype=torch.float64)
assert str(x.dtype) == f"{x.dtype}" == repr(x.dtype) == "torch.float64"
assert str(x) == "tensor([0.], dtype=torch.float64)" and str(x.layout) == "torch.strided"
assert f"{x.shape} {x.grad_dtype}" == "torch.Size([1]) torch.float64" and x.grad_dtype is x.dtype
assert x.type() == "torch.DoubleTensor" and str(torch.LongTensor) == "<class 'torch.LongTensor'>"
assert str(x.max(0)).startswith("torch.return_types.max(")

pieces = [torch.ones(2, 3), torch.zeros(2)]
flat = _flatten_dense_tensors(pieces)
assert [x.shape for x in _unflatten_dense_tensors(flat, pieces)] == [(2, 3), (2,)]
assert _addindent("a\\nb", 4) == "a\\n    b" and len(_get_clones(nn.Linear(1, 1), 3)) == 3
assert urlparse("https://x.org/f-00ff.pth").path == "/f-00ff.pth"
assert HASH_REGEX.search("f-00ff.pth")[1] == "00ff"
"""

TRAINING = """
import glassgrad as gg
gg.as_torch()
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(16, 2, device=device)
losses = []
for _ in range(20):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert losses[-1] < losses[0] / 2
"""

RESTORING = """
import sys
import glassgrad as gg
before = set(sys.modules), list(sys.meta_path)
with gg.as_torch():
    import torch.nn.functional
    with gg.as_torch():
        import torch
    assert "torch" in sys.modules
assert not [name for name in sys.modules if name.split(".")[0] == "torch"]
assert sys.meta_path == before[1]
assert str(gg.float64) == "float64" and repr(gg.float64) == "glassgrad.float64"
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec
from pathlib import Path
found = find_spec("torch")  # to run it takes two seconds
assert type(found.loader) is SourceFileLoader
assert Path(found.origin).parent.name == "torch"
"""

MISSING = """
import glassgrad as gg
gg.as_torch()
try:
    import torch.no_such_module
except ModuleNotFoundError as error:
    assert "No module named 'torch.no_such_module'" in str(error) and "as_torch" in str(error)
else:
    raise AssertionError
try:
    import torch.distributed.fsdp
except ModuleNotFoundError as error:
    assert "PyTorch has it (torch.distributed.fsdp)" in str(error)
else:
    raise AssertionError
from importlib.util import find_spec
assert find_spec("torch") is not None
"""


@together
@pytest.mark.parametrize("program", [IMPORTS, TRAINING, RESTORING, MISSING])
def test_a_program_of_pytorch_runs(program):
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_beside_pytorch_itself_it_is_refused():
    before = list(sys.meta_path)
    with pytest.raises(gg.errors.GraphError, match="torch is imported already"):
        gg.as_torch()
    assert sys.meta_path == before
