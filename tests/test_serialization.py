"""`save` and `load`: what they keep, and what is refused of files that are damaged or hostile."""

import collections
import contextlib
import io
import json
import os
import pickle
import random
import struct
import zipfile

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad.core.errors import ArgumentTypeError, DataError

pytest.importorskip("safetensors")

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64"]
DTYPES += ["float16", "float32", "float64", "complex64", "complex128"]


def again(obj):
    file = io.BytesIO()
    gg.save(obj, file)
    file.seek(0)
    return gg.load(file)


def from_pytorch(obj, **options):
    file = io.BytesIO()
    torch.save(obj, file, **options)
    file.seek(0)
    return gg.load(file)


# What is kept -----------------------------------------------------------------------------------

PLAIN = [
    None,
    True,
    3,
    2**80,
    -0.5,
    float("inf"),
    "text",
    b"bytes",
    1 + 2j,
    [1, [2, "3"]],
    (1, (), (2,)),
    {"a": 1, 2: "b", (1, 2): None},
    {"kind": {"tensor": 1}},
    {1, 2},
    collections.OrderedDict(b=1, a=2),
    gg.Size([2, 3]),
    gg.float16,
    gg.device("cpu"),
]


@together
@pytest.mark.parametrize("obj", PLAIN, ids=repr)
def test_what_is_no_tensor_comes_back_as_it_was(obj):
    found = again({"it": obj})["it"]
    assert found == obj
    assert type(found) is type(obj)


def test_arrays_of_numpy_come_back_as_arrays():
    state = np.random.RandomState(0).get_state()  # what programs keep
    for array in (np.ones((2, 0)), np.arange(6.0).reshape(2, 3).T, np.array(1j), state[1]):
        found = again({"it": array})["it"]
        assert type(found) is np.ndarray
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)


@together
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3)])
def test_tensors_come_back_as_they_were(dtype, shape):
    x = gg.from_numpy(np.arange(6)[: int(np.prod(shape))].reshape(shape).astype(dtype))
    found = again(x)
    assert (found.dtype, found.shape) == (x.dtype, x.shape)
    assert gg.equal(found, x)


def test_views_still_share_their_memory():
    x = gg.arange(12.0).reshape(3, 4)
    found = again({"whole": x, "row": x[1], "columns": x.t(), "wide": x[0].expand(2, 4)})
    found["whole"][1, 2] = -1.0
    assert found["row"].tolist() == [4, 5, -1, 7]
    assert found["columns"].stride() == (1, 4)
    assert found["wide"].stride() == (0, 1)


def test_two_names_of_one_memory_keep_being_that():
    x = gg.ones(2)
    a, b = again([x, x.detach()])
    a[0] = 5
    assert b[0].item() == 5


def test_parameters_and_leaves_still_want_gradients():
    found = again([gg.nn.Parameter(gg.ones(2)), gg.ones(2, requires_grad=True), gg.ones(2)])
    assert [type(x) for x in found] == [gg.nn.Parameter, gg.Tensor, gg.Tensor]
    assert [x.requires_grad for x in found] == [True, True, False]


def test_a_training_goes_on_where_it_was_saved(tmp_path):
    def steps(model, optimizer, count):
        for _ in range(count):
            optimizer.zero_grad()
            model(gg.ones(3, 2)).square().sum().backward()
            optimizer.step()

    gg.manual_seed(0)
    model = gg.nn.Sequential(gg.nn.Linear(2, 3), gg.nn.Tanh(), gg.nn.Linear(3, 1))
    optimizer = gg.optim.Adam(model.parameters(), lr=0.01)
    steps(model, optimizer, 2)
    path = tmp_path / "checkpoint.gg"
    gg.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 2}, path)
    steps(model, optimizer, 3)

    other = gg.nn.Sequential(gg.nn.Linear(2, 3), gg.nn.Tanh(), gg.nn.Linear(3, 1))
    other_optimizer = gg.optim.Adam(other.parameters(), lr=0.5)
    found = gg.load(str(path), map_location="cpu", weights_only=True)
    other.load_state_dict(found["model"])
    other_optimizer.load_state_dict(found["optimizer"])
    steps(other, other_optimizer, 3)
    for mine, its in zip(model.parameters(), other.parameters(), strict=True):
        assert gg.equal(mine, its)


