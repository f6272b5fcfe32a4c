"""A game as a clip: a picture a turn, and one of its end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image, ImageSequence

from bot.cli import main
from bot.record.games import games_of, judge
from bot.record.lines import EndLine, Line, TurnLine
from bot.record.session import LINES_FILE, Session
from bot.terminal.clips import WRONG, draw_shots
from solver.agents.base import Move
from solver.analysis import analyse
from solver.board import Board, Cell
from tests.bot.command_line import read_lines


@pytest.mark.slow
def test_a_gif_shows_each_turn_and_the_end(recorded: Path, tmp_path: Path) -> None:
    clip = tmp_path / "clips" / "game.gif"
    lines = read_lines(recorded / LINES_FILE)
    turns = sum(line["kind"] == "turn" and line["game"] == 2 for line in lines)
    words = ["review", str(recorded), "--game", "2", "-o", str(tmp_path), "--gif", str(clip)]
    assert main(words) == main([*words, "--force"]) == 0
    with Image.open(clip) as picture:
        shown = list(ImageSequence.Iterator(picture))
        seconds = sum(image.info["duration"] for image in shown) / 1000
        assert len(shown) == turns + 1
        assert seconds >= 0.5 * turns + 3
        assert min(picture.size) > 200


def test_a_game_without_frames_is_drawn(recorded: Path) -> None:
    session = Session.load(recorded)
    bare: list[Line] = []
    for step in session.steps:
        if isinstance(step, TurnLine):
            wrong = replace(step.decision, moves=(Move(mine_of(step.board)),))
            decision = wrong if step.number == 2 else step.decision
            bare.append(replace(step, frame=None, decision=decision))
        elif isinstance(step, EndLine):
            bare.append(replace(step, frame=None))
    game = games_of(replace(session, steps=tuple(bare)))[0]
    shots = draw_shots(session, judge(game), widest_px=400)
    first, second, *others = (picture for picture, _ in shots)
    assert {shot.shape for shot in others} == {first.shape}
    assert (second == WRONG).all(axis=2).sum() > 20, "the ring of a mistake"
    assert not (first == WRONG).all(axis=2).any()


def mine_of(board: Board) -> Cell:
    """A cell of a board that is certainly a mine, or the first one."""
    return next(iter(analyse(board).mines), Cell(0, 0))
