"""The import paths of `torch.autograd`, and Functions as they were written in earlier years."""

import gc
import weakref

import pytest
import torch

import glassgrad
from both import leaf, plain, values
from checks import together
from glassgrad.autograd.function import InplaceFunction, NestedIOFunction, traceable


@together
@pytest.mark.parametrize(
    "path",
    [
        "autograd.Function",
        "autograd.Variable",
        "autograd.anomaly_mode.detect_anomaly",
        "autograd.backward",
        "autograd.detect_anomaly",
        "autograd.enable_grad",
        "autograd.function.BackwardCFunction",
        "autograd.function.Function",
        "autograd.function.FunctionCtx",
        "autograd.function.FunctionMeta",
        "autograd.function.InplaceFunction",
        "autograd.function.NestedIOFunction",
        "autograd.function.once_differentiable",
        "autograd.grad",
        "autograd.grad_mode.enable_grad",
        "autograd.grad_mode.inference_mode",
        "autograd.grad_mode.no_grad",
        "autograd.grad_mode.set_grad_enabled",
        "autograd.gradcheck",
        "autograd.gradgradcheck",
        "autograd.graph.GradientEdge",
        "autograd.graph.Node",
        "autograd.graph.get_gradient_edge",
        "autograd.graph.register_multi_grad_hook",
        "autograd.inference_mode",
        "autograd.no_grad",
        "autograd.set_detect_anomaly",
        "autograd.set_grad_enabled",
        "autograd.variable.Variable",
    ],
)
def test_names_are_where_pytorch_has_them(lib, path):
    found = lib
    for name in path.split("."):
        found = getattr(found, name)
    assert found is not None


def test_variable_is_tensor():
    assert glassgrad.autograd.Variable is glassgrad.Tensor
    assert isinstance(leaf(glassgrad, 1.0), glassgrad.autograd.Variable)


def test_everything_listed_is_there():
    for module in (
        glassgrad.autograd,
        glassgrad.autograd.function,
        glassgrad.autograd.graph,
        glassgrad.autograd.grad_mode,
        glassgrad.autograd.variable,
    ):
        for name in module.__all__:
            assert hasattr(module, name)


# Old forms ----------------------------------------------------------------------------------------


def test_an_instance_warns(lib):
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        lib.autograd.Function()


def test_an_inplace_function_has_its_flag(lib):
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        assert lib.autograd.function.InplaceFunction(inplace=True).inplace is True


def test_an_inplace_function_is_a_function():
    class Same(InplaceFunction):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = leaf(glassgrad, 1.0)
    Same.apply(x).backward()
    assert x.grad.item() == 2.0


def test_traceable_sets_the_mark():
    @traceable
    class Marked(glassgrad.autograd.Function):
        pass

    assert Marked.is_traceable
    assert not glassgrad.autograd.Function.is_traceable


# Nested inputs and outputs ----------------------------------------------------------------------


class Mix(NestedIOFunction):
    """({"a": x, "b": [y, None]}, z)  →  [x·y, (z,), {"sum": x + z}]"""

    def forward_extended(self, inputs, z):
        x, (y, nothing) = inputs["a"], inputs["b"]
        assert nothing is None
        self.save_for_backward({"x": x}, [y, None])
        return [x * y, (z * 1,), {"sum": x + z}]

    def backward_extended(self, product, copied, sums):
        saved, (y, nothing) = self.saved_tensors
        assert nothing is None
        total = sums["sum"]
        return {"a": product * y + total, "b": [product * saved["x"], None]}, copied[0] + total


@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
@pytest.mark.parametrize("how", ["apply", "instance"])
def test_containers_go_in_and_come_out(how):
    x, y, z = leaf(glassgrad, 2.0), leaf(glassgrad, 3.0), leaf(glassgrad, 5.0)
    call = Mix.apply if how == "apply" else Mix()
    product, (copied,), sums = call({"a": x, "b": [y, None]}, z)
    assert (product.item(), copied.item(), sums["sum"].item()) == (6.0, 5.0, 7.0)
    assert product.grad_fn.name() == "MixBackward"
    (product * 10 + copied * 100 + sums["sum"] * 1000).backward()
    assert values([x.grad, y.grad, z.grad]) == [1030.0, 20.0, 1100.0]


def test_an_instance_of_a_nested_function_warns():
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        Mix()


def test_nested_functions_are_differentiated_twice():
    x, y, z = leaf(glassgrad, 2.0), leaf(glassgrad, 3.0), leaf(glassgrad, 5.0)
    product, _, _ = Mix.apply({"a": x, "b": [y, None]}, z)
    (first,) = glassgrad.autograd.grad(product * product, x, create_graph=True)
    assert glassgrad.autograd.grad(first, x)[0].item() == 18.0  # (x²y²)'' = 2y²


