"""Words that show the end of a game, in several languages and on drawn pictures."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.indicators.words import Said, counts_lives, read_words, said_status
from solver.game import Status

WON, LOST = Said(Status.WON, plain=True), Said(Status.LOST, plain=True)
OVER = Said(Status.LOST, plain=False)
RULES = "If you click on a square containing a\nbomb, you lose. If you manage to open"
GRID = Grid(x0=120, y0=160, tile_w=24, tile_h=24, rows=9, cols=9)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("You win", WON),
        ("Vinto: registra il punteggio", WON),
        ("Lost: try it again", LOST),
        ("Congratulations!", WON),
        ("Hooray! You found all mines in 3 seconds", WON),
        ("¡¡Enhorabuena, has ganado!!", WON),
        ("Você venceu!", WON),
        ("Wygrałeś", WON),
        ("win", WON),
        ("恭喜获胜!", WON),
        ("成功GameOver", WON),
        ("Sorry, you lost.", LOST),
        ("BOOOM!!", LOST),
        ("You are Loooser!", LOST),
        ("Oh No! You clicked on a bomb!", LOST),
        ("Ana: Perdiste la partida", LOST),
        ("Du hast verloren", LOST),
        ("Bạn đã thắng!", WON),
        ("THUA RỒI!!", LOST),
        ("Vesztettél!", LOST),
        ("爆炸了！你输了。", LOST),
        ("GAME OVER", OVER),
        ("游戏结束", OVER),
        ("Game over. You win!", WON),
        ("Bomb has been found! You\nlost!", LOST),
        ("Bomb has been found! You\n233\nlost!", LOST),  # a board behind it
        ("Open all tiles to win\nYou lost!", LOST),
        (f"{RULES}\nall the others, you win. You lost!", LOST),
    ],
)
def test_what_pages_say(line: str, said: Said) -> None:
    assert said_status(["Minesweeper", "Mines: 10", *line.split("\n"), "New game"]) == said


@pytest.mark.parametrize(
    "line",
    [
        "Minesweeper",
        "Reveal all safe tiles to win",
        "If you hit a mine, the game ends",
        "Won: 3",
        "Winners and losers of the week",
        "Games lost 2 of 5",
        "You win by opening all cells",
        "How to play",
        "左键翻格·右键插旗·点击笑脸重开",
        "点到炸弹会失败，翻开所有安全的格子就会获胜",
        RULES,
        "If you hit a mine, you lose.",
        "You win!\nYou lose!",
        "Played\nWon\nLost",
    ],
)
def test_what_shows_no_end(line: str) -> None:
    assert said_status(line.split("\n")) is None


def page(*lines: str, dark: bool = False, board: bool = True) -> Frame:
    """Draw a board with digits, and lines of text above it and over it."""
    ground, ink = ((30, 30, 34), (230, 60, 60)) if dark else ((250, 250, 250), (20, 20, 20))
    pixels = np.full((420, 460, 3), ground, np.uint8)
    for row in range(GRID.rows if board else 0):
        for col in range(GRID.cols):
            x, y = 120 + 24 * col, 160 + 24 * row
            cv2.rectangle(pixels, (x, y), (x + 24, y + 24), (128, 128, 128), 1)
            cv2.putText(pixels, str(1 + (row + col) % 3), (x + 6, y + 18), 0, 0.6, ink, 1)
    for place, line in zip(((130, 60), (140, 260)), lines, strict=False):
        box = place[0] - 20, place[1] - 30, 230, 50
        cv2.rectangle(pixels, box, ground, -1)
        cv2.putText(pixels, line, place, 0, 0.8, ink, 2, cv2.LINE_AA)
    return Frame(pixels)


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_words_are_read_from_a_picture(dark: bool) -> None:
    assert read_words(page("You lost!", dark=dark), GRID) == LOST
    assert read_words(page("Minesweeper", "You win!", dark=dark), GRID) == WON
    assert read_words(page("Minesweeper", dark=dark), GRID) is None


@pytest.mark.slow
def test_what_was_said_before_does_not_count() -> None:
    start, end = page("You lost!"), page("You lost!", "Game over")
    assert read_words(end, GRID, since=start) == OVER
    assert read_words(start, GRID, since=start) is None
    # Something else on the page changes where lines are cut, and some letters.
    start, end = page("You lost a life: two are left"), page("You lost a life: twoare left", "Hm")
    assert read_words(end, GRID, since=start) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "counted"),
    [("Lives: 2", True), ("Lives", True), ("Lives: 0", False), ("Mines left", False)],
)
def test_lives_are_counted_beside_a_board(line: str, counted: bool) -> None:
    assert counts_lives(page(line), GRID) is counted
