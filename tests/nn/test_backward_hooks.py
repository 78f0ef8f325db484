"""Backward hooks of modules: what they see, what they may change, when they run."""

import gc
import warnings
import weakref

import pytest

import glassgrad
from both import leaf, plain, values
from checks import together


def module(lib, forward, **parameters):
    """A module of the given forward and parameters."""
    made = type("Made", (lib.nn.Module,), {"forward": forward})()
    for name, value in parameters.items():
        setattr(made, name, lib.nn.Parameter(value))
    return made


def watch(made):
    """Log the gradients that the hooks of a module see."""
    log = []
    made.register_full_backward_pre_hook(lambda m, gout: log.append(("before", values(gout))))
    made.register_full_backward_hook(
        lambda m, gin, gout: log.append(("after", values(gin), values(gout)))
    )
    return log


def two(self, x, y, *, shift=0):
    return x * 2 + shift, y * 3


# What they see -----------------------------------------------------------------------------------


def test_hooks_see_the_gradients_of_inputs_and_outputs(lib):
    made = module(lib, lambda self, x: x * 2)
    log = watch(made)
    x = leaf(lib, [1.0, 2.0])
    y = made(x)
    assert y.grad_fn.name() == "BackwardHookFunctionBackward"
    y.sum().backward()
    assert log == [("before", [[1.0, 1.0]]), ("after", [[2.0, 2.0]], [[1.0, 1.0]])]
    assert x.grad.tolist() == [2.0, 2.0]


def test_an_output_that_does_not_require_grad_has_none(lib):
    made = module(lib, two)
    log = watch(made)
    a, b = made(leaf(lib, [1.0]), plain(lib, [1.0]), shift=3)
    assert not b.requires_grad
    a.backward()
    assert log == [("before", [[1.0], None]), ("after", [[2.0], [0.0]], [[1.0], None])]


def test_an_output_that_is_not_used_has_a_gradient_of_zero_further_down(lib):
    made = module(lib, two)
    log = watch(made)
    x, y = leaf(lib, [1.0]), leaf(lib, [1.0])
    made(x, y)[1].backward()
    assert log == [("before", [None, [1.0]]), ("after", [[0.0], [3.0]], [None, [1.0]])]


def test_outputs_that_are_no_tensors_pass_by(lib):
    made = module(lib, lambda self, x: (x * 2, 3, None))
    log = watch(made)
    y, three, nothing = made(leaf(lib, [1.0]))
    assert (three, nothing) == (3, None)
    y.backward()
    assert log[1] == ("after", [[2.0]], [[1.0], None, None])


def test_a_module_called_twice_has_hooks_for_each_call(lib):
    made = module(lib, lambda self, x: x * 2)
    log = watch(made)
    made(made(leaf(lib, [1.0]))).backward()
    assert [entry[1] for entry in log if entry[0] == "after"] == [[[2.0]], [[4.0]]]


def test_hooks_run_in_every_pass(lib):
    made = module(lib, lambda self, x: x * 2)
    log = watch(made)
    y = made(leaf(lib, [1.0]))
    y.backward(retain_graph=True)
    y.backward()
    assert len(log) == 4


def test_without_an_input_that_requires_grad_the_hooks_run_at_the_output_and_warn(lib):
    made = module(lib, lambda self, x: x * self.w, w=plain(lib, [2.0]))
    log = watch(made)
    y = made(plain(lib, [1.0]))
    with pytest.warns(UserWarning, match="Full backward hook is firing"):
        y.backward()
    assert log == [("before", [[1.0]]), ("after", [None], [[1.0]])]
    assert made.w.grad.tolist() == [1.0]


def test_the_hooks_run_only_if_the_gradient_of_an_input_is_wanted(lib):
    made = module(lib, lambda self, x: x * self.w, w=plain(lib, [2.0]))
    log = watch(made)
    x = leaf(lib, [3.0])
    lib.autograd.grad(made(x), made.w)
    assert [entry[0] for entry in log] == ["before"]
    lib.autograd.grad(made(x), x)
    assert [entry[0] for entry in log] == ["before", "before", "after"]