def test_the_file_is_one_of_safetensors(tmp_path):
    from safetensors.numpy import load_file, save_file

    gg.save({"w": gg.ones(2)}, tmp_path / "ours")
    assert [array.tolist() for array in load_file(tmp_path / "ours").values()] == [[1, 1]]
    save_file({"w": np.ones((2, 1), "int16")}, tmp_path / "theirs")
    found = gg.load(tmp_path / "theirs")
    assert found["w"].shape == (2, 1)
    assert found["w"].dtype == gg.int16


class Own:
    pass


@together
@pytest.mark.parametrize(
    "obj", [Own(), {"f": len}, [lambda x: x], np.array(["a"]), collections.Counter("a")]
)
def test_other_objects_are_refused(obj):
    with pytest.raises(ArgumentTypeError, match=r"save\(\): a"):
        gg.save(obj, io.BytesIO())


def test_modules_with_functions_are_told_of_their_state_dict():
    hooked = gg.nn.Linear(1, 1)
    hooked.register_forward_hook(print)
    with pytest.raises(ArgumentTypeError, match=r"x.state_dict\(\)"):
        gg.save(hooked, io.BytesIO())

    class Inside(gg.nn.Module):
        pass

    with pytest.raises(ArgumentTypeError, match=r"x.state_dict\(\)"):
        gg.save(Inside(), io.BytesIO())


class Net(gg.nn.Module):
    made = 0

    def __init__(self):
        super().__init__()
        Net.made += 1
        self.first, self.last = gg.nn.Linear(4, 4), gg.nn.Linear(4, 4)
        self.last.weight = self.first.weight
        self.layer = gg.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
        self.activation, self.names = gg.tanh, {"a": [1, (2, 3)]}
        self.register_buffer("mask", gg.ones(4, dtype=gg.bool), persistent=False)

    def forward(self, x):
        return self.last(self.activation(self.layer(self.first(x))))


def test_a_whole_module_comes_back_and_none_of_its_code_runs():
    model = Net().eval()
    made = Net.made
    file = io.BytesIO()
    gg.save({"model": model, "epoch": 2}, file)
    file.seek(0)
    found = gg.load(file, weights_only=False)["model"]
    assert Net.made == made
    assert type(found) is Net
    assert repr(found) == repr(model)
    assert not found.training
    assert found.first.weight is found.last.weight is not model.first.weight
    assert found.names == {"a": [1, (2, 3)]}
    x = gg.randn(2, 3, 4)
    assert gg.equal(found(x), model(x))
    found(x).sum().backward()
    assert found.first.weight.grad.shape == (4, 4)


def test_a_whole_module_is_loaded_by_those_who_ask_for_it_and_have_its_class(monkeypatch):
    file = io.BytesIO()
    gg.save(Net(), file)
    file.seek(0)
    with pytest.raises(DataError, match="Weights only load failed"):
        gg.load(file)
    for other in (None, Own):
        monkeypatch.setitem(globals(), "Net", other)
        file.seek(0)
        with pytest.raises(DataError, match="there is no module of that name"):
            gg.load(file, weights_only=False)


@pytest.mark.parametrize("zipped", [True, False])
def test_arrays_in_files_of_pytorch_are_read(zipped):
    arrays = [np.arange(6.0).reshape(2, 3).T, np.ones((2, 0), "uint32"), np.array([True]), 2j]
    told = {"arrays": [np.asarray(x) for x in arrays], "best": np.float32(0.5)}
    found = from_pytorch(told, _use_new_zipfile_serialization=zipped)
    assert type(found["best"]) is np.float32
    for mine, its in zip([found["best"], *found["arrays"]], [0.5, *arrays], strict=True):
        np.testing.assert_array_equal(mine, its, strict=isinstance(its, np.ndarray))


@pytest.mark.parametrize("dtype", ["O", "U4", "M8[s]", "i4,f4", ">f4", "g"])
def test_other_arrays_in_files_of_pytorch_are_refused(dtype):
    with pytest.raises(DataError, match="not an allowed global"):
        from_pytorch(np.zeros(1, dtype))


def test_what_contains_itself_is_refused():
    loop = []
    loop.append(loop)
    with pytest.raises(ArgumentTypeError, match="contains itself"):
        gg.save(loop, io.BytesIO())
    shared = [1]
    assert again([shared, shared]) == [[1], [1]]


