"""Every workload once, very small: all contenders run and arrive at the same numbers."""

import gc
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from benchmarks import threads
from benchmarks.catalogue import CATALOGUE
from benchmarks.contenders import has
from benchmarks.effort import EFFORTS
from benchmarks.goals import GOALS
from benchmarks.records import Outcome

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def outcomes():
    """One tiny run of everything, here, where PyTorch is loaded already; and through JSON."""
    found = {}
    with warnings.catch_warnings(action="ignore"):  # what the peers say is their own
        gc.collect()
        gc.freeze()  # each sample looks for garbage: not in what was there before
        for key, workload in CATALOGUE.items():
            found[key] = Outcome.from_json(workload.measure(EFFORTS["tiny"]).to_json())
    return found


@pytest.mark.parametrize("key", CATALOGUE)
def test_all_contenders_arrive_at_the_same_numbers(outcomes, key):
    failures = {
        f"{row.title}: {row.contender}": row.failure
        for row in outcomes[key].timings
        if row.failure is not None
    }
    assert failures == {}


@pytest.mark.parametrize("key", CATALOGUE)
def test_glassgrad_and_torch_are_in_every_workload(outcomes, key):
    names = {row.contender.partition(",")[0] for row in outcomes[key].timings}
    assert {"glassgrad", "torch"} <= names


@pytest.mark.parametrize("peer", ["autograd", "mygrad"])
def test_an_installed_peer_is_in_the_first_table(outcomes, peer):
    row = {"autograd": "HIPS autograd", "mygrad": "MyGrad"}[peer]
    assert (row in {timing.contender for timing in outcomes["W1"].timings}) == has(peer)


def test_a_folder_on_the_path_is_no_peer(tmp_path, monkeypatch):
    (tmp_path / "peer_of_that_name").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert not has("peer_of_that_name")


def test_every_goal_is_measured_by_the_workload_it_names(outcomes):
    for goal in GOALS:
        assert outcomes[goal.name.split()[0]].measures[goal.name] is not None, goal.name


def test_nothing_is_left_for_the_collector(outcomes):
    assert outcomes["W3"].measures["W3 objects left for gc"].median == 0


@pytest.mark.parametrize("size", ["1×32×2", "64×32×7", "512×32×7", "64×128×7"])
def test_the_fewer_words_for_a_trajectory_the_fewer_nodes(outcomes, size):
    nodes = {
        row.contender: row.nodes for row in outcomes["W11"].timings if f" {size}," in row.title
    }
    per_sample, samples = 7, int(size.split("×")[1])
    loop = per_sample * (samples - 1) + 12  # four stacks, four sums, three additions and a leaf
    forms = ("loop of steps", "slices", "matrices", "matrix Function", "fused")
    counted = [nodes[f"glassgrad, {form}"] for form in forms]
    assert counted == [loop, 25, 13, 9, 9]
    assert all(nodes[f"torch, {form}"] >= nodes[f"glassgrad, {form}"] for form in forms)
    assert nodes["NumPy"] is None


def test_a_trajectory_is_set_beside_torchs_fastest_form(outcomes):
    rows = [row for row in outcomes["W11"].timings if " 64×32×7," in row.title]
    by_torch = {row.contender: row for row in rows if row.contender.startswith("torch")}
    fastest = min(by_torch.values(), key=lambda row: row.value.median)
    assert fastest.to_torch.median == 1.0
    (fused,) = [row for row in rows if row.contender == "glassgrad, fused"]
    assert outcomes["W11"].measures["W11 64×32×7 / best torch"] == fused.to_torch


def test_threads_are_pinned_for_whoever_imports_numpy_next():
    assert all(os.environ[variable] == "1" for variable in threads.VARIABLES)


def test_a_measurement_refuses_a_numpy_that_came_before_the_pin():
    program = "import numpy\nfrom benchmarks import threads\nthreads.require_pinned()\n"
    command = [sys.executable, "-c", program]
    child = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "numpy was imported before the benchmark pinned" in child.stderr
