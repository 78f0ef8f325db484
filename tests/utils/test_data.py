"""Data sets, samplers and loaders: what comes out, in which order, and what is refused."""

from collections import namedtuple

import numpy as np
import pytest

import glassgrad as gg
from checks import together
from glassgrad.core.errors import (
    ArgumentError,
    ArgumentTypeError,
    DimError,
    MissingRuleError,
    ShapeError,
)
from glassgrad.utils.data import (
    BatchSampler,
    ChainDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    StackDataset,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
    default_convert,
    random_split,
)


class Count(IterableDataset):
    """0, 1, … n - 1, without an index."""

    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return iter(range(self.n))


def lists(loader):
    return [batch.tolist() for batch in loader]


# Data sets


def test_a_tensor_dataset_gives_rows_side_by_side():
    rows = TensorDataset(gg.tensor([[1.0, 2.0], [3.0, 4.0]]), gg.tensor([7, 8]))
    x, y = rows[1]
    assert (x.tolist(), y.item()) == ([3.0, 4.0], 8)
    assert len(rows) == 2


@together
@pytest.mark.parametrize("tensors", [(), (gg.tensor(1.0),), (gg.zeros(3), gg.zeros(2))])
def test_tensors_of_different_lengths_make_no_dataset(tensors):
    with pytest.raises(AssertionError, match="Size mismatch between tensors"):
        TensorDataset(*tensors)


def test_a_subset_follows_its_indices():
    subset = Subset("abcd", [3, 1])
    assert [subset[0], subset[1], len(subset)] == ["d", "b", 2]


def test_added_datasets_follow_each_other():
    both = TensorDataset(gg.tensor([1, 2])) + TensorDataset(gg.tensor([3]))
    assert [both[k][0].item() for k in range(3)] == [1, 2, 3]
    assert both[-1][0].item() == 3
    with pytest.raises(DimError, match="index 3 is out of bounds for 3 samples"):
        both[3]


def test_nothing_cannot_be_concatenated():
    with pytest.raises(AssertionError, match="should not be an empty iterable"):
        ConcatDataset([])


def test_a_dataset_without_its_method_says_so():
    with pytest.raises(MissingRuleError, match="should implement __getitem__"):
        Dataset()[0]
    with pytest.raises(MissingRuleError, match="should implement __iter__"):
        iter(IterableDataset())
    with pytest.raises(NotImplementedError, match="__iter__"):
        iter(Sampler())


@together
@pytest.mark.parametrize(
    ("lengths", "sizes"),
    [([2, 3], [2, 3]), ([0.5, 0.5], [3, 2]), ([0.9, 0.1], [5, 0]), ([5], [5]), ([1.0], [5])],
)
def test_a_random_split_deals_every_sample_out_once(lengths, sizes):
    parts = random_split(range(5), lengths)
    assert [len(part) for part in parts] == sizes
    assert sorted(part[k] for part in parts for k in range(len(part))) == [0, 1, 2, 3, 4]


@together
@pytest.mark.parametrize("lengths", [[3, 3], [0.5, 0.6], [6, -1], []])
def test_lengths_that_do_not_add_up_are_refused(lengths):
    with pytest.raises(ArgumentError, match="Sum of input lengths does not equal"):
        random_split(range(5), lengths)


def test_the_same_generator_seed_makes_the_same_split():
    def split():
        generator = gg.Generator().manual_seed(3)
        return [list(p.indices) for p in random_split(range(20), [15, 5], generator)]

    assert split() == split()


def test_stacked_datasets_lie_side_by_side():
    stacked = StackDataset("abc", [1, 2, 3])
    assert stacked[-1] == ("c", 3)
    assert len(stacked) == 3
    assert StackDataset(x="abc", y=[1, 2, 3])[0] == {"x": "a", "y": 1}
    for wrong in ((lambda: StackDataset()), (lambda: StackDataset("a", x="b"))):
        with pytest.raises(ArgumentError, match=r"passed|Supported either"):
            wrong()
    with pytest.raises(ArgumentError, match="Size mismatch between datasets"):
        StackDataset("abc", [1])


def test_streams_follow_each_other():
    both = Count(2) + Count(3)
    assert list(both) == [0, 1, 0, 1, 2]
    with pytest.raises(AssertionError, match="ChainDataset only supports IterableDataset"):
        list(ChainDataset([[1, 2]]))


