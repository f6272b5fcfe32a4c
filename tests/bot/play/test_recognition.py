"""A program is recognised by its numbers if hidden tiles do not show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bot.events import Outcome
from bot.options import Limits
from bot.tracking.recovery import BoardSearch
from calibration.calibration import calibrate
from calibration.classify import by_theme, recognise
from calibration.classify.clusters import Clusters
from calibration.errors import UnreadableTiles
from calibration.frame import Frame
from calibration.grid import PixelBox
from calibration.reader import Reader, Readout
from calibration.reading import Memory
from calibration.theme import Appearance, Colour, ProgramProfile, Theme
from solver.board import Board, Tile
from tests.bot.play.playing import desktop, learned_appearances, play, with_dialogs
from tests.simulated import FaultyDesktop

CLOSED_BY_ESCAPE = ProgramProfile(close_won=("escape",), close_lost=("escape",))
HASTY = Limits(dialog_s=0.4)


def other_ink(one: Appearance) -> Appearance:
    return replace(one, ink=one.ink and Colour(*(255 - part for part in one.ink)))


def other_glyph(one: Appearance) -> Appearance:
    return replace(other_ink(one), shape=one.shape[::-1]) if one.ink else one


@pytest.mark.slow
def test_a_program_that_hidden_tiles_do_not_show_is_recognised_by_its_numbers(
    pressed_keys: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if its hidden tiles were too common to show it.
    monkeypatch.setattr(by_theme, "FRESH_FIT", 1.1)
    theme = Theme("example/plain", learned_appearances(), CLOSED_BY_ESCAPE)
    desk = with_dialogs()
    assert calibrate(desk.grab(), themes=(theme,)).theme.name == "learned"
    results, notes = play(desk, games=2, themes=(theme,), limits=HASTY)
    assert len(results) == 2
    assert notes.notes == ["This is example."]
    assert set(pressed_keys) == {"f2", "escape"}


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("readable", [True, False])
def test_a_theme_chosen_by_hidden_tiles_is_replaced_if_the_numbers_differ(readable: bool) -> None:
    appearances = learned_appearances()
    right = tuple(
        replace(one, bevel=(one.bevel[0] + 14, one.bevel[1])) if one.tile == Tile.HIDDEN else one
        for one in appearances
    )
    wrong = tuple(map(other_ink if readable else other_glyph, appearances))
    themes = (Theme("example/right", right), Theme("example/wrong", wrong))
    results, notes = play(desktop(), games=2, themes=themes)
    assert len(results) == 2
    assert notes.themes == ["example/wrong", "example/right"]
    assert notes.notes == []


@pytest.mark.slow
def test_a_theme_chosen_by_hidden_tiles_is_given_up_if_it_names_no_number(
    pressed_keys: list[str],
) -> None:
    """White pages were taken for kmines on the fresh board, and got its keys after the game."""
    foreign = tuple(map(other_glyph, learned_appearances()))
    theme, desk = Theme("example/plain", foreign, CLOSED_BY_ESCAPE), with_dialogs()
    assert calibrate(desk.grab(), themes=(theme,)).theme.name == "example/plain"
    results, notes = play(desk, themes=(theme,), limits=HASTY)
    assert len(results) == 1
    assert "This is not example." in notes.notes
    assert pressed_keys == []


@pytest.mark.slow
def test_a_program_keeps_its_keys_where_its_tiles_are_read_by_a_learned_theme(
    pressed_keys: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bubble over a board of kmines hid many tiles; then no new game was asked for."""
    read, choose = Reader.read, recognise.choose_theme
    covered = False

    def read_by_theme(reader: Reader, frame: Frame, *memory: Memory, **how: Any) -> Readout:
        nonlocal covered
        out = read(reader, frame, *memory, **how)
        covered = out.reading.board.open.mean() > 0.5
        if out.reading.theme == "example/plain" and covered:
            return out._replace(result=UnreadableTiles("Tiles below a bubble."))
        return out

    def chosen(clusters: Clusters, themes: Sequence[Theme]) -> Theme | None:
        return None if covered else choose(clusters, themes)

    monkeypatch.setattr(Reader, "read", read_by_theme)
    monkeypatch.setattr(recognise, "choose_theme", chosen)
    profile = ProgramProfile(new_game="f2")
    themes = Theme("example/plain", learned_appearances(), profile), Theme("other/empty", ())
    results, notes = play(desktop(), games=2, themes=themes, new_game=None)
    assert len(results) == 2
    assert "learned" in notes.themes
    assert pressed_keys == ["f2"]


@pytest.mark.slow
def test_no_program_is_recognised_by_a_finished_board(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page opened all at a loss; calibrated anew, its board did not show the loss any more."""
    recognise, asked = BoardSearch.recognise_program, []

    def noted(search: BoardSearch, board: Board) -> bool:
        asked.append(board)
        return recognise(search, board)

    monkeypatch.setattr(BoardSearch, "recognise_program", noted)
    results, _ = play(desktop(mines=40, seed=1), mines=40)
    assert results[0].outcome is Outcome.LOST
    assert asked
    assert not any(np.isin(board.tiles, (Tile.MINE, Tile.EXPLODED)).any() for board in asked)


class Counting(FaultyDesktop):
    """Counts how often the whole of its screen is grabbed."""

    wholes = 0

    def grab(self, box: PixelBox | None = None) -> Frame:
        self.wholes += box is None
        return super().grab(box)


def test_the_whole_screen_is_searched_once_while_the_board_and_its_theme_stay() -> None:
    desk = desktop(Counting)
    results, notes = play(desk)
    kinds = {
        int(tile) for turn in notes.turns for tile in turn.reading.board.tiles.flat if tile > 0
    }
    assert len(kinds) > 1, "otherwise nothing new was seen"
    assert len(results) == 1
    assert desk.wholes == 2, "one to find the board, one for the words at the start"
