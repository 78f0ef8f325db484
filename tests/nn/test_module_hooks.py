"""Hooks of modules do what PyTorch's do: around `forward`, around states, and of all modules."""

import pytest

import glassgrad
from checks import together


def hooks_of_all(lib):
    return glassgrad.nn.module if lib is glassgrad else lib.nn.modules.module


def double(lib):
    return type("Double", (lib.nn.Module,), {"forward": lambda self, x: x * 2})()


def fails(lib):
    def forward(self, x):
        raise ValueError("no")

    return type("Fails", (lib.nn.Module,), {"forward": forward})()


def test_hooks_of_all_modules_come_before_a_modules_own(lib):
    log = []
    made = double(lib)
    made.register_forward_pre_hook(lambda m, args: log.append("own pre"))
    made.register_forward_hook(lambda m, args, out: log.append("own"))
    everywhere = hooks_of_all(lib)
    handles = [
        everywhere.register_module_forward_pre_hook(lambda m, args: (args[0] + 1,)),
        everywhere.register_module_forward_hook(lambda m, args, out: log.append("all") or out + 1),
        everywhere.register_module_forward_hook(
            lambda m, args, kwargs, out: log.append(kwargs), with_kwargs=True
        ),
    ]
    try:
        assert made(lib.tensor(1.0)).item() == 5
    finally:
        for handle in handles:
            handle.remove()
    assert log == ["own pre", "all", {}, "own"]
    assert made(lib.tensor(1.0)).item() == 2


def test_backward_hooks_of_all_modules_see_gradients(lib):
    log = []
    everywhere = hooks_of_all(lib)
    handles = [
        everywhere.register_module_full_backward_pre_hook(lambda m, gout: (gout[0] * 10,)),
        everywhere.register_module_full_backward_hook(
            lambda m, gin, gout: log.append((gin[0].item(), gout[0].item()))
        ),
    ]
    try:
        x = lib.tensor(1.0, requires_grad=True)
        double(lib)(x).backward()
    finally:
        for handle in handles:
            handle.remove()
    assert log == [(20, 10)]
    assert x.grad.item() == 20


def test_a_hook_can_be_called_even_after_an_error(lib):
    log = []
    made = fails(lib)
    made.register_forward_hook(lambda m, args, out: log.append("never"))
    made.register_forward_hook(lambda m, args, out: log.append(out), always_call=True)

    def also_fails(m, args, kwargs, out):
        raise TypeError("silenced")

    made.register_forward_hook(also_fails, always_call=True, with_kwargs=True)
    with pytest.raises(ValueError, match="no"), pytest.warns(UserWarning, match="silenced"):
        made(lib.tensor(1.0))
    assert log == [None]


def test_what_is_filed_can_be_replaced_on_its_way(lib):
    everywhere = hooks_of_all(lib)
    log = []

    def named(m, name, value):
        log.append(name)

    handles = [
        everywhere.register_module_parameter_registration_hook(named),
        everywhere.register_module_buffer_registration_hook(named),
        everywhere.register_module_module_registration_hook(named),
    ]
    try:
        made = double(lib)
        made.weight = lib.nn.Parameter(lib.zeros(1))
        made.register_parameter("bias", None)
        made.register_buffer("mean", lib.zeros(1))
        made.inner = double(lib)
        made.add_module("outer", None)
    finally:
        for handle in handles:
            handle.remove()
    assert log == ["weight", "mean", "inner", "outer"]


# States -------------------------------------------------------------------------------------------


def linear(lib):
    return lib.nn.Sequential(lib.nn.Linear(1, 1))


def test_hooks_see_and_change_a_state(lib):
    made = linear(lib)
    log = []
    made[0].register_state_dict_pre_hook(lambda m, prefix, keep: log.append((prefix, keep)))
    made[0].register_state_dict_post_hook(
        lambda m, state, prefix, local: state.update({prefix + "more": local["version"]})
    )
    assert list(made.state_dict()) == ["0.weight", "0.bias", "0.more"]
    assert log == [("0.", False)]
    assert list(made.state_dict()._metadata) == ["", "0"]
    made[0].register_state_dict_post_hook(lambda m, state, prefix, local: state)
    with pytest.raises(RuntimeError, match="state_dict post-hook must return None"):
        made.state_dict()


def test_hooks_rename_what_is_loaded_and_forgive_what_is_missing(lib):
    made = linear(lib)
    made[0].register_load_state_dict_pre_hook(
        lambda m, state, prefix, *_: state.update({prefix + "weight": state.pop(prefix + "w")})
    )
    log = []
    made.register_load_state_dict_post_hook(
        lambda m, keys: (log.append(list(keys.missing_keys)), keys.missing_keys.clear())[1]
    )
    result = made.load_state_dict({"0.w": lib.ones(1, 1)})
    assert log == [["0.bias"]]
    assert result.missing_keys == []
    assert made[0].weight.item() == 1


def test_a_module_may_have_more_state_than_tensors(lib):
    class Counts(lib.nn.Module):
        count = 3

        def get_extra_state(self):
            return {"count": self.count}

        def set_extra_state(self, state):
            self.count = state["count"]

    made, other = Counts(), Counts()
    made.count = 5
    state = made.state_dict()
    assert dict(state) == {"_extra_state": {"count": 5}}
    other.load_state_dict(state)
    assert other.count == 5
    with pytest.raises(RuntimeError, match=r'Missing key.*"_extra_state"'):
        made.load_state_dict({})


