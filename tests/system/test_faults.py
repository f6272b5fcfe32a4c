"""When the desktop misbehaves, play goes on or stops with the right error.

Whatever happens, no tile is misread, nothing but tiles and the new-game control is clicked, and
no wrong result is reported. A click takes 25 ms here, longer than the bot trusts a picture, so
that the desktop can change between any two clicks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bot.desktop.ports import Button
from bot.errors import (
    BoardChanged,
    BotError,
    ScreenGone,
    StoppedByUser,
    WindowCovered,
    WindowGone,
    WindowStuck,
)
from bot.simulated import Behaviour, Faults, SimulatedDesktop
from bot.simulated.program import MineProgram
from calibration.calibrate import Calibration, calibrate
from calibration.errors import BoardCovered, CalibrationError, UnreadableTiles
from calibration.frame import Frame
from calibration.reader import Reader, Reading
from calibration.theme import LEARNED
from solver.board import Cell
from solver.game import Rule

CLICK_S = 0.025


def desktop(faults: Faults | None = None, **changes: Any) -> SimulatedDesktop:
    settings: dict[str, Any] = {
        "rows": 16,
        "cols": 16,
        "mines": 40,
        "rule": Rule.ZERO,
        "seed": 5,
        "skin": "classic",
        "scale": 1.5,
        "click_s": CLICK_S,
        **changes,
    }
    return SimulatedDesktop(faults=faults, **settings)


def after(click: int, event: Callable[[SimulatedDesktop], None]) -> dict[str, Any]:
    return {"after_click": {click: event}}


# ---- the window ----------------------------------------------------------------------------------


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("click", "by"), [(1, (120, 60)), (4, (-35, 5)), (9, (2, 0)), (5, (0, 12)), (1, (1, 0))]
)
def test_a_moved_window_is_found_again(
    play: Callable[..., Any], click: int, by: tuple[int, int]
) -> None:
    run = play(desktop(**after(click, lambda desk: desk.move_window(*by))))
    run.check_finished()


@pytest.mark.slow
def test_a_window_that_keeps_moving_is_followed(play: Callable[..., Any]) -> None:
    moves = {click: lambda desk: desk.move_window(13, 7) for click in range(3, 40, 6)}
    play(desktop(after_click=moves, place=(300, 200))).check_finished()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("factor", [1.25, 0.8])
def test_a_resized_window_is_found_again(play: Callable[..., Any], factor: float) -> None:
    play(desktop(**after(5, lambda desk: desk.resize_window(factor)))).check_finished()


def test_a_board_that_is_readable_again_has_not_moved(
    play: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search during a repaint may find a grid that is a few pixels off."""
    real_read, real_calibrate = Reader.read, calibrate
    trouble: list[str] = []

    def read(reader: Reader, frame: Frame, **how: bool) -> Reading:
        if trouble == ["repainting"]:
            raise UnreadableTiles("half painted")
        return real_read(reader, frame, **how)

    def search(frame: Frame, **how: Any) -> Calibration:
        found = real_calibrate(frame, **how)
        if trouble != ["repainting"]:
            return found
        trouble.append("searched")
        return replace(found, grid=found.grid.moved(6, 0))

    monkeypatch.setattr(Reader, "read", read)
    monkeypatch.setattr("bot.tracking.tracker.calibrate", search)
    run = play(desktop(**after(5, lambda desk: trouble.append("repainting"))))
    run.check_finished()
    assert trouble == ["repainting", "searched"]
    assert run.witness.notes == []


@pytest.mark.parametrize("recognised", [True, False])
def test_lines_found_a_pixel_off_are_found_again(
    play: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, recognised: bool
) -> None:
    """On a window that moved and is not wholly painted, lines may be found a pixel off."""
    real_read, real_calibrate = Reader.read, calibrate
    searches: list[str] = []

    def read(reader: Reader, frame: Frame, **how: bool) -> Reading:
        if reader._calibration.mines_from == "off":
            raise BoardCovered("tiles look like nothing of the theme")
        return real_read(reader, frame, **how)

    def search(frame: Frame, **how: Any) -> Calibration:
        found = real_calibrate(frame, **how)
        if searches == ["moved"]:
            searches.append("off")
            return replace(found, mines_from="off", grid=found.grid.moved(1.2, 1.2))
        if searches and not recognised:
            found = replace(found, theme=replace(found.theme, name=LEARNED))
        return found

    monkeypatch.setattr(Reader, "read", read)
    monkeypatch.setattr("bot.tracking.tracker.calibrate", search)

    def move(desk: SimulatedDesktop) -> None:
        desk.move_window(120, 60)
        searches.append("moved")

    run = play(desktop(**after(9, move), skin="pastel"))
    run.check_finished()
    assert searches == ["moved", "off"]


