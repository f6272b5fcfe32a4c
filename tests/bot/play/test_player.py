"""Hard cases of play: wrong totals, unclear ends, people who stop it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bot.desktop.ports import Button
from bot.errors import BotError, StoppedByUser, WindowStuck
from bot.events import GameResult, Outcome, SilentObserver, Turn
from bot.mouse.pace import Pace
from bot.mouse.plan import flag_the_mines, may_win
from bot.options import Limits, PlayOptions
from bot.play.player import Player
from bot.simulated import Behaviour, Faults, SimulatedDesktop
from bot.tracking.observation import check_same_game, still_opening
from calibration.appearances import Colour
from calibration.calibrate import Calibration, calibrate
from calibration.classify import theme_matching
from calibration.errors import CalibrationError, UnreadableTiles
from calibration.frame import Frame
from calibration.points import PixelBox, ScreenPoint
from calibration.reader import Reader, Reading
from calibration.theme import ProgramProfile, Theme
from solver.agents import Agent, Decision, Move, make_agent
from solver.agents.base import ignore_progress
from solver.agents.tank import Tank
from solver.board import Board, Cell, Tile
from solver.errors import InconsistentBoard


class Notes(SilentObserver):
    """Keeps what happens."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.turns: list[Turn] = []
        self.errors: list[Exception] = []
        self.themes: list[str] = []

    def calibrated(self, frame: Frame, calibration: Calibration) -> None:
        self.themes.append(calibration.theme.name)

    def noticed(self, note: str) -> None:
        self.notes.append(note)

    def played(self, turn: Turn) -> None:
        self.turns.append(turn)

    def stopped(self, error: Exception, frame: Frame | None) -> None:
        self.errors.append(error)

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        assert reading is not None


def desktop(**changes: Any) -> SimulatedDesktop:
    settings: dict[str, Any] = {"rows": 9, "cols": 9, "mines": 10, "seed": 5, "windows": ()}
    return SimulatedDesktop(**{**settings, **changes})


def play(
    desk: SimulatedDesktop,
    *,
    agent: Agent | None = None,
    calibration: Calibration | None = None,
    **options: Any,
) -> tuple[list[GameResult], Notes]:
    notes = Notes()
    settings = PlayOptions(**{"mines": 10, "new_game": "f2", **options})
    player = Player(
        desk.ports,
        agent or make_agent("tank"),
        options=settings,
        observer=notes,
        calibration=calibration,
    )
    return player.play(), notes


# ---- stopping ------------------------------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize("click", [1, 2, 7])
def test_no_click_after_the_pointer_is_pushed_into_a_corner(click: int) -> None:
    desk = desktop(after_click={click: lambda desk: desk.slam()})
    with pytest.raises(StoppedByUser):
        play(desk)
    assert len(desk.clicks) == click


def test_the_kill_switch_stops_a_wait_within_a_twentieth_of_a_second() -> None:
    desk = desktop(latency_s=5.0)
    desk.user_moves(lasts_s=0.0)
    slammed: list[float] = []

    class Slammer(Notes):
        def decided(self, turn: Turn) -> None:
            desk._world.later(0.3, lambda: (slammed.append(desk.clock.now()), desk.slam()))

    options = PlayOptions(mines=10)
    with pytest.raises(StoppedByUser):
        Player(desk.ports, make_agent("tank"), options=options, observer=Slammer()).play()
    assert desk.clock.now() - slammed[0] <= 0.05
    assert len(desk.clicks) == 1


def test_the_kill_switch_ends_a_long_thought_and_no_click_follows() -> None:
    desk, heard = desktop(), list[tuple[int, int]]()

    class Thoughtful(Tank):
        on_progress = staticmethod(ignore_progress)

        def decide(self, board: Board) -> Decision:
            for done in range(3):
                if done == 1:
                    desk.slam()
                self.on_progress(done, 3)
            return super().decide(board)

    class Listener(Notes):
        def thinking(self, done: int, most: int) -> None:
            heard.append((done, most))

    player = Player(desk.ports, Thoughtful(), options=PlayOptions(mines=10), observer=Listener())
    with pytest.raises(StoppedByUser):
        player.play()
    assert heard == [(0, 3)]
    assert desk.clicks == []


def test_the_kill_switch_during_a_pause_stops_before_the_click() -> None:
    desk = desktop()
    desk._world.later(0.5, desk.slam)
    with pytest.raises(StoppedByUser):
        play(desk, pace=Pace(2.0))
    assert desk.clicks == []


