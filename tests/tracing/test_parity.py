"""On the same programs PyTorch's nodes and glassgrad's are the same, and run in the same order.

The programs are those of the fuzzer and ten classics. Each is recorded in both libraries, and the
two logs are laid side by side. Where leaves run in a row their order is not compared: they are
ready together, and PyTorch's heap, in which all leaves are of one age, may give any first.
"""

import functools
import random

import numpy as np
import pytest
import torch

import glassgrad
from both import leaf
from checks import together
from fuzz.generator import TAPE, generate
from fuzz.known import FUSED
from fuzz.playing import Player
from glassgrad.tracing.log import record as record_ours
from glassgrad.tracing.torch import record as record_theirs
from random_programs import IN_PLACE, ONE, TWO, Run, Step
from tracing.classics import CLASSICS, in_place_on_a_view, vmap_of_grad

RECORDERS = {"glassgrad": record_ours, "torch": record_theirs}
SEEDS = range(240)
# PyTorch hides what a CopySlices kept, and under vmap keeps a factor once for each sample.
ALIKE_INSIDE = [p for p in CLASSICS if p not in (in_place_on_a_view, vmap_of_grad)]
OTHERWISE = {"grad", "edges", "watch", "multi_hooks"}  # passes that accumulate nothing; watchers


def structure(trace):
    """The graph that the pass ran through: not what it made, where rules may differ."""
    edges = {node["id"]: [edge["to"] for edge in node["edges"]] for node in trace.nodes}
    reached, stack = set(), [output["node"] for output in trace.outputs]
    while stack:
        name = stack.pop()
        if name is not None and name not in reached:
            reached.add(name)
            stack += edges[name]
    return [
        (node["id"], node["op"], [(edge["to"], edge["slot"]) for edge in node["edges"]])
        for node in trace.nodes
        if node["id"] in reached
    ]


def order(trace):
    """The nodes as they ran, leaves in a row sorted."""
    ops = {node["id"]: node["op"] for node in trace.nodes}
    ran = []
    for name in trace.schedule():
        if ops[name] != "AccumulateGrad":
            ran.append(name)
        elif ran and isinstance(ran[-1], list):
            ran[-1] = sorted([*ran[-1], name])
        else:
            ran.append([name])
    return ran


def entering(trace):
    """The gradients that entered each rule, by node."""
    events = (event for event in trace.events if event["type"] == "apply")
    return {event["node"]: [_head(trace, grad) for grad in event["grad_in"]] for event in events}


def accumulated(trace):
    """The gradients of the leaves, as they ended."""
    events = (event for event in trace.events if event["type"] == "accumulate")
    return {event["tensor"]: _head(trace, event["grad"]) for event in events}


def events(trace):
    """What happened, without the numbers; the order in which a rule reads is its own."""
    return [
        [event.get(field) for field in ("type", "node", "tensor", "slot", "have", "need", "edge")]
        for event in trace.events
        if event["type"] not in ("unpack", "free_saved")
    ]


def saved(trace):
    """By node, what it saved, of which leaf, in how many bytes, at which version."""
    fields = ("name", "leaf", "bytes", "version")
    return {
        node["id"]: sorted(tuple(str(s.get(f)) for f in fields) for s in node.get("saved", ()))
        for node in trace.nodes
    }


def _head(trace, grad):
    if grad is None:
        return None
    array = trace.arrays[grad]
    return [float(number) for number in (*array["head"], array["norm"])]


