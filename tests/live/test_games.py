"""The bot plays the packaged programs with its play command, and all that it does is checked."""

import pytest

from tests.live.conftest import open_game, require
from tests.live.match import faults, play
from tests.live.programs import PROGRAMS, start

SERIES = [
    ("xdemineur", "beginner", 2, None),
    ("xdemineur", "intermediate", 1, None),
    ("gnome-mines", "beginner", 2, "bgcolors"),
    ("gnome-mines", "beginner", 1, "default"),
    ("gnome-mines", "expert", 1, "bgcolors-dark"),
    ("gnome-mines", "beginner", 1, "default-dark"),
    ("kmines", "beginner", 1, "default"),
    ("kmines", "expert", 1, "classic"),
    ("sgt-mines", "beginner", 2, None),
]


@pytest.mark.parametrize(
    ("name", "size", "games", "theme"),
    [pytest.param(*case, id="-".join(filter(None, (*case[:2], case[3])))) for case in SERIES],
)
def test_plays_cleanly(name, size, games, theme, desk, session):
    match = play(open_game(desk, name, size, theme), games, session, limit_s=280)
    assert faults(match) == []
    if name == "sgt-mines":  # deals only boards that need no guess
        assert match.wins == games


def test_knows_a_program_at_scale_2_for_a_second_game(desk, session):
    """Its tiles have 102 pixels there, and edges so thin that they look flat."""
    program = PROGRAMS["gnome-mines"]._replace(env={"GDK_SCALE": "2"})
    require(program.name, packages=program.package)
    running = start(desk, program, program.sizes["beginner"], at=(160, 90))
    assert faults(play(running, 2, session, limit_s=280)) == []


def test_knows_kmines_in_a_small_window_for_a_second_game(desk, session):
    """The edges of its tiles lie otherwise on the pixels at each size: 27 of them here.

    Its message lies over the middle rows, and stays as long as it believes the pointer to be there.
    """
    running = open_game(desk, "kmines", theme="default")
    desk.xdotool("windowsize", running.window, 300, 390)
    desk.wait_stable()
    assert faults(play(running, 2, session, limit_s=280)) == []


def test_plays_a_program_without_any_options(desk, session):
    """Appearance, smiley and the wish to have all mines flagged are found out during play."""
    match = play(open_game(desk, "xdemineur"), 2, session, "--theme", "sgt-mines", limit_s=120)
    assert faults(match) == []


def test_plays_on_from_a_half_played_board(desk, session):
    running = open_game(desk, "sgt-mines", at=(700, 400))
    left, top, width, height = desk.geometry(running.window)
    desk.click(left + width / 2, top + height / 2)
    desk.wait_stable()
    match = play(running, 1, session, limit_s=120)
    assert faults(match) == []
    assert match.wins == 1