@pytest.mark.slow
def test_a_popup_is_waited_out(play: Callable[..., Any]) -> None:
    play(desktop(**after(5, lambda desk: desk.popup(lasts_s=2.0)))).check_finished()


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.3, 1.1])
def test_a_popup_that_stays_stops_play(play: Callable[..., Any], share: float) -> None:
    run = play(desktop(**after(5, lambda desk: desk.popup(share=share))))
    run.check()
    # Tiles beside the popup may be clicked, those under it may not: `check` finds stray clicks.
    assert isinstance(run.error, WindowCovered | WindowGone | CalibrationError), run.error
    assert len(run.desk.clicks) < 30


@pytest.mark.slow
def test_a_sliding_notification_is_waited_out(play: Callable[..., Any]) -> None:
    play(desktop(**after(5, lambda desk: desk.notify(lasts_s=1.2)))).check_finished()


def test_a_minimised_window_stops_play(play: Callable[..., Any]) -> None:
    run = play(desktop(**after(5, lambda desk: desk.minimise())))
    run.check()
    assert isinstance(run.error, WindowGone)
    assert len(run.desk.clicks) == 5


@pytest.mark.slow
def test_a_window_that_comes_back_is_played_on(play: Callable[..., Any]) -> None:
    play(desktop(**after(5, lambda desk: desk.minimise(lasts_s=1.5)))).check_finished()


# ---- the screen ----------------------------------------------------------------------------------


def test_a_black_screen_stops_play(play: Callable[..., Any]) -> None:
    run = play(desktop(**after(5, lambda desk: desk.go_black())))
    run.check()
    assert isinstance(run.error, ScreenGone)
    assert len(run.desk.clicks) == 5


def test_a_screen_that_lights_up_again_is_played_on(play: Callable[..., Any]) -> None:
    play(desktop(**after(5, lambda desk: desk.go_black(lasts_s=1.5)))).check_finished()


def test_a_grab_that_fails_once_is_made_again(play: Callable[..., Any]) -> None:
    play(desktop(**after(5, lambda desk: desk.fail_grabs(1)))).check_finished()


def test_grabs_that_keep_failing_stop_play(play: Callable[..., Any]) -> None:
    run = play(desktop(**after(5, lambda desk: desk.fail_grabs(10**9))))
    run.check()
    assert isinstance(run.error, ScreenGone)
    assert len(run.desk.clicks) == 5


@pytest.mark.sampled(3)
@pytest.mark.parametrize("skin", ["classic", "flat", "checkerboard"])
def test_night_light_is_learned_or_refused(play: Callable[..., Any], skin: str) -> None:
    run = play(desktop(**after(6, lambda desk: desk.night_light()), skin=skin))
    run.check()
    assert run.error is None or isinstance(run.error, BotError | CalibrationError)


# ---- clicks --------------------------------------------------------------------------------------


@pytest.mark.sampled(6)
@pytest.mark.parametrize("every", [3, 4, 7])
@pytest.mark.parametrize("flags", [False, True])
def test_dropped_clicks_are_made_again(play: Callable[..., Any], every: int, flags: bool) -> None:
    play(desktop(Faults(drop_every=every)), flags=flags).check_finished()


def test_a_window_that_answers_no_click_is_stuck(play: Callable[..., Any]) -> None:
    run = play(desktop(Faults(drop_every=1)))
    run.check()
    assert isinstance(run.error, WindowStuck)
    assert len(run.desk.clicks) <= 6


@pytest.mark.sampled(4)
@pytest.mark.parametrize("skin", ["classic", "flat"])
@pytest.mark.parametrize("flags", [False, True])
def test_doubled_clicks_do_no_harm(play: Callable[..., Any], skin: str, flags: bool) -> None:
    run = play(desktop(Faults(double_every=3), skin=skin), flags=flags)
    run.check_finished()
    if flags:
        assert any(c.deliveries == 2 and c.button is Button.RIGHT for c in run.desk.clicks)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("repaint_s", [0.3, 0.8, 2.5])
def test_slow_repaints_are_waited_for(play: Callable[..., Any], repaint_s: float) -> None:
    run = play(desktop(Faults(repaint_s=repaint_s), rows=9, cols=9, mines=10))
    run.check()
    # Play may give up if the repaint is slower than every limit, but never clicks wrongly.
    assert run.error is None or (repaint_s > 2 and isinstance(run.error, BotError))


