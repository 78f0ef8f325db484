"""Worker processes of a loader: the same batches, seeds, errors, timeouts, no hang."""

import multiprocessing
import os
import time
import warnings

import pytest

import glassgrad as gg
from glassgrad.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info


@pytest.fixture(autouse=True)
def _as_many_workers_as_wanted():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "This DataLoader will create")
        warnings.filterwarnings("ignore", ".*multi-threaded, use of fork", DeprecationWarning)
        yield


class Squares(Dataset):
    def __len__(self):
        return 11

    def __getitem__(self, index):
        return index, index * gg.ones(2)


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        first, count = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(first, 10, count))


class Failing(Squares):
    def __getitem__(self, index):
        if index == 5:
            raise KeyError("no sample here")
        return index


class Leaving(Squares):
    def __getitem__(self, index):
        os._exit(3)


class Slow(Squares):
    def __init__(self, path):
        self.path = path

    def __getitem__(self, index):
        time.sleep(60)
        self.path.touch()


def flat(loader):
    return [batch[0].tolist() for batch in loader]


@pytest.mark.parametrize("options", [{}, {"prefetch_factor": 4}, {"persistent_workers": True}])
def test_workers_give_the_same_batches_in_the_same_order(options):
    loader = DataLoader(Squares(), 3, num_workers=2, **options)
    assert flat(loader) == flat(DataLoader(Squares(), 3))
    assert flat(loader) == flat(DataLoader(Squares(), 3))


def test_a_pass_that_is_left_does_not_disturb_the_next():
    loader = DataLoader(Squares(), 2, num_workers=2, persistent_workers=True)
    for _ in loader:
        break
    assert flat(loader) == flat(DataLoader(Squares(), 2))


def test_each_worker_reads_its_share_of_a_stream():
    loader = DataLoader(Stream(), 2, num_workers=2)
    for _ in range(2):
        assert sorted(n for batch in loader for n in batch.tolist()) == list(range(10))


def test_workers_have_seeds_and_are_prepared():
    class Seeds(Squares):
        def __getitem__(self, index):
            info = get_worker_info()
            return info.id, info.seed, info.dataset.prepared

    def prepare(number):
        get_worker_info().dataset.prepared = 10 + number

    def seeds():
        generator = gg.Generator().manual_seed(3)
        loader = DataLoader(Seeds(), 1, num_workers=2, worker_init_fn=prepare, generator=generator)
        return [[column.item() for column in batch] for batch in loader]

    first = seeds()
    assert first == seeds()
    assert {tuple(row) for row in first} == {
        (0, first[0][1], 10),
        (1, first[0][1] + 1, 11),
    }
    assert get_worker_info() is None


def test_an_error_of_a_worker_is_raised_with_its_traceback():
    loader = DataLoader(Failing(), 2, num_workers=2)
    with pytest.raises(KeyError, match="Caught KeyError in DataLoader worker process 0") as caught:
        list(loader)
    assert "no sample here" in str(caught.value)
    assert "__getitem__" in str(caught.value)


def test_an_error_of_the_preparation_is_raised():
    def prepare(_):
        raise ValueError("not today")

    with pytest.raises(ValueError, match="Caught ValueError in DataLoader worker process"):
        list(DataLoader(Squares(), num_workers=1, worker_init_fn=prepare))


def test_a_batch_that_cannot_be_sent_is_named():
    loader = DataLoader(Squares(), num_workers=1, collate_fn=lambda _: lambda: None)
    with pytest.raises((AttributeError, TypeError), match=r"(?is)which sends a batch.*pickle"):
        list(loader)


def test_workers_can_be_spawned():
    loader = DataLoader(range(5), 2, num_workers=1, multiprocessing_context="spawn")
    assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3], [4]]


def test_a_worker_that_dies_is_noticed():
    with pytest.raises(RuntimeError, match=r"DataLoader worker \(pid\(s\) \d+\) exited unexpected"):
        list(DataLoader(Leaving(), num_workers=1))


def test_a_worker_that_takes_too_long_is_given_up(tmp_path):
    path = tmp_path / "it has come to its end"
    with pytest.raises(RuntimeError, match=r"DataLoader timed out after 0\.3 seconds"):
        list(DataLoader(Slow(path), num_workers=1, timeout=0.3))
    assert not path.exists()
    assert multiprocessing.active_children() == []


def test_batches_may_come_as_they_are_ready():
    loader = DataLoader(Squares(), 2, num_workers=2, in_order=False)
    assert sorted(n for batch in flat(loader) for n in batch) == list(range(11))


def test_large_batches_come_whole():
    class Large(Squares):
        def __getitem__(self, index):
            return gg.full((300, 300), float(index))

    sums = [batch.mean().item() for batch in DataLoader(Large(), 1, num_workers=2)]
    assert sums == list(range(11))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"num_workers": -1}, "num_workers option should be non-negative"),
        ({"timeout": -1}, "timeout option should be non-negative"),
        ({"prefetch_factor": 2}, "prefetch_factor option could only be specified in multiproc"),
        ({"num_workers": 1, "prefetch_factor": -2}, "prefetch_factor option should be non-neg"),
        ({"persistent_workers": True}, "persistent_workers option needs num_workers > 0"),
        ({"multiprocessing_context": "fork"}, "multiprocessing_context can only be used with"),
    ],
)
def test_options_of_workers_that_make_no_sense_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        DataLoader(Squares(), **options)


def test_what_a_loader_is_made_of_stays():
    loader = DataLoader(Squares())
    with pytest.raises(ValueError, match="batch_size attribute should not be set after"):
        loader.batch_size = 3


def test_pinned_memory_without_a_gpu_warns():
    with pytest.warns(UserWarning, match="'pin_memory' argument is set as true"):
        assert len(list(DataLoader(Squares(), pin_memory=True))) == 11
