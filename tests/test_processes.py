"""Several processes, and how long things take: `multiprocessing`, shares of a batch, `profiler`."""

import json

import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad import multiprocessing as mp
from glassgrad import nn, profiler
from glassgrad.nn.parallel import gather, scatter, scatter_kwargs
from glassgrad.utils.data import DistributedSampler
from in_processes import add_one, count_up


def test_tensors_go_to_a_process_and_back():
    context = mp.get_context("fork")
    queue = context.SimpleQueue()
    process = context.Process(target=add_one, args=(queue, gg.ones(2)))
    process.start()
    assert gg.equal(queue.get(), 2 * gg.ones(2))
    process.join()


def test_shared_memory_is_written_by_processes_that_are_forked():
    model = nn.Linear(2, 1).share_memory()
    shared = gg.zeros(2).share_memory_()
    assert shared.is_shared()
    assert model.weight.is_shared()
    assert not gg.zeros(2).is_shared()
    assert mp.start_processes(count_up, (shared, ""), nprocs=2, start_method="fork") is None
    assert shared.tolist() == [1.0, 1.0]
    loss = model(gg.ones(1, 2)).sum()
    loss.backward()
    assert model.weight.grad.tolist() == [[1.0, 1.0]]


@pytest.mark.parametrize(
    ("how", "kind", "words"),
    [
        ("raise", mp.ProcessRaisedException, "(?s)Process 1 terminated with the.*this one does"),
        ("exit", mp.ProcessExitedException, "terminated with exit code 3"),
    ],
)
def test_a_process_that_fails_says_how(how, kind, words):
    context = mp.start_processes(
        count_up, (gg.zeros(2), how), nprocs=2, join=False, start_method="fork"
    )
    assert len(context.pids()) == 2
    with pytest.raises(kind, match=words):
        context.join()


def test_spawned_processes_import_what_they_run():
    assert mp.spawn(count_up, (gg.zeros(1), "")) is None


def test_strategies_of_sharing_are_accepted():
    mp.set_sharing_strategy("file_system")
    assert mp.get_sharing_strategy() in mp.get_all_sharing_strategies()


# Shares of a batch --------------------------------------------------------------------------------


@pytest.mark.parametrize("drop_last", [False, True])
def test_shares_of_a_data_set_are_those_of_pytorch(drop_last):
    for rank in range(3):
        options = {"num_replicas": 3, "rank": rank, "shuffle": False, "drop_last": drop_last}
        theirs = torch.utils.data.DistributedSampler(range(10), **options)
        ours = DistributedSampler(range(10), **options)
        assert list(ours) == list(theirs)
        assert len(ours) == len(theirs)


def test_shares_in_random_order_are_disjoint_and_change():
    samplers = [DistributedSampler(range(8), num_replicas=2, rank=rank) for rank in (0, 1)]
    first = [list(sampler) for sampler in samplers]
    assert sorted(first[0] + first[1]) == list(range(8))
    samplers[0].set_epoch(1)
    assert list(samplers[0]) != first[0]


@pytest.mark.parametrize("options", [{}, {"num_replicas": 2, "rank": 2}])
def test_a_share_that_is_not_there_is_refused_as_by_pytorch(options):
    words = "Default process group has not" if not options else "Invalid rank 2, rank should be in"
    for sampler in (DistributedSampler, torch.utils.data.DistributedSampler):
        with pytest.raises(ValueError, match=words):
            sampler(range(4), **options)


def test_batches_are_scattered_and_gathered():
    batch = ({"x": gg.arange(6.0).reshape(3, 2)}, [gg.arange(3), "all"])
    shares = scatter(batch, [0, 1])
    assert [share[0]["x"].shape[0] for share in shares] == [2, 1]
    assert [share[1][1] for share in shares] == ["all", "all"]
    again = gather([share[0] for share in shares], "cpu")
    assert gg.equal(again["x"], batch[0]["x"])
    inputs, named = scatter_kwargs((gg.ones(4),), {}, [0, 1])
    assert len(inputs) == len(named) == 2


# How long things take -----------------------------------------------------------------------------


def test_a_profile_has_rows_for_ops_rules_and_blocks(tmp_path):
    model = nn.Linear(3, 2)
    with profiler.profile(activities=[profiler.ProfilerActivity.CPU]) as found:
        with profiler.record_function("model"):
            loss = model(gg.ones(4, 3)).tanh().sum()
        loss.backward()
    rows = {row.key: row for row in found.key_averages()}
    assert {"linear", "Linear.backward", "Linear.forward", "model"} <= set(rows)
    assert rows["model"].count == 1
    assert rows["model"].cpu_time_total >= rows["linear"].cpu_time_total > 0
    table = found.key_averages().table(sort_by="self_cuda_time_total", row_limit=3)
    assert "Self CPU" in table
    assert len(table.splitlines()) == 6
    path = tmp_path / "trace.json"
    found.export_chrome_trace(str(path))
    assert json.loads(path.read_text())["traceEvents"][0]["name"] == "model"


@together
@pytest.mark.parametrize(
    "options",
    [
        {"wait": 1, "warmup": 1, "active": 2, "repeat": 2, "skip_first": 1},
        {"wait": 0, "warmup": 0, "active": 1},
        {"wait": 2, "warmup": 0, "active": 3, "repeat": 1},
    ],
)
@pytest.mark.filterwarnings("ignore:Profiler won't be using warmup")
def test_a_schedule_is_pytorchs(options):
    theirs, ours = torch.profiler.schedule(**options), profiler.schedule(**options)
    assert [ours(n).name for n in range(14)] == [theirs(n).name for n in range(14)]


def test_a_profile_with_a_schedule_tells_when_it_is_ready(tmp_path):
    told = []

    def ready(found):
        told.append((found.step_num, sum(row.count for row in found.key_averages())))
        profiler.tensorboard_trace_handler(str(tmp_path))(found)

    plan = profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
    with profiler.profile(schedule=plan, on_trace_ready=ready) as found:
        for _ in range(6):
            gg.ones(2).exp()
            found.step()
    assert [step for step, _ in told] == [4]  # as in PyTorch: steps that are done
    assert told[0][1] > 0
    assert len(list(tmp_path.iterdir())) == 1
    with pytest.raises(ValueError, match="Invalid profiler schedule arguments"):
        profiler.schedule(wait=-1, warmup=0, active=1)
