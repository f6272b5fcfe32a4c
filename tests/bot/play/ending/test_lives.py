"""Whether what stands beside a board shows that the game goes on after a mine."""

from typing import Any

import pytest

from bot.play.ending import Lives
from calibration.indicators.words import Said
from solver.board import Cell
from solver.game import Status
from tests.bot.play.ending.cases import Words
from tests.bot.scene import Scene

BOARD = "####\n#12#\n#11#\n####"


def lives_of(scene: Scene, said: Said | None = None, *, counted: bool = False) -> Lives:
    words: Any = Words(said, lives=counted)
    return Lives(scene.stage, scene.waits, words)


def test_the_mines_of_a_game_are_forgotten_as_the_next_one_begins() -> None:
    scene = Scene(BOARD)
    lives = lives_of(scene)
    lives.survive([Cell(0, 0)])
    lives.survive([Cell(0, 1)])
    assert scene.tracker.memory.reader.survived == {Cell(0, 0), Cell(0, 1)}
    lives.begin_game()
    assert scene.tracker.memory.reader.survived == set()


@pytest.mark.parametrize(
    ("clock", "counted", "gone", "said", "goes_on"),
    [
        (False, False, False, None, False),
        (False, True, False, None, True),
        (True, False, False, None, True),
        (False, False, True, None, True),
        (True, True, True, Said(Status.LOST, plain=False), False),
        (True, False, False, Said(Status.WON, plain=False), True),
    ],
)
def test_a_life_was_taken_if_the_game_goes_on(
    clock: bool, counted: bool, gone: bool, said: Said | None, goes_on: bool
) -> None:
    scene = Scene(BOARD)
    scene.hearts = 3
    before = scene.frame()
    scene.hearts, scene.clock_runs = 2 if gone else 3, clock
    lives = lives_of(scene, said, counted=counted)
    assert lives.goes_on(before, scene.frame()) is goes_on


@pytest.mark.parametrize("other_face", [True, False])
def test_a_program_that_hangs_may_go_on_unless_the_face_beside_its_board_changed(
    other_face: bool,
) -> None:
    """A page hung for long after it drew a mine, and before it took one of its hearts away."""
    scene = Scene(BOARD)
    scene.tracker.read(scene.frame())
    scene.tracker.learn_smiley(before := scene.frame(), Status.PLAYING)
    scene.face_ink = (250, 60, 60) if other_face else scene.face_ink

    def run() -> None:
        scene.clock_runs = True

    scene.clock.later(5.0, run)
    assert lives_of(scene).goes_on(before, scene.frame()) is not other_face