def test_a_subclass_loads_its_own_part(lib):
    class Scale(lib.nn.Module):
        _version = 2

        def __init__(self):
            super().__init__()
            self.factor = lib.nn.Parameter(lib.zeros(()))

        def _load_from_state_dict(self, state, prefix, metadata, *rest):
            if metadata.get("version", 1) < 2:
                state[prefix + "factor"] = state.pop(prefix + "scale")
            super()._load_from_state_dict(state, prefix, metadata, *rest)

    made = lib.nn.Sequential(Scale())
    made.load_state_dict({"0.scale": lib.tensor(3.0)})
    assert made[0].factor.item() == 3
    made.load_state_dict(made.state_dict())


def test_positional_arguments_of_state_dict_are_an_old_form(lib):
    with pytest.warns(FutureWarning, match="Positional args are being deprecated"):
        state = linear(lib).state_dict({}, "x.")
    assert list(state) == ["x.0.weight", "x.0.bias"]


# Parts by dotted name -----------------------------------------------------------------------------


def test_parts_are_found_and_set_by_dotted_name(lib):
    tree = lib.nn.Sequential(lib.nn.Sequential(lib.nn.Linear(2, 3)))
    assert tree.get_submodule("0.0") is tree[0][0]
    assert tree.get_submodule("") is tree
    assert tree.get_parameter("0.0.weight") is tree[0][0].weight
    tree[0].register_buffer("mean", lib.zeros(1))
    assert tree.get_buffer("0.mean") is tree[0].mean
    tree.set_submodule("0.0", lib.nn.ReLU())
    tree.set_submodule("0.1", lib.nn.Tanh())
    assert repr(tree[0]) == "Sequential(\n  (0): ReLU()\n  (1): Tanh()\n)"
    assert [name for name, _ in tree.named_modules(prefix="net")] == [
        "net",
        "net.0",
        "net.0.0",
        "net.0.1",
    ]


@together
@pytest.mark.parametrize(
    ("look", "error", "words"),
    [
        (lambda tree, lib: tree.get_submodule("0.x"), AttributeError, "has no attribute `x`"),
        (lambda tree, lib: tree.get_submodule("0.training"), AttributeError, "is not an nn.Module"),
        (lambda tree, lib: tree.get_parameter("0.x"), AttributeError, "has no attribute `x`"),
        (lambda tree, lib: tree.get_parameter("0.training"), AttributeError, "not an nn.Parameter"),
        (lambda tree, lib: tree.get_buffer("0.x"), AttributeError, "has no attribute `x`"),
        (lambda tree, lib: tree.get_buffer("0.weight"), AttributeError, "is not a buffer"),
        (lambda tree, lib: tree.set_submodule("", tree), ValueError, "without a target name"),
        (lambda tree, lib: tree.set_submodule("0", 3), ValueError, "is not an nn.Module, found"),
        (
            lambda tree, lib: tree.set_submodule("7", tree, strict=True),
            AttributeError,
            "has no attribute `7`",
        ),
    ],
)
def test_names_that_lead_nowhere_are_named(lib, look, error, words):
    with pytest.raises(error, match=words):
        look(linear(lib), lib)


def test_a_module_takes_no_arguments_of_its_own(lib):
    with pytest.raises(TypeError, match="unexpected keyword argument 'size'"):
        lib.nn.Module(size=3)


def test_a_module_can_be_given_any_dtype_or_new_memory(lib):
    made = lib.nn.Linear(2, 3)
    made.register_buffer("count", lib.zeros((), dtype=lib.int64))
    made.type(lib.float64)
    assert made.count.dtype == made.weight.dtype == lib.float64
    made.to_empty(device="cpu").share_memory()
    assert made.weight.shape == (3, 2)
    made.to("cpu", lib.float32, True)
    assert made.weight.dtype == lib.float32


def test_a_modules_hooks_are_those_that_were_registered(lib):
    def hook(module, args):
        return None

    module = lib.nn.Linear(1, 1)
    module.register_forward_pre_hook(hook)
    assert list(module._forward_pre_hooks.values()) == [hook]


def test_the_older_hooks_of_states_replace_the_dict_and_need_not_take_the_module(lib):
    made = lib.nn.Linear(1, 1)
    log = []
    made._register_state_dict_hook(lambda module, state, prefix, local: {"new": 1})
    assert dict(made.state_dict()) == {"new": 1}
    made._register_load_state_dict_pre_hook(lambda state, prefix, *rest: log.append(prefix))
    made._register_load_state_dict_pre_hook(lambda m, *rest: log.append(m), with_module=True)
    lib.nn.Sequential(made).load_state_dict({}, strict=False)
    assert log == ["0.", made]


def test_a_hook_after_loading_returns_nothing(lib):
    made = lib.nn.Linear(1, 1)
    made.register_load_state_dict_post_hook(lambda module, keys: 3)
    with pytest.raises(AssertionError, match="are not expected to return new values"):
        made.load_state_dict(made.state_dict())
