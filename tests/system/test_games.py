"""Whole games on the simulated desktop: every skin, size and first-click rule."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

from bot.desktop.ports import Button
from bot.simulated import SKINS
from solver.board import Cell, Tile
from solver.game import Rule, Status
from tests.simulated import Behaviour, FaultyDesktop, FaultyProgram
from tests.system.playing import desktop, play


@pytest.mark.slow
@pytest.mark.sampled(7)
@pytest.mark.parametrize("rule", Rule)
@pytest.mark.parametrize("skin", SKINS)
def test_beginner_games_with_every_skin_and_rule(skin: str, rule: Rule) -> None:
    run = play(desktop(skin, rule=rule), rule=rule, games=2)
    run.check_finished()
    assert len(run.results) == 2


LOOKS: dict[str, dict[str, Any]] = {
    **{f"expert {skin}": {"skin": skin, "size": "expert"} for skin in SKINS},
    **{
        f"{skin} at scale {scale}": {
            "skin": skin, "size": "intermediate" if scale < 2 else "beginner", "scale": scale,
        }
        for skin, scale in [
            *product(["classic"], [0.75, 1.25, 1.5]), *product(["pastel"], [0.75, 2.0]),
            *product(["checkerboard"], [1.37, 2.0]),
        ]
    },
    **{
        f"wallpaper {name}": {"skin": "flat", "size": "intermediate", "background": name}
        for name in ("circles", "noise", "grid-paper")
    },
    **{
        f"{ratio} pixels a mouse unit": {"skin": "flat", "pixel_ratio": ratio}
        for ratio in (1.25, 2.0)
    },
    "an unusual size": {"rows": 7, "cols": 23, "mines": 24, "seed": 3},
    **{
        f"the bold numbers of glass, seed {seed}": {
            "skin": "glass", "size": "intermediate", "seed": seed,
        }
        for seed in (0, 9, 17)
    },
    # No cell that the bot opened is a mine, so the game is won.
    "mines shown after a win": {"skin": "flat", "behaviour": Behaviour(mines_on_win=True)},
}  # fmt: skip
SMALL = {name for name in LOOKS if "mouse" in name or "unusual" in name}


@pytest.mark.slow
@pytest.mark.parametrize("look", LOOKS)
def test_any_look(look: str) -> None:
    play(desktop(**LOOKS[look]), games=1 + (look in SMALL)).check_finished()


BEHAVIOURS = {
    "slow ripples": Behaviour(latency_s=0.2, ripple_s=0.03),
    "one mine shown": Behaviour(shows_mines=False),
    "no flags on win": Behaviour(flags_on_win=False),
    "win flash": Behaviour(win_flash=True),
    "loss bubble": Behaviour(loss_bubble=True),
}


@pytest.mark.slow
@pytest.mark.parametrize("behaviour", BEHAVIOURS.values(), ids=BEHAVIOURS)
def test_programs_that_behave_differently(behaviour: Behaviour) -> None:
    run = play(desktop("flat", behaviour=behaviour), games=3)
    run.check_finished()
    assert run.desk.results == [Status.WON, Status.LOST, Status.WON]


@pytest.mark.slow
@pytest.mark.parametrize("skin", ["classic", "flat"])
@pytest.mark.parametrize("chords", [False, True])
def test_with_flags_and_chords(skin: str, chords: bool) -> None:
    run = play(desktop(skin, "intermediate"), flags=True, chords=chords)
    run.check_finished()
    wanted = Button.MIDDLE if chords else Button.RIGHT
    assert any(click.button is wanted for click in run.desk.clicks)


@pytest.mark.slow
def test_new_games_are_a_second_apart(monkeypatch: pytest.MonkeyPatch) -> None:
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
@pytest.mark.parametrize("mark", [Tile.FLAG, Tile.QUESTION])
def test_a_half_played_board_with_marks_is_played_on(mark: Tile) -> None:
    desk = desktop(size="intermediate", behaviour=Behaviour(question_marks=True))
    desk.click(desk.cell_point(Cell(8, 8)))
    assert desk.game.mines is not None
    mine = Cell(*np.argwhere(desk.game.mines)[0].tolist())
    for _ in range(1 + (mark is Tile.QUESTION)):
        desk.click(desk.cell_point(mine), Button.RIGHT)
    desk.clock.sleep(1)
    run = play(desk)
    run.check_finished()
    assert run.turns[0].reading.board[mine] == mark


def end_by_hand(desk: FaultyDesktop, status: Status) -> None:
    """Win or lose the game, as was done before the bot starts."""
    desk.click(desk.cell_point(Cell(4, 4)))
    assert desk.game.mines is not None
    targets = desk.game.mines if status is Status.LOST else ~desk.game.mines
    for row, col in np.argwhere(targets).tolist():
        desk.click(desk.cell_point(Cell(row, col)))
    desk.clock.sleep(1)
    assert desk.results == [status]
    desk.results.clear()


@pytest.mark.slow
@pytest.mark.parametrize("status", [Status.WON, Status.LOST])
@pytest.mark.parametrize(("skin", "new_game"), [("dark", "f2"), ("classic", None)])
def test_a_finished_board_is_replaced_by_a_new_game(
    status: Status, skin: str, new_game: str | None
) -> None:
    """Without a key, by the smiley of an unknown program."""
    desk = desktop(skin)
    end_by_hand(desk, status)
    play(desk, new_game=new_game).check_finished()


@pytest.mark.slow
def test_turns_give_the_chance_of_the_game() -> None:
    run = play(desktop(size="expert"))
    chance = 1.0
    for turn in run.turns:
        if not turn.retry:
            chance *= turn.decision.survival
        assert turn.chance == pytest.approx(chance)
    assert run.results[0].chance == pytest.approx(chance)


@pytest.mark.slow
def test_a_new_board_is_read_when_it_is_at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
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
    first = next(turn for turn in run.turns if turn.game == 2)
    grid = desk.truth_grid().moved(-first.frame.origin.x, -first.frame.origin.y)
    one, other, plain = (
        first.frame.pixels[box.y0 : box.y1, box.x0 : box.x1]
        for box in (grid.box(Cell(0, col)) for col in range(3))
    )
    assert np.array_equal(one, plain)
    assert np.array_equal(other, plain)