def test_a_second_differentiation_that_goes_past_the_output_runs_no_hooks(lib):
    loss = lib.nn.MSELoss()
    count = []
    loss.register_full_backward_hook(lambda *_: count.append(1))
    x = leaf(lib, [1.0, 2.0])
    (first,) = lib.autograd.grad(loss(x, plain(lib, [0.0, 0.0])), x, create_graph=True)
    lib.autograd.grad(first.sum(), x)
    assert len(count) == 1


def test_forward_hooks_are_inside(lib):
    made = module(lib, lambda self, x: x * 2)
    log = watch(made)
    seen = []
    made.register_forward_hook(lambda m, args, out: seen.append(out.grad_fn.name()))
    made.register_forward_pre_hook(lambda m, args: seen.append(args[0].is_leaf))
    made(leaf(lib, [1.0])).backward()
    assert seen == [True, "MulBackward0"]
    assert len(log) == 2


def test_without_recording_there_is_no_node(lib):
    made = module(lib, lambda self, x: x * 2)
    log = watch(made)
    with lib.no_grad():
        assert not made(leaf(lib, [1.0])).requires_grad
    assert not made(plain(lib, [1.0])).requires_grad
    assert log == []


# What they may change ----------------------------------------------------------------------------


def test_a_hook_may_replace_the_gradients_of_the_inputs(lib):
    made = module(lib, lambda self, x: x * 2)
    made.register_full_backward_hook(lambda m, gin, gout: (gin[0] * 10,))
    made.register_full_backward_hook(lambda m, gin, gout: (gin[0] + 1,))
    x = leaf(lib, [1.0])
    made(x).backward()
    assert x.grad.tolist() == [21.0]


def test_a_prehook_may_replace_the_gradients_of_the_outputs(lib):
    made = module(lib, lambda self, x: x * 2)
    made.register_full_backward_pre_hook(lambda m, gout: (gout[0] * 10,))
    log = watch(made)
    x = leaf(lib, [1.0])
    made(x).backward()
    assert x.grad.tolist() == [20.0]
    assert log[1] == ("after", [[20.0]], [[10.0]])


@together
@pytest.mark.parametrize("result", [lambda gin: (gin[0], gin[0]), lambda gin: ()])
def test_a_hook_must_return_as_many_as_it_got(lib, result):
    x = leaf(lib, [1.0])
    made = module(lib, lambda self, x: x * 2)
    handle = made.register_full_backward_hook(lambda m, gin, gout: result(gin))
    with pytest.raises(RuntimeError, match=r"invalid number of grad_input, got ., but expected 1"):
        made(x).backward()
    handle.remove()
    made.register_full_backward_pre_hook(lambda m, gout: result(gout))
    with pytest.raises(RuntimeError, match=r"invalid number of grad_output, got ., but expected 1"):
        made(x).backward()


def test_a_hook_must_return_something_with_entries(lib):
    made = module(lib, lambda self, x: x * 2)
    made.register_full_backward_hook(lambda m, gin, gout: 3)
    with pytest.raises(TypeError, match="int"):
        made(leaf(lib, [1.0])).backward()


def test_where_no_input_has_a_gradient_there_is_none_to_replace(lib):
    made = module(lib, lambda self, x: x * self.w, w=plain(lib, [2.0]))
    made.register_full_backward_hook(lambda m, gin, gout: (gout[0],))
    with (
        pytest.warns(UserWarning, match="is firing"),
        pytest.raises(RuntimeError, match="should always return None"),
    ):
        made(plain(lib, [1.0])).backward()


# When they run -----------------------------------------------------------------------------------


def test_hooks_run_in_the_order_of_registration_or_in_front(lib):
    made = module(lib, lambda self, x: x * 2)
    log = []
    for name, first in (("a", False), ("b", False), ("c", True)):
        made.register_full_backward_hook(lambda *_, n=name: log.append(n), prepend=first)
        made.register_full_backward_pre_hook(
            lambda *_, n=name: log.append("pre " + n), prepend=first
        )
    made(leaf(lib, [1.0])).backward()
    assert log == ["pre c", "pre a", "pre b", "c", "a", "b"]