def test_nested_functions_pass_gradcheck():
    x, y, z = (leaf(glassgrad, [1.0 + n, 0.5]) for n in range(3))

    def flat(x, y, z):
        product, (copied,), sums = Mix.apply({"a": x, "b": [y, None]}, z)
        return product, copied, sums["sum"]

    assert glassgrad.autograd.gradcheck(flat, (x, y, z))
    assert glassgrad.autograd.gradgradcheck(flat, (x, y, z))


def test_one_tensor_is_a_nest_too():
    class Double(NestedIOFunction):
        def forward_extended(self, x):
            return x * 2

        def backward_extended(self, grad):
            return grad * 2

    x = leaf(glassgrad, 1.0)
    Double.apply(x).backward()
    assert x.grad.item() == 2.0


def test_marks_are_nested():
    class Marked(NestedIOFunction):
        def forward_extended(self, pair):
            self.mark_dirty(pair)
            copy = pair[0] * 1
            self.mark_non_differentiable({"copy": copy})
            pair[0].mul_(2)
            pair[1].mul_(3)
            return [*pair, copy]

        def backward_extended(self, *grads):
            return [grads[0] * 2, grads[1] * 3]

    x, y = leaf(glassgrad, 1.0), leaf(glassgrad, 1.0)
    pair = [x * 1, y * 1]
    a, b, copy = Marked.apply(pair)
    assert a is pair[0]
    assert b is pair[1]
    assert not copy.requires_grad
    (a + b).backward()
    assert values([x.grad, y.grad]) == [2.0, 3.0]


def test_needs_input_grad_counts_the_tensors_inside():
    seen = []

    class Asks(NestedIOFunction):
        def forward_extended(self, pair):
            return pair[0] * pair[1]

        def backward_extended(self, grad):
            seen.append(self.needs_input_grad)
            return [grad, None]

    Asks.apply([leaf(glassgrad, 1.0), plain(glassgrad, 2.0)]).backward()
    assert seen == [(True, False)]


def test_other_objects_are_refused():
    with pytest.raises(ValueError, match="Auto nesting doesn't know how to process an input obje"):
        Mix.apply({"a": 3, "b": [None, None]}, leaf(glassgrad, 1.0))


def test_a_wrong_number_of_nested_gradients_is_refused():
    class Short(NestedIOFunction):
        def forward_extended(self, pair):
            return pair[0] * pair[1]

        def backward_extended(self, grad):
            return grad

    y = Short.apply([leaf(glassgrad, 1.0), leaf(glassgrad, 2.0)])
    expected = r"ShortBackward returned an incorrect number of gradients \(expected 2, got 1\)"
    with pytest.raises(RuntimeError, match=expected):
        y.backward()


def test_a_nested_function_needs_both_methods():
    class Empty(NestedIOFunction):
        pass

    class Forward(NestedIOFunction):
        def forward_extended(self, x):
            return x * 1

    with pytest.raises(NotImplementedError, match="Empty has no forward_extended"):
        Empty.apply(leaf(glassgrad, 1.0))
    y = Forward.apply(leaf(glassgrad, 1.0))
    with pytest.raises(NotImplementedError, match="Forward has no backward_extended"):
        y.backward()


@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
def test_saved_tensors_belong_to_the_graph():
    mix = Mix()
    with pytest.raises(ValueError, match="belongs to no graph"):
        _ = mix.saved_tensors
    x = leaf(glassgrad, 2.0)
    product, *_ = mix({"a": x, "b": [x, None]}, x)
    product.backward()
    with pytest.raises(RuntimeError, match="second time"):
        _ = mix.saved_tensors


@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
def test_what_is_saved_and_marked_can_be_read_outside_of_a_call(lib):
    nested = lib.autograd.function.NestedIOFunction()
    x, y = plain(lib, 1.0), plain(lib, 2.0)
    assert nested.to_save is nested.dirty_tensors is nested.non_differentiable is None
    nested.save_for_backward(x, [y])
    nested.mark_dirty([y])
    nested.mark_non_differentiable({"x": x})
    assert [id(t) for t in nested.to_save] == [id(x), id(y)]
    assert [id(t) for t in nested.dirty_tensors] == [id(y)]
    assert [id(t) for t in nested.non_differentiable] == [id(x)]


def test_a_nested_call_is_no_cycle():
    gc.collect()
    gc.disable()
    try:
        x = leaf(glassgrad, 2.0)
        outputs = Mix.apply({"a": x, "b": [x, None]}, x)
        node = weakref.ref(outputs[0].grad_fn)
        outputs[0].backward()
        del outputs
        assert node() is None
    finally:
        gc.enable()


def test_pytorch_no_longer_runs_nested_functions():
    # That is why the tests above have no oracle.
    class Nested(torch.autograd.function.NestedIOFunction):
        def forward_extended(self, x):
            return x

    with pytest.raises(AttributeError), pytest.warns(DeprecationWarning, match="instantiated"):
        Nested()(torch.ones(1))