# Samplers


def test_random_samplers_visit_every_index_once():
    assert sorted(RandomSampler("abcde")) == [0, 1, 2, 3, 4]
    assert sorted(SubsetRandomSampler([4, 8, 9])) == [4, 8, 9]


def test_more_draws_than_samples_go_round():
    drawn = list(RandomSampler("abc", num_samples=7))
    assert len(drawn) == 7
    assert sorted(drawn[:3]) == sorted(drawn[3:6]) == [0, 1, 2]


def test_draws_with_replacement_stay_in_range():
    drawn = list(RandomSampler("abc", replacement=True, num_samples=50))
    assert set(drawn) == {0, 1, 2}


def test_weights_say_how_often_an_index_is_drawn():
    drawn = list(WeightedRandomSampler([0.0, 3.0, 1.0], 2000))
    assert set(drawn) == {1, 2}
    assert 2.5 < drawn.count(1) / drawn.count(2) < 3.6
    assert sorted(WeightedRandomSampler([1.0, 2.0, 3.0], 3, replacement=False)) == [0, 1, 2]
    with pytest.raises(ArgumentError, match="weights should be a 1d sequence"):
        WeightedRandomSampler([[1.0]], 1)


@pytest.mark.parametrize(
    ("drop_last", "batches"), [(False, [[0, 1], [2, 3], [4]]), (True, [[0, 1], [2, 3]])]
)
def test_a_batch_sampler_cuts_the_order(drop_last, batches):
    sampler = BatchSampler(SequentialSampler("abcde"), 2, drop_last)
    assert list(sampler) == batches
    assert len(sampler) == len(batches)


@together
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: BatchSampler([0], 0, drop_last=False), "batch_size should be a positive integer"),
        (lambda: BatchSampler([0], 2.0, drop_last=False), "but got batch_size=2.0"),
        (lambda: BatchSampler([0], True, drop_last=False), "but got batch_size=True"),
        (lambda: BatchSampler([0], 2, drop_last=1), "drop_last should be a boolean value"),
        (lambda: RandomSampler([]), "num_samples should be a positive integer"),
        (lambda: RandomSampler("ab", num_samples=0), "but got num_samples=0"),
    ],
)
def test_samplers_refuse_what_they_cannot_draw(make, words):
    with pytest.raises(ArgumentError, match=words):
        make()


def test_a_random_sampler_refuses_a_replacement_that_is_no_switch_as_pytorch_does():
    with pytest.raises(ArgumentTypeError, match="replacement should be a boolean value"):
        RandomSampler("ab", replacement=1)


# Collating


def test_tensors_arrays_and_numbers_are_stacked():
    assert default_collate([gg.zeros(2), gg.ones(2)]).tolist() == [[0, 0], [1, 1]]
    assert default_collate([np.zeros(2), np.ones(2)]).dtype is gg.float64
    assert default_collate([np.float32(1)]).dtype is gg.float32
    assert default_collate([1.5, 2.5]).dtype is gg.float64
    assert default_collate([1, 2]).dtype is gg.int64
    assert default_collate([True]).dtype is gg.bool


def test_structures_are_collated_entry_by_entry():
    pair = namedtuple("pair", "x y")  # noqa: PYI024  # any class with `_fields` will do
    assert default_collate([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}])["b"] == ["x", "y"]
    batch = default_collate([pair(1, (2, 3)), pair(4, (5, 6))])
    assert batch.x.tolist() == [1, 4]
    assert [column.tolist() for column in batch.y] == [[2, 5], [3, 6]]


def test_samples_that_are_not_collated_are_converted():
    pair = namedtuple("pair", "x y")  # noqa: PYI024  # any class with `_fields` will do
    made = default_convert(pair({"a": np.arange(2)}, ["b", (np.float32(1), 2)]))
    assert made.x["a"].tolist() == [0, 1]
    assert made.y[0] == "b"
    assert made.y[1][0].dtype == gg.float32
    (sample,) = DataLoader([np.ones(2)], batch_size=None)
    assert isinstance(sample, gg.Tensor)


def test_gradients_flow_through_a_batch():
    x = gg.tensor([1.0], requires_grad=True)
    default_collate([x, x * 2]).sum().backward()
    assert x.grad.tolist() == [3.0]


