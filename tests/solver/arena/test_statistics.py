"""Intervals and tests against published or worked examples."""

import random

import pytest

from solver.arena.statistics import compare_values, compare_wins, mcnemar, mean_estimate, wilson


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    # Newcombe 1998, "Two-sided confidence intervals for the single proportion", method 3.
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson(wins: int, games: int, low: float, high: float) -> None:
    assert wilson(0, 0).ci95 == (0.0, 1.0), "no games say nothing"
    estimate = wilson(wins, games)
    assert estimate.value == wins / games
    assert estimate.ci95 == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [(0, 0, 1.0), (5, 5, 1.0), (1, 0, 1.0), (6, 0, 2 / 64), (8, 2, 2 * (1 + 10 + 45) / 1024)],
)
def test_mcnemar(only_first: int, only_second: int, p: float) -> None:
    assert mcnemar(only_first, only_second) == pytest.approx(p)
    assert mcnemar(only_second, only_first) == pytest.approx(p)
    assert 0 <= mcnemar(3000, 1000) < 1e-200, "very many games do not overflow"


def wins(both: int, first: int, second: int, neither: int) -> tuple[list[bool], list[bool]]:
    rows = [(True, True)] * both + [(True, False)] * first + [(False, True)] * second
    rows += [(False, False)] * neither
    return [a for a, _ in rows], [b for _, b in rows]


def test_paired_difference_of_wins() -> None:
    # Newcombe 1998, "Improved confidence intervals for the difference between binomial
    # proportions based on paired data", method 10: 36, 12, 2, 0 gives 0.0569 to 0.3404.
    paired = compare_wins(*wins(36, 12, 2, 0))
    assert paired.difference.value == pytest.approx(0.2)
    assert paired.difference.ci95 == pytest.approx((0.0569, 0.3404), abs=5e-5)
    assert (paired.only_first, paired.only_second) == (12, 2)
    assert paired.p_value == pytest.approx(mcnemar(12, 2))
    alike = compare_wins(*wins(10, 0, 0, 10))
    assert (alike.difference.value, alike.p_value) == (0, 1)


def test_interval_of_a_mean_covers_it_19_times_in_20() -> None:
    rng = random.Random(1)
    estimates = [mean_estimate([rng.random() for _ in range(60)]) for _ in range(1000)]
    assert 920 <= sum(one.low <= 0.5 <= one.high for one in estimates) <= 980
    estimate = mean_estimate([1.0, 1.0, 0.9, 1.0])  # it ends where rates end
    assert 0 <= estimate.low < estimate.value < estimate.high == 1


def test_paired_values() -> None:
    rng = random.Random(2)
    base = [rng.random() for _ in range(400)]
    better = [value + 0.01 + 0.05 * (rng.random() - 0.5) for value in base]
    paired = compare_values(better, base)
    assert paired.difference.low < 0.01 < paired.difference.high
    assert paired.p_value < 1e-6
    assert compare_values(base, base).p_value == 1
    assert compare_values([1.0, 1.0], [0.0, 0.0]).p_value == 0
    assert compare_values([1.0], [0.5]).difference.high == 1.0


def test_scores_that_are_all_alike_are_not_certain() -> None:
    assert mean_estimate([1.0] * 10) == wilson(10, 10)
    low, high = mean_estimate([0.5] * 10).ci95
    assert (low < 0.4, high > 0.6) == (True, True)
    assert compare_values([0.5] * 10, [0.5] * 10).difference.ci95 == (0.0, 0.0)
