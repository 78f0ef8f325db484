"""Modules: moving to another dtype, saving and loading, copies, and how they print."""

import copy
import pickle

import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad import nn
from glassgrad.core.errors import ArgumentTypeError, GraphError
from nn.blocks import Block, TorchBlock, nested

# Moving


@together
@pytest.mark.parametrize(
    "convert",
    [
        lambda m: m.double(),
        lambda m: m.to(gg.float64),
        lambda m: m.to("cpu", gg.float64),
        lambda m: m.to(dtype="float64"),
        lambda m: m.to(gg.zeros(1, dtype=gg.float64)),
    ],
)
def test_a_dtype_reaches_parameters_gradients_and_buffers(convert):
    block = Block()
    block.register_buffer("count", gg.tensor(3))
    block(gg.ones(1, 2)).sum().backward()
    weight = block.inner.weight
    assert convert(block) is block
    assert block.inner.weight is weight
    assert weight.dtype is weight.grad.dtype is block.mean.dtype is gg.float64
    assert block.count.dtype is gg.int64
    assert weight.requires_grad


def test_half_and_float_and_cpu():
    block = Block()
    assert block.half().scale.dtype is gg.float16
    assert block.float().cpu().scale.dtype is gg.float32


def test_whole_numbers_are_no_dtype_for_a_module():
    block = Block()
    with pytest.raises(ArgumentTypeError, match="only accepts floating point or complex dtypes"):
        block.to(gg.int64)
    assert block.scale.dtype is gg.float32


# State


def test_a_state_dict_has_pytorchs_names_and_shares_memory():
    ours, theirs = nested(gg, Block()), nested(torch, TorchBlock())
    state = ours.state_dict()
    assert list(state) == list(theirs.state_dict())
    assert not any(tensor.requires_grad for tensor in state.values())
    state["0.scale"].fill_(7.0)
    assert ours[0].scale.item() == 7.0


def test_a_state_dict_can_keep_the_tensors_and_take_a_prefix():
    block = Block()
    state = block.state_dict(prefix="net.", keep_vars=True)
    assert state["net.scale"] is block.scale
    kept = {"a": gg.ones(1)}
    assert block.state_dict(destination=kept) is kept
    assert "scale" in kept


def test_loading_copies_the_values():
    source, target = Block(), Block()
    weight = target.inner.weight
    result = target.load_state_dict(source.state_dict())
    assert repr(result) == "<All keys matched successfully>"
    assert target.inner.weight is weight
    assert weight.tolist() == source.inner.weight.tolist()
    assert weight.requires_grad


def test_loading_can_assign():
    source, target = Block(), Block()
    state = source.state_dict()
    target.load_state_dict(state, assign=True)
    assert target.inner.weight.payload is state["inner.weight"].payload
    assert isinstance(target.inner.weight, nn.Parameter)
    assert target.mean is state["mean"]


def test_a_missing_and_a_foreign_name_are_listed_and_nothing_is_loaded():
    target = nn.Linear(3, 2)
    before = target.weight.tolist()
    with pytest.raises(GraphError) as caught:
        target.load_state_dict({"weight": gg.ones(2, 3), "foo": gg.ones(1)})
    assert str(caught.value).startswith(
        "Error(s) in loading state_dict for Linear:\n"
        '\tMissing key(s) in state_dict: "bias". \n'
        '\tUnexpected key(s) in state_dict: "foo". \n'
    )
    assert target.weight.tolist() == before


def test_a_wrong_shape_is_named_even_if_not_strict():
    with pytest.raises(
        GraphError,
        match=r"size mismatch for weight: copying a param with shape glassgrad.Size\(\[3, 3\]\) "
        r"from checkpoint, the shape in current model is glassgrad.Size\(\[2, 3\]\)",
    ):
        nn.Linear(3, 2).load_state_dict({"weight": gg.ones(3, 3)}, strict=False)


def test_not_strict_loads_what_matches_and_reports_the_rest():
    target = nn.Linear(3, 2)
    result = target.load_state_dict({"weight": gg.ones(2, 3), "foo": gg.ones(1)}, strict=False)
    assert result.missing_keys == ["bias"]
    assert result.unexpected_keys == ["foo"]
    assert repr(result) == "_IncompatibleKeys(missing_keys=['bias'], unexpected_keys=['foo'])"
    assert target.weight.tolist() == [[1, 1, 1]] * 2


def test_only_a_dict_of_tensors_can_be_loaded():
    with pytest.raises(ArgumentTypeError, match="Expected state_dict to be dict-like"):
        nn.Linear(1, 1).load_state_dict([1])
    with pytest.raises(GraphError, match='parameter named "bias", expected a Tensor'):
        nn.Linear(1, 1).load_state_dict({"weight": gg.ones(1, 1), "bias": 3})


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_are_equal_and_separate(copied):
    block = Block()
    twin = copied(block)
    assert repr(twin) == repr(block)
    assert isinstance(twin.scale, nn.Parameter)
    assert twin.state_dict().keys() == block.state_dict().keys()
    assert twin(gg.ones(1, 2)).tolist() == block(gg.ones(1, 2)).tolist()
    with gg.no_grad():
        twin.scale.fill_(9.0)
    assert block.scale.item() == 2.0


# In print


def test_the_repr_is_pytorchs():
    ours, theirs = nested(gg, Block()), nested(torch, TorchBlock())
    assert repr(ours) == repr(theirs).replace("TorchBlock", "Block")


def test_a_long_extra_repr_takes_lines_of_its_own():
    class Wordy(nn.Module):
        def extra_repr(self):
            return "one\ntwo"

    assert repr(Wordy()) == "Wordy(\n  one\n  two\n)"


@pytest.mark.parametrize("lib", [gg, torch])
def test_a_module_of_an_older_program_gets_what_it_lacks(lib):
    state = dict(vars(lib.nn.Linear(2, 1)))
    for name in ("_state_dict_pre_hooks", "_non_persistent_buffers_set"):
        del state[name]
    made = lib.nn.Linear.__new__(lib.nn.Linear)
    made.__setstate__(state)
    assert list(made.state_dict()) == ["weight", "bias"]
    assert made(lib.ones(2)).shape == (1,)


@pytest.mark.parametrize("lib", [gg, torch])
def test_hooks_by_their_older_names_change_a_state_that_is_saved_or_loaded(lib):
    class Renamed(lib.nn.Linear):
        def __init__(self):
            super().__init__(2, 2)
            self._register_load_state_dict_pre_hook(self.rename)
            self._register_state_dict_hook(lambda module, state, *_: {**state, "tag": module.bias})

        def rename(self, state, prefix, *_):
            state.pop("tag", None)
            state[prefix + "weight"] = state.pop("old", state.get("weight"))

    module = Renamed()
    state = module.state_dict()
    assert list(state) == ["weight", "bias", "tag"]
    state["old"] = state.pop("weight") + 1
    Renamed().load_state_dict(state)
    module._register_load_state_dict_pre_hook(lambda m, *_: m.train(False), with_module=True)
    module.load_state_dict(state)
    assert not module.training
    assert lib.equal(module.weight, state["old"])
