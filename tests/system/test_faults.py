"""Desktops that misbehave: play goes on, or stops with the right error.

Whatever happens, no tile is misread, nothing but tiles and the new-game control is clicked, and
no wrong result is reported. A click takes 25 ms here, longer than the bot trusts a picture, so
that the desktop can change between any two clicks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bot.errors import (
    BoardChanged,
    BotError,
    ScreenGone,
    WindowCovered,
    WindowGone,
    WindowStuck,
)
from calibration.calibration import Calibration, calibrate
from calibration.errors import BoardCovered, CalibrationError
from calibration.frame import Frame
from calibration.reader import Reader, Readout
from calibration.reading import Memory
from calibration.theme import LEARNED
from solver.board import Cell
from tests.simulated import Behaviour, Faults, FaultyDesktop, FaultyProgram
from tests.system import playing
from tests.system.playing import play

Settings = dict[str, Any]
Happening = Callable[[FaultyDesktop], None]

SMALL: Settings = {"rows": 9, "cols": 9, "mines": 10}
SKINS = ["classic", "flat", "dark", "pastel", "glass"]


def desktop(**changes: Any) -> FaultyDesktop:
    return playing.desktop(**{"size": "intermediate", "scale": 1.5, "click_s": 0.025, **changes})


def after(click: int, event: Happening) -> Settings:
    return {"after_click": {click: event}}


def moved(x: int, y: int) -> Happening:
    return lambda desk: desk.move_window(x, y)


def faulty(**faults: Any) -> Settings:
    return {"faults": Faults(**faults)}


MANY_FAULTS: dict[int, Happening] = {
    4: moved(45, 30),
    11: lambda desk: desk.popup(lasts_s=1.2),
    17: lambda desk: desk.user_moves(lasts_s=0.6),
    23: lambda desk: desk.minimise(lasts_s=1.0),
    29: lambda desk: desk.notify(lasts_s=1.0),
}

SURVIVED: dict[str, tuple[Settings, Settings]] = {
    # the window
    **{
        f"moved by {by} after click {click}": (after(click, moved(*by)), {})
        for click, by in [(1, (120, 60)), (4, (-35, 5)), (9, (2, 0)), (5, (0, 12)), (1, (1, 0))]
    },
    "keeps moving": ({"after_click": dict.fromkeys(range(3, 40, 6), moved(-13, -7))}, {}),
    "resized by 1.25": (after(5, lambda desk: desk.resize_window(1.25)), {}),
    "resized by 0.8": (after(5, lambda desk: desk.resize_window(0.8)), {}),
    "a popup for a while": (after(5, lambda desk: desk.popup(lasts_s=2.0)), {}),
    "a sliding notification": (after(5, lambda desk: desk.notify(lasts_s=1.2)), {}),
    "minimised for a while": (after(5, lambda desk: desk.minimise(lasts_s=1.5)), {}),
    # the screen
    "black for a while": (after(5, lambda desk: desk.go_black(lasts_s=1.5)), {}),
    "a grab that fails once": (after(5, lambda desk: desk.fail_grabs(1)), {}),
    # the clicks
    **{
        f"every click no. {every} dropped, flags {flags}": (
            faulty(drop_every=every),
            {"flags": flags},
        )
        for flags, every in product([False, True], [3, 4, 7])
    },
    **{
        f"every click no. 3 doubled, {skin}, flags {flags}": (
            faulty(double_every=3) | {"skin": skin},
            {"flags": flags},
        )
        for flags, skin in product([False, True], ["classic", "flat"])
    },
    "slow and uneven flooding": (
        SMALL | {"behaviour": Behaviour(latency_s=0.1, ripple_s=0.12)},
        {"games": 3},
    ),
    **{
        f"a lighter tile under the pointer, {skin}": (
            faulty(hover=True) | {"skin": skin, "scale": 1.0},
            {"games": 2},
        )
        for skin in SKINS
    },
    # The nearest one to where the pointer is: SDL does not report that it left the window.
    **{
        f"a tile that stays light, {skin}": (
            faulty(hover=True, hover_stays=True) | {"skin": skin, "scale": 1.0},
            {"games": 2},
        )
        for skin in SKINS
    },
    # the counter
    **{
        f"no counter, mines {mines}": (faulty(counter_absent=True), {"mines": mines, "games": 2})
        for mines in (None, 40)
    },
    "no counter, an unusual size": (
        faulty(counter_absent=True) | {"rows": 11, "cols": 14, "mines": 23},
        {"games": 2},
    ),
    "many faults at once": (
        faulty(drop_every=6, double_every=5, repaint_s=0.15, hover=True)
        | {"after_click": MANY_FAULTS},
        {"games": 2},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("settings", "options"), SURVIVED.values(), ids=SURVIVED)
def test_play_goes_on(settings: Settings, options: Settings) -> None:
    play(desktop(**settings), **options).check_finished()


ANY = (BotError, CalibrationError)

STOPPED: dict[str, tuple[Settings, tuple[type[Exception], ...], range]] = {
    # What was below it must not be white, as a part of its border is.
    "minimised": (
        after(5, FaultyDesktop.minimise) | {"windows": ("calculator",)},
        (WindowGone,),
        range(5, 6),
    ),
    "black": (after(5, FaultyDesktop.go_black), (ScreenGone,), range(5, 6)),
    "no grab": (after(5, lambda desk: desk.fail_grabs(10**9)), (ScreenGone,), range(5, 6)),
    # Tiles beside the popup may be clicked, those under it may not: `check` finds stray clicks.
    **{
        f"a popup of {share}": (
            after(5, lambda desk, share=share: desk.popup(share=share)),
            (WindowCovered, WindowGone, CalibrationError),
            range(30),
        )
        for share in (0.3, 1.1)
    },
    "no click answered": (faulty(drop_every=1), (WindowStuck,), range(7)),
}
QUICK = "no grab"


@pytest.mark.parametrize(
    ("settings", "errors", "clicks"),
    [
        pytest.param(*row, id=name, marks=[pytest.mark.slow] * (name != QUICK))
        for name, row in STOPPED.items()
    ],
)
def test_play_stops(settings: Settings, errors: tuple[type[Exception], ...], clicks: range) -> None:
    run = play(desktop(**settings))
    run.check_stopped(*errors)
    assert len(run.desk.clicks) in clicks


EITHER: dict[str, tuple[Settings, Settings, tuple[type[Exception], ...]]] = {
    # Play may give up if the repaint is slower than every limit, but never clicks wrongly.
    **{
        f"repaints {repaint_s} s late": (
            faulty(repaint_s=repaint_s) | SMALL,
            {},
            (BotError,) if repaint_s > 2 else (),
        )
        for repaint_s in (0.3, 0.8, 2.5)
    },
    "restarted by hand": (after(8, FaultyDesktop.new_game), {}, (BoardChanged,)),
    **{
        f"night light, {skin}": (after(6, FaultyDesktop.night_light) | {"skin": skin}, {}, ANY)
        for skin in ("classic", "flat", "checkerboard")
    },
    "unknown dialogs": (
        SMALL | {"behaviour": Behaviour(win_dialog=True, loss_dialog=True)},
        {"games": 3},
        ANY,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("settings", "options", "errors"), EITHER.values(), ids=EITHER)
def test_play_goes_on_or_stops(
    settings: Settings, options: Settings, errors: tuple[type[Exception], ...]
) -> None:
    run = play(desktop(**settings), **options)
    run.check()
    assert run.error is None or isinstance(run.error, errors), run.error


@pytest.mark.slow
def test_play_waits_for_a_person_at_the_mouse() -> None:
    run = play(desktop(**after(5, lambda desk: desk.user_moves(lasts_s=2.0))))
    run.check_finished()
    assert run.desk.clicks[5].time_s - run.desk.clicks[4].time_s > 2.0
    assert any("mouse" in note for note in run.notes)


@pytest.mark.slow
def test_a_program_that_looks_once_a_frame_whether_the_button_is_down_is_played() -> None:
    """Quick clicks are lost; after two turns that had to be repeated all are held.

    Until one of its clicks was answered, the bot makes one a turn.
    """
    held, quick = (play(desktop(**faulty(least_hold_s=hold_s))) for hold_s in (0.03, 0.0))
    for run in (held, quick):
        run.check_finished()
    assert len(held.turns) <= len(quick.turns) + 6


@pytest.mark.slow
@pytest.mark.parametrize("error", [-7, 3])
@pytest.mark.parametrize("skin", ["classic", "flat"])
def test_a_wrong_counter_is_blamed_for_what_it_costs(skin: str, error: int) -> None:
    """A total that the board can have is believed: the counter is blamed for what it costs."""
    run = play(desktop(**faulty(counter_error=error), skin=skin, scale=1.0), games=2)
    run.check_finished(("bad luck", "misread") if error < 0 else ("bad luck",))


@pytest.mark.slow
@pytest.mark.parametrize("total", [33, 43])
def test_a_wrong_total_from_the_person_is_replaced_with_a_note(total: int) -> None:
    run = play(desktop(**faulty(counter_absent=True)), mines=total, games=3)
    run.check()
    assert run.error is None
    assert len(run.results) == len(run.desk.results) == 3
    assert any("does not fit the numbers" in note for note in run.notes)


# ---- what is to happen at a certain step of the bot ----------------------------------------------


@pytest.mark.slow
def test_a_program_that_needs_long_for_each_click_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A browser on a busy machine answers several clicks one after another."""
    show, free_at = FaultyProgram._show_change, 0.0

    def queued(program: FaultyProgram, start: Cell, before: NDArray[np.int8]) -> None:
        nonlocal free_at
        now = program._timeline.clock.now()
        free_at = max(now, free_at) + 0.3
        program.faults = replace(program.faults, repaint_s=free_at - now)
        show(program, start, before)

    monkeypatch.setattr(FaultyProgram, "_show_change", queued)
    run = play(desktop(**SMALL, seed=1))
    run.check_finished()
    cells = [click.cell for click in run.desk.clicks]
    assert len(cells) == len(set(cells))


@pytest.mark.slow
@pytest.mark.parametrize("recognised", [True, False])
def test_lines_found_a_pixel_off_are_found_again(
    monkeypatch: pytest.MonkeyPatch, recognised: bool
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

    play(desktop(**after(9, move), skin="pastel")).check_finished()
    assert searches == ["moved", "off"]
