"""What a program shows at the end of a game: a dialog, a card over the board, a face above it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.errors import UsageError, WindowCovered, WindowStuck, WindowTrouble
from bot.events import Outcome
from bot.simulated.render import MineWindow
from calibration.errors import StatusUnclear
from calibration.frame import Frame
from calibration.grid import PixelBox, ScreenPoint
from solver.game import Status
from tests.simulated import Behaviour, FaultyDesktop, FaultyProgram, Hit
from tests.system import playing
from tests.system.playing import HASTY, desktop, play

# ---- dialogs of an unknown program ---------------------------------------------------------------


WON_FIRST, LOST_FIRST = 1, 6
"""Seeds of series whose first game is won, and lost."""


def with_dialog(
    seed: int, kind: type[FaultyDesktop] = FaultyDesktop, **how: float
) -> FaultyDesktop:
    behaviour = Behaviour(win_dialog=True, loss_dialog=True, **how)
    return playing.desktop(kind=kind, seed=seed, behaviour=behaviour)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [WON_FIRST, LOST_FIRST])
def test_the_end_is_reported_although_a_dialog_covers_it(
    pressed_keys: list[str], seed: int
) -> None:
    run = play(with_dialog(seed), limits=HASTY)
    run.check_finished()
    assert len(run.results) == 1
    assert pressed_keys == []


@pytest.mark.slow
def test_a_win_is_reported_although_its_board_was_never_seen() -> None:
    run = play(with_dialog(WON_FIRST, dialog_s=-0.02), limits=HASTY)
    run.check_finished()
    (result,) = run.results
    assert result.outcome is Outcome.WON
    assert "opened all safe cells, as something came over them" in result.why_over
    assert run.notes == [result.why_over]


@pytest.mark.slow
def test_no_end_is_reported_for_a_guess_whose_answer_was_never_seen() -> None:
    run = play(with_dialog(LOST_FIRST, dialog_s=-0.02), limits=HASTY)
    run.check_stopped(WindowCovered)
    assert "--close KEY" in str(run.error)
    assert run.results == []


@pytest.mark.slow
def test_the_words_of_a_dialog_show_the_end_of_a_guess_whose_answer_was_never_seen() -> None:
    desk = with_dialog(LOST_FIRST, dialog_s=-0.02)
    desk.reads_words = True
    run = play(desk, limits=HASTY)
    run.check_finished()
    assert [one.outcome for one in run.results] == [Outcome.LOST]


@pytest.mark.slow
def test_a_dialog_without_a_known_key_stops_the_series_after_its_game(
    pressed_keys: list[str],
) -> None:
    run = play(with_dialog(WON_FIRST), games=2, limits=HASTY)
    run.check_stopped(WindowCovered)
    assert "--close KEY" in str(run.error)
    assert run.desk.results == [Status.WON]
    assert pressed_keys == []


@pytest.mark.slow
def test_dialogs_are_closed_with_the_key_that_a_person_named(pressed_keys: list[str]) -> None:
    run = play(with_dialog(LOST_FIRST), games=2, limits=HASTY, close="escape")
    run.check_finished()
    assert run.desk.results == [Status.LOST, Status.WON]
    assert pressed_keys.count("escape") == 2


@pytest.mark.slow
def test_a_slow_search_leaves_time_to_close_the_dialog(pressed_keys: list[str]) -> None:
    class Slow(FaultyDesktop):
        """The whole of its screen takes long to grab."""

        def grab(self, box: PixelBox | None = None) -> Frame:
            self.clock.sleep(0.0 if box else 15.0)
            return super().grab(box)

    run = play(with_dialog(WON_FIRST, Slow), close="escape")
    run.check_finished()
    assert "escape" in pressed_keys


# ---- pages that dim their board and lay a card with a button over it -----------------------------


def with_card(
    skin: str = "dark",
    seed: int = LOST_FIRST,
    at_end: Callable[[FaultyDesktop], None] | None = None,
    **how: float,
) -> FaultyDesktop:
    """Return a desktop; ``at_end`` happens to it as soon as a game has ended."""

    def end(desk: FaultyDesktop) -> None:
        if desk.results and at_end is not None:
            at_end(desk)

    return playing.desktop(
        skin,
        seed=seed,
        behaviour=Behaviour(end_overlay=True, **how),
        after_click=dict.fromkeys(range(80), end),
    )


def button_of(desk: FaultyDesktop) -> ScreenPoint:
    """Return where the button of the card will lie."""
    bounds = desk.truth_grid().bounds
    return ScreenPoint((bounds.x0 + bounds.x1) // 2, (bounds.y0 + bounds.y1) // 2)


@pytest.mark.slow
@pytest.mark.parametrize(("skin", "dimming"), [("dark", 0.6), ("classic", 1.0)])
def test_the_place_that_a_person_named_is_clicked_though_a_card_covers_the_board(
    skin: str, dimming: float
) -> None:
    """A board that is as dark as its page looks as if it were gone."""
    desk = with_card(skin, dimming=dimming)
    run = play(desk, games=2, new_game=button_of(desk), limits=HASTY)
    assert run.error is None
    assert len(run.results) == 2
    assert {click.hit for click in desk.clicks} <= {Hit.TILE, Hit.OVERLAY}


def put_another_window_over(desk: FaultyDesktop) -> None:
    desk.under_unseen_window = True


@pytest.mark.slow
@pytest.mark.parametrize("at_end", [FaultyDesktop.minimise, put_another_window_over])
def test_a_place_that_lies_in_another_window_at_the_end_is_not_clicked(
    at_end: Callable[[FaultyDesktop], None],
) -> None:
    desk = with_card("classic", at_end=at_end, dimming=1.0)
    run = play(desk, games=2, new_game=button_of(desk), limits=HASTY)
    assert isinstance(run.error, WindowTrouble)
    assert {click.hit for click in desk.clicks} == {Hit.TILE}


@pytest.mark.slow
@pytest.mark.parametrize("skin", ["dark", "classic"])
def test_an_end_that_was_visible_for_a_moment_is_reported(skin: str) -> None:
    # Less than the board takes to rest.
    run = play(with_card(skin, dialog_s=0.04), games=1, limits=HASTY)
    run.check_finished()
    assert run.desk.results == [Status.LOST]


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("skin", ["dark", "glass"])
def test_a_card_is_never_clicked_for_a_tile(skin: str) -> None:
    desk = with_card(skin, dialog_s=0.0)  # the end itself is never seen
    run = play(desk, games=2, limits=HASTY)
    run.check()
    assert run.desk.results[0] is Status.LOST
    assert {click.hit for click in desk.clicks} == {Hit.TILE}


@pytest.mark.slow
def test_the_end_of_a_game_is_reported_from_its_dimmed_board() -> None:
    run = play(with_card("pastel", dialog_s=0.0), games=1, limits=HASTY)
    run.check_finished()
    assert run.desk.results == [Status.LOST]


# ---- the smiley of a window ----------------------------------------------------------------------


@pytest.mark.slow
def test_the_smiley_of_an_unknown_program_starts_the_next_game() -> None:
    run = play(desktop(), games=4, new_game=None)
    run.check_finished()
    assert len(run.results) == 4


def test_without_a_smiley_several_games_are_refused_before_the_first_click() -> None:
    run = play(desktop("flat"), games=2, new_game=None)
    assert isinstance(run.error, UsageError)
    assert "--new-game" in str(run.error)
    assert run.desk.clicks == []


@pytest.mark.slow
def test_a_smiley_that_starts_no_game_stops_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FaultyProgram, "new_game", lambda self: None)
    run = play(desktop(), games=2, new_game=None)
    run.check()
    assert isinstance(run.error, WindowStuck)
    assert len(run.desk.results) == 1


def with_smiley_that_keeps_smiling(
    desk: FaultyDesktop, monkeypatch: pytest.MonkeyPatch
) -> FaultyDesktop:
    """Make the smiley of the window change at the end of its first game only."""
    paint = MineWindow.paint_new_game

    def paint_smiling(window: MineWindow, status: Status) -> PixelBox:
        return paint(window, Status.PLAYING if len(desk.results) > 1 else status)

    monkeypatch.setattr(MineWindow, "paint_new_game", paint_smiling)
    return desk


@pytest.mark.slow
def test_a_smiley_that_contradicts_a_lost_board_stops_play(monkeypatch: pytest.MonkeyPatch) -> None:
    run = play(with_smiley_that_keeps_smiling(desktop(), monkeypatch), games=3)
    run.check()
    # The first end shows what the smiley means; at the second end it keeps smiling.
    assert isinstance(run.error, StatusUnclear)
    assert run.desk.results == [Status.WON, Status.LOST]


@pytest.mark.slow
def test_if_every_safe_cell_is_open_the_board_is_trusted_over_the_smiley(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = play(with_smiley_that_keeps_smiling(desktop(seed=1), monkeypatch), games=3)
    run.check_finished()
    assert run.desk.results == [Status.WON] * 3


@pytest.mark.slow
def test_a_smiley_that_never_changes_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    paint = MineWindow.paint_new_game
    monkeypatch.setattr(
        MineWindow, "paint_new_game", lambda window, _: paint(window, Status.PLAYING)
    )
    play(desktop(), games=3).check_finished()
