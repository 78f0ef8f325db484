from benchmarks.spread import Spread, paired_difference, paired_ratio


def test_a_spread_is_the_median_between_its_quartiles():
    assert Spread.of([5.0, 1.0, 2.0, 4.0, 3.0]) == Spread(median=3.0, low=2.0, high=4.0)


def test_one_sample_is_its_own_spread():
    assert Spread.of([7.0]) == Spread.exact(7.0) == Spread(7.0, 7.0, 7.0)


def test_a_ratio_is_taken_round_by_round():
    # The machine was four times slower in the second round; the ratio does not notice.
    assert paired_ratio([2.0, 8.0], [1.0, 4.0]) == Spread(2.0, 2.0, 2.0)


def test_a_difference_is_taken_round_by_round():
    assert paired_difference([3.0, 13.0, 23.0], [1.0, 10.0, 20.0]).median == 3.0


def test_a_round_that_one_contender_sat_out_makes_no_pair():
    assert paired_ratio([6.0, None, 100.0], [2.0, 5.0, None]) == Spread.exact(3.0)
