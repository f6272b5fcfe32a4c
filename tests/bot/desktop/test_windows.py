"""What Windows is asked, on libraries that answer as its documentation says."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from bot.desktop import system
from bot.desktop.ports import Window
from bot.desktop.windows import (
    WindowsPointer,
    dpi_awareness,
    facts_of_windows,
    refusal_on_windows,
    scale_of,
    set_dpi_awareness,
)
from calibration.grid import ScreenPoint
from tests.bot.desktop.fakes import EXTERNAL, HIGH, LAPTOP, MEDIUM, OWN_PROCESS, Windows


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> Iterator[Windows]:
    windows = Windows()
    with windows.installed(monkeypatch):
        yield windows


@pytest.mark.parametrize(
    ("windows", "awareness"),
    [(Windows(), -4), (Windows(knows_contexts=False), -3), (Windows(is_set_already=True), -1)],
)
def test_the_awareness_is_the_best_that_windows_knows(windows: Windows, awareness: int) -> None:
    set_dpi_awareness(windows.libraries())
    assert windows.awareness == awareness
    if not windows.knows_contexts:
        windows.is_set_already = False
        oldest = SimpleNamespace(user32=windows.libraries().user32)
        set_dpi_awareness(oldest)
        assert windows.awareness == -2
        assert dpi_awareness(oldest) is None


def test_an_awareness_of_the_primary_monitor_is_worth_knowing_where_scales_differ(
    windows: Windows,
) -> None:
    """The sentences about one monitor are read in `tests/live/windows`."""
    set_dpi_awareness()
    assert (scale_of(LAPTOP), scale_of(EXTERNAL)) == (1.5, 1.0)
    scale, awareness, _ = facts_of_windows((LAPTOP, EXTERNAL))
    assert scale.sentence == "The scale of each monitor: 150%, 100%."
    assert awareness.good
    windows.awareness = -2
    (_, fact, _) = facts_of_windows((LAPTOP, EXTERNAL))
    assert fact.good, "all scales are the same"
    windows.says_all_scales = True
    (_, fact, _) = facts_of_windows((LAPTOP, EXTERNAL))
    assert not fact.good
    assert fact.sentence.endswith("give all monitors one scale.")


@pytest.mark.parametrize(
    ("window", "process", "level", "own", "refused"),
    [
        (10, OWN_PROCESS, MEDIUM, MEDIUM, False),
        (10, 8, MEDIUM, MEDIUM, False),
        (10, 8, HIGH, MEDIUM, True),
        (10, 8, HIGH, HIGH, False),
        (10, 8, None, MEDIUM, True),  # it may not be asked
        (None, 8, HIGH, MEDIUM, False),
    ],
)
def test_a_window_with_higher_rights_takes_no_clicks(
    window: int | None, process: int, level: int | None, own: int, refused: bool
) -> None:
    windows = Windows(process=process, at_point=window, levels={process: level, OWN_PROCESS: own})
    sentence = refusal_on_windows(ScreenPoint(5, 5), windows.libraries())
    assert (sentence is not None) == refused
    assert windows.open_handles == 0


# ---- the mouse, and who gets the keys ----------------------------------------------------------


@pytest.mark.parametrize("point", [(5, 5), (-1920, -100), (-7, 1799), (2879, 1799), (1234, 567)])
@pytest.mark.parametrize("is_swapped", [False, True])
def test_a_press_falls_where_it_is_sent_though_a_person_pushes_the_mouse(
    windows: Windows, point: tuple[int, int], is_swapped: bool
) -> None:
    windows.is_swapped = is_swapped
    pointer = WindowsPointer()
    assert pointer.click(ScreenPoint(*point))
    name = "right" if is_swapped else "left"
    assert windows.events == [(*point, name), (*point, f"{name} up")]
    assert pointer.position() == ScreenPoint(*point)
    assert not pointer.click(ScreenPoint(5, 5), into=Window(7, 0, 0, 7))
    assert len(windows.events) == 2


@pytest.mark.parametrize(
    ("at_point", "window"),
    [(21, Window(20, 60, 80, 10)), (10, Window(10, 30, 40, 10)), (None, Window(0, 0, 0, 0))],
)
def test_windows_names_the_top_level_window_at_a_point_and_whose_dialog_it_is(
    windows: Windows, at_point: int | None, window: Window
) -> None:
    windows.at_point = at_point
    assert system.window_of_windows(ScreenPoint(-5, 7)) == window


@pytest.mark.parametrize(
    ("front", "gets_keys", "dialog"),
    [(10, True, None), (20, True, 20), (33, False, None), (None, False, None)],
)
def test_the_keys_go_to_the_foreground_window_or_the_one_it_is_a_dialog_of(
    windows: Windows, front: int | None, gets_keys: bool, dialog: int | None
) -> None:
    windows.front = front
    assert system.gets_keys_on_windows(10) is gets_keys
    assert system.dialog_on_windows(10) == dialog
