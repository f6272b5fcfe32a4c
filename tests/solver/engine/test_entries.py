"""What any caller may do to the engine: impossible boards, many threads, interrupts."""

import random
import signal
import threading

import numpy as np
import pytest

from solver.analysis import analyse
from solver.board import Board, Tile
from solver.engine import calls
from solver.engine.calls import PolicyKind
from solver.errors import SolverError
from solver.levels import LEVELS
from tests.bench.fuzz_engine import try_input

LATTICE = "\n".join(
    "".join("1" if row % 2 and col % 2 else "#" for col in range(28)) for row in range(28)
)


@pytest.mark.parametrize(
    "tiles",
    [np.full((2, 2), 9), np.full((2, 2), -8), np.zeros((0, 3)), np.zeros((401, 1))],
    ids=["nine", "minus eight", "empty", "too long"],
)
def test_invalid_boards_are_refused(tiles: np.ndarray) -> None:
    with pytest.raises(ValueError, match="refused"):
        calls.risks(tiles.astype(np.int8), None)


def test_more_mines_than_cells_are_refused() -> None:
    with pytest.raises(ValueError, match="refused"):
        calls.risks(np.full((2, 2), -1, np.int8), 5)


def test_random_input_gives_a_result_or_a_typed_error() -> None:
    for seed in range(400):
        try_input(random.Random(seed))


def test_threads_work_side_by_side() -> None:
    boards = [
        Board(np.where(np.random.default_rng(seed).random((8, 8)) < 0.1, 1, Tile.HIDDEN), 12)
        for seed in range(24)
    ]

    def answer(board: Board) -> object:
        try:
            return analyse(board).probabilities.tobytes()
        except SolverError as error:
            return str(error)

    expected = [answer(board) for board in boards]
    found: dict[int, list[object]] = {}

    def work(thread: int) -> None:
        found[thread] = [answer(board) for board in boards for _ in range(5)]

    threads = [threading.Thread(target=work, args=(at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[at] == [one for one in expected for _ in range(5)] for at in range(4))


def analyse_for_ever(board: Board) -> None:
    while True:
        with pytest.raises(SolverError):
            analyse(board)


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="a signal at a set time")
def test_an_interrupt_ends_a_long_count() -> None:
    """A signal in the waiting thread raises there, and the count ends well before it would."""

    class Interrupted(Exception):
        pass

    def interrupt(number: int, frame: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    board = Board.from_text(LATTICE, 100)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(Interrupted):
            analyse_for_ever(board)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert analyse(Board.from_text("1#", 1)).mines, "the work space can be used again"


def test_a_decision_on_a_board_without_hidden_cells_is_refused() -> None:
    with pytest.raises(ValueError, match="refused"):
        calls.decide(np.array([[1, -4]], np.int8), 1, PolicyKind.DEEP, LEVELS["none"])