# Files of PyTorch's -----------------------------------------------------------------------------

FORMATS = [{}, {"_use_new_zipfile_serialization": False}, {"pickle_protocol": 4}]


@together
@pytest.mark.parametrize("options", FORMATS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_tensors_of_pytorch_are_read(dtype, options):
    x = torch.arange(6).reshape(2, 3).to(getattr(torch, dtype))
    found = from_pytorch([x, x.t(), x[1, 1:], x[:0], x[1, 2]], **options)
    for mine, its in zip(found, [x, x.t(), x[1, 1:], x[:0], x[1, 2]], strict=True):
        assert str(mine.dtype) == dtype
        assert mine.shape == its.shape
        assert mine.numpy().tolist() == its.tolist()
    assert found[1].stride() == x.t().stride()


@together
@pytest.mark.parametrize("dtype", ["uint16", "uint32", "uint64"])
def test_tensors_of_dtypes_without_a_storage_are_read(dtype):
    x = torch.arange(6).to(getattr(torch, dtype))
    whole, part = from_pytorch([x, x[2:].reshape(2, 2).t()])
    assert str(whole.dtype) == dtype
    assert part.tolist() == [[2, 4], [3, 5]]
    whole[2] = 9
    assert part[0, 0].item() == 9


@together
@pytest.mark.parametrize("options", FORMATS)
def test_memory_that_pytorch_shared_is_shared(options):
    x = torch.zeros(4)
    a, b = from_pytorch([x, x[1:]], **options)
    b[0] = 7.0
    assert a.tolist() == [0, 7, 0, 0]


@together
@pytest.mark.parametrize("options", FORMATS)
def test_a_checkpoint_of_pytorch_goes_on_here(options):
    theirs = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    optimizer = torch.optim.Adam(theirs.parameters(), lr=0.01)
    theirs(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    found = from_pytorch(
        {"model": theirs.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}, **options
    )
    model = gg.nn.Sequential(gg.nn.Linear(2, 3), gg.nn.Tanh(), gg.nn.Linear(3, 1))
    model.load_state_dict(found["model"])
    ours = model(gg.ones(1, 2)).item()
    assert ours == pytest.approx(theirs(torch.ones(1, 2)).item(), abs=1e-6)  # of float32
    assert found["epoch"] == 3
    assert found["optimizer"]["param_groups"][0]["lr"] == 0.01
    assert found["model"]._metadata == theirs.state_dict()._metadata


@together
@pytest.mark.parametrize("options", FORMATS)
def test_other_things_that_pytorch_saves_are_read(options):
    obj = {
        "parameter": torch.nn.Parameter(torch.ones(2)),
        "leaf": torch.ones(1, requires_grad=True),
        "size": torch.Size([2, 3]),
        "dtype": torch.float64,
        "device": torch.device("cpu"),
        "set": {1, 2},
        "complex": 1 + 2j,
        "bytes": b"\x00\xff",
        "numbers": [1, -(2**70), 0.5, True, None, 300, 70000],
    }
    found = from_pytorch(obj, **options)
    assert isinstance(found["parameter"], gg.nn.Parameter)
    assert found["leaf"].requires_grad
    assert found["size"] == gg.Size([2, 3])
    assert found["dtype"] == gg.float64
    assert found["device"] == gg.device("cpu")
    for name in ("set", "complex", "bytes", "numbers"):
        assert found[name] == obj[name]


@together
@pytest.mark.parametrize("options", FORMATS)
def test_bfloat16_becomes_float32_with_a_word(options):
    x = torch.randn(5).bfloat16()
    with pytest.warns(UserWarning, match="bfloat16 become float32"):
        found = from_pytorch([x, x[2:]], **options)
    assert found[0].dtype == gg.float32
    assert found[0].tolist() == x.float().tolist()
    assert found[1].tolist() == x[2:].float().tolist()


def test_paths_and_files_are_read(tmp_path):
    path = tmp_path / "model.pt"
    torch.save({"w": torch.ones(2)}, path)
    with path.open("rb") as file:
        for source in (path, str(path), file):
            assert gg.load(source, map_location=lambda storage, _: storage)["w"].tolist() == [1, 1]


# Hostile files ----------------------------------------------------------------------------------


class Command:
    def __init__(self, function, *args):
        self.call = function, args

    def __reduce__(self):
        return self.call


def archive(data, storages=None, **options):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", **options) as made:
        made.writestr("archive/data.pkl", data)
        for key, memory in (storages or {}).items():
            made.writestr(f"archive/data/{key}", memory)
    return file.getvalue()


def refused(data, match):
    with pytest.raises(DataError, match=match):
        gg.load(io.BytesIO(data))


COMMANDS = [
    Command(os.system, "touch hacked"),
    Command(eval, "1"),
    Command(getattr, "text", "upper"),
    Command(print, "hacked"),
    Command(collections.Counter, "aa"),
    Own(),
]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_calls_of_anything_else_are_refused(command, protocol, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = pickle.dumps({"w": [command]}, protocol)
    refused(archive(data), "not an allowed global")
    assert list(tmp_path.iterdir()) == []
    file = io.BytesIO()
    torch.save([1], file, _use_new_zipfile_serialization=False)
    legacy = file.getvalue()
    cut = legacy.index(pickle.dumps([1], 2))
    refused(legacy[:cut] + data, "not an allowed global")


@together
@pytest.mark.parametrize(
    "data",
    [
        b"\x80\x02ctorch\nfloat32\n}U\x04nameU\x04evils\x86b.",  # a state for a dtype of ours
        b"\x80\x02c__builtin__\nset\n}X\x01\x00\x00\x00aK\x01sb.",
        b"\x80\x02(i__main__\nOwn\n.",
        b"\x80\x02\x82\x01.",
        b"\x80\x02cglassgrad\nload\n.",
    ],
)
def test_instructions_that_tensors_do_not_need_are_refused(data):
    refused(archive(data), "not an allowed global|damaged")
    assert gg.float32.name == "float32"


def test_an_array_is_filled_only_once():
    once = pickle.dumps(np.ones(2), 2)
    again = once[:-1] + b"h" + once[-3:-2] + b"b."  # its state, from the memo
    refused(archive(again), "filled twice")


def test_keys_that_take_for_ever_to_hash_are_refused():
    nested = b"\x80\x02)" + b"\x86".join([b"2"] * 60)
    refused(archive(nested + b"}."), "not an allowed global|damaged")
    doubling = b"".join(b"q%ch%c\x86" % (n, n) for n in range(60))
    refused(archive(b"\x80\x02})" + doubling + b"K\x01s."), "damaged")


def tensor_pickle(size, stride, offset=0, numel=4, kind="FloatStorage"):
    class Pickler(pickle.Pickler):
        def persistent_id(self, obj):
            if isinstance(obj, Own):
                return ("storage", getattr(torch, kind), "0", "cpu", numel)
            return None

    file = io.BytesIO()
    rebuild = torch._utils._rebuild_tensor_v2
    args = (Own(), offset, size, stride, False, collections.OrderedDict())
    Pickler(file, 2).dump(Command(rebuild, *args))
    return file.getvalue()


def test_the_pickle_of_these_tests_is_read():
    found = gg.load(io.BytesIO(archive(tensor_pickle((2, 2), (2, 1)), {"0": bytes(16)})))
    assert found.tolist() == [[0, 0], [0, 0]]


@together
@pytest.mark.parametrize(
    "form",
    [
        {"size": (5,), "stride": (1,)},
        {"size": (2, 2), "stride": (4, 1)},
        {"size": (2,), "stride": (1,), "offset": 3},
        {"size": (2,), "stride": (1,), "offset": -1},
        {"size": (2,), "stride": (-1,), "offset": 1},
        {"size": (-1,), "stride": (1,)},
        {"size": (2, 2), "stride": (1,)},
        {"size": (2**62, 2**62), "stride": (1, 1)},
        {"size": (2.0,), "stride": (1,)},
        {"size": (1,), "stride": (1,), "numel": 5},
        {"size": (1,), "stride": (1,), "numel": 2**60},
        {"size": (1,), "stride": (1,), "numel": -1},
        {"size": (1,), "stride": (1,), "numel": 4, "kind": "DoubleStorage"},
    ],
)
def test_tensors_beyond_their_storage_are_refused(form):
    refused(archive(tensor_pickle(**form), {"0": bytes(16)}), "damaged")


def test_storages_that_are_not_there_are_refused():
    refused(archive(tensor_pickle((1,), (1,))), "storage '0' has not the 16 bytes")


def test_storages_that_are_together_larger_than_an_old_file_are_refused():
    class Pickler(pickle.Pickler):
        def persistent_id(self, obj):
            key = ("storage", torch.FloatStorage, str(id(obj)), "cpu", 100)
            return key if isinstance(obj, Own) else None

    file = io.BytesIO()
    torch.save([], file, _use_new_zipfile_serialization=False)
    claims = io.BytesIO()
    Pickler(claims, 2).dump([Own() for _ in range(100)])
    empty = pickle.dumps([], 2)
    at = file.getvalue().index(empty)
    data = file.getvalue()[:at] + claims.getvalue() + empty
    refused(data, "those before it would be larger than the file")


def test_archives_that_unpack_to_more_than_they_are_are_refused():
    data = archive(tensor_pickle((1,), (1,)), {"0": bytes(10**6)}, compression=zipfile.ZIP_DEFLATED)
    refused(data, "unpack to more")
    stored = archive(tensor_pickle((1,), (1,)), {"0": bytes(16)})
    at = stored.index(b"PK\x01\x02")  # the first entry of the directory: its sizes
    lied = stored[: at + 20] + struct.pack("<II", 2**31, 2**31) + stored[at + 28 :]
    refused(lied, "unpack to more|damaged")


def test_an_archive_of_something_else_is_refused():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("a/readme.txt", "hello")
    refused(file.getvalue(), "has no data.pkl")


@pytest.mark.parametrize("options", FORMATS[:2])
def test_damaged_files_of_pytorch_are_refused_or_read(options):
    """Cut off anywhere: refused. A byte changed: refused, or other numbers; never anything else."""
    file = io.BytesIO()
    torch.save({"w": torch.ones(3), "v": torch.zeros(2, 2)}, file, **options)
    data = file.getvalue()
    for end in range(0, len(data), max(1, len(data) // 60)):
        with pytest.raises(DataError):
            gg.load(io.BytesIO(data[:end]))
    source = random.Random(0)
    for _ in range(300):
        changed = bytearray(data)
        changed[source.randrange(len(data))] = source.randrange(256)
        with contextlib.suppress(DataError):
            gg.load(io.BytesIO(changed))


def test_damaged_files_of_our_own_are_refused_or_read():
    file = io.BytesIO()
    gg.save({"w": gg.ones(3), "v": [gg.zeros(2, 2), 1, "text"]}, file)
    data = file.getvalue()
    for end in range(0, len(data), 7):
        with pytest.raises(DataError, match="damaged"):
            gg.load(io.BytesIO(data[:end]))
    source = random.Random(0)
    for _ in range(300):
        changed = bytearray(data)
        changed[source.randrange(len(data))] = source.randrange(256)
        with contextlib.suppress(DataError):
            gg.load(io.BytesIO(changed))


@together
@pytest.mark.parametrize(
    "told",
    [
        {"tensor": {}},
        {"tensor": 3},
        {"nothing": []},
        {},
        {"dict": [1]},
        {"tensor": {"storage": "0", "dtype": "float32", "size": [9], "stride": [1], "offset": 0}},
        {"tensor": {"storage": "9", "dtype": "float32", "size": [1], "stride": [1], "offset": 0}},
        {"tensor": {"storage": "0", "dtype": "int32", "size": [1], "stride": [1], "offset": 0}},
        {"tensor": {"storage": "0", "dtype": "object", "size": [1], "stride": [1], "offset": 0}},
        {"array": ["0", "object", [2]]},
        {"array": ["0", "float32", [3]]},
        {"dtype": "U9"},
        {"device": "moon"},
        {"list": [1], "metadata": 1},
        {"set": [[1]]},
    ],
)
def test_structures_that_make_no_sense_are_refused(told):
    from safetensors.numpy import save

    if isinstance(told.get("tensor"), dict) and told["tensor"]:
        told["tensor"] |= {"requires_grad": False, "is_parameter": False}
    refused(save({"0": np.ones(2, "float32")}, {"glassgrad": json.dumps(told)}), "damaged")


@together
@pytest.mark.parametrize("data", [b"", b"\x00" * 100, b"hello", b"\x80\x04N.", b"PK\x03\x04junk"])
def test_what_is_no_such_file_is_refused(data):
    refused(data, "damaged")
