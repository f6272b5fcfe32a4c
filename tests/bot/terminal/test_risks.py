"""Risks and chances as colours and in percent."""

from __future__ import annotations

import pytest

from bot.terminal.board_text import heat, short_percent
from solver.counting import percent


@pytest.mark.parametrize(
    ("chance", "text"),
    [
        (1.0, "100 %"),
        (0.0, "0 %"),
        (0.9999, "99.990 %"),
        (0.000109, "0.011 %"),
        (1e-9, "under 0.0001 %"),
        (1 - 1e-12, "99.9999 %"),
        (0.794, "79.4 %"),
    ],
)
def test_only_certainty_reads_a_hundred_percent(chance: float, text: str) -> None:
    assert percent(chance) == text


def test_heat_runs_from_green_over_yellow_to_red() -> None:
    assert heat(1 / 3) == (250, 230, 80)
    assert heat(0.0) == (70, 200, 90)
    assert heat(1.0) == (225, 60, 50)


@pytest.mark.parametrize(
    ("risk", "whole", "tenths"),
    [
        (0.0, "0", "0"),
        (0.0001, "1", "0.1"),
        (0.034, "3", "3.4"),
        (0.104, "10", "10"),
        (0.9999, "99", "99"),
        (1.0, "100", "100"),
    ],
)
def test_a_cell_reads_0_or_100_only_where_it_is_certain(
    risk: float, whole: str, tenths: str
) -> None:
    assert short_percent(risk) == whole
    assert short_percent(risk, tenths=True) == tenths
