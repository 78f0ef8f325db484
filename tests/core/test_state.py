"""Modes: what is recorded, for how long, and in which thread."""

import threading

import pytest

from both import leaf
from checks import together
from glassgrad.core.state import Block, modes


def test_no_grad_records_nothing(lib):
    x = leaf(lib, 2.0)
    with lib.no_grad():
        assert not (x * 2).requires_grad
    assert (x * 2).requires_grad


def test_no_grad_is_lifted_by_enable_grad_and_back(lib):
    x = leaf(lib, 2.0)
    with lib.no_grad():
        with lib.enable_grad():
            assert (x * 2).requires_grad
        assert not (x * 2).requires_grad


def test_a_tensor_made_under_no_grad_may_require_grad(lib):
    with lib.no_grad():
        assert leaf(lib, 2.0).requires_grad


def test_the_mode_is_restored_after_an_exception(lib):
    with pytest.raises(ZeroDivisionError), lib.no_grad():
        _ = 1 / 0
    assert lib.is_grad_enabled()


def test_a_block_whose_entry_fails_halfway_leaves_the_modes_as_they_were():
    class Failing(Block):
        def begin(self):
            self.enter(self, {"grad": False, "inference": True})
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Failing():
        pass
    assert modes.grad
    assert not modes.inference


def test_set_grad_enabled_acts_at_once(lib):
    lib.set_grad_enabled(False)
    try:
        assert not lib.is_grad_enabled()
    finally:
        lib.set_grad_enabled(True)
    assert lib.is_grad_enabled()


@together
@pytest.mark.parametrize("mode", [False, True])
def test_set_grad_enabled_as_a_block(lib, mode):
    with lib.set_grad_enabled(mode):
        assert lib.is_grad_enabled() is mode
    assert lib.is_grad_enabled()


def test_set_grad_enabled_as_a_decorator_acts_inside_only(lib):
    @lib.set_grad_enabled(False)
    def inside():
        return lib.is_grad_enabled()

    assert lib.is_grad_enabled()
    assert inside() is False
    assert lib.is_grad_enabled()


def test_decorators_with_and_without_parentheses(lib):
    @lib.no_grad()
    def first():
        return lib.is_grad_enabled()

    @lib.no_grad
    def second():
        return lib.is_grad_enabled()

    assert (first(), second()) == (False, False)
    assert lib.is_grad_enabled()


def test_a_decorated_function_may_call_itself(lib):
    @lib.no_grad()
    def count(n):
        return [lib.is_grad_enabled(), *(count(n - 1) if n else [])]

    assert count(3) == [False] * 4
    assert lib.is_grad_enabled()


def test_a_decorated_generator_has_the_mode_only_while_it_runs(lib):
    log = []

    @lib.no_grad()
    def produce():
        try:
            got = yield lib.is_grad_enabled()
            log.append((got, lib.is_grad_enabled()))
            yield lib.is_grad_enabled()
        except KeyError:
            log.append(("caught", lib.is_grad_enabled()))
            yield "after"
        finally:
            log.append(("closed", lib.is_grad_enabled()))

    numbers = produce()
    assert next(numbers) is False
    assert lib.is_grad_enabled()
    assert numbers.send("sent") is False
    assert lib.is_grad_enabled()
    assert numbers.throw(KeyError()) == "after"
    numbers.close()
    assert log == [("sent", False), ("caught", False), ("closed", False)]
    assert lib.is_grad_enabled()


def test_a_decorated_generator_returns_its_value(lib):
    @lib.no_grad()
    def produce():
        yield 1
        return "done"

    def outer():
        result = yield from produce()
        assert result == "done"

    assert list(outer()) == [1]


def test_decorating_a_class_is_deprecated(lib):
    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):

        @lib.no_grad()
        class Made:
            def __init__(self):
                self.inside = lib.is_grad_enabled()

            def method(self):
                return lib.is_grad_enabled()

    assert not Made().inside
    assert Made().method()