def alike(ours, theirs):
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(alike(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return all(map(alike, ours, theirs))
    if isinstance(ours, float) and isinstance(theirs, float):
        return np.isclose(ours, theirs, rtol=1e-5, atol=1e-7, equal_nan=True)
    return ours is theirs is None


def differences(ours, theirs):
    """What is not the same in two logs, in words."""
    looks = {"structure": structure, "order": order}
    found = [what for what, look in looks.items() if look(ours) != look(theirs)]
    looks = {"gradients entering": entering, "gradients of leaves": accumulated}
    return found + [what for what, look in looks.items() if not alike(look(ours), look(theirs))]


# The fuzzer's programs ---------------------------------------------------------------------------


def recorded(program, library):
    """Play `program` with its passes recorded: the error it ends in, and the traces."""
    player, traces = Player(library), []

    def record(*args, **options):
        traces.append(RECORDERS[library](*args, **options))

    player.names["recorded"] = record
    for position, step in enumerate(program.steps):
        line = step.line.replace("lib.autograd.backward(", "recorded(")
        player.play(step._replace(line=line), position)
        if player.error:
            break
    return player.error, traces


@functools.cache
def side_by_side():
    """(seed, our error and traces, PyTorch's), of programs whose graphs are meant to be equal."""
    found = []
    for seed in SEEDS:
        program = generate(seed, TAPE - OTHERWISE)
        if not any(step.op in FUSED for step in program.steps):
            found.append((seed, recorded(program, "glassgrad"), recorded(program, "torch")))
    return found


def sizable():
    """(seed, our traces, PyTorch's) of the programs with a graph of several ops."""
    for seed, (_, ours), (_, theirs) in side_by_side():
        if any(sum(node["op"] != "AccumulateGrad" for node in t.nodes) > 2 for t in theirs):
            yield seed, ours, theirs


def test_fifty_programs_of_several_ops_are_compared():
    assert len(list(sizable())) >= 50


def test_random_programs_have_the_same_nodes_in_the_same_order_with_the_same_gradients():
    wrong = {}
    for seed, ours, theirs in sizable():
        found = [differences(a, b) for a, b in zip(ours, theirs, strict=True)]
        if any(found):
            wrong[seed] = found
    assert not wrong


def long_program(seed):
    """A list of steps as the tests of the engine play them, with writes in every other one."""
    rng = random.Random(seed)
    ops = ONE + TWO + TWO + (IN_PLACE if seed % 2 else ())
    return [Step(rng.choice(ops), rng.randrange(13), rng.randrange(13)) for _ in range(18)]


def of_long_program(lib, seed, hooked):
    """The trace of a long program; None if it writes over something that was saved."""
    run = Run(lib, long_program(seed), hooked=hooked)
    try:
        return RECORDERS[lib.__name__](run.roots, run.seeds)
    except RuntimeError as error:
        if "modified by an inplace operation" in str(error):
            return None
        raise


@pytest.mark.parametrize("hooked", [False, True], ids=["plain", "with hooks"])
def test_long_programs_have_the_same_nodes_in_the_same_order_with_the_same_gradients(hooked):
    wrong, sizes = {}, []
    for seed in range(60):
        if Run(torch, long_program(seed)).roots:
            ours, theirs = (of_long_program(lib, seed, hooked) for lib in (glassgrad, torch))
            assert (ours is None) == (theirs is None), seed
            if ours is not None and theirs is not None:
                sizes.append(len(theirs.nodes))
                if found := differences(ours, theirs):
                    wrong[seed] = found
    assert not wrong
    assert len(sizes) >= 30
    assert np.median(sizes) >= 8


def test_a_recorded_program_fails_where_the_other_fails():
    wrong = {
        seed: (ours, theirs)
        for seed, (ours, _), (theirs, _) in side_by_side()
        if (ours and ours[0]) != (theirs and theirs[0])
    }
    assert not wrong


@pytest.mark.parametrize("lib", [glassgrad, torch], ids=["glassgrad", "torch"])
def test_a_recorded_pass_uses_up_a_node_that_saved_no_tensor(lib):
    x = leaf(lib, [1.0, 2.0, 3.0])
    loss = (x * 1.0).index_fill(0, lib.tensor([0]), 0.5).sum()
    record = RECORDERS[lib.__name__]
    record(loss)
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        record(loss)


# The classics ------------------------------------------------------------------------------------


@together
@pytest.mark.parametrize("program", CLASSICS, ids=lambda program: program.__name__)
def test_a_classic_has_the_same_nodes_in_the_same_order_with_the_same_gradients(program):
    (our_leaves, our_loss), (their_leaves, their_loss) = program(glassgrad), program(torch)
    ours, theirs = record_ours(our_loss), record_theirs(their_loss)
    assert len(theirs.nodes) >= 3
    assert structure(ours) == structure(theirs)
    assert order(ours) == order(theirs)
    assert differences(ours, theirs) == []
    for a, b in zip(our_leaves, their_leaves, strict=True):
        np.testing.assert_allclose(a.grad.numpy(), b.grad.numpy(), rtol=1e-10, atol=1e-14)


@together
@pytest.mark.parametrize("program", CLASSICS, ids=lambda program: program.__name__)
def test_a_classic_has_the_same_events_in_the_same_order(program):
    ours, theirs = record_ours(program(glassgrad)[1]), record_theirs(program(torch)[1])
    assert events(ours) == events(theirs)


@together
@pytest.mark.parametrize("program", ALIKE_INSIDE, ids=lambda program: program.__name__)
def test_a_classic_has_the_same_saved_tensors(program):
    ours, theirs = record_ours(program(glassgrad)[1]), record_theirs(program(torch)[1])
    assert saved(ours) == saved(theirs)


def test_a_planted_difference_is_found():
    _, theirs = CLASSICS[0](torch)
    x, w, b = CLASSICS[0](glassgrad)[0]
    swapped = (b + (x * w).sum()).tanh()
    assert differences(record_ours(swapped), record_theirs(theirs)) == ["structure"]
    longer = ((x * w).sum() + b).tanh() * 1.0
    assert "order" in differences(record_ours(longer), record_theirs(CLASSICS[0](torch)[1]))
