"""Anomaly detection: which line of the forward the warnings name, and what is left behind."""

import gc
import re
import warnings
import weakref

import pytest
import torch

import glassgrad
from both import leaf, make


@pytest.fixture(autouse=True)
def _off_afterwards():
    yield
    for library in (glassgrad, torch):
        library.autograd.set_detect_anomaly(False)
    assert not glassgrad.core.state.special


def _nan(lib):
    """A Function whose backward gives nan."""
    return make(lib, lambda ctx, x: x.clone(), lambda ctx, grad: grad * float("nan"))


def _failing(lib):
    def backward(ctx, grad):
        raise KeyError("lost")

    return make(lib, lambda ctx, x: x.clone(), backward)


def _warnings_of(run, error, match=""):
    """The warnings about the anomaly before `run` raised `error`; not what the forward says."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(error, match=match):
            run()
    said = [str(warning.message) for warning in caught]
    return [text for text in said if re.search("Error detected|induced by|No forward pass", text)]


def test_nan_names_the_function_and_the_line_that_called_it(lib):
    function, x = _nan(lib), leaf(lib, [1.0, 2.0])

    def run():
        with lib.autograd.detect_anomaly():
            (function.apply(x) * 2).sum().backward()

    (said,) = _warnings_of(
        run, RuntimeError, r"Function 'MadeBackward' returned nan values in its 0th output\."
    )
    assert "Error detected in MadeBackward" in said
    assert "Traceback of forward call that caused the error:" in said
    assert "function.apply(x)" in said


def test_nan_of_a_built_in_op_is_found_too(lib):
    x = leaf(lib, 0.0)

    def run():
        with lib.autograd.detect_anomaly():
            (x / x).sqrt().backward()

    (said,) = _warnings_of(run, RuntimeError, "Function 'SqrtBackward0' returned nan values in its")
    assert "(x / x).sqrt()" in said


def test_the_position_is_that_of_the_input(lib):
    x, y = leaf(lib, 1.0), leaf(lib, 1.0)
    function = make(lib, lambda ctx, x, y: x + y, lambda ctx, grad: (grad, grad * float("nan")))

    def run():
        with lib.autograd.detect_anomaly():
            function.apply(x, y).backward()

    _warnings_of(run, RuntimeError, "returned nan values in its 1th output")


def test_an_exception_keeps_its_type_and_warns(lib):
    function, x = _failing(lib), leaf(lib, 1.0)

    def run():
        with lib.autograd.detect_anomaly():
            function.apply(x).backward()

    (said,) = _warnings_of(run, KeyError, "lost")
    assert "function.apply(x)" in said


def test_a_node_made_outside_has_no_forward_information(lib):
    y = _nan(lib).apply(leaf(lib, 1.0))

    def run():
        with lib.autograd.detect_anomaly():
            y.backward()

    (said,) = _warnings_of(run, RuntimeError)
    assert "No forward pass information available" in said
    assert re.search("Enable detect anomaly during forward pass", said)


def test_a_double_backward_names_the_parent_too(lib):
    inner = _nan(lib)
    outer = make(
        lib,
        lambda ctx, x: (ctx.save_for_backward(x), x.clone())[1],
        lambda ctx, grad: inner.apply(ctx.saved_tensors[0] * grad),
    )
    x = leaf(lib, 1.0)

    def run():
        with lib.autograd.detect_anomaly():
            y = outer.apply(x)
            (first,) = lib.autograd.grad(y, x, create_graph=True)
            first.backward()

    said = _warnings_of(run, RuntimeError, "returned nan values")
    assert len(said) == 2
    assert "inner.apply" in said[0]
    assert "Previous calculation was induced by MadeBackward" in said[1]
    assert "y = outer.apply(x)" in said[1]


def test_without_check_nan_it_only_traces(lib):
    function, x = _nan(lib), leaf(lib, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with lib.autograd.detect_anomaly(check_nan=False):
            y = function.apply(x)
            y.backward()
    assert x.grad.isnan().item()
    assert "function.apply(x)" in "".join(y.grad_fn.metadata["traceback_"])


def test_a_pass_without_anomaly_is_as_ever(lib):
    x = leaf(lib, [1.0, 2.0])
    with lib.autograd.set_detect_anomaly(True):
        y = (x * x).sum()
        y.backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_grad_and_create_graph_work_inside(lib):
    x = leaf(lib, 3.0)
    with lib.autograd.set_detect_anomaly(True):
        (dy,) = lib.autograd.grad(x * x * x, x, create_graph=True)
        (ddy,) = lib.autograd.grad(dy, x)
    assert ddy.item() == 18.0


def test_set_detect_anomaly_acts_at_once_and_until_the_block_ends(lib):
    block = lib.autograd.set_detect_anomaly(True, check_nan=False)
    assert (lib.is_anomaly_enabled(), lib.is_anomaly_check_nan_enabled()) == (True, False)
    with block:
        assert lib.is_anomaly_enabled()
    assert (lib.is_anomaly_enabled(), lib.is_anomaly_check_nan_enabled()) == (False, True)


def test_a_mode_must_be_a_bool(lib):
    with pytest.raises(TypeError, match="must be bool, not int"):
        lib.autograd.set_detect_anomaly(1)


def test_detect_anomaly_warns_that_it_is_slow(lib):
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"):
        lib.autograd.detect_anomaly()


def test_what_a_node_remembers_goes_with_it():
    gc.disable()
    try:
        x = leaf(glassgrad, 1.0)
        with glassgrad.autograd.set_detect_anomaly(True):
            y = (x * x).exp()
            (dy,) = glassgrad.autograd.grad(y, x, create_graph=True)
        parents = [node for node in (dy.grad_fn,) if "parent_" in node.metadata]
        ref = weakref.ref(y.grad_fn)
        assert len(parents) == 1
        del x, y, dy, parents
        assert ref() is None
    finally:
        gc.enable()


@pytest.mark.filterwarnings("ignore:Error detected in Sqrt")
def test_nans_inside_of_a_transform_are_found(lib):
    vmap, grad, x = lib.func.vmap, lib.func.grad, lib.tensor([4.0, -1.0])
    with lib.autograd.set_detect_anomaly(True):
        assert vmap(grad(lambda x: x * x))(x).tolist() == [8.0, -2.0]
        with pytest.raises(RuntimeError, match="Function 'SqrtBackward0' returned nan values"):
            vmap(grad(lambda x: x.sqrt()))(x)


def test_numpy_adds_no_warning_of_its_own(lib):
    x = lib.tensor([-1.0], requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(RuntimeError, match="returned nan"), lib.autograd.detect_anomaly():
            lib.sqrt(x).backward()
    assert len(caught) == 2
    assert "Anomaly Detection has been enabled" in str(caught[0].message)
    assert "Error detected in Sqrt" in str(caught[1].message)