@together
@pytest.mark.parametrize(
    ("batch", "error", "words"),
    [
        ([object()], ArgumentTypeError, "batch must contain tensors, numpy arrays, numbers"),
        ([np.array(["a"])], ArgumentTypeError, "found <class 'numpy.ndarray'>"),
        ([[1, 2], [1]], ShapeError, "each element in list of batch should be of equal size"),
        ([gg.zeros(2), gg.zeros(3)], ShapeError, "stack expects each tensor to be equal size"),
        ([np.zeros(2), np.zeros(3)], ShapeError, r"got \[2\] at entry 0 and \[3\] at entry 1"),
    ],
)
def test_what_cannot_be_stacked_is_refused(batch, error, words):
    with pytest.raises(error, match=words):
        default_collate(batch)


# Loaders


def test_a_loader_goes_through_in_order():
    loader = DataLoader(range(5), 2)
    assert lists(loader) == [[0, 1], [2, 3], [4]]
    assert lists(loader) == [[0, 1], [2, 3], [4]]
    assert len(loader) == 3


def test_the_last_short_batch_can_be_dropped():
    loader = DataLoader(range(5), 2, drop_last=True)
    assert lists(loader) == [[0, 1], [2, 3]]
    assert len(loader) == 2


def test_shuffling_visits_all_in_another_order_each_time():
    loader = DataLoader(range(50), 50, shuffle=True, generator=gg.Generator().manual_seed(0))
    (first,), (second,) = lists(loader), lists(loader)
    assert sorted(first) == sorted(second) == list(range(50))
    assert first != second


def test_the_same_seed_shuffles_alike():
    def passes():
        loader = DataLoader(range(9), 4, shuffle=True, generator=gg.Generator().manual_seed(5))
        return lists(loader), lists(loader)

    assert passes() == passes()


def test_manual_seed_rules_a_loader_without_generator():
    def shuffled():
        gg.manual_seed(2)
        return lists(DataLoader(range(9), 9, shuffle=True))

    assert shuffled() == shuffled()


def test_a_sampler_or_batch_sampler_decides():
    assert lists(DataLoader(range(3), 2, sampler=[2, 0])) == [[2, 0]]
    assert lists(DataLoader(range(4), batch_sampler=[[3], [0, 1]])) == [[3], [0, 1]]


def test_without_a_batch_size_samples_come_as_they_are():
    loader = DataLoader(["a", "b"], batch_size=None)
    assert list(loader) == ["a", "b"]
    assert len(loader) == 2


def test_collate_fn_makes_the_batch():
    assert list(DataLoader("abc", 2, collate_fn="".join)) == ["ab", "c"]


def test_pairs_become_a_pair_of_batches():
    x, y = next(iter(DataLoader(TensorDataset(gg.zeros(4, 3), gg.arange(4)), batch_size=4)))
    assert x.shape == (4, 3)
    assert y.tolist() == [0, 1, 2, 3]


def test_a_stream_is_cut_into_batches_without_losing_a_sample():
    assert lists(DataLoader(Count(5), 2)) == [[0, 1], [2, 3], [4]]
    assert lists(DataLoader(Count(5), 2, drop_last=True)) == [[0, 1], [2, 3]]
    assert list(DataLoader(Count(3), None)) == [0, 1, 2]


@together
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"batch_size": 0}, "batch_size should be a positive integer value, but got batch_size=0"),
        ({"batch_size": None, "drop_last": True}, "mutually exclusive with drop_last"),
        ({"shuffle": True, "sampler": [0]}, "sampler option is mutually exclusive with shuffle"),
        ({"batch_sampler": [[0]], "shuffle": True}, "batch_sampler option is mutually exclusive"),
        ({"batch_sampler": [[0]], "batch_size": 2}, "batch_sampler option is mutually exclusive"),
        ({"dataset": Count(3), "shuffle": True}, "expected unspecified shuffle option, but got"),
        ({"dataset": [], "shuffle": True}, "num_samples should be a positive integer"),
    ],
)
def test_options_that_contradict_each_other_are_refused(options, words):
    with pytest.raises(ArgumentError, match=words):
        DataLoader(**{"dataset": range(3), **options})