def test_a_removed_hook_no_longer_hangs_on_later_calls(lib):
    made = module(lib, lambda self, x: x * 2)
    log = []
    handle = made.register_full_backward_hook(lambda *_: log.append("ran"))
    x = leaf(lib, [1.0])
    y = made(x)
    handle.remove()
    made(x).backward()
    assert log == []
    y.backward()
    assert log == ["ran"]


@together
@pytest.mark.parametrize("output", [lambda x: [x * 2], lambda x: {"y": x * 2}, lambda x: 3])
def test_only_tensors_and_tuples_have_backward_hooks(lib, output):
    made = module(lib, lambda self, x: output(x))
    watch(made)
    with pytest.warns(UserWarning, match="module output should be a Tensor or a tuple of Tensors"):
        made(leaf(lib, [1.0]))


def test_what_passed_a_hook_cannot_be_written_in_place(lib):
    made = module(lib, lambda self, x: x * 2)
    watch(made)
    y = made(leaf(lib, [1.0]))
    with pytest.raises(RuntimeError, match="Output 0 of BackwardHookFunction is a view"):
        y.add_(1)


def test_an_exception_in_a_hook_leaves_the_module_usable(lib):
    made = module(lib, lambda self, x: x * 2)

    def refuse(*_):
        raise KeyError("no")

    handle = made.register_full_backward_hook(refuse)
    x = leaf(lib, [1.0])
    with pytest.raises(KeyError):
        made(x).backward()
    handle.remove()
    made(x).backward()
    assert x.grad.tolist() == [2.0]


def test_a_call_with_hooks_leaves_nothing_behind():
    made = module(glassgrad, lambda self, x: x * 2)
    watch(made)
    gc.disable()
    try:
        x = leaf(glassgrad, [1.0])
        y = made(x)
        alive = weakref.ref(y.grad_fn)
        y.backward()
        del y
        assert alive() is None
    finally:
        gc.enable()


def test_modules_without_hooks_pay_nothing():
    made = module(glassgrad, lambda self, x: x * 2)
    assert made(leaf(glassgrad, [1.0])).grad_fn.name() == "MulBackward0"


def test_what_is_no_function_is_no_hook():
    made = module(glassgrad, lambda self, x: x * 2)
    with pytest.raises(TypeError, match="must be callable"):
        made.register_full_backward_hook(3)
    with pytest.raises(TypeError, match="must be callable"):
        made.register_full_backward_pre_hook(3)


def test_the_old_form_sees_the_last_op_and_warns(lib):
    seen = []
    made = module(lib, lambda self, x: x.exp() * 2)
    made.register_backward_hook(lambda module, gin, gout: seen.append((gin[0], gout[0])))
    with pytest.warns(FutureWarning, match="multiple autograd Nodes"):
        made(leaf(lib, [1.0])).backward()
    assert [[grad.item() for grad in pair] for pair in seen] == [[2.0, 1.0]]


def test_the_old_form_and_the_full_one_do_not_mix(lib):
    made = module(lib, lambda self, x: x * 2)
    made.register_backward_hook(lambda *_: None)
    with pytest.raises(RuntimeError, match="Cannot use both regular backward hooks and full"):
        made.register_full_backward_hook(lambda *_: None)


def test_no_warning_comes_without_a_reason(lib):
    made = module(lib, lambda self, x: x * 2)
    watch(made)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made(leaf(lib, [1.0])).backward()


@together
@pytest.mark.parametrize(
    ("forward", "words"),
    [
        (lambda self, x: {"y": x * 1}, "does not return a single Tensor or a tuple of Tensors"),
        (lambda self, x, _: x * 1, "does not take as input a single Tensor or a tuple of Tens"),
        (lambda self, x: (x * 1, x * 2), "outputs are generated by different autograd Nodes"),
        (lambda self, x: (x * 1) * 2, "the forward contains multiple autograd Nodes"),
    ],
)
def test_the_older_hook_says_what_it_misses(lib, forward, words):
    made = module(lib, forward)
    made.register_backward_hook(lambda *_: None)
    x = lib.ones(2, requires_grad=True) * 1
    given = (x, "text") if "take as" in words else (x,)
    with pytest.warns(FutureWarning, match=words):
        made(*given)
