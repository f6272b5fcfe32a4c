"""From decisions to clicks: flags, chords where they save clicks, and how both can go wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.mouse.plan import PlannedClick, flag_the_mines, may_win, plan_clicks, plan_step
from bot.options import Style
from solver.agents import make_agent
from solver.agents.base import Action, Decision, Move
from solver.analysis import analyse
from solver.board import Board, Cell
from solver.game import Game, Rule, Status
from tests.bot.play.playing import desktop, play


def cells(text: str) -> tuple[Cell, ...]:
    """Return the cells of a text: "02 10" are two."""
    return tuple(Cell(int(one[0]), int(one[1])) for one in text.split())


def opening(text: str) -> Decision:
    return Decision(tuple(map(Move, cells(text))), "test", 1.0)


def text_of(clicks: Iterable[PlannedClick]) -> str:
    """Write each click as its effect and its cell."""
    return " ".join(f"{click.effect.value} {click.cell.row}{click.cell.col}" for click in clicks)


LARGE = "{}\n{}" + "\n#########" * 7
BESIDE_A_ONE = LARGE.format("#########", "#1#######")
BESIDE_A_FLAG = LARGE.format("#########", "#F#######")
IN_A_ROW, NO_FLAG = "F##\n111\n000\n111\n###", "###\n111\n000\n111\n###"
FLAGGED, CHORDS = "F1##\n11##\n####\n####", {"chords": True}


@pytest.mark.parametrize(
    ("board", "total", "opened", "known", "clicks"),
    [
        # All certain cells that touch a mine cannot be zeros: they are clicked in one batch.
        (BESIDE_A_ONE, None, "00 02", {"mines": "01"}, "open 00 open 02"),
        # Cells that flooding may open are left to the next turn.
        ("1#1##1#1", 2, "03 04", {}, "open 03"),
        ("1#1##1#1", None, "03 04", {}, "open 03"),
        # The mine of the 1 is at its left or right; either end may be a zero that opens no more.
        ("#####\n##1##", None, "01 02 03", {}, "open 02 open 01 open 03"),
        # On a page with lives a number may have its mine: what it touches may still be a zero.
        ("X1###\n11###\n00###", None, "02 03", {}, "open 02"),
        # Flags come before any opening, which may win, and only if they are asked for.
        ("?##1#", None, "00", {"mines": "04", "flags": True}, "flag 04 unmark 00 open 00"),
        ("#1\n#1", None, "10", {"mines": "00"}, "open 10"),
        ("#1\n#1", None, "10", {"mines": "00", "flags": True}, "flag 00 open 10"),
        ("F1\n#1", None, "10", {"mines": "00", "flags": True}, "open 10"),
        # A flag on a safe cell is removed first.
        ("F1\n##", None, "00", {}, "unflag 00 open 00"),
        # Beside a flag that may be wrong one cell may open the other; a second click is a chord.
        (BESIDE_A_FLAG, None, "00 01 88", {"mines": "10"}, "open 00 open 88"),
        (BESIDE_A_FLAG, None, "00 01 88", {"mines": "10 11"}, "open 00 open 01 open 88"),
        # Cells that did not answer come first, but after those that cannot be zeros...
        ("#####\n##1##", None, "01 02 03", {"misses": "03"}, "open 02 open 03 open 01"),
        # ... unless for long: a page that lost the last clicks of each turn never opened it.
        ("#####\n##1##", None, "00 02 04", {"misses": "04"}, "open 02 open 04 open 00"),
        ("#####\n##1##", None, "00 02 04", {"misses": "04 04 04"}, "open 04 open 00"),
        # Chords: the middle 1 touches the flag and both safe cells.
        (IN_A_ROW, None, "01 02", {"mines": "00", "chords": True}, "chord 11"),
        (NO_FLAG, None, "01 02", {"mines": "00", **CHORDS, "flags": True}, "flag 00 chord 11"),
        # None on a flag that may be wrong, or that opens more than was decided.
        ("F##\n111\n000", None, "01 02", {"chords": True}, "open 01 open 02"),
        ("F##\n111\n000", None, "01", {"mines": "00", "chords": True}, "open 01"),
        # A cell that a chord or an unmarked cell may open waits.
        (FLAGGED, None, "02 12 20 21 22 33", {"mines": "00", **CHORDS}, "chord 01"),
        ("?###\n####\n####\n###?", None, "00 33", {}, "unmark 00 open 00"),
    ],
)
def test_which_clicks_open_cells(
    board: str, total: int | None, opened: str, known: Mapping[str, Any], clicks: str
) -> None:
    mines, misses = cells(known.get("mines", "")), Counter(cells(known.get("misses", "")))
    given = {**known, "mines": mines, "misses": misses}
    assert text_of(plan_clicks(opening(opened), Board.from_text(board, total), **given)) == clicks


@pytest.mark.parametrize(
    ("board", "safe", "mines", "chords", "clicks", "opened"),
    [
        # A chord that saves clicks comes with its flag; one that stands costs nothing.
        ("#1#\n111\n###", "02 20 21 22", "00", True, "flag 00 chord 11", "02 20 21 22"),
        ("F1#\n#1#", "02 10 12", "00", True, "chord 01", "02 10 12"),
        # None that takes two clicks for one cell, or one of whose mines is not known.
        ("#1#", "02", "00", True, "open 02", "02"),
        ("##\n#2\n##", "01 21", "00", True, "open 01", "01"),
        ("#1#\n111\n###", "02 20 21 22", "00", False, "open 21", "21"),
        # The cell beside the second mine has a number, the one below may be a zero.
        ("#1##\n11##\n####", "02 20", "00 13", False, "open 20", "20"),
    ],
)
def test_the_step_that_takes_the_fewest_clicks(
    board: str, safe: str, mines: str, chords: bool, clicks: str, opened: str
) -> None:
    step = plan_step(Board.from_text(board, 3), cells(safe), cells(mines), chords=chords)
    assert text_of(step) == clicks
    assert {*step[-1].cells} == {*cells(opened)}


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


def test_what_a_click_left_unanswered_is_known() -> None:
    board = Board.from_text("F1\n##")
    unflag, then = plan_clicks(opening("00"), board)
    assert (unflag.after_mark, then.after_mark) == (False, True)
    assert unflag.unanswered(board) == [Cell(0, 0)]
    assert unflag.unanswered(Board.from_text("#1\n##")) == []
    (chord,) = plan_clicks(
        opening("01 02"), Board.from_text(IN_A_ROW), mines=cells("00"), chords=True
    )
    assert chord.cells == cells("01 02")
    assert chord.unanswered(Board.from_text("F1#\n111\n000\n111\n###")) == [Cell(0, 2)]


def test_an_agent_may_correct_a_flag_with_or_without_opening_the_cell() -> None:
    """As the last cells of a game, which a person flagged by mistake."""
    board = Board.from_text("0F1#\n0011\n0000", 1)
    decision = make_agent("tank").decide(board)
    assert decision.moves == (Move(Cell(0, 1), Action.FLAG),)
    effects = [click.effect.value for click in plan_clicks(decision, board)]
    assert effects == ["unflag", "open"]
    alone = Decision((Move(Cell(0, 0), Action.FLAG),), "test", 1.0)
    (click,) = plan_clicks(alone, Board.from_text("F1\n##"))
    assert click.effect.value == "unflag"


@settings(deadline=None)
@given(
    size=st.tuples(st.integers(4, 12), st.integers(4, 12)),
    density=st.floats(0.05, 0.25),
    known=st.booleans(),
    seed=st.integers(0, 10**6),
)
def test_no_click_follows_one_that_wins_or_goes_to_a_cell_that_another_opened(
    size: tuple[int, int], density: float, known: bool, seed: int
) -> None:
    """It would go to what lies over a board that was won, and start a new game.

    A page that counted cells twice never reported a win.
    """
    agent, total = make_agent("tank"), max(1, int(size[0] * size[1] * density))
    game = Game.random(*size, total, rule=Rule.ZERO, seed=seed)
    game.open(Cell(size[0] // 2, size[1] // 2))
    while game.status is Status.PLAYING:
        board = game.board.with_mines(total if known else None)
        decision = agent.decide(board)
        if not decision.certain:
            break
        clicks = plan_clicks(decision, board, mines=analyse(board).mines)
        assert clicks
        for click in clicks:
            assert game.status is Status.PLAYING
            assert game.board.covered[click.cell]
            game.open(click.cell)


def test_a_turn_can_win_only_if_it_reaches_all_safe_cells() -> None:
    """Mines in the second and fourth cell; flooding from the right never reaches the first."""
    board = Board.from_text("##2#1##", 2)
    mines = analyse(board).mines
    assert not may_win(board, opening("05"), mines)
    assert may_win(board, opening("00 05"), mines)
    assert may_win(board.with_mines(None), opening("05"), mines)
    assert may_win(Board.from_text("X1##\n11##", 1), opening("02"), ())


def test_the_last_flags_are_set_on_all_hidden_cells() -> None:
    decision = flag_the_mines(Board.from_text("F#\n1#"))
    assert [tuple(move.cell) for move in decision.moves] == [(0, 1), (1, 1)]
    assert decision.certain
