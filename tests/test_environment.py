"""What programs ask of the machine is answered as by PyTorch on a machine without a GPU."""

import warnings

import pytest
import torch

import glassgrad as gg
from checks import together

QUESTIONS = [
    "accelerator.device_count()",
    "accelerator.is_available()",
    "amp.GradScaler(enabled=False).get_scale()",
    "amp.GradScaler(enabled=False).is_enabled()",
    "amp.GradScaler(enabled=False).state_dict()",
    "are_deterministic_algorithms_enabled()",
    "backends.cuda.is_built()",
    "backends.cuda.matmul.allow_tf32",
    "backends.cudnn.allow_tf32",
    "backends.cudnn.benchmark",
    "backends.cudnn.deterministic",
    "backends.cudnn.enabled",
    "backends.cudnn.is_available()",
    "backends.cudnn.version()",
    "backends.mps.is_available()",
    "backends.mps.is_built()",
    "compiler.is_compiling()",
    "cpu.device_count()",
    "cpu.is_available()",
    "cuda.device_count()",
    "cuda.empty_cache()",
    "cuda.get_arch_list()",
    "cuda.get_rng_state_all()",
    "cuda.is_available()",
    "cuda.is_bf16_supported()",
    "cuda.is_initialized()",
    "cuda.manual_seed(1)",
    "cuda.manual_seed_all(1)",
    "cuda.max_memory_allocated()",
    "cuda.memory_allocated()",
    "cuda.memory_reserved()",
    "get_deterministic_debug_mode()",
    "get_float32_matmul_precision()",
    "is_autocast_enabled()",
    "is_deterministic_algorithms_warn_only_enabled()",
    "is_warn_always_enabled()",
    "jit.is_scripting()",
    "mps.device_count()",
    "set_float32_matmul_precision('highest')",
    "get_autocast_dtype('cuda').itemsize",
    "hub.get_dir()",
    "version.cuda",
    "version.hip",
    "xpu.device_count()",
    "xpu.is_available()",
]
REFUSED = [
    "accelerator.synchronize()",
    "cuda.current_device()",
    "cuda.get_device_name(0)",
    "cuda.set_device(0)",
    "cuda.synchronize()",
    "device('foo')",
    "device('cpu', 1.5)",
    "device('cuda:x')",
    "mps.synchronize()",
    "set_default_tensor_type(3)",
    "set_deterministic_debug_mode('loud')",
    "set_num_threads('x')",
    "set_num_threads(0)",
    "use_deterministic_algorithms(1)",
    "xpu.current_device()",
    "zeros(2, device='cuda')",
    "zeros(2, device='mps')",
]


def ask(lib, question):
    return eval(f"lib.{question}", {"lib": lib})


@pytest.fixture
def no_gpu():
    if gg.cuda.is_available():
        pytest.skip("there is a GPU")


@together
@pytest.mark.parametrize("question", QUESTIONS)
def test_answers_are_those_of_pytorch(question, no_gpu):
    assert ask(gg, question) == ask(torch, question)


@together
@pytest.mark.parametrize("question", REFUSED)
def test_what_pytorch_refuses_is_refused(question, no_gpu):
    with pytest.raises(Exception):  # noqa: B017, PT011  # AssertionErrors of a build
        ask(torch, question)
    with pytest.raises(gg.errors.GlassgradError):
        ask(gg, question)


def test_modules_are_imported_by_their_names():
    import glassgrad.backends.cudnn as cudnn
    from glassgrad.cuda.amp import GradScaler, autocast

    assert cudnn is gg.backends.cudnn
    assert autocast is gg.cuda.amp.autocast
    assert GradScaler is gg.cuda.amp.GradScaler


def test_switches_are_set_for_a_block():
    cudnn = gg.backends.cudnn
    with cudnn.flags(enabled=False, benchmark=True):
        assert (cudnn.enabled, cudnn.benchmark) == (False, True)
    assert (cudnn.enabled, cudnn.benchmark) == (True, False)
    gg.backends.cuda.enable_flash_sdp(False)
    assert gg.backends.cuda.flash_sdp_enabled() is False
    gg.backends.cuda.enable_flash_sdp(True)


@pytest.mark.parametrize("call", [lambda m: m("cuda"), lambda m: m("cpu", dtype=gg.float32)])
def test_autocast_that_pytorch_disables_computes_as_ever(call, no_gpu):
    with pytest.warns(UserWarning, match="Disabling autocast"):
        block = call(gg.autocast)
    with block:
        assert (gg.ones(2, 2) @ gg.ones(2, 2)).dtype == gg.float32


def test_autocast_to_a_short_dtype_computes_as_ever_with_a_word():
    for dtype in (None, gg.float16, gg.bfloat16):
        with pytest.warns(UserWarning, match="Disabling autocast"):
            block = gg.amp.autocast("cpu", dtype=dtype)
        with block:
            assert (gg.ones(2, 2) @ gg.ones(2, 2)).dtype == gg.float32


def test_a_disabled_autocast_is_a_block_and_a_decorator():
    @gg.autocast("cpu", enabled=False)
    def double(x):
        return 2 * x

    with gg.autocast("cuda", dtype=gg.float16, enabled=False):
        assert double(gg.ones(1)).item() == 2


