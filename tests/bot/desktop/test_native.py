"""What can be known of a desktop before it is opened."""

import pytest

from bot.desktop.native import why_no_desktop


@pytest.mark.parametrize(
    ("environ", "word"),
    [
        ({}, "DISPLAY"),
        ({"DISPLAY": ""}, "DISPLAY"),
    ],
)
def test_an_unusable_desktop_is_explained_in_one_sentence(
    environ: dict[str, str], word: str
) -> None:
    reason = why_no_desktop("linux", environ)
    assert reason is not None
    assert word in reason
    assert "--screen sim" in reason
    assert reason.count(". ") == 0


def test_an_x_display_can_be_used() -> None:
    assert why_no_desktop("linux", {"DISPLAY": ":0", "XDG_SESSION_TYPE": "x11"}) is None
    # A nested or virtual X server within a Wayland session.
    assert why_no_desktop("linux", {"DISPLAY": ":5", "XDG_SESSION_TYPE": "wayland"}) is None


def test_windows_needs_no_display_variable() -> None:
    assert why_no_desktop("win32", {}) is None