CTRL_C = """
import sys
from bot.cli import main
sys.exit(main(["play", "--screen", "sim", "--agent", "tank", "--games", "1000", "--json"]))
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_the_program_at_once_with_exit_code_5(number: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", CTRL_C], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith('{"game": 1')
    sent = time.monotonic()
    os.kill(process.pid, number)
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - sent < 5  # far less on an idle machine
    assert process.returncode == 5
    assert "Traceback" not in err
    assert '"summary"' in out.splitlines()[-1]


class PaintedBoard:
    """A screen that shows one picture, whatever is clicked: squared paper, say."""

    def __init__(self, desk: SimulatedDesktop) -> None:
        self._frame = desk.grab()
        self.monitors = desk.monitors

    def grab(self, box: PixelBox | None = None) -> Frame:
        box = box or PixelBox(0, 0, self._frame.width, self._frame.height)
        pixels = self._frame.pixels[box.y0 : box.y1, box.x0 : box.x1]
        return Frame(pixels, ScreenPoint(box.x0, box.y0))


def test_what_may_be_no_game_is_clicked_once() -> None:
    desk = desktop(skin="flat", faults=Faults(counter_absent=True))
    ports = replace(desk.ports, screen=PaintedBoard(desk))
    player = Player(ports, make_agent("tank"), options=PlayOptions(new_game="f2"))
    with pytest.raises(WindowStuck, match="no Minesweeper"):
        player.play()
    assert len(desk.clicks) == 1


# ---- totals --------------------------------------------------------------------------------------


class Doubter:
    """An agent that accepts one mine total only, and opens a cell that it knows is safe."""

    name = "doubter"

    def __init__(self, desk: SimulatedDesktop, believes: int | None) -> None:
        self._desk, self._believes = desk, believes
        self.asked: list[int | None] = []

    def decide(self, board: Board) -> Decision:
        self.asked.append(board.mines)
        if board.mines != self._believes:
            raise InconsistentBoard("no layout fits")
        mines = self._desk.game.mines
        safe = np.argwhere(board.covered if mines is None else board.covered & ~mines)
        moves = tuple(Move(Cell(*cell)) for cell in safe[:1].tolist())
        return Decision(moves, "it is safe", 1.0)


@pytest.mark.slow
def test_a_wrong_total_is_replaced_by_the_counters() -> None:
    desk = desktop(mines=12)
    doubter = Doubter(desk, 12)
    results, notes = play(desk, agent=doubter, mines=11)
    assert results[0].outcome is Outcome.WON
    assert doubter.asked[:2] == [11, 12]
    assert any("the counter says 12" in note for note in notes.notes)


@pytest.mark.slow
def test_without_a_counter_play_goes_on_without_a_total() -> None:
    desk = desktop(mines=12, faults=Faults(counter_absent=True))
    doubter = Doubter(desk, None)
    results, notes = play(desk, agent=doubter, mines=11)
    assert results[0].outcome is Outcome.WON
    assert any("without a total" in note for note in notes.notes)


def test_a_board_that_fits_no_total_stops_play() -> None:
    desk = desktop()
    with pytest.raises(CalibrationError, match="contradict"):
        play(desk, agent=Doubter(desk, 99))
    assert desk.clicks == []


# ---- ends ----------------------------------------------------------------------------------------


def test_an_agent_that_gives_up_ends_the_game_with_its_reason() -> None:
    class Quitter:
        name = "quitter"

        def decide(self, board: Board) -> Decision:
            return Decision((), "nothing is certain", 1.0)

    results, _ = play(desktop(), agent=Quitter())
    assert results[0].outcome is Outcome.STOPPED
    assert results[0].why == "nothing is certain"


def test_a_key_that_starts_no_game_is_tried_a_few_times_only() -> None:
    desk = desktop()
    with pytest.raises(WindowStuck, match="--new-game"):
        play(desk, games=2, new_game="f7")
    assert len(desk.results) == 1


def test_a_finished_board_is_replaced_before_play() -> None:
    desk = desktop()
    play(desk)
    results, _ = play(desk)
    assert len(results) == 1
    assert len(desk.results) == 2


def test_a_click_on_the_screen_starts_a_new_game() -> None:
    desk = desktop()
    x, y = desk.new_game_point
    results, _ = play(desk, games=2, new_game=f"{x},{y}")
    assert len(results) == len(desk.results) == 2
    assert desk.stray_clicks == []


@pytest.mark.parametrize("way", ["smiley", "face"])
def test_a_click_on_the_smiley_starts_a_new_game_by_its_old_name_too(way: str) -> None:
    desk = desktop()
    results, _ = play(desk, games=2, new_game=way)
    assert len(results) == len(desk.results) == 2
    assert desk.stray_clicks == []


def with_dialogs() -> SimulatedDesktop:
    """Return a desktop whose program opens a dialog after every game."""
    return desktop(behaviour=Behaviour(win_dialog=True, loss_dialog=True))


@pytest.mark.slow
def test_a_dialog_beside_the_board_that_takes_the_key_is_closed(
    pressed_keys: list[str],
) -> None:
    desk = with_dialogs()
    found = calibrate(desk.grab(), mines=10)
    profile = ProgramProfile(close_won=("escape",), close_lost=("escape",))
    described = replace(found, theme=replace(found.theme, profile=profile))
    results, _ = play(desk, games=3, limits=Limits(dialog_s=0.4), calibration=described)
    assert len(results) == 3
    assert set(pressed_keys) == {"f2", "escape"}


def test_a_program_that_hidden_tiles_do_not_show_is_recognised_by_its_numbers(
    pressed_keys: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if its hidden tiles were too common to tell it.
    monkeypatch.setattr(theme_matching, "FRESH_FIT", 1.1)
    desk = with_dialogs()
    half_played = desktop()
    half_played.click(half_played.cell_point(Cell(4, 4)))
    half_played.clock.sleep(1)
    appearances = calibrate(half_played.grab(), themes=()).theme.appearances
    profile = ProgramProfile(close_won=("escape",), close_lost=("escape",))
    theme = Theme("example/plain", appearances, profile)
    assert calibrate(desk.grab(), themes=(theme,)).theme.name == "learned"
    results, notes = play(desk, games=2, themes=(theme,), limits=Limits(dialog_s=0.4))
    assert len(results) == 2
    assert notes.notes == ["This is example."]
    assert set(pressed_keys) == {"f2", "escape"}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("readable", [True, False])
def test_a_theme_chosen_by_hidden_tiles_is_replaced_if_the_numbers_differ(
    monkeypatch: pytest.MonkeyPatch, readable: bool
) -> None:
    read = Reader.read

    def read_by_theme(reader: Reader, frame: Frame, **how: Any) -> Reading:
        reading = read(reader, frame, **how)
        if reading.theme == "example/wrong" and (reading.board.tiles > 0).any() and not readable:
            raise UnreadableTiles("Numbers as in no other theme.")
        return reading

    monkeypatch.setattr(Reader, "read", read_by_theme)
    half_played = desktop()
    half_played.click(half_played.cell_point(Cell(4, 4)))
    half_played.clock.sleep(1)
    appearances = calibrate(half_played.grab(), themes=()).theme.appearances
    right = tuple(
        replace(one, bevel=(one.bevel[0] + 14, one.bevel[1])) if one.tile == Tile.HIDDEN else one
        for one in appearances
    )
    wrong = tuple(
        replace(one, ink=Colour(*(255 - channel for channel in one.ink))) if one.ink else one
        for one in appearances
    )
    themes = (Theme("example/right", right), Theme("example/wrong", wrong))
    results, notes = play(desktop(), games=2, themes=themes)
    assert len(results) == 2
    assert notes.themes == ["example/wrong", "example/right"]
    assert notes.notes == []


@pytest.mark.slow
def test_an_unknown_program_receives_no_key_but_the_one_for_a_new_game(
    pressed_keys: list[str],
) -> None:
    desk = with_dialogs()
    with pytest.raises((BotError, CalibrationError)):
        play(desk, games=3, limits=Limits(cover_s=2.0))
    assert desk.results
    assert set(pressed_keys) <= {"f2"}


def test_a_dry_run_decides_and_clicks_nothing() -> None:
    desk = desktop()
    results, notes = play(desk, dry_run=True)
    assert results == []
    assert desk.clicks == []
    assert notes.turns == []


# ---- the bot's own flags -------------------------------------------------------------------------


def test_no_right_click_without_flags() -> None:
    desk = desktop()
    play(desk)
    assert {click.button for click in desk.clicks} == {Button.LEFT}


def test_flags_that_never_stay_are_not_set_any_more() -> None:
    # Every click arrives twice, so that each flag is removed again at once.
    desk = desktop(faults=Faults(double_every=1))
    results, notes = play(desk, flags=True)
    assert results[0].outcome in (Outcome.WON, Outcome.LOST)
    assert any("without flags" in note for note in notes.notes)


# ---- small parts ---------------------------------------------------------------------------------


def test_an_open_number_may_not_be_covered_or_change() -> None:
    before = Board.from_text("1#\n##")
    check_same_game(before, Board.from_text("12\n#F"))
    for after in ("##\n##", "2#\n##", "F#\n##", "1#"):
        with pytest.raises(Exception, match=r"[Ss]tart again"):
            check_same_game(before, Board.from_text(after))


def test_beside_a_zero_with_hidden_neighbours_cells_are_still_being_opened() -> None:
    assert still_opening(Board.from_text("0#\n11"))
    assert not still_opening(Board.from_text("01#\n011"))
    assert not still_opening(Board.from_text("0F\n11"))


def test_a_turn_can_win_only_if_it_reaches_all_safe_cells() -> None:
    # Mines in the second and fourth cell; flooding from the right never reaches the first.
    board = Board.from_text("##2#1##", 2)
    right = Decision((Move(Cell(0, 5)),), "test", 1.0)
    both = Decision((Move(Cell(0, 0)), Move(Cell(0, 5))), "test", 1.0)
    assert not may_win(board, right)
    assert may_win(board, both)
    assert may_win(board.with_mines(None), right)


def test_the_last_flags_are_set_on_all_hidden_cells() -> None:
    decision = flag_the_mines(Board.from_text("F#\n1#"))
    assert [tuple(move.cell) for move in decision.moves] == [(0, 1), (1, 1)]
    assert decision.certain


def test_the_pointer_is_parked_beside_the_board_and_in_no_corner() -> None:
    desk = desktop()
    play(desk)
    x0, y0, x1, y1 = desk.truth_grid().bounds
    at = desk.position()
    assert not (x0 <= at.x < x1 and y0 <= at.y < y1)
    assert not {at} & {ScreenPoint(0, 0), ScreenPoint(1919, 0), ScreenPoint(0, 1079)}


@pytest.mark.parametrize("times", [1, 4])
def test_an_impossible_board_is_read_again(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Tiles may be grabbed in the middle of their animation, which may take a second."""
    read, misread = Reader.read, []

    def hasty(reader: Reader, frame: Frame, **how: bool) -> Reading:
        reading = read(reader, frame, **how)
        tiles = reading.board.tiles.copy()
        if len(misread) == times or not (tiles > 0).any():
            return reading
        tiles[tiles > 0] = 8
        misread.append(tiles)
        return replace(reading, board=Board(tiles, reading.board.mines))

    monkeypatch.setattr(Reader, "read", hasty)
    desk = desktop()
    results, _ = play(desk)
    assert len(misread) == times
    assert len(results) == len(desk.results) == 1


