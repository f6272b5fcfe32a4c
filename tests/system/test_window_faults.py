"""When window or screen misbehave, play goes on or stops with the right error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bot.errors import BotError, ScreenGone, WindowCovered, WindowGone
from calibration.calibration import Calibration, calibrate
from calibration.errors import BoardCovered, CalibrationError, NoGrid
from calibration.frame import Frame
from calibration.reader import Reader, Readout
from calibration.reading import Memory
from calibration.theme import LEARNED
from tests.simulated import FaultyDesktop
from tests.system.faulty import after, desktop

# ---- the window ----------------------------------------------------------------------------------


@pytest.mark.slow
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
@pytest.mark.parametrize("click", [2, 7])
def test_a_moved_board_that_no_fresh_look_can_read_is_known_by_its_last_picture(
    play: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, click: int
) -> None:
    """Its look was learned as the game went."""
    moved: list[int] = []

    def search(frame: Frame, **how: Any) -> Calibration:
        if moved:
            raise NoGrid("none that can be read")
        return calibrate(frame, **how)

    def move(desk: FaultyDesktop) -> None:
        desk.move_window(70, 33)
        moved.append(click)

    monkeypatch.setattr("bot.tracking.follow.calibrate", search)
    run = play(desktop(**after(click, move)))
    run.check_finished()
    assert moved == [click]


@pytest.mark.slow
def test_a_window_that_keeps_moving_is_followed(play: Callable[..., Any]) -> None:
    moves = {click: lambda desk: desk.move_window(13, 7) for click in range(3, 40, 6)}
    play(desktop(after_click=moves, place=(300, 200))).check_finished()


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("factor", [1.25, 0.8])
def test_a_resized_window_is_found_again(play: Callable[..., Any], factor: float) -> None:
    play(desktop(**after(5, lambda desk: desk.resize_window(factor)))).check_finished()


@pytest.mark.slow
@pytest.mark.parametrize("recognised", [True, False])
def test_lines_found_a_pixel_off_are_found_again(
    play: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, recognised: bool
) -> None:
    """On a window that moved and is not wholly painted, lines may be found a pixel off."""
    real_read, real_calibrate = Reader.read, calibrate
    searches: list[str] = []

    def read(reader: Reader, frame: Frame, memory: Memory, **how: bool) -> Readout:
        if reader._calibration.mines_from == "off":
            return Readout(BoardCovered("tiles look like nothing of the theme"), memory)
        return real_read(reader, frame, memory, **how)

    def search(frame: Frame, **how: Any) -> Calibration:
        found = real_calibrate(frame, **how)
        if searches == ["moved"]:
            searches.append("off")
            return replace(found, mines_from="off", grid=found.grid.moved(1.2, 1.2))
        if searches and not recognised:
            found = replace(found, theme=replace(found.theme, name=LEARNED))
        return found

    monkeypatch.setattr(Reader, "read", read)
    monkeypatch.setattr("bot.tracking.follow.calibrate", search)

    def move(desk: FaultyDesktop) -> None:
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


@pytest.mark.slow
def test_a_minimised_window_stops_play(play: Callable[..., Any]) -> None:
    run = play(desktop(**after(5, lambda desk: desk.minimise())))
    run.check()
    assert isinstance(run.error, WindowGone)
    assert len(run.desk.clicks) == 5


@pytest.mark.slow
def test_a_window_that_comes_back_is_played_on(play: Callable[..., Any]) -> None:
    play(desktop(**after(5, lambda desk: desk.minimise(lasts_s=1.5)))).check_finished()


# ---- the screen ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_black_screen_stops_play(play: Callable[..., Any]) -> None:
    run = play(desktop(**after(5, lambda desk: desk.go_black())))
    run.check()
    assert isinstance(run.error, ScreenGone)
    assert len(run.desk.clicks) == 5


@pytest.mark.slow
def test_a_screen_that_lights_up_again_is_played_on(play: Callable[..., Any]) -> None:
    play(desktop(**after(5, lambda desk: desk.go_black(lasts_s=1.5)))).check_finished()


@pytest.mark.slow
def test_a_grab_that_fails_once_is_made_again(play: Callable[..., Any]) -> None:
    play(desktop(**after(5, lambda desk: desk.fail_grabs(1)))).check_finished()


def test_grabs_that_keep_failing_stop_play(play: Callable[..., Any]) -> None:
    run = play(desktop(**after(5, lambda desk: desk.fail_grabs(10**9))))
    run.check()
    assert isinstance(run.error, ScreenGone)
    assert len(run.desk.clicks) == 5


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("skin", ["classic", "flat", "checkerboard"])
def test_night_light_is_learned_or_refused(play: Callable[..., Any], skin: str) -> None:
    run = play(desktop(**after(6, lambda desk: desk.night_light()), skin=skin))
    run.check()
    assert run.error is None or isinstance(run.error, BotError | CalibrationError)
