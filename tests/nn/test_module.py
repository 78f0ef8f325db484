"""Modules own what is assigned to them, find it by name, and run."""

import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad import nn
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, HookError, MissingRuleError
from nn.blocks import Block, TorchBlock, names, nested

# Names


@together
@pytest.mark.parametrize(
    "walk",
    ["named_parameters", "named_buffers", "named_modules", "named_children"],
)
def test_every_walk_gives_pytorchs_names_in_pytorchs_order(walk):
    ours, theirs = nested(gg, Block()), nested(torch, TorchBlock())
    assert names(getattr(ours, walk)()) == names(getattr(theirs, walk)())


@together
@pytest.mark.parametrize("walk", ["named_parameters", "named_buffers"])
@pytest.mark.parametrize(
    "options",
    [{"recurse": False}, {"prefix": "net"}, {"remove_duplicate": False}],
)
def test_walks_take_pytorchs_options(walk, options):
    ours, theirs = nested(gg, Block()), nested(torch, TorchBlock())
    ours.top, theirs.top = nn.Parameter(gg.ones(1)), torch.nn.Parameter(torch.ones(1))
    assert names(getattr(ours, walk)(**options)) == names(getattr(theirs, walk)(**options))


def test_named_modules_take_a_prefix_and_keep_duplicates():
    ours, theirs = nested(gg, Block()), nested(torch, TorchBlock())
    for options in ({"prefix": "net"}, {"remove_duplicate": False}):
        assert names(ours.named_modules(**options)) == names(theirs.named_modules(**options))


def test_what_is_shared_comes_once():
    block = Block()
    tree = nested(gg, block)
    assert sum(parameter is block.scale for parameter in tree.parameters()) == 1
    assert sum(module is block for module in tree.modules()) == 1
    assert len(list(tree.children())) == 2
    assert len(list(tree.buffers())) == 2


def test_assigning_moves_a_name_from_one_kind_to_another():
    module = nn.Module()
    module.part = "text"
    module.part = nn.Parameter(gg.ones(1))
    assert names(module.named_parameters()) == ["part"]
    assert "part" not in vars(module)
    module.part = nn.ReLU()
    assert names(module.named_parameters()) == []
    assert names(module.named_children()) == ["part"]


def test_none_empties_a_slot_and_keeps_it():
    block = Block()
    block.scale = None
    block.act = None
    assert block.scale is None
    block.scale = nn.Parameter(gg.ones(1))
    assert "scale" in names(block.named_parameters())


def test_a_buffer_can_be_assigned_anew():
    block = Block()
    block.mean = gg.ones(3)
    assert dict(block.named_buffers())["mean"].tolist() == [1, 1, 1]


def test_names_can_be_deleted():
    block = Block()
    for name in ("inner", "scale", "mean", "label"):
        delattr(block, name)
        assert not hasattr(block, name)
    with pytest.raises(AttributeError):
        del block.nowhere


def test_dir_lists_what_is_filed():
    assert {"inner", "scale", "mean", "label"} <= set(dir(Block()))


def test_an_unknown_attribute_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'Block' object has no attribute 'scael'"):
        _ = Block().scael


@pytest.mark.parametrize("part", ["parameters", "module"])
def test_assigning_before_init_says_what_is_missing(part):
    class Hasty(nn.Module):
        def __init__(self):
            self.x = nn.Parameter(gg.ones(1)) if part == "parameters" else nn.ReLU()

    with pytest.raises(AttributeError, match=rf"cannot assign {part} before Module.__init__\(\)"):
        Hasty()


@together
@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (lambda m: setattr(m, "scale", gg.ones(1)), ArgumentTypeError, "as parameter 'scale'"),
        (lambda m: setattr(m, "inner", 3), ArgumentTypeError, "as child module 'inner'"),
        (lambda m: setattr(m, "mean", 3), ArgumentTypeError, "to buffer 'mean'"),
        (lambda m: m.register_parameter("p", gg.ones(1)), ArgumentTypeError, "to parameter 'p'"),
        (lambda m: m.register_parameter("a.b", None), KeyError, "parameter name can't contain"),
        (lambda m: m.register_parameter("", None), KeyError, "can't be empty string"),
        (lambda m: m.register_parameter("label", None), KeyError, "'label' already exists"),
        (lambda m: m.register_parameter(3, None), ArgumentTypeError, "should be a string. Got int"),
        (lambda m: m.register_buffer("scale", None), KeyError, "'scale' already exists"),
        (lambda m: m.register_buffer("b", 3), ArgumentTypeError, "to buffer 'b'"),
        (lambda m: m.register_buffer("a.b", None), KeyError, "buffer name can't contain"),
        (lambda m: m.add_module("m", 3), ArgumentTypeError, "int is not a Module subclass"),
        (lambda m: m.add_module("scale", None), KeyError, "'scale' already exists"),
    ],
)
def test_what_cannot_be_filed_is_refused_and_nothing_changes(change, error, words):
    block = Block()
    before = [names(block.named_parameters()), names(block.named_buffers()), dir(block)]
    with pytest.raises(error, match=words):
        change(block)
    assert [names(block.named_parameters()), names(block.named_buffers()), dir(block)] == before


# Calling, and hooks


