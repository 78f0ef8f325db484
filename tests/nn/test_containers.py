"""Lists and dicts of modules and of parameters do what PyTorch's do."""

import pytest

from checks import together


def sizes(modules):
    return [module.in_features for module in modules]


def names(module):
    return [name for name, _ in module.named_parameters()]


def layers(lib, *sizes):
    return [lib.nn.Linear(n, 1, bias=False) for n in sizes]


@together
@pytest.mark.parametrize("kind", ["ModuleList", "Sequential"])
def test_modules_by_number(lib, kind):
    first = layers(lib, 1, 2)
    made = lib.nn.ModuleList(first) if kind == "ModuleList" else lib.nn.Sequential(*first)
    made.append(layers(lib, 3)[0])
    made.extend(layers(lib, 4, 5))
    made.insert(1, layers(lib, 10)[0])
    made.insert(0, layers(lib, 11)[0])
    assert sizes(made) == [11, 1, 10, 2, 3, 4, 5]
    assert names(made) == [f"{k}.weight" for k in range(7)]
    assert made.pop(0).in_features == 11
    del made[1:3]
    assert sizes(made) == [1, 3, 4, 5]
    made[-1] = layers(lib, 6)[0]
    more = layers(lib, 7)
    made += lib.nn.ModuleList(more) if kind == "ModuleList" else lib.nn.Sequential(*more)
    assert sizes(made[1:]) == [3, 4, 6, 7]
    assert type(made[1:]).__name__ == kind
    assert made[1] in made
    assert len(made) == 5
    joined = made + type(made)()
    assert sizes(joined) == sizes(made)
    with pytest.raises(IndexError, match="out of range"):
        made[9]


def test_a_row_can_be_repeated(lib):
    row = lib.nn.Sequential(*layers(lib, 1, 2))
    assert sizes(row * 2) == sizes(2 * row) == [1, 2, 1, 2]
    row *= 3
    assert len(row) == 6
    with pytest.raises(ValueError, match="Non-positive multiplication factor"):
        row * 0
    with pytest.raises(TypeError):
        row * 1.5


def test_alike_modules_are_printed_once(lib):
    made = lib.nn.ModuleList([lib.nn.Tanh(), *layers(lib, 2, 2), lib.nn.Sequential(lib.nn.ReLU())])
    assert repr(made) == (
        "ModuleList(\n  (0): Tanh()\n"
        "  (1-2): 2 x Linear(in_features=2, out_features=1, bias=False)\n"
        "  (3): Sequential(\n    (0): ReLU()\n  )\n)"
    )
    assert repr(lib.nn.ModuleList()) == "ModuleList()"


def test_modules_by_name(lib):
    made = lib.nn.ModuleDict({"a": layers(lib, 1)[0]})
    made["b"] = layers(lib, 2)[0]
    made.update([("c", layers(lib, 3)[0])])
    assert list(made) == list(made.keys()) == ["a", "b", "c"]
    assert sizes(made.values()) == [1, 2, 3]
    assert [name for name, _ in made.items()] == ["a", "b", "c"]
    assert "b" in made
    assert made.pop("b").in_features == 2
    del made["a"]
    assert names(made) == ["c.weight"]
    made.clear()
    assert len(made) == 0
    with pytest.raises(TypeError, match="element #0 should be Iterable"):
        made.update([3])
    with pytest.raises(TypeError, match="not a Module subclass"):
        made["a"] = 3


def test_parameters_by_number(lib):
    made = lib.nn.ParameterList([lib.zeros(1), lib.zeros(2, 3)])
    made.append(lib.zeros(3)).extend([lib.zeros(4), "text"])
    assert names(made) == ["0", "1", "2", "3"]
    assert [p.shape[0] for p in made[1:4]] == [2, 3, 4]
    made[0] = lib.zeros(9)
    assert made[-5].shape == (9,)
    assert len(made) == 5
    dtype = repr(lib.float32)
    assert repr(made[1:4:3]) == (
        f"ParameterList(  (0): Parameter containing: [{dtype} of size 2x3])"
    )
    assert "(4): Object of type: str" in repr(made)
    assert all(p.requires_grad for p in made.parameters())
    with pytest.raises(IndexError, match="out of range"):
        made[5]
    with pytest.raises(TypeError, match="should be called with an iterable"):
        made.extend(lib.zeros(2))


def test_parameters_by_name(lib):
    made = lib.nn.ParameterDict({"b": lib.zeros(2), "a": lib.zeros(1)})
    made["c"] = lib.zeros(3)
    assert names(made) == ["a", "b", "c"]
    assert list(made) == ["a", "b", "c"]
    assert list(reversed(made)) == ["c", "b", "a"]
    assert [name for name, _ in (made | {"d": lib.zeros(1)}).items()] == ["a", "b", "c", "d"]
    assert made.get("x", 3) == 3
    assert made.setdefault("e", lib.zeros(5)).shape == (5,)
    assert made.popitem()[0] == "e"
    assert made.pop("a").shape == (1,)
    assert "a" not in made
    assert [value.shape for value in made.copy().values()] == [(2,), (3,)]
    assert len(made.fromkeys("xy", lib.zeros(1))) == 2
    made.clear()
    assert len(made) == 0
    with pytest.raises(AttributeError):
        made["b"]


def test_a_module_holds_them(lib):
    class Net(lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = lib.nn.ModuleList(layers(lib, 2, 2))
            self.scales = lib.nn.ParameterList([lib.ones(1)])
            self.heads = lib.nn.ModuleDict({"out": lib.nn.Linear(1, 1, bias=False)})

    assert list(Net().state_dict()) == [
        "layers.0.weight",
        "layers.1.weight",
        "scales.0",
        "heads.out.weight",
    ]


def test_unflatten_splits_what_flatten_merged(lib):
    made = lib.nn.Unflatten(1, (2, 3))
    assert made(lib.zeros(5, 6)).shape == (5, 2, 3)
    assert repr(made) == "Unflatten(dim=1, unflattened_size=(2, 3))"
    with pytest.raises(TypeError, match="unflattened_size must be a tuple of ints"):
        lib.nn.Unflatten(1, 3)


def test_holders_of_parameters_say_what_they_hold_and_are_not_called(lib):
    row = lib.nn.ParameterList([lib.ones(2)])
    named = lib.nn.ParameterDict({"a": lib.ones(1)})
    assert f"(0): Parameter containing: [{lib.float32!r} of size 2]" in repr(row)
    assert f"(a): Parameter containing: [{lib.__name__}.FloatTensor of size 1]" in repr(named)
    for holder in (row, named):
        with pytest.raises(RuntimeError, match="should not be called"):
            holder(1)
