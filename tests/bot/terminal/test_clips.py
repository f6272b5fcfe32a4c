"""A game as a clip: a picture a turn, and one of its end."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageSequence

from bot.cli import main
from bot.record.game_files import load_game_file
from bot.record.games import games_of, judge
from bot.record.session import LINES_FILE
from bot.terminal.clips import WRONG, draw_shots
from tests.bot.command_line import ROOT, read_lines


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


def test_a_game_without_frames_is_drawn_with_a_ring_for_each_mistake() -> None:
    session = load_game_file(ROOT / "fixtures" / "games" / "lost.rawvf")
    (game,) = games_of(session)
    shots = [shot for shot, _ in draw_shots(session, judge(game), widest_px=400)]
    assert len({shot.shape for shot in shots}) == 1
    ringed = [(shot == WRONG).all(axis=2).sum() > 20 for shot in shots]
    assert ringed == [False, False, True, True, False]
    assert not (shots[0] == WRONG).all(axis=2).any()