class Steering:
    """A control that counts what it is asked and wants no second game."""

    def __init__(self) -> None:
        self.turns = self.clicks = 0
        self.stop_after_game = True

    def before_turn(self, wait: Any) -> None:
        self.turns += 1
        wait(0.01)

    def before_click(self, pause_s: float, wait: Any) -> None:
        self.clicks += 1
        wait(pause_s)


def test_a_control_is_asked_before_every_turn_and_click_and_ends_play_after_a_game() -> None:
    desk, steering, notes = desktop(), Steering(), Notes()
    player = Player(
        desk.ports,
        make_agent("tank"),
        options=PlayOptions(mines=10, new_game="f2", games=3),
        observer=notes,
        control=steering,
    )
    (result,) = player.play()
    assert result.outcome in (Outcome.WON, Outcome.LOST)
    assert steering.turns == len(notes.turns)
    assert steering.clicks >= result.clicks


def test_the_kill_switch_works_while_play_is_paused() -> None:
    class Paused(Steering):
        def before_turn(self, wait: Any) -> None:
            desk.move(ScreenPoint(0, 0))
            while True:
                wait(0.05)

    desk = desktop()
    player = Player(desk.ports, make_agent("tank"), control=Paused())
    with pytest.raises(StoppedByUser, match="corner"):
        player.play()