@pytest.mark.parametrize("lib", [gg, torch], ids=["glassgrad", "torch"])
def test_a_scaler_of_the_cpu_leaves_out_steps_with_infinite_gradients(lib):
    w = lib.ones(1, requires_grad=True)
    optimizer = lib.optim.SGD([w], lr=0.5)
    scaler = lib.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    scales = []
    for factor in (1.0, float("inf"), 1.0, 1.0):
        optimizer.zero_grad()
        scaler.scale(w * factor).backward()
        scaler.step(optimizer)
        with pytest.raises(RuntimeError, match="being called after step"):
            scaler.unscale_(optimizer)
        scaler.update()
        scales.append(scaler.get_scale())
    assert scales == [8, 4, 4, 8]
    assert w.item() == -0.5
    assert scaler.state_dict()["_growth_tracker"] == 0
    with pytest.raises(AssertionError, match="No inf checks were recorded"):
        scaler.update()


def test_a_scaler_steps():
    w = gg.ones(1, requires_grad=True)
    optimizer = gg.optim.SGD([w], lr=0.5)
    with pytest.warns(UserWarning, match="Disabling"):
        scaler = gg.amp.GradScaler("cuda")
    scaler.scale(w * 3).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert w.item() == -0.5


@together
@pytest.mark.parametrize("name", ["compile", "jit.script", "jit.ignore", "compiler.disable"])
def test_compilers_return_what_they_are_given(name):
    found = gg
    for part in name.split("."):
        found = getattr(found, part)

    def double(x):
        return 2 * x

    assert found(double) is double
    assert found()(double) is double


def test_tracing_returns_the_module():
    model = gg.nn.Linear(1, 1)
    assert gg.jit.trace(model, gg.ones(1)) is model
    assert gg.compile(model, mode="max-autotune", fullgraph=True) is model


def test_a_scripted_module_is_a_module():
    class Double(gg.jit.ScriptModule):
        @gg.jit.script_method
        def forward(self, x):
            return 2 * x

        @gg.jit._overload_method
        def other(self, x):
            pass

    assert Double()(gg.ones(1)).item() == 2
    assert isinstance(Double(), gg.nn.Module)
    assert not isinstance(gg.nn.ReLU(), gg.jit.ScriptModule)


def test_fork_rng_leaves_the_generator_as_it_was():
    gg.manual_seed(0)
    expected = gg.rand(3)
    gg.manual_seed(0)
    with gg.random.fork_rng():
        gg.rand(5)
    assert gg.equal(gg.rand(3), expected)


def test_a_device_is_the_default_inside_its_block():
    with gg.device("cpu"), gg.device("meta"):
        assert str(gg.get_default_device()) == str(gg.zeros(2).device) == "meta"
        with gg.device("mps"), pytest.raises(gg.errors.DeviceError, match="live on 'mps'"):
            gg.zeros(2)
        assert gg.zeros(2, device="cpu").shape == (2,)
    assert gg.zeros(2).device == gg.get_default_device() == gg.device("cpu")


def test_the_default_device_is_set_and_reset():
    gg.set_default_device("mps")
    try:
        for make in (lambda: gg.tensor([1.0]), lambda: gg.rand(2), lambda: gg.arange(3)):
            with pytest.raises(gg.errors.DeviceError):
                make()
    finally:
        gg.set_default_device(None)
    assert gg.rand(2).device == gg.device("cpu")


def test_deterministic_algorithms_are_remembered():
    try:
        gg.use_deterministic_algorithms(True, warn_only=True)
        assert gg.are_deterministic_algorithms_enabled()
        assert gg.is_deterministic_algorithms_warn_only_enabled()
        assert gg.get_deterministic_debug_mode() == 1
        gg.set_deterministic_debug_mode("error")
        assert not gg.is_deterministic_algorithms_warn_only_enabled()
    finally:
        gg.use_deterministic_algorithms(False)
    assert not gg.are_deterministic_algorithms_enabled()


def test_threads_are_remembered():
    before = gg.get_num_threads()
    try:
        gg.set_num_threads(3)
        assert gg.get_num_threads() == 3
    finally:
        gg.set_num_threads(before)


def test_the_default_tensor_type_is_a_dtype():
    try:
        for t in (gg.DoubleTensor, "torch.DoubleTensor", "glassgrad.DoubleTensor"):
            gg.set_default_tensor_type(gg.FloatTensor)
            gg.set_default_tensor_type(t)
            assert gg.tensor(0.5).dtype == gg.float64
    finally:
        gg.set_default_dtype(gg.float32)


VERSIONS = ["1.8", "2.0.1", "2.9", "2.13", "2.13.0", "2.13.1", "3", "2.14.0a0"]


@together
@pytest.mark.parametrize("other", VERSIONS)
def test_versions_compare_as_in_pytorch(other):
    from torch.torch_version import TorchVersion

    for version in VERSIONS[:-1]:
        ours, theirs = gg.torch_version.TorchVersion(version), TorchVersion(version)
        for compare in ("__lt__", "__le__", "__gt__", "__ge__"):
            if "a" not in other or other[:4] != version[:4]:
                assert getattr(ours, compare)(other) == getattr(theirs, compare)(other)


def test_a_wrong_precision_is_warned_of():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gg.set_float32_matmul_precision("x")
    assert "is not one of 'highest', 'high', or 'medium'" in str(caught[0].message)


def test_nothing_is_downloaded():
    for name in ("load", "load_state_dict_from_url"):
        with pytest.raises(gg.errors.GraphError, match="nothing is downloaded here"):
            getattr(gg.hub, name)("https://example.org/weights.pth")


def test_a_range_of_nvtx_is_a_block_or_a_decorator():
    @gg.cuda.nvtx.range("step")
    def half(x):
        return x / 2

    with gg.cuda.nvtx.range("all"):
        assert half(4.0) == 2.0


def test_an_assertion_looks_at_a_tensor(lib):
    lib._assert_async(lib.tensor(1))
    with pytest.raises((AssertionError, RuntimeError), match="no place"):
        lib._assert_async(lib.tensor(False), "no place")
