"""Few clicks: chords where they save some."""

from __future__ import annotations

import pytest

from bot.mouse.plan import ClickEffect, plan_step
from bot.options import Style
from solver.board import Board, Cell
from solver.game import Rule
from tests.bot.play.playing import desktop, play

OPEN, FLAG, CHORD = ClickEffect.OPEN, ClickEffect.FLAG, ClickEffect.CHORD

BOARD = Board.from_text("#1#\n111\n###", 1)
MINE, SAFE = Cell(0, 0), {Cell(0, 2), Cell(2, 0), Cell(2, 1), Cell(2, 2)}


def test_a_chord_that_saves_clicks_comes_with_its_flag() -> None:
    flag, chord = plan_step(BOARD, SAFE, [MINE])
    assert (flag.effect, flag.cell) == (FLAG, MINE)
    assert (chord.effect, chord.cell, set(chord.cells)) == (CHORD, Cell(1, 1), SAFE)


def test_a_flag_that_stands_costs_nothing() -> None:
    board = Board.from_text("F1#\n#1#", 1)
    safe = {Cell(0, 2), Cell(1, 0), Cell(1, 2)}
    (chord,) = plan_step(board, safe, [Cell(0, 0)])
    assert (chord.effect, set(chord.cells)) == (CHORD, safe)


def test_without_chords_one_cell_is_opened() -> None:
    (click,) = plan_step(BOARD, SAFE, [MINE], chords=False)
    assert click.effect is OPEN
    assert click.cell in SAFE


@pytest.mark.parametrize(
    ("text", "safe", "mines"),
    [
        ("#1#", [Cell(0, 2)], [Cell(0, 0)]),  # flag and chord: two clicks for one cell
        ("##\n#2\n##", [Cell(0, 1), Cell(2, 1)], [Cell(0, 0)]),  # one of its mines is not known
    ],
)
def test_no_chord_where_it_saves_nothing_or_may_hit_a_mine(
    text: str, safe: list[Cell], mines: list[Cell]
) -> None:
    (click,) = plan_step(Board.from_text(text, 3), safe, mines)
    assert click.effect is OPEN


def test_a_cell_that_may_open_more_comes_first() -> None:
    # The cell beside the second mine has a number, the one below may be a zero.
    board = Board.from_text("#1##\n11##\n####", 2)
    mines = [Cell(0, 0), Cell(1, 3)]
    (click,) = plan_step(board, [Cell(0, 2), Cell(2, 0)], mines, chords=False)
    assert click.cell == Cell(2, 0)


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(6))
def test_the_style_changes_the_clicks_but_no_decision(seed: int) -> None:
    ends, clicks = set(), {}
    for style in Style:
        desk = desktop(rows=16, cols=16, mines=30, seed=seed, rule=Rule.ZERO)
        (result,), _ = play(desk, mines=30, style=style)
        ends.add((result.outcome, result.bv))
        clicks[style] = len(desk.clicks)
    assert len(ends) == 1
    assert clicks[Style.FEW] < 0.8 * clicks[Style.WIN]
