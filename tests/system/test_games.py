"""Whole games on the simulated desktop: every skin, size and first-click rule."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from bot.desktop.ports import Button
from bot.simulated import SKINS
from solver.board import Cell, Tile
from solver.game import Rule, Status
from tests.simulated import Behaviour, FaultyDesktop, FaultyProgram

SIZES = {"beginner": (9, 9, 10), "intermediate": (16, 16, 40), "expert": (16, 30, 99)}


def desktop(skin: str = "classic", size: str = "beginner", **changes: Any) -> FaultyDesktop:
    rows, cols, mines = SIZES[size]
    settings: dict[str, Any] = {"rule": Rule.ZERO, "seed": 5, "mines": mines, **changes}
    return FaultyDesktop(rows=rows, cols=cols, skin=skin, **settings)


@pytest.mark.slow
@pytest.mark.sampled(7)
@pytest.mark.parametrize("rule", Rule)
@pytest.mark.parametrize("skin", SKINS)
def test_beginner_games_with_every_skin_and_rule(
    play: Callable[..., Any], skin: str, rule: Rule
) -> None:
    run = play(desktop(skin, rule=rule), rule=rule, games=2)
    run.check_finished()
    assert len(run.results) == 2


@pytest.mark.slow
def test_new_games_are_a_second_apart(play: Callable[..., Any], monkeypatch: Any) -> None:
    """Winemine deals the same board twice within a second."""
    desk, asked = desktop(mines=28), list[float]()
    deal = FaultyProgram.new_game

    def new_game(program: FaultyProgram) -> None:
        asked.append(desk.clock.now())
        deal(program)

    monkeypatch.setattr(FaultyProgram, "new_game", new_game)
    run = play(desk, games=6)
    run.check_finished()
    assert len(run.results) == 6
    assert min(np.diff(asked)) > 0.999


@pytest.mark.slow
@pytest.mark.sampled(6)
@pytest.mark.parametrize("skin", SKINS)
def test_an_expert_game_with_every_skin(play: Callable[..., Any], skin: str) -> None:
    play(desktop(skin, "expert")).check_finished()


@pytest.mark.slow
@pytest.mark.sampled(7)
@pytest.mark.parametrize(
    ("skin", "scale"),
    [
        *(("classic", scale) for scale in (0.75, 1.25, 1.5)),
        *(("pastel", scale) for scale in (0.75, 2.0)),
        *(("checkerboard", scale) for scale in (1.37, 2.0)),
    ],
)
def test_any_scale(play: Callable[..., Any], skin: str, scale: float) -> None:
    size = "intermediate" if scale < 2 else "beginner"
    play(desktop(skin, size, scale=scale)).check_finished()


@pytest.mark.slow
@pytest.mark.parametrize("background", ["circles", "noise", "grid-paper"])
def test_any_wallpaper(play: Callable[..., Any], background: str) -> None:
    play(desktop("flat", "intermediate", background=background)).check_finished()


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("ratio", [1.25, 2.0])
def test_a_screen_with_more_pixels_than_mouse_units(play: Callable[..., Any], ratio: float) -> None:
    play(desktop("flat", pixel_ratio=ratio), games=2).check_finished()


@pytest.mark.slow
def test_an_unusual_size(play: Callable[..., Any]) -> None:
    desk = FaultyDesktop(rows=7, cols=23, mines=24, rule=Rule.ZERO, seed=3)
    play(desk, games=2).check_finished()


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("skin", ["classic", "flat"])
def test_with_flags(play: Callable[..., Any], skin: str) -> None:
    run = play(desktop(skin, "intermediate"), flags=True)
    run.check_finished()
    assert any(click.button is Button.RIGHT for click in run.desk.clicks)


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("skin", ["classic", "flat"])
def test_with_chords(play: Callable[..., Any], skin: str) -> None:
    run = play(desktop(skin, "intermediate"), flags=True, chords=True)
    run.check_finished()
    assert any(click.button is Button.MIDDLE for click in run.desk.clicks)


@pytest.mark.slow
def test_without_flags_only_the_left_button_is_used(play: Callable[..., Any]) -> None:
    run = play(desktop(size="intermediate"))
    assert {click.button for click in run.desk.clicks} == {Button.LEFT}


@pytest.mark.slow
def test_a_half_played_board_is_played_on(play: Callable[..., Any]) -> None:
    desk = desktop(size="intermediate")
    desk.click(desk.cell_point(Cell(8, 8)))
    assert desk.game.mines is not None
    row, col = np.argwhere(desk.game.mines)[0].tolist()
    desk.click(desk.cell_point(Cell(row, col)), Button.RIGHT)
    desk.clock.sleep(1)
    run = play(desk)
    run.check_finished()
    assert run.witness.turns[0].reading.board.flags == 1
    assert desk.game.board.tiles[row, col] == Tile.FLAG


@pytest.mark.slow
def test_a_board_with_question_marks_is_played_on(play: Callable[..., Any]) -> None:
    desk = desktop(size="intermediate", behaviour=Behaviour(question_marks=True))
    desk.click(desk.cell_point(Cell(8, 8)))
    for _ in range(2):
        desk.click(desk.cell_point(Cell(15, 15)), Button.RIGHT)
    desk.clock.sleep(1)
    assert desk.truth_tiles()[15, 15] == Tile.QUESTION
    play(desk).check_finished()


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("status", [Status.WON, Status.LOST])
def test_a_finished_board_is_replaced_by_a_new_game(
    play: Callable[..., Any], status: Status
) -> None:
    desk = desktop("dark")
    desk.click(desk.cell_point(Cell(4, 4)))
    assert desk.game.mines is not None
    targets = desk.game.mines if status is Status.LOST else ~desk.game.mines
    for row, col in np.argwhere(targets).tolist():
        desk.click(desk.cell_point(Cell(row, col)))
    desk.clock.sleep(1)
    assert desk.results == [status]
    desk.results.clear()
    play(desk).check_finished()


BEHAVIOURS = {
    "slow ripples": Behaviour(latency_s=0.2, ripple_s=0.03),
    "one mine shown": Behaviour(shows_mines=False),
    "no flags on win": Behaviour(flags_on_win=False),
    "win flash": Behaviour(win_flash=True),
    "loss bubble": Behaviour(loss_bubble=True),
}


@pytest.mark.slow
@pytest.mark.sampled(5)
@pytest.mark.parametrize("behaviour", BEHAVIOURS.values(), ids=BEHAVIOURS)
def test_programs_that_behave_differently(play: Callable[..., Any], behaviour: Behaviour) -> None:
    run = play(desktop("flat", behaviour=behaviour), games=4)
    run.check_finished()
    assert len(run.results) == 4


def test_a_dry_run_clicks_nothing(play: Callable[..., Any]) -> None:
    run = play(desktop(), dry_run=True)
    assert run.error is None
    assert run.desk.clicks == []
    assert len(run.witness.turns) == 1


@pytest.mark.slow
def test_the_same_seed_plays_the_same_game(play: Callable[..., Any]) -> None:
    one, other = (play(desktop(size="intermediate", seed=9)) for _ in range(2))
    assert [click.cell for click in one.desk.clicks] == [click.cell for click in other.desk.clicks]


@pytest.mark.slow
def test_turns_give_the_chance_of_the_game(play: Callable[..., Any]) -> None:
    run = play(desktop(size="expert"))
    product = 1.0
    for turn in run.witness.turns:
        if not turn.retry:
            product *= turn.decision.survival
        assert turn.chance == pytest.approx(product)
    assert run.results[0].chance == pytest.approx(product)


@pytest.mark.slow
def test_a_new_board_is_read_when_it_is_at_rest(
    play: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A half-painted board may look as if all its tiles were hidden."""
    new_game = FaultyProgram.new_game

    def in_steps(program: FaultyProgram) -> None:
        new_game(program)
        for delay_s, cell in ((0.04, Cell(0, 0)), (0.08, Cell(0, 1)), (0.12, None)):
            program._timeline.later(delay_s, partial(program.hover, cell))

    monkeypatch.setattr(FaultyProgram, "new_game", in_steps)
    desk = desktop()
    run = play(desk, games=2)
    run.check_finished()
    first = next(turn for turn in run.witness.turns if turn.game == 2)
    grid = desk.truth_grid().moved(-first.frame.origin.x, -first.frame.origin.y)
    one, other, plain = (
        first.frame.pixels[box.y0 : box.y1, box.x0 : box.x1]
        for box in (grid.box(Cell(0, col)) for col in range(3))
    )
    assert np.array_equal(one, plain)
    assert np.array_equal(other, plain)


def test_mines_shown_after_a_win_are_no_loss(play: Callable[..., Any]) -> None:
    """No cell that the bot opened is a mine, so the game is won."""
    desk = FaultyDesktop(
        rows=9, cols=9, mines=10, seed=2, skin="flat", behaviour=Behaviour(mines_on_win=True)
    )
    run = play(desk)
    assert [result.outcome.value for result in run.results] == [desk.results[0].value] == ["won"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 9, 17])
def test_the_bold_numbers_of_glass_are_read(play: Callable[..., Any], seed: int) -> None:
    play(desktop("glass", "intermediate", seed=seed)).check_finished()