def test_a_program_that_needs_long_for_each_click_is_waited_for(
    play: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser on a busy machine answers several clicks one after another."""
    show, free_at = MineProgram._show_change, 0.0

    def queued(program: MineProgram, start: Cell, before: NDArray[np.int8]) -> None:
        nonlocal free_at
        now = program._timeline.clock.now()
        free_at = max(now, free_at) + 0.3
        program.faults = replace(program.faults, repaint_s=free_at - now)
        show(program, start, before)

    monkeypatch.setattr(MineProgram, "_show_change", queued)
    run = play(desktop(Faults(), rows=9, cols=9, mines=10, seed=1))
    run.check_finished()
    cells = [click.cell for click in run.desk.clicks]
    assert len(cells) == len(set(cells))


@pytest.mark.slow
def test_slow_and_uneven_flooding_is_waited_for(play: Callable[..., Any]) -> None:
    behaviour = Behaviour(latency_s=0.1, ripple_s=0.12)
    play(desktop(Faults(), behaviour=behaviour, rows=9, cols=9, mines=10), games=3).check_finished()


@pytest.mark.sampled(5)
@pytest.mark.parametrize("skin", ["classic", "flat", "dark", "pastel", "glass"])
def test_a_tile_that_lightens_under_the_pointer_is_read_right(
    play: Callable[..., Any], skin: str
) -> None:
    play(desktop(Faults(hover=True), skin=skin, scale=1.0), games=2).check_finished()


# ---- the counter ---------------------------------------------------------------------------------


@pytest.mark.sampled(4)
@pytest.mark.parametrize("error", [-7, 3])
@pytest.mark.parametrize("skin", ["classic", "flat"])
def test_a_wrong_counter_makes_no_move_unsafe(
    play: Callable[..., Any], skin: str, error: int
) -> None:
    run = play(desktop(Faults(counter_error=error), skin=skin, scale=1.0), games=2)
    run.check_finished()


@pytest.mark.slow
@pytest.mark.parametrize("total", [33, 43])
def test_a_wrong_total_from_the_person_is_replaced_with_a_note(
    play: Callable[..., Any], total: int
) -> None:
    run = play(desktop(Faults(counter_absent=True)), mines=total, games=3)
    run.check()
    assert run.error is None
    assert len(run.results) == len(run.desk.results) == 3
    assert any("mines do not fit" in note for note in run.witness.notes)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("mines", [None, 40])
def test_games_are_played_without_a_counter(play: Callable[..., Any], mines: int | None) -> None:
    play(desktop(Faults(counter_absent=True)), mines=mines, games=2).check_finished()


def test_a_board_of_unusual_size_is_played_without_counter_and_total(
    play: Callable[..., Any],
) -> None:
    desk = desktop(Faults(counter_absent=True), rows=11, cols=14, mines=23)
    play(desk, games=2).check_finished()


# ---- the person ----------------------------------------------------------------------------------


@pytest.mark.sampled(4)
@pytest.mark.parametrize("click", [1, 2, 7, 20])
def test_no_click_after_the_kill_switch(play: Callable[..., Any], click: int) -> None:
    run = play(desktop(**after(click, lambda desk: desk.slam())))
    run.check()
    assert isinstance(run.error, StoppedByUser)
    assert len(run.desk.clicks) == click


def test_play_waits_for_a_person_at_the_mouse(play: Callable[..., Any]) -> None:
    run = play(desktop(**after(5, lambda desk: desk.user_moves(lasts_s=2.0))))
    run.check_finished()
    pause = run.desk.clicks[5].time_s - run.desk.clicks[4].time_s
    assert pause > 2.0
    assert any("mouse" in note for note in run.witness.notes)


@pytest.mark.slow
def test_a_game_restarted_by_hand_stops_play_or_is_played(play: Callable[..., Any]) -> None:
    run = play(desktop(**after(8, lambda desk: desk.new_game())))
    run.check()
    assert run.error is None or isinstance(run.error, BoardChanged)


# ---- dialogs -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_unknown_dialog_is_never_clicked_through(play: Callable[..., Any]) -> None:
    behaviour = Behaviour(win_dialog=True, loss_dialog=True)
    run = play(desktop(Faults(), behaviour=behaviour, rows=9, cols=9, mines=10), games=3)
    run.check()
    assert run.error is None or isinstance(run.error, BotError | CalibrationError)


# ---- several at once -----------------------------------------------------------------------------


@pytest.mark.slow
def test_many_faults_at_once(play: Callable[..., Any]) -> None:
    faults = Faults(
        drop_every=6,
        double_every=5,
        repaint_s=0.15,
        hover=True,
    )
    after_click: dict[int, Callable[[SimulatedDesktop], None]] = {
        4: lambda desk: desk.move_window(45, 30),
        11: lambda desk: desk.popup(lasts_s=1.2),
        17: lambda desk: desk.user_moves(lasts_s=0.6),
        23: lambda desk: desk.minimise(lasts_s=1.0),
        29: lambda desk: desk.notify(lasts_s=1.0),
    }
    play(desktop(faults, after_click=after_click), games=2).check_finished()


def test_a_wrong_number_that_was_seen_for_a_moment_is_not_held_against_the_board(
    play: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was read from a frame between two turns, as a page draws it while cells still open."""
    read, done = Reader.read, False

    def misread_once(reader: Reader, frame: Frame, *, same_game: bool = True) -> Reading:
        nonlocal done
        before = reader._previous
        reading = read(reader, frame, same_game=same_game)
        if before is not None and not done:
            opened = np.argwhere((reading.board.tiles > 0) & (before.tiles < 0))
            if len(opened) and (before.tiles > 0).any():
                tiles = reading.board.tiles.copy()
                tiles[tuple(opened[0])] += 1
                pixels = np.zeros_like(before.pixels)
                reader._previous = replace(before, pixels=pixels, tiles=tiles)
                done = True
        return reading

    monkeypatch.setattr(Reader, "read", misread_once)
    play(desktop()).check_finished()
    assert done
