"""The clicks of a turn: which are made, when, and that none goes to another window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bot.desktop.ports import Button, Window
from bot.errors import NotPressed, ScreenGone, WindowStuck
from bot.events import Click, ignore
from bot.mouse.guard import FIRST_LOOKS, MouseGuard
from bot.mouse.plan import ClickEffect, PlannedClick
from bot.options import Limits, Pace, PlayOptions, Style
from bot.play.clicker import Clicker, Marks, looks_alike
from bot.play.progress import Progress
from calibration.frame import Frame
from calibration.grid import PixelBox, PixelPoint, ScreenPoint
from solver.agents.base import Action, Decision, Move
from solver.board import Board, Cell
from tests.bot.play.playing import Notes
from tests.bot.scene import LEFT, SIDE, TOP, Scene

HIDDEN = "\n".join(["#" * 9] * 7)
A, B, C = Cell(1, 1), Cell(1, 3), Cell(1, 5)


class Hand(Scene):
    """A scene into which a `Clicker` sends clicks, and the control that it asks.

    A grab takes ``grab_s``, or fails once the screen ``is_gone``. Pixels of ``tints`` are so much
    brighter.
    """

    stop_after_game = False

    def __init__(self, board: str = HIDDEN, side: int = SIDE) -> None:
        self.grab_s, self.grabs, self.is_gone = 0.0, 0, False
        self.tints: dict[PixelBox, int] = {}
        self.pauses: list[float] = []
        super().__init__(board, side=side)
        self.stage = replace(self.stage, guard=MouseGuard(self.ports))
        self.asked.clear()
        self.clicker = self.new_clicker()

    def before_turn(self, wait: Callable[[float], None]) -> None: ...

    def before_click(self, pause_s: float, wait: Callable[[float], None]) -> None:
        self.pauses.append(pause_s)
        wait(pause_s)

    def new_clicker(self, pace: Pace | None = None) -> Clicker:
        return Clicker(self.stage, pace=pace or Pace(), control=self)

    def grab(self, box: PixelBox | None = None) -> Frame:
        self.grabs += 1
        self.clock.sleep(self.grab_s)
        if self.is_gone:
            raise ScreenGone("The screen gives no picture.")
        frame = super().grab(box)
        pixels = frame.pixels.astype(np.int16)
        for (x0, y0, x1, y1), steps in self.tints.items():
            x, y = frame.origin
            pixels[max(0, y0 - y) : y1 - y, max(0, x0 - x) : x1 - x] += steps
        return Frame(pixels.clip(0, 255).astype(np.uint8), frame.origin, frame.scale)

    def send(
        self, *plan: Cell | PlannedClick, gently: bool = False, guess: bool = False
    ) -> list[Cell]:
        """Send clicks on a board read just now; return the cells of those that were sent."""
        made: list[tuple[PlannedClick, Click]] = []
        clicks = [opening(one) if isinstance(one, Cell) else one for one in plan]
        self.clicker.send(clicks, self.frame(), self.board, made, guess=guess, gently=gently)
        pressed = [press.point for press in self.presses][len(self.presses) - len(made) :]
        assert [click.point for _, click in made] == pressed
        return [click.cell for _, click in made]

    def mark(self, *cells: Cell) -> Callable[[], None]:
        """Return what draws something strange on cells."""
        return lambda: self.marked.update(cells)

    def lay_over_border(self) -> None:
        self.cover = PixelBox(LEFT - 8, TOP - 8, LEFT + 9 * SIDE + 8, TOP + 8)

    def middle(self, cell: Cell) -> ScreenPoint:
        return ScreenPoint(*(int(v) for v in self.grid.centre(cell)))


def opening(cell: Cell, *, after_mark: bool = False) -> PlannedClick:
    return PlannedClick(cell, ClickEffect.OPEN, (cell,), after_mark)


FLAG_B = PlannedClick(B, ClickEffect.FLAG, (B,))


@pytest.fixture
def hand() -> Hand:
    return Hand()


def test_each_cell_gets_its_button_and_the_pointer_is_parked(hand: Hand) -> None:
    assert hand.send(A, FLAG_B, PlannedClick(C, ClickEffect.CHORD, (C,))) == [A, B, C]
    assert [(one.point, one.button, one.hold_s) for one in hand.presses] == [
        (hand.middle(A), Button.LEFT, 0.0), (hand.middle(B), Button.RIGHT, 0.0),
        (hand.middle(C), Button.MIDDLE, 0.0),
    ]  # fmt: skip
    assert [point for _, point in hand.moves] == [hand.tracker.target.parking_point]
    assert (hand.clicker.changed, hand.clicker.below_window) == (None, None)


def test_clicks_and_the_movement_after_them_keep_a_distance_in_time(hand: Hand) -> None:
    hand.window, begun = None, hand.clock.now()
    hand.send(A, B)
    hand.send(C)
    first, second, third = (one.at_s for one in hand.presses)
    assert first == begun
    assert second - first == pytest.approx(0.002)
    assert hand.moves[0][0] - second == pytest.approx(0.002)
    assert third - second == pytest.approx(0.002), "a turn begins without a further wait"
    hand.clock.sleep(1.0)
    hand.clock.waits.clear()
    hand.send(B)
    assert min(hand.clock.waits) == 0


def test_a_gentle_click_rests_before_and_after_and_is_held(hand: Hand) -> None:
    hand.send(A, B, gently=True)
    (rest_a, at_a), (rest_b, at_b), (parked, _) = hand.moves
    one, two = hand.presses
    assert (at_a, at_b) == (one.point, two.point)
    assert one.hold_s == two.hold_s == 0.05
    assert one.at_s - rest_a == pytest.approx(0.02)
    assert rest_b - one.at_s == pytest.approx(0.05 + 0.02)
    assert two.at_s - rest_b == pytest.approx(0.02)
    assert parked - two.at_s == pytest.approx(0.05 + 0.02)


@pytest.mark.parametrize("guess", [True, False])
@pytest.mark.parametrize("controlled", [True, False])
def test_the_pace_is_kept_before_each_click(hand: Hand, guess: bool, controlled: bool) -> None:
    pace = Pace(human=True)
    hand.clicker = hand.new_clicker(pace) if controlled else Clicker(hand.stage, pace=pace)
    hand.send(A, B, guess=guess)
    same = Pace(human=True)
    pauses = [same.pause_s(guess=guess) for _ in range(2)]
    assert hand.pauses == pauses * controlled
    assert hand.presses[1].at_s - hand.presses[0].at_s == pytest.approx(pauses[1])


# ---- what differs from what was read -----------------------------------------------------


@pytest.mark.parametrize(
    ("when", "happens", "plan", "clicked"),
    [
        # A tile that changed is left out; the clicks that were made will show why.
        ("on_press", lambda hand: hand.marked.add(B), (A, B, C), [A, C]),
        ("on_press", Hand.lay_over_border, (A, B, C), [A]),
        # What comes before the first click is the reason why none is made: far from the pointer,
        ("on_move", lambda hand: hand.marked.add(C), (A,), []),
        # over the border, or over all of the screen.
        ("on_move", Hand.lay_over_border, (A, B), []),
        ("on_move", lambda hand: setattr(hand, "is_gone", True), (A, B), []),
    ],
)
def test_what_changed_before_the_first_click_is_said_until_the_next_turn(
    hand: Hand, when: str, happens: Callable[[Hand], None], plan: list[Cell], clicked: list[Cell]
) -> None:
    setattr(hand, when, lambda: happens(hand))
    assert hand.send(*plan, gently=when == "on_move") == clicked
    assert hand.clicker.below_window is None
    if clicked:
        assert hand.clicker.changed is None
    else:
        assert isinstance(hand.clicker.changed, NotPressed)
        assert not hand.clicker.changed.other_window
    hand.on_move, hand.cover, hand.is_gone = lambda: None, None, False
    hand.marked.clear()
    assert hand.send(C) == [C]
    assert hand.clicker.changed is None


def test_a_tile_whose_mark_the_click_before_removed_is_clicked_all_the_same(hand: Hand) -> None:
    hand.on_press = hand.mark(A)
    unflag = PlannedClick(A, ClickEffect.UNFLAG, (A,))
    assert hand.send(unflag, opening(A, after_mark=True)) == [A, A]


def test_nothing_is_looked_at_after_a_cover(hand: Hand) -> None:
    hand.on_press, before = hand.lay_over_border, hand.grabs
    hand.send(A, B, C)
    assert hand.grabs - before == 1 + FIRST_LOOKS + 2


@pytest.mark.parametrize(("steps", "clicked"), [(4, True), (5, False), (-4, True), (-5, False)])
def test_a_shimmer_of_some_steps_is_no_change(hand: Hand, steps: int, clicked: bool) -> None:
    x, y = hand.middle(B)
    hand.on_press = lambda: hand.tints.update({PixelBox(x, y, x + 1, y + 1): steps})
    assert (B in hand.send(A, B)) is clicked


def test_pictures_of_two_sizes_are_not_alike() -> None:
    one = np.zeros((3, 4, 3), np.uint8)
    assert looks_alike(one, one.copy())
    assert not looks_alike(one, one[:, :3])
    assert not looks_alike(one, one[:0])


@pytest.mark.parametrize(
    ("side", "by", "steps", "clicked"),
    [
        (SIDE, -5, 90, True),  # on the tile itself
        (SIDE, 40, 90, True),
        (SIDE, 41, 90, False),
        (SIDE, 41, 5, False),
        (SIDE, 41, 4, True),
        (SIDE, 80, 90, False),
        (SIDE, 81, 90, True),
        (96, 48, 90, True),  # a large tile may glow half as far as it is wide
        (96, 49, 90, False),
    ],
)
@pytest.mark.parametrize("towards", ["right", "down", "left", "up"])
def test_a_tile_may_light_up_below_the_pointer_with_a_glow_around_it(
    towards: str, side: int, by: int, steps: int, clicked: bool
) -> None:
    hand, cell = Hand(side=side), A if towards in ("right", "down") else Cell(5, 7)
    tile = hand.grid.box(cell)
    x = {"right": tile.x1 + by - 1, "left": tile.x0 - by}.get(towards, tile.x0)
    y = {"down": tile.y1 + by - 1, "up": tile.y0 - by}.get(towards, tile.y0)
    hand.on_move = lambda: hand.tints.update({PixelBox(x, y, x + 1, y + 1): -steps})
    assert (hand.send(cell, gently=True) == [cell]) is clicked


def test_cells_unlike_every_hidden_tile_are_not_opened(hand: Hand) -> None:
    hand.tracker.learn_hidden(hand.frame(), hand.board)
    hand.mark(A, B, C)()
    assert hand.send(A, FLAG_B, opening(C, after_mark=True), Cell(3, 3)) == [B, C, Cell(3, 3)]
    assert hand.clicker.strange == [A]
    hand.marked.clear()
    assert hand.send(A) == [A]
    assert hand.clicker.strange == []


def test_clicks_that_change_nothing_end_after_some_turns(hand: Hand) -> None:
    cells = [*hand.board.cells()]
    for _ in range(4):
        hand.send(*cells)
    with pytest.raises(WindowStuck, match="changed nothing"):
        hand.send(*cells)
    assert len(hand.presses) == 4 * len(cells)


# ---- how often the board is looked at --------------------------------------------------------


@pytest.mark.parametrize(
    ("grab_s", "pause_s", "says_windows", "looks"),
    [
        (0.0, 0.0, True, 3),
        (0.0019, 0.0, True, 3),
        (0.0021, 0.0, True, 1),
        (0.016, 0.0, True, 1),
        (0.016, 0.0, False, 3),
        (0.016, 0.011, True, 2),
        (0.016, 0.03, True, 3),
    ],
)
def test_where_a_grab_is_slow_the_last_picture_serves_for_a_moment(
    hand: Hand, grab_s: float, pause_s: float, says_windows: bool, looks: int
) -> None:
    hand.clicker = hand.new_clicker(Pace(pause_s))
    hand.window = hand.window if says_windows else None
    hand.send(A)
    hand.grab_s, before = grab_s, hand.grabs
    assert hand.send(A, B, C) == [A, B, C]
    of_the_turn = 1  # the picture that is read
    assert hand.grabs - before - of_the_turn == looks


def test_a_tile_is_looked_at_anew_once_the_pointer_rests_however_slow_that_is(hand: Hand) -> None:
    slow = replace(hand.stage, limits=replace(hand.limits, frame_age_s=9.0))
    hand.clicker = Clicker(slow, pace=Pace())
    hand.send(A)
    hand.grab_s, hand.on_move = 0.016, hand.mark(C)
    assert hand.send(A, gently=True) == []
    assert hand.send(A, gently=True) == [A]


def test_what_an_earlier_click_opened_is_no_change_below_the_pointer(hand: Hand) -> None:
    hand.on_press = hand.mark(C)
    assert hand.send(B, A, gently=True) == [B, A]


# ---- windows ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("board", "first", "middle"),
    [
        (HIDDEN, Cell(2, 3), Cell(3, 4)),
        ("###\n###\n###\n###", Cell(1, 0), Cell(2, 1)),  # no more than the board
    ],
)
def test_the_window_is_asked_for_what_was_read_around_the_middle_of_the_board(
    board: str, first: Cell, middle: Cell
) -> None:
    hand = Hand(board)
    hand.send(A)
    [(_, picture)] = hand.asked
    x, y, *_ = hand.grid.box(first)
    assert picture == hand.grab(PixelBox(x, y, x + 3 * SIDE, y + 3 * SIDE))
    assert picture.to_screen(PixelPoint(36, 36)) == hand.middle(middle)


def test_a_window_that_comes_during_a_turn_ends_it(hand: Hand) -> None:
    hand.on_press = lambda: setattr(hand, "window", Window(2, 0, 0, 2))
    assert hand.send(A, B, C) == [A]
    assert hand.clicker.below_window == B
    assert hand.clicker.changed is None
    hand.on_press, hand.window = (lambda: None), Window(1, 0, 0, 1)
    assert hand.send(B) == [B]
    assert hand.clicker.below_window is None


def test_the_window_is_asked_for_again_once_a_click_was_refused(hand: Hand) -> None:
    hand.send(A)
    hand.window = Window(1, 5, 5, 1)  # its corner is another, and the board lies where it lay
    assert hand.send(A, B) == []
    assert hand.clicker.below_window == A
    assert hand.send(A, B) == [A, B]
    hand.window = Window(2, 5, 5, 2)
    for _ in range(3):
        assert hand.send(A, B) == []


@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.parametrize("unseen", [False, True])
def test_a_board_that_is_found_anew_is_clicked_in_the_window_where_it_was_read(
    hand: Hand, moved: bool, unseen: bool
) -> None:
    """A window that cannot be seen took the click before, so the board was looked for again."""
    assert hand.send(A) == [A]
    if moved:
        hand.grid = hand.grid.moved(9, 5)
    hand.window = Window(2, 9, 5, 2) if unseen else Window(1, 9, 5, 1) if moved else hand.window
    hand.tracker.track(hand.grab(), replace(hand.tracker.target.on_screen, grid=hand.grid))
    assert hand.send(B) == ([] if unseen else [B])
    assert hand.clicker.below_window == (B if unseen else None)


# ---- flags and chords ------------------------------------------------------------------------

BESIDE_A_FLAG = Board.from_text("F1##\n####\n####")
SAFE = Cell(0, 2), Cell(1, 0), Cell(1, 1), Cell(1, 2)
MINES = Cell(0, 0), Cell(2, 3)


@pytest.mark.parametrize(
    ("style", "known", "clicks"),
    [
        # In few clicks a chord opens what it can, but no guess, and no cell that did not answer.
        (Style.FEW, {}, "chord 01"),
        (Style.FEW, {"survival": 0.5}, "open 10 open 11 open 12 open 02"),
        (Style.FEW, {"missed": True}, "open 10 open 11 open 12 open 02"),
        (Style.FEW, {"action": Action.FLAG}, "flag 02 flag 10 flag 11 flag 12"),
        # The other styles use flags and chords as they are asked.
        (Style.WIN, {}, "open 10 open 11 open 12 open 02"),
        (Style.WIN, {"chords": True}, "chord 01"),
        (Style.WIN, {"flags": True}, "flag 23 open 10 open 11 open 12 open 02"),
        # One of the cells may open another.
        (Style.WIN, {"mines": MINES[:1]}, "open 10 open 11 open 02"),
        (Style.FAST, {"mines": MINES[:1]}, "open 10 open 11 open 02 open 12"),
    ],
)
def test_the_style_says_which_clicks_open_the_cells_beside_a_flag(
    style: Style, known: dict[str, Any], clicks: str
) -> None:
    flags, chords = known.get("flags", False), known.get("chords", False)
    options = PlayOptions(flags=flags, chords=chords, style=style)
    marks = Marks(options, ignore)
    moves = tuple(Move(cell, known.get("action", Action.OPEN)) for cell in SAFE)
    decision = Decision(moves, "", known.get("survival", 1.0))
    misses = {SAFE[1]: 1} if known.get("missed") else {}
    planned = marks.plan(decision, BESIDE_A_FLAG, known.get("mines", MINES), misses)
    assert clicks == " ".join(
        f"{click.effect.value} {click.cell.row}{click.cell.col}" for click in planned
    )


CHORD_B = PlannedClick(B, ClickEffect.CHORD, (A, C))
FLAG_A = PlannedClick(A, ClickEffect.FLAG, (A,))
NO_CHORDS = "This program opens nothing on a chord; playing on without chords."
NO_FLAGS = "Flags do not stay on the board; playing on without flags."


@pytest.mark.parametrize(
    ("clicks", "misses", "flags", "chords", "left", "notes"),
    [
        # A chord that opens nothing is the last; flags are given up after some tries.
        ([opening(B), FLAG_A, CHORD_B], {C: 1, B: 1}, True, False, {}, [NO_CHORDS]),
        ([FLAG_A, opening(B)], {A: 1, B: 7}, True, True, {A: 1, B: 7}, []),
        ([opening(B), FLAG_A], {A: 2}, False, False, {}, [NO_FLAGS]),
        ([CHORD_B, FLAG_A], {}, True, True, {}, []),
    ],
)
def test_what_does_not_work_is_given_up(
    clicks: list[PlannedClick],
    misses: dict[Cell, int],
    flags: bool,
    chords: bool,
    left: dict[Cell, int],
    notes: list[str],
) -> None:
    said, progress = Notes(), Progress(0, 0.0, misses={**misses})
    marks = Marks(PlayOptions(flags=True, chords=True, limits=Limits(retries=1)), said)
    marks.give_up_failing(progress, clicks)
    assert (marks.flags, marks.chords) == (flags, chords)
    assert (progress.misses, said.notes) == (left, notes)
