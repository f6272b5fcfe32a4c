"""The clicks of a turn: which are made, when, and that none goes to another window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest

from bot.desktop.ports import Button, Desktop, Window
from bot.errors import NotPressed, ScreenGone, WindowStuck
from bot.events import Click, ignore
from bot.mouse.guard import FIRST_LOOKS, MouseGuard
from bot.mouse.plan import ClickEffect, PlannedClick
from bot.options import Limits, Pace, Style
from bot.play.clicker import Clicker, Marks, looks_alike
from bot.play.progress import Progress
from bot.tracking.follow import Wanted
from bot.tracking.tracker import BoardTracker, PlayStage
from calibration.frame import Frame
from calibration.grid import PixelBox, PixelPoint, ScreenPoint
from solver.agents.base import Action, Decision, Move
from solver.board import Board, Cell
from tests.bot.play.playing import Notes, desktop
from tests.bot.scene import LEFT, SIDE, TOP, Scene
from tests.simulated import FaultyDesktop

HIDDEN = "\n".join(["#" * 9] * 7)
A, B, C = Cell(1, 1), Cell(1, 3), Cell(1, 5)


class Press(NamedTuple):
    """A press, and what was there and before it."""

    at_s: float
    point: ScreenPoint
    button: Button
    hold_s: float


class Hand(Scene):
    """A scene that keeps every press, every movement and every grab.

    Whose ``window`` lies everywhere is said, unless it is None. A grab takes ``grab_s``. Pixels of
    ``tints`` are so much brighter, and ``on_move`` and ``on_press`` are what the program does.
    """

    def __init__(self, board: str = HIDDEN) -> None:
        self.window: Window | None = Window(1, 0, 0, 1)
        self.presses: list[Press] = []
        self.moves: list[tuple[float, ScreenPoint]] = []
        self.shown: list[Frame] = []
        self.grab_s, self.grabs, self.is_gone = 0.0, 0, False
        self.tints: dict[PixelBox, int] = {}
        self.on_move: Callable[[ScreenPoint], None] = lambda point: None
        self.on_press: Callable[[], None] = lambda: None
        super().__init__(board)
        asked = Desktop(self, self, self, self.clock, lambda point: self.window, shows=self.shows)
        self.guard = MouseGuard(asked)
        self.stage = replace(self.stage, guard=self.guard)
        self.pauses: list[float] = []
        self.clicker = self.new_clicker()

    stop_after_game = False

    def before_turn(self, wait: Callable[[float], None]) -> None: ...

    def before_click(self, pause_s: float, wait: Callable[[float], None]) -> None:
        self.pauses.append(pause_s)
        wait(pause_s)

    def new_clicker(self, pace: Pace | None = None) -> Clicker:
        return Clicker(self.stage, pace=pace or Pace(), control=self)

    def shows(self, window: Window, picture: Frame) -> bool:
        self.shown.append(picture)
        return True

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

    def click(
        self,
        point: ScreenPoint,
        button: Button = Button.LEFT,
        hold_s: float = 0.0,
        into: Window | None = None,
    ) -> bool:
        self.at = point
        if into != self.window:
            return False
        self.presses.append(Press(self.clock.now(), point, button, hold_s))
        self.clock.sleep(hold_s)
        self.on_press()
        return True

    def move(self, point: ScreenPoint) -> None:
        self.moves.append((self.clock.now(), point))
        self.at = point
        self.on_move(point)

    def send(
        self, *plan: Cell | PlannedClick, gently: bool = False, guess: bool = False
    ) -> list[Cell]:
        """Send clicks on a board read just now; return the cells of those that were sent."""
        made: list[tuple[PlannedClick, Click]] = []
        clicks = [opening(one) if isinstance(one, Cell) else one for one in plan]
        self.clicker.send(clicks, self.frame(), self.board, made, guess=guess, gently=gently)
        assert [click.point for _, click in made] == [press.point for press in self.presses][
            len(self.presses) - len(made) :
        ]
        return [click.cell for _, click in made]

    def mark(self, *cells: Cell) -> Callable[[], None]:
        """Return what draws something strange on cells."""
        return lambda: self.marked.update(cells)


def opening(cell: Cell, *, after_mark: bool = False) -> PlannedClick:
    return PlannedClick(cell, ClickEffect.OPEN, (cell,), after_mark)


def middle(cell: Cell) -> ScreenPoint:
    return ScreenPoint(LEFT + SIDE * cell.col + SIDE // 2, TOP + SIDE * cell.row + SIDE // 2)


@pytest.fixture
def hand() -> Hand:
    return Hand()


def test_each_cell_gets_its_button_and_the_pointer_is_parked(hand: Hand) -> None:
    flag = PlannedClick(B, ClickEffect.FLAG, (B,))
    assert hand.send(A, flag, PlannedClick(C, ClickEffect.CHORD, (C,))) == [A, B, C]
    assert [(one.point, one.button) for one in hand.presses] == [
        (middle(A), Button.LEFT), (middle(B), Button.RIGHT), (middle(C), Button.MIDDLE),
    ]  # fmt: skip
    assert {one.hold_s for one in hand.presses} == {0.0}
    assert [point for _, point in hand.moves] == [hand.tracker.target.parking_point]
    assert (hand.clicker.changed, hand.clicker.below_window) == (None, None)


def test_clicks_and_the_movement_after_them_keep_a_distance_in_time(hand: Hand) -> None:
    hand.send(A, B)
    hand.send(C)
    first, second, third = (one.at_s for one in hand.presses)
    assert second - first == pytest.approx(0.002)
    assert hand.moves[0][0] - second == pytest.approx(0.002)
    assert third - second == pytest.approx(0.002), "a turn begins without a further wait"


def test_the_first_click_waits_for_nothing_but_looks_at_the_window() -> None:
    hand = Hand()
    hand.window, begun = None, hand.clock.now()
    hand.send(A)
    assert hand.presses[0].at_s == begun


def test_a_click_long_after_the_last_one_asks_for_no_negative_wait(hand: Hand) -> None:
    hand.send(A)
    waits, sleep = list[float](), hand.clock.sleep
    sleep(1.0)
    hand.clock.sleep = lambda seconds: waits.append(seconds) or sleep(seconds)  # type: ignore[method-assign,func-returns-value]
    hand.send(B)
    assert min(waits) == 0


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
def test_the_pace_is_kept_before_each_click(hand: Hand, guess: bool) -> None:
    hand.clicker = hand.new_clicker(Pace(human=True))
    hand.send(A, B, guess=guess)
    pace = Pace(human=True)
    assert hand.pauses == [pace.pause_s(guess=guess) for _ in range(2)]
    assert hand.presses[1].at_s - hand.presses[0].at_s == pytest.approx(hand.pauses[1])


def test_without_a_control_the_pace_is_kept_all_the_same(hand: Hand) -> None:
    hand.clicker = Clicker(hand.stage, pace=Pace(0.5))
    hand.send(A, B)
    assert hand.presses[1].at_s - hand.presses[0].at_s == pytest.approx(0.5)


# ---- what differs from what was read -----------------------------------------------------


def test_a_tile_that_changed_is_left_out_and_the_others_are_clicked(hand: Hand) -> None:
    hand.on_press = hand.mark(B)
    assert hand.send(A, B, C) == [A, C]
    assert hand.clicker.changed is None, "the clicks that were made will show why"


def test_what_changed_before_the_first_click_is_said_until_the_next_turn(hand: Hand) -> None:
    hand.on_move = lambda point: hand.marked.update([C])  # far from the pointer
    assert hand.send(A, gently=True) == []
    assert isinstance(hand.clicker.changed, NotPressed)
    assert not hand.clicker.changed.other_window
    assert hand.clicker.below_window is None
    assert hand.send(A) == [A]
    assert hand.clicker.changed is None


def test_a_tile_whose_mark_the_click_before_removed_is_clicked_all_the_same(hand: Hand) -> None:
    hand.on_press = hand.mark(A)
    unflag = PlannedClick(A, ClickEffect.UNFLAG, (A,))
    assert hand.send(unflag, opening(A, after_mark=True)) == [A, A]


def test_a_turn_ends_when_something_lies_over_the_border(hand: Hand) -> None:
    def cover() -> None:
        hand.cover = PixelBox(LEFT - 8, TOP - 8, LEFT + 9 * SIDE + 8, TOP + 8)

    hand.on_press = cover
    before = hand.grabs
    assert hand.send(A, B, C) == [A]
    assert hand.grabs - before == 1 + FIRST_LOOKS + 2, "nothing is looked at after the cover"
    assert hand.clicker.changed is None


def test_a_cover_before_the_first_click_ends_the_turn_with_its_reason(hand: Hand) -> None:
    def cover(point: ScreenPoint) -> None:
        hand.cover = PixelBox(LEFT - 8, TOP - 8, LEFT + 9 * SIDE + 8, TOP + 8)

    hand.on_move = cover
    assert hand.send(A, B, gently=True) == []
    assert [point for _, point in hand.moves] == [middle(A), hand.tracker.target.parking_point]
    assert isinstance(hand.clicker.changed, NotPressed)


@pytest.mark.parametrize(("steps", "clicked"), [(4, True), (5, False), (-4, True), (-5, False)])
def test_a_shimmer_of_some_steps_is_no_change(hand: Hand, steps: int, clicked: bool) -> None:
    x, y = middle(B)
    hand.on_press = lambda: hand.tints.update({PixelBox(x, y, x + 1, y + 1): steps})
    assert (B in hand.send(A, B)) is clicked


def test_pictures_of_two_sizes_are_not_alike() -> None:
    one = np.zeros((3, 4, 3), np.uint8)
    assert looks_alike(one, one.copy())
    assert not looks_alike(one, one[:, :3])
    assert not looks_alike(one, one[:0])


TILE_X, TILE_Y = LEFT + SIDE, TOP + SIDE
"""The corner of the tile A."""


@pytest.mark.parametrize(
    ("x", "y", "steps", "clicked"),
    [
        (TILE_X + 5, TILE_Y + 5, 90, True),
        (TILE_X + SIDE + 39, TILE_Y, 90, True),
        (TILE_X + SIDE + 40, TILE_Y, 90, False),
        (TILE_X + SIDE + 40, TILE_Y, 5, False),
        (TILE_X + SIDE + 40, TILE_Y, 4, True),
        (TILE_X + SIDE + 79, TILE_Y, 90, False),
        (TILE_X + SIDE + 80, TILE_Y, 90, True),
        (TILE_X, TILE_Y + SIDE + 39, 90, True),
        (TILE_X, TILE_Y + SIDE + 40, 90, False),
        (TILE_X, TILE_Y + SIDE + 79, 90, False),
        (TILE_X, TILE_Y + SIDE + 80, 90, True),
    ],
)
def test_a_tile_may_light_up_below_the_pointer_with_a_glow_around_it(
    hand: Hand, x: int, y: int, steps: int, clicked: bool
) -> None:
    hand.on_move = lambda point: hand.tints.update({PixelBox(x, y, x + 1, y + 1): -steps})
    assert (hand.send(A, gently=True) == [A]) is clicked


@pytest.mark.parametrize(("by", "clicked"), [(40, True), (41, False), (80, False), (81, True)])
@pytest.mark.parametrize("upwards", [True, False])
def test_the_glow_reaches_as_far_to_the_left_and_upwards(
    hand: Hand, by: int, clicked: bool, upwards: bool
) -> None:
    cell = Cell(5, 7)
    x = LEFT + SIDE * cell.col - by * (not upwards)
    y = TOP + SIDE * cell.row - by * upwards
    hand.on_move = lambda point: hand.tints.update({PixelBox(x, y, x + 1, y + 1): -90})
    assert (hand.send(cell, gently=True) == [cell]) is clicked


class Glowing(FaultyDesktop):
    """A desktop on which a pixel turns black as soon as the pointer moves."""

    pixel, glows = ScreenPoint(0, 0), False

    def grab(self, box: PixelBox | None = None) -> Frame:
        frame = super().grab(box)
        pixels = frame.pixels.copy()
        if self.glows:
            pixels[self.pixel.y - frame.origin.y, self.pixel.x - frame.origin.x] = 0
        return Frame(pixels, frame.origin, frame.scale)

    def move(self, point: ScreenPoint) -> None:
        super().move(point)
        self.glows = True


@pytest.mark.parametrize(("by", "clicked"), [(47, True), (48, False)])
def test_a_large_tile_may_glow_half_as_far_as_it_is_wide(by: int, clicked: bool) -> None:
    desk = Glowing(
        rows=9, cols=9, mines=10, tile_px=96, windows=(), screen_size=(1000, 1000),
        background="plain",
    )  # fmt: skip
    tracker = BoardTracker(desk, Wanted(mines=10))
    stage = PlayStage(tracker, desk.clock, ignore, MouseGuard(desk.ports), Limits())
    tracker.find()
    frame, tile = tracker.grab_region(), tracker.target.on_screen.grid.box(A)
    assert tile.x1 - tile.x0 == 96
    desk.pixel = ScreenPoint(tile.x1 + by, tile.y0)
    board, made = tracker.read(frame, same_game=False).board, list[tuple[PlannedClick, Click]]()
    Clicker(stage, pace=Pace()).send([opening(A)], frame, board, made, guess=False, gently=True)
    assert len(made) == clicked


def test_a_screen_that_gives_no_picture_gets_no_click(hand: Hand) -> None:
    def goes(point: ScreenPoint) -> None:
        hand.is_gone = True

    hand.on_move = goes
    assert hand.send(A, B, gently=True) == []
    assert isinstance(hand.clicker.changed, NotPressed)


def test_cells_unlike_every_hidden_tile_are_not_opened(hand: Hand) -> None:
    hand.tracker.learn_hidden(hand.frame(), hand.board)
    hand.mark(A, B, C)()
    flag = PlannedClick(B, ClickEffect.FLAG, (B,))
    assert hand.send(A, flag, opening(C, after_mark=True), Cell(3, 3)) == [B, C, Cell(3, 3)]
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
    if not says_windows:
        hand.window = None
    hand.send(A)
    hand.grab_s, before = grab_s, hand.grabs
    assert hand.send(A, B, C) == [A, B, C]
    of_the_turn = 1  # the picture that is read
    assert hand.grabs - before - of_the_turn == looks


def test_a_tile_is_looked_at_anew_once_the_pointer_rests_however_slow_that_is(hand: Hand) -> None:
    slow = replace(hand.stage, limits=replace(hand.limits, frame_age_s=9.0))
    hand.clicker = Clicker(slow, pace=Pace())
    hand.send(A)
    hand.grab_s, hand.on_move = 0.016, lambda point: hand.marked.update([C])
    assert hand.send(A, gently=True) == []
    hand.on_move = lambda point: None
    assert hand.send(A, gently=True) == [A]


def test_what_an_earlier_click_opened_is_no_change_below_the_pointer(hand: Hand) -> None:
    hand.on_press = hand.mark(C)
    assert hand.send(B, A, gently=True) == [B, A]


# ---- windows ---------------------------------------------------------------------------------


def test_the_window_is_asked_for_what_was_read_around_the_middle_of_the_board(hand: Hand) -> None:
    hand.send(A)
    [picture] = hand.shown
    x, y = LEFT + 3 * SIDE, TOP + 2 * SIDE
    assert picture == hand.grab(PixelBox(x, y, x + 3 * SIDE, y + 3 * SIDE))
    assert picture.to_screen(PixelPoint(36, 36)) == middle(Cell(3, 4))


def test_of_a_small_board_no_more_is_asked_for_than_the_board() -> None:
    hand = Hand("###\n###\n###\n###")
    hand.send(A)
    [picture] = hand.shown
    box = PixelBox(LEFT, TOP + SIDE, LEFT + 3 * SIDE, TOP + 4 * SIDE)
    assert picture == hand.grab(box)


def test_a_window_that_comes_during_a_turn_ends_it(hand: Hand) -> None:
    def come() -> None:
        hand.window = Window(2, 0, 0, 2)

    hand.on_press = come
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
    moved: bool, unseen: bool
) -> None:
    """A window that cannot be seen took the click before, so the board was looked for again."""
    desk = desktop()
    tracker = BoardTracker(desk.screen, Wanted(mines=10))
    stage = PlayStage(tracker, desk.clock, ignore, MouseGuard(desk.ports), Limits())
    clicker = Clicker(stage, pace=Pace())

    def click(cell: Cell) -> int:
        """Click a hidden cell; return how many clicks were made."""
        made: list[tuple[PlannedClick, Click]] = []
        frame = tracker.grab_region()
        plan = [PlannedClick(cell, ClickEffect.OPEN, (cell,))]
        clicker.send(plan, frame, tracker.read(frame, same_game=False).board, made, guess=False)
        return len(made)

    tracker.find()
    assert click(Cell(0, 0)) == 1
    desk.under_unseen_window = unseen
    if moved:
        desk.move_window(90, 40)
        tracker.find()
    else:
        tracker.track(tracker.grab_screen(), tracker.target.on_screen)
    hidden = next(cell for cell in desk.game.board.cells() if desk.game.board.covered[cell])
    assert click(hidden) == (0 if unseen else 1)
    assert clicker.below_window == (hidden if unseen else None)


# ---- flags and chords ------------------------------------------------------------------------

BESIDE_A_FLAG = Board.from_text("F1##\n####\n####")
SAFE = Cell(0, 2), Cell(1, 0), Cell(1, 1), Cell(1, 2)
MINES = Cell(0, 0), Cell(2, 3)


def planned(
    style: Style,
    *,
    flags: bool = False,
    chords: bool = False,
    survival: float = 1.0,
    missed: bool = False,
    action: Action = Action.OPEN,
    mines: Sequence[Cell] = MINES,
) -> list[tuple[ClickEffect, Cell]]:
    """Return what a decision to open the safe cells beside a flag becomes."""
    marks = Marks(flags=flags, chords=chords, retries=1, observer=ignore, style=style)
    moves = tuple(Move(cell, action) for cell in SAFE)
    clicks = marks.plan(
        Decision(moves, "", survival), BESIDE_A_FLAG, mines, {SAFE[1]: 1} if missed else {}
    )
    return [(click.effect, click.cell) for click in clicks]


OPENED, CHORD = ClickEffect.OPEN, (ClickEffect.CHORD, Cell(0, 1))


def test_in_few_clicks_a_chord_opens_what_it_can() -> None:
    assert planned(Style.FEW) == [CHORD]


@pytest.mark.parametrize("why", [{"missed": True}, {"survival": 0.5}])
def test_cells_that_did_not_answer_and_guesses_are_opened_one_by_one(why: Any) -> None:
    clicks = planned(Style.FEW, **why)
    assert clicks
    assert {effect for effect, _ in clicks} == {OPENED}


def test_moves_that_set_flags_are_no_step_that_opens() -> None:
    assert {effect for effect, _ in planned(Style.FEW, action=Action.FLAG)} == {ClickEffect.FLAG}


def test_the_other_styles_use_flags_and_chords_as_they_are_asked() -> None:
    assert CHORD in planned(Style.WIN, chords=True)
    assert CHORD not in planned(Style.WIN)
    assert (ClickEffect.FLAG, MINES[1]) in planned(Style.WIN, flags=True)
    assert (ClickEffect.FLAG, MINES[1]) not in planned(Style.WIN)
    fast = planned(Style.FAST, mines=MINES[:1])
    assert sorted(cell for _, cell in fast) == sorted(SAFE)
    assert len(planned(Style.WIN, mines=MINES[:1])) < len(fast), "one of them may open another"


def marks_after(
    *clicks: PlannedClick, misses: dict[Cell, int]
) -> tuple[bool, bool, dict[Cell, int], list[str]]:
    """Return whether flags and chords are used after a turn, the misses left, and the notes."""
    notes, progress = Notes(), Progress(0, 0.0, misses=misses)
    marks = Marks(flags=True, chords=True, retries=1, observer=notes)
    marks.give_up_failing(progress, clicks)
    return marks.flags, marks.chords, progress.misses, notes.notes


FLAG_A, CHORD_B = (
    PlannedClick(A, ClickEffect.FLAG, (A,)),
    PlannedClick(B, ClickEffect.CHORD, (A, C)),
)


def test_a_chord_that_opens_nothing_is_the_last() -> None:
    flags, chords, misses, notes = marks_after(opening(B), FLAG_A, CHORD_B, misses={C: 1, B: 1})
    assert (flags, chords, misses) == (True, False, {})
    assert notes == ["This program opens nothing on a chord; playing on without chords."]


def test_flags_that_do_not_stay_are_given_up_after_some_tries() -> None:
    assert marks_after(FLAG_A, opening(B), misses={A: 1, B: 7}) == (True, True, {A: 1, B: 7}, [])
    flags, chords, misses, notes = marks_after(opening(B), FLAG_A, misses={A: 2})
    assert (flags, chords, misses) == (False, False, {})
    assert notes == ["Flags do not stay on the board; playing on without flags."]
    assert marks_after(CHORD_B, FLAG_A, misses={}) == (True, True, {}, [])
