"""Data-parallel training: a rank alone, in this process; several, under mpiexec."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import glassgrad as gg
from chromium import need
from forking import ENVIRONMENT
from glassgrad import nn
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, GraphError
from glassgrad.nn.parallel import DataParallel, DistributedDataParallel
from glassgrad.tracing import Trace

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guides" / "data-parallel.md"
EXAMPLE = ROOT / "examples" / "data_parallel.py"
MPIEXEC = Path(shutil.which("mpiexec") or "mpiexec")


@pytest.fixture(scope="module", autouse=True)
def _mpi():
    need("mpi4py", MPIEXEC)


@pytest.fixture
def wrapped():
    from mpi4py import MPI

    return lambda module, **options: DistributedDataParallel(
        module, process_group=MPI.COMM_SELF, **options
    )


class Two(nn.Module):
    """Two outputs, each of which depends on a layer of its own."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 1), nn.Linear(2, 1)

    def forward(self, x):
        return {"a": self.a(x), "b": [self.b(x)]}


X = gg.ones(3, 2)


def grads(model):
    return [each.grad if each.grad is None else each.grad.tolist() for each in model.parameters()]


# One rank ----------------------------------------------------------------------------------------


def test_alone_it_does_what_its_module_does(wrapped):
    model = wrapped(nn.Linear(2, 1))
    assert isinstance(model, nn.Module)
    assert not isinstance(model, DataParallel)
    assert list(model.state_dict()) == ["module.weight", "module.bias"]
    model(X).sum().backward()
    model(X).sum().backward()
    with model.no_sync():
        model(X).sum().backward()
    assert grads(model) == [[[9.0, 9.0]], [9.0]]
    model.load_state_dict(model.state_dict())


def test_buckets_hold_parameters_from_the_last_on_and_each_dtype_has_its_own(wrapped):
    net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1).double(), nn.Linear(1, 1).double().half())
    model = wrapped(net, bucket_cap_mb=1 / 2**20)
    kinds = [each.array.dtype.name for each in model._buckets]
    assert kinds == ["float32", "float32", "float64", "float64", "float32", "float32"]
    parts = [[*map(tuple, [p.shape for p in each.parts])] for each in wrapped(net)._buckets]
    assert parts == [[(1,), (1, 1)], [(1,), (1, 3)], [(3,), (3, 2)]]


def test_a_gradient_may_be_a_view_of_its_bucket(wrapped):
    model = wrapped(nn.Linear(2, 1), gradient_as_bucket_view=True)
    for times in (1, 2):
        model(X).sum().backward()
        assert grads(model) == [[[3.0 * times] * 2], [3.0 * times]]
    weight, (bucket,) = model.module.weight, model._buckets
    bucket.array[...] = 7
    assert weight.grad.tolist() == [[7.0, 7.0]]


def test_a_parameter_without_gradient_is_refused_before_the_next_pass(wrapped):
    model = wrapped(Two())
    model(X)["a"].sum().backward()
    with pytest.raises(
        GraphError, match=r"(?s)Expected to have finished.*to b\.weight, b\.bias on"
    ):
        model(X)


def test_outputs_may_have_a_pass_each(wrapped):
    model = wrapped(Two())
    outputs = model(X)
    outputs["a"].sum().backward()
    outputs["b"][0].sum().backward()
    assert grads(model) == [[[3.0, 3.0]], [3.0]] * 2
    model(X)


def test_a_second_pass_behind_one_forward_pass_averages_nothing(wrapped):
    model = wrapped(nn.Linear(2, 1))
    loss = model(X).sum()
    loss.backward(retain_graph=True)
    (bucket,) = model._buckets
    bucket.array[...] = 7
    loss.backward()
    assert grads(model) == [[[6.0, 6.0]], [6.0]]
    assert bucket.array.tolist() == [7.0] * 3


def test_hooks_go_with_the_model_that_has_put_them_there(wrapped):
    net = nn.Linear(2, 1)
    for _ in range(2):
        model = wrapped(net)
    assert len(net.weight._post_accumulate_grad_hooks) == 1
    del model
    assert not net.weight._post_accumulate_grad_hooks


def test_parameters_that_nothing_depends_on_are_found_before_the_pass(wrapped):
    class First(Two):
        def forward(self, x):
            return self.a(x)

    model = wrapped(First(), find_unused_parameters=True)
    model.module.b.bias.grad = gg.tensor([5.0])
    for _ in range(2):
        model(X).sum().backward()
    assert grads(model) == [[[6.0, 6.0]], [6.0], None, [5.0]]


def test_a_pass_that_uses_no_parameter_at_all_is_waited_for_by_nobody(wrapped):
    class Constant(nn.Linear):
        def forward(self, x):
            return x

    model = wrapped(Constant(2, 1), find_unused_parameters=True)
    model(X)
    model(X)
    assert grads(model) == [None, None]


def test_a_parameter_is_ready_once_in_a_round(wrapped):
    model = wrapped(Two())
    loss = model(X)["a"].sum()
    loss.backward(retain_graph=True)
    with pytest.raises(GraphError, match=r"ready only once: a\.weight got a gradient again"):
        loss.backward()


