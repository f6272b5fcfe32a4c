"""What can be known of a desktop before touching it."""

import pytest

from bot.desktop import why_no_desktop


@pytest.mark.parametrize(
    ("environ", "word"),
    [
        ({}, "DISPLAY"),
        ({"DISPLAY": ""}, "DISPLAY"),
        ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, "Wayland"),
    ],
)
def test_a_desktop_that_cannot_be_played_on_says_why_in_one_sentence(
    environ: dict[str, str], word: str
) -> None:
    reason = why_no_desktop("linux", environ)
    assert reason is not None
    assert word in reason
    assert "--screen sim" in reason
    assert reason.count(". ") == 0


def test_an_x_display_is_fine() -> None:
    assert why_no_desktop("linux", {"DISPLAY": ":0", "XDG_SESSION_TYPE": "x11"}) is None
    # A nested or virtual X server inside a Wayland login.
    assert why_no_desktop("linux", {"DISPLAY": ":5", "XDG_SESSION_TYPE": "wayland"}) is None


def test_windows_needs_no_display_variable() -> None:
    assert why_no_desktop("win32", {}) is None
