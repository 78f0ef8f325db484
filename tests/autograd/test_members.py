"""The members that PyTorch lists of `Function`: on the class, and on its nodes."""

import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad.autograd import Function
from glassgrad.hooks.on_gradients import Hooks
from users import Twice

MEMBERS = [
    "apply",
    "forward",
    "backward",
    "setup_context",
    "jvp",
    "vjp",
    "vmap",
    "generate_vmap_rule",
    "save_for_backward",
    "save_for_forward",
    "saved_tensors",
    "saved_variables",
    "saved_for_forward",
    "to_save",
    "mark_dirty",
    "dirty_tensors",
    "mark_non_differentiable",
    "non_differentiable",
    "set_materialize_grads",
    "materialize_grads",
    "needs_input_grad",
    "metadata",
    "name",
    "next_functions",
    "register_hook",
    "register_prehook",
    "requires_grad",
    "maybe_clear_saved_tensors",
    "_backward_cls",
    "_raw_saved_tensors",
    "_register_hook",
    "_register_hook_dict",
    "_sequence_nr",
    "_set_sequence_nr",
    "_input_metadata",
    "_materialize_non_diff_grads",
]


class Double(Twice):
    """One with a name of its own."""


@pytest.fixture
def output():
    return Double.apply(gg.ones(2, requires_grad=True))


@together
@pytest.mark.parametrize("name", MEMBERS)
def test_the_class_has_each(name):
    assert hasattr(Double, name)
    assert hasattr(Function, name)


@together
@pytest.mark.parametrize("name", MEMBERS)
def test_pytorch_s_class_has_it_too(name):
    assert hasattr(torch.autograd.Function, name) or name == "_backward_cls"


def test_what_nobody_has_is_an_attribute_error():
    with pytest.raises(
        AttributeError, match="type object 'Double' has no attribute 'saved_tensor'"
    ):
        _ = Double.saved_tensor


def test_a_node_requires_grad_and_has_the_number_that_is_set(output):
    node = output.grad_fn
    assert node.requires_grad
    node._set_sequence_nr(5)
    assert node._sequence_nr() == 5


def test_saved_tensors_go_if_the_class_says_so(output):
    output.grad_fn.maybe_clear_saved_tensors()
    assert len(output.grad_fn.saved_tensors) == 1

    class Once(Double):
        clear_saved_tensors_on_access = True

    node = Once.apply(gg.ones(2, requires_grad=True)).grad_fn
    node.maybe_clear_saved_tensors()
    assert node._raw_saved_tensors == ()


def test_hooks_by_the_old_calls(output):
    hooks, handle = Double._register_hook(None, print)
    assert isinstance(hooks, Hooks)
    assert list(hooks.values()) == [print]
    assert Double._register_hook(hooks, repr)[0] is hooks
    handle.remove()
    assert list(hooks.values()) == [repr]
    output.grad_fn._register_hook_dict(output)
    with pytest.raises(TypeError, match="expected a Tensor, got dict"):
        output.grad_fn._register_hook_dict({})
    with pytest.raises(RuntimeError, match="A node runs the hooks of its own outputs"):
        output.grad_fn._register_hook_dict(gg.ones(1))
