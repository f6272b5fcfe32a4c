"""Compute confidence intervals and paired tests, in plain arithmetic.

A rate has Wilson's score interval (1927). Two rates on the same boards are compared by McNemar's
exact test (1947) and Newcombe's interval for paired differences (1998, method 10). Means of many
numbers have normal intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, erfc, sqrt
from statistics import NormalDist, fmean, stdev

_Z95 = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def ci95(self) -> tuple[float, float]:
        """Both ends of the interval."""
        return (self.low, self.high)


@dataclass(frozen=True)
class PairedDifference:
    """The difference of two players on the same boards, with its interval and p-value.

    ``only_first`` and ``only_second`` count the boards that one player won and the other did not.
    """

    difference: Estimate
    p_value: float
    only_first: int = 0
    only_second: int = 0


def wilson(wins: float, games: int) -> Estimate:
    """Return the rate ``wins / games`` with Wilson's score interval; for no games, 0 in 0..1."""
    if games == 0:
        return Estimate(0.0, 0.0, 1.0)
    rate, z2 = wins / games, _Z95**2
    centre = (rate + z2 / (2 * games)) / (1 + z2 / games)
    half = _Z95 * sqrt(rate * (1 - rate) / games + z2 / (4 * games**2)) / (1 + z2 / games)
    # If all or no games are won, rounding must not put the rate outside its own interval.
    return Estimate(rate, min(rate, max(0.0, centre - half)), max(rate, min(1.0, centre + half)))


def mean_estimate(values: Sequence[float], *, least: float = 0.0) -> Estimate:
    """Return the mean of independent values from ``least`` to 1, with its normal interval.

    The interval is clipped to that scale, and a single value gets the whole scale. Equal rates have
    no spread but are not certain: they get Wilson's interval, for values of 0 and 1 with the same
    mean, which is the largest possible spread.
    """
    mean = fmean(values)
    if least == 0.0 and min(values) == max(values):
        return wilson(sum(values), len(values))
    half = _spread(values)
    return Estimate(mean, min(mean, max(least, mean - half)), max(mean, min(1.0, mean + half)))


def _spread(values: Sequence[float]) -> float:
    return _Z95 * stdev(values) / sqrt(len(values)) if len(values) > 1 else 1.0


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact two-sided p-value of McNemar's test."""
    discordant = only_first + only_second
    tail = sum(comb(discordant, count) for count in range(min(only_first, only_second) + 1))
    return min(1.0, float(2 * tail / 2**discordant)) if discordant else 1.0


def compare_wins(first: Sequence[bool], second: Sequence[bool]) -> PairedDifference:
    """Compare two players' wins on the same boards, given in the same order."""
    both = sum(a and b for a, b in zip(first, second, strict=True))
    only_first = sum(first) - both
    only_second = sum(second) - both
    neither = len(first) - both - only_first - only_second
    difference = _newcombe(both, only_first, only_second, neither)
    return PairedDifference(difference, mcnemar(only_first, only_second), only_first, only_second)


def compare_values(first: Sequence[float], second: Sequence[float]) -> PairedDifference:
    """Compare the means of two players' scores on the same boards (normal approximation)."""
    gaps = [a - b for a, b in zip(first, second, strict=True)]
    difference = mean_estimate(gaps, least=-1.0)
    spread = _spread(gaps)
    if spread == 0:
        return PairedDifference(difference, 1.0 if difference.value == 0 else 0.0)
    score = abs(difference.value) / (spread / _Z95)
    return PairedDifference(difference, erfc(score / sqrt(2)))


def _newcombe(both: int, only_first: int, only_second: int, neither: int) -> Estimate:
    games = both + only_first + only_second + neither
    first = wilson(both + only_first, games)
    second = wilson(both + only_second, games)
    margins = (
        (both + only_first)
        * (only_second + neither)
        * (both + only_second)
        * (only_first + neither)
    )
    cross: float = both * neither - only_first * only_second
    if cross > 0:
        cross = max(cross - games / 2, 0)
    phi = cross / sqrt(margins) if margins else 0.0

    def half(one: float, other: float) -> float:
        return sqrt(max(0.0, one**2 - 2 * phi * one * other + other**2))

    value = first.value - second.value
    below = half(first.value - first.low, second.high - second.value)
    above = half(first.high - first.value, second.value - second.low)
    return Estimate(value, value - below, value + above)