def test_an_ambient_mode_survives_a_decorated_generator(lib):
    @lib.enable_grad()
    def produce():
        yield lib.is_grad_enabled()

    with lib.no_grad():
        assert list(produce()) == [True]
        assert not lib.is_grad_enabled()


def test_modes_belong_to_their_thread(lib):
    seen = []
    with lib.no_grad():
        thread = threading.Thread(target=lambda: seen.append(lib.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_a_thread_that_ends_inside_a_mode_leaves_no_trace(lib):
    thread = threading.Thread(target=lambda: lib.set_grad_enabled(False))
    thread.start()
    thread.join()
    assert (leaf(lib, 1.0) * 2).requires_grad


def test_inference_mode_makes_inference_tensors(lib):
    x = leaf(lib, 2.0)
    with lib.inference_mode():
        y = x * 2
        assert not lib.is_grad_enabled()
        assert lib.is_inference_mode_enabled()
    assert y.is_inference()
    assert not y.requires_grad
    assert not x.is_inference()
    assert not lib.is_inference_mode_enabled()


def test_inference_mode_can_be_lifted(lib):
    x = leaf(lib, 2.0)
    with lib.inference_mode(), lib.inference_mode(False):
        y = x * 2
    assert y.requires_grad
    assert not y.is_inference()


def test_inference_mode_decorates(lib):
    @lib.inference_mode()
    def first():
        return lib.is_inference_mode_enabled()

    @lib.inference_mode
    def second():
        return lib.is_inference_mode_enabled()

    assert (first(), second()) == (True, True)
    assert not lib.is_inference_mode_enabled()


def test_enable_grad_inside_inference_mode_records_nothing(lib):
    x = leaf(lib, 2.0)
    with lib.inference_mode(), lib.enable_grad():
        assert not (x * 2).requires_grad


def test_inference_tensors_have_no_version(lib):
    with lib.inference_mode():
        x = leaf(lib, 2.0) * 1
    with pytest.raises(RuntimeError, match="Inference tensors do not track version counter"):
        _ = x._version


def test_inference_tensors_cannot_be_saved_for_backward(lib):
    x = leaf(lib, 2.0)
    with lib.inference_mode():
        c = lib.ones(1, dtype=lib.float64)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        _ = x * c


def test_inference_tensors_cannot_require_grad_outside(lib):
    with lib.inference_mode():
        c = lib.ones(1, dtype=lib.float64)
    with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor"):
        c.requires_grad = True


def test_inference_tensors_cannot_be_written_outside(lib):
    with lib.inference_mode():
        c = lib.ones(1, dtype=lib.float64)
        c.add_(1)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside Inference"):
        c.add_(1)


def test_a_clone_of_an_inference_tensor_is_a_normal_one(lib):
    with lib.inference_mode():
        c = lib.ones(1, dtype=lib.float64)
    clone = c.clone()
    assert not clone.is_inference()
    assert (leaf(lib, 2.0) * clone).requires_grad


def test_what_the_engine_does_not_ask_for_is_noted_in_its_thread(lib):
    autograd = lib.autograd
    assert autograd.is_multithreading_enabled()
    with autograd.set_multithreading_enabled(False), autograd.enforce_grad_layout_policy(False):
        assert not autograd.is_multithreading_enabled()
    assert autograd.is_multithreading_enabled()
    autograd.graph.set_warn_on_accumulate_grad_stream_mismatch(True)
    autograd.set_multithreading_enabled(False)
    assert not autograd.is_multithreading_enabled()
    autograd.set_multithreading_enabled(True)
    assert autograd.is_multithreading_enabled()


def test_a_decorated_function_may_have_arguments_of_any_name(lib):
    @lib.no_grad()
    def named(self, act):
        return self, act, lib.is_grad_enabled()

    assert named(act=1, self=2) == (2, 1, False)