def test_calling_runs_forward():
    block = Block()
    x = gg.ones(4, 2)
    assert block(x, shift=1.0).shape == (4, 3)


def test_a_module_without_forward_says_so():
    with pytest.raises(MissingRuleError, match=r'\[Module\] is missing the required "forward"'):
        nn.Module()(1)


def record_hooks(lib, module, x):
    """Register hooks of all kinds, run, and return what they were called with, in order."""
    seen = []

    def add_one(module, args):
        seen.append("add_one")
        return args[0] + 1

    def first(module, args):
        seen.append("first")

    def with_kwargs(module, args, kwargs):
        seen.append(("with_kwargs", dict(kwargs)))
        return args, {"shift": 10.0}

    def after(module, args, output):
        seen.append("after")
        return output * 2

    def after_with_kwargs(module, args, kwargs, output):
        seen.append(("after_with_kwargs", dict(kwargs)))

    module.register_forward_pre_hook(add_one)
    module.register_forward_pre_hook(first, prepend=True)
    module.register_forward_pre_hook(with_kwargs, with_kwargs=True)
    module.register_forward_hook(after)
    module.register_forward_hook(after_with_kwargs, prepend=True, with_kwargs=True)
    return module(lib.tensor(x), shift=0.5).tolist(), seen


def test_hooks_run_in_pytorchs_order_and_replace_as_there():
    class Ours(nn.Module):
        def forward(self, x, shift):
            return x + shift

    class Theirs(torch.nn.Module):
        def forward(self, x, shift):
            return x + shift

    ours = record_hooks(gg, Ours(), [1.0])
    assert ours == record_hooks(torch, Theirs(), [1.0])
    assert ours[0] == [24.0]


def test_a_removed_hook_is_gone():
    module = nn.Identity()
    handle = module.register_forward_hook(lambda module, args, output: output + 1)
    assert module(gg.tensor(1.0)).item() == 2.0
    handle.remove()
    assert module(gg.tensor(1.0)).item() == 1.0


def test_a_hook_may_remove_itself_while_it_runs():
    module = nn.Identity()
    calls = []

    def once(module, args, output):
        calls.append(1)
        handle.remove()

    handle = module.register_forward_hook(once)
    module.register_forward_hook(lambda *args: calls.append(2))
    module(1)
    module(1)
    assert calls == [1, 2, 2]


def test_a_pre_hook_that_returns_nonsense_is_named():
    module = nn.Identity()
    module.register_forward_pre_hook(lambda m, args, kwargs: 3, with_kwargs=True)
    with pytest.raises(HookError, match=r"None or a tuple of \(new_args, new_kwargs\), but got 3"):
        module(1)


def test_a_hook_must_be_callable():
    with pytest.raises(ArgumentTypeError, match="must be callable, not int"):
        nn.Identity().register_forward_hook(3)


# Modes


def test_train_and_eval_reach_every_module():
    tree = nested(gg, Block())
    assert tree.eval() is tree
    assert not any(module.training for module in tree.modules())
    assert all(module.training for module in tree.train().modules())


def test_training_mode_is_a_boolean():
    tree = nested(gg, Block())
    with pytest.raises(ArgumentError, match="training mode is expected to be boolean"):
        tree.train("yes")
    assert tree.training


def test_requires_grad_reaches_every_parameter():
    block = Block()
    assert block.requires_grad_(False) is block
    assert not any(parameter.requires_grad for parameter in block.parameters())
    assert block(gg.ones(1, 2)).requires_grad is False


def test_zero_grad_forgets_or_fills():
    block = Block()
    block(gg.ones(1, 2)).sum().backward()
    grad = block.inner.weight.grad
    block.zero_grad(set_to_none=False)
    assert grad.tolist() == [[0, 0]] * 3
    block.zero_grad()
    assert all(parameter.grad is None for parameter in block.parameters())


def test_apply_goes_from_the_leaves_up():
    visited = []
    tree = nn.Sequential(nn.Sequential(nn.Tanh()), nn.ReLU())
    assert tree.apply(lambda module: visited.append(type(module).__name__)) is tree
    assert visited == ["Tanh", "Sequential", "ReLU", "Sequential"]


def test_a_model_may_be_nested_deeper_than_the_stack():
    deep = leaf = nn.Linear(1, 1)
    for _ in range(600):
        deep = nn.Sequential(deep)
    seen = []
    deep.apply(seen.append)
    assert (len(seen), seen[0], seen[-1]) == (601, leaf, deep)
    assert repr(deep).count("Sequential(") == 600
    state = deep.state_dict()
    assert list(state) == ["0." * 600 + "weight", "0." * 600 + "bias"]
    state["0." * 600 + "bias"] = gg.tensor([7.0])
    deep.load_state_dict(state)
    assert leaf.bias.item() == 7.0


@pytest.mark.parametrize("lib", [gg, torch])
def test_a_parameter_that_was_computed_goes_on_to_require_grad(lib):
    module = lib.nn.Linear(2, 1, bias=False).requires_grad_(False)
    module.weight.mul_(lib.ones(1, requires_grad=True))
    assert module.requires_grad_(True).weight.requires_grad
    with pytest.raises(RuntimeError, match="only change requires_grad flags of leaf"):
        module.requires_grad_(False)