def test_a_recorded_pass_tells_where_each_bucket_leaves(wrapped):
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    model = wrapped(net, bucket_cap_mb=16 / 2**20)
    model(X).sum().backward()
    model.zero_grad()
    trace = gg.record(model(X).sum())
    hooks = {hook["id"]: hook["name"] for node in trace.nodes for hook in node.get("hooks", ())}
    said = [hooks[event["hook"]] for event in trace.events if event["type"] == "post_hook"]
    assert said == ["bucket_0", "bucket_0_leaves", "bucket_1", "bucket_1_leaves"]


def test_a_bucket_that_has_left_does_not_come_back(wrapped):
    model = wrapped(nn.Linear(2, 1), bucket_cap_mb=1e-6)
    with gg.step(model(X).sum()) as session:
        session.run_until("AccumulateGrad").next().back()
        assert model.module.weight.grad is None
        with pytest.raises(GraphError, match="ready only once"):
            session.run()


def test_what_makes_no_sense_is_refused(wrapped):
    refused = [
        (
            lambda: wrapped(nn.Linear(2, 1), device_ids=[0]),
            ArgumentError,
            "got device_ids .0., out",
        ),
        (lambda: wrapped(nn.Linear(2, 1), output_device=0), ArgumentError, "output_device 0"),
        (lambda: wrapped(nn.ReLU()), GraphError, "is not needed when a module doesn't have any"),
        (lambda: wrapped(nn.LazyLinear(2)), GraphError, "Modules with uninitialized parameters"),
        (
            lambda: DistributedDataParallel(nn.Linear(2, 1), process_group="gloo"),
            ArgumentTypeError,
            "must be a communicator of mpi4py, not str",
        ),
    ]
    for call, kind, words in refused:
        with pytest.raises(kind, match=words):
            call()


def test_without_mpi4py_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(ModuleNotFoundError, match="pip install mpi4py"):
        DistributedDataParallel(nn.Linear(2, 1))


# The guide ----------------------------------------------------------------------------------------


def test_the_ten_lines_of_the_guide_run():
    program, *_ = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text("utf-8"), re.S | re.M)
    names = {}
    exec(program, names)
    assert names["model"].module.weight.grad.abs().sum().item() > 0


def test_the_guide_shows_two_ranks_whose_buckets_leave_alike():
    """`mpiexec -n 2 python tests/nn/in_ranks.py traces` records them anew."""
    traces = [Trace.load(ROOT / "docs" / "traces" / f"rank-{rank}.json") for rank in (0, 1)]
    for trace in traces:
        names = {hook["id"]: hook["name"] for node in trace.nodes for hook in node.get("hooks", ())}
        said = [names[event["hook"]] for event in trace.events if event["type"] == "post_hook"]
        assert said == [f"bucket_{n}{leaves}" for n in range(3) for leaves in ("", "_leaves")]
    assert traces[0].arrays != traces[1].arrays
    assert traces[0].schedule() == traces[1].schedule()


# Several ------------------------------------------------------------------------------------------


def mpiexec(n, *command):
    """What a job of n ranks said: exit code, stdout, stderr."""
    settings = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    settings["OMPI_MCA_btl_vader_single_copy_mechanism"] = "none"  # which containers may forbid
    settings["OMPI_MCA_odls_base_sigkill_timeout"] = "0"  # nobody is to be given a second to end
    done = subprocess.run(
        [MPIEXEC, "-n", str(n), "--oversubscribe", sys.executable, *map(str, command)],
        check=False,
        env=ENVIRONMENT | settings,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


def in_ranks(name):
    return mpiexec(2, Path(__file__).with_name("in_ranks.py"), name)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_the_digits_give_the_weights_of_one_process(n, tmp_path):
    page = ["--page", tmp_path / "out.html"] if n == 2 else []
    code, said, complaint = mpiexec(n, EXAMPLE, *page)
    assert code == 0, complaint
    (apart,) = re.findall(r"farthest from the weights of one process: (\S+)", said)
    assert float(apart) <= 1e-6
    assert said.splitlines()[0] in GUIDE.read_text("utf-8")
    if page:
        text = page[1].read_text("utf-8")
        assert text.count("<iframe") == 2
        assert "Rank 0 of 2" in text
        assert "Rank 1 of 2" in text


def test_ranks_agree_or_each_is_told_and_one_that_dies_ends_the_job():
    code, said, complaint = in_ranks("agree")
    assert code == 1, complaint
    beginnings = [line[:71] for line in said.splitlines()]
    assert beginnings == [
        "the ranks have uneven batches: 3, 2 examples, from rank 0 on. In a mean",
        "DDP expects same model across all ranks, but rank 0 has weight (1, 2) f",
        "rank 0 of 2 has waited 0.05 s for the others to begin. Another rank has",
        "the ranks have uneven batches: 3, 2 examples, from rank 0 on. In a mean",
        "DDP expects same model across all ranks, but rank 1 has weight (1, 3) f",
    ]
    assert complaint.count("Traceback") == 1
    assert "KeyError: 'what one rank alone runs into'\nrank 1 of 2 failed, which" in complaint


def test_a_rank_that_is_killed_ends_the_job():
    code, _, complaint = in_ranks("kill")
    assert code != 0
    assert "rank 1 " in complaint
    assert "signal 9 (Killed)" in complaint
    assert "Traceback" not in complaint


def test_a_rank_with_a_batch_more_is_told():
    code, _, complaint = in_ranks("more")
    assert code == 1
    assert complaint.count("Traceback") == 1
    assert "uneven numbers of batches: rank 1 ended after 2, and rank 0 has one more" in complaint
