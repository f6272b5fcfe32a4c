"""Find the mine counter beside the board, and read it again cheaply.

Counters are seven-segment displays, or text: "Mines: 40", "UXB: 10", "3/10", "40 mines left", or a
bare number beside a picture of a flag or a mine. All are numbers in lines that `text` finds around
the board; `displays` reads the displays among them, `text` the others.

The meaning of a number follows from the words before it in its line, or after it in a line that
begins with a number, or else by the nearest line without numbers beside, above or below it:

- Words for mines: the mine total, or the mines left; with flags on the board both are tried. -
Words for flags: the mines left, or the number of flags set, which says nothing. - Words for
anything else (time, score, level, best): no counter. - A fraction ``a/b`` has the total below, and
above the flags that are set, or the mines left. - No words: it may be what is left, if it is near
and above or below the board.

The board excludes many numbers: the solver says which totals fit it, and a total of less than 4 %
or more than 65 % of the cells is none. A total is read only if that leaves one:

- Numbers with words must agree on it. Where none has words, exactly one number must fit; it must be
  the usual total of this size, or stand beside another number or display, the clock; or, before the
  first click, when no clock runs, begin with a nought or stand beside a picture. Of two that fit,
  the usual total is read, unless both are usual. Beside two displays other numbers do not count; of
  the two, the side that a known program has its counter on decides, unless both show the same.
- Words and displays that disagree are not trusted, nor is anything that contradicts a given total.

A wrong total loses games, a missing one costs little: what is not clear is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from calibration.frame import Frame
from calibration.grid import Grid, PixelBox, shared_area
from calibration.indicators.text import Line, Pixels, find_displays, find_lines, read_line
from calibration.indicators.words import phrases
from solver.analysis import USUAL_TOTALS, layouts_by_total
from solver.board import Board, Tile
from solver.errors import SolverError

TEXT_REACH_PX = 280
"""How far from the board text is searched, in pixels: side panels and status bars."""

NEAR_TILES: Final = 6
"""How far above or below the board a number without words may be, in tiles."""

LEAST_BAND_PX: Final = 12
"""Least height and width of an area in which text is searched."""

LEAST_EDGE = 60
"""Least strength of an upright edge, of at most 1,020."""

LEAST_TEXT_EDGES = 4
"""Least number of upright edges in a row of pixels with text."""

ROOM_PX = 12
"""Width of the room around text that is searched, too, in pixels."""

LARGE_TILE_PX: Final = 40
"""Tiles from this size are scaled down to it before text is searched, but at most by half."""

LEAST_MINES_SHARE, MOST_SHARE = 0.04, 0.65
"""The shares of the cells that may be mines: less is rather the time of the last game."""

SURE_LETTER, MEANT = 0.8, 0.7
"""Least confidence in each digit of a text, and in any other character."""

PICTURE_WIDE, PICTURE_GAP = 2.0, 0.3
"""Most width of a picture before a number, and most gap within it, in heights of its line."""

PICTURE_STEP = 60
"""Least difference of a picture from its ground, in the sum of the three colours."""

MEANINGS: Final = ("mines", "flags", "left", "other")
"""What words beside a number say, by their list in phrases.toml."""

TIMES_OF_DAY: Final = re.compile(
    r"\d+\s*[:.,]\s*\d+|\d+\s*[x×*]\s*\d+|\d+\s*[%s°]|\d*[^\W\d_ ]\d+|-\d+-\d+"
)
"""Numbers that count no mines: times, decimals, sizes, shares, and digits after a letter."""

ALONE: Final = re.compile(r"(?<![\u2e80-\uffff])[\u2e80-\uffff](?![\u2e80-\uffff])")
CLOCK: Final = re.compile(r"\d\s*:\s*\d\d")
FRACTION: Final = re.compile(r"(?<!\d)(\d{1,4})\s*(?:/|of)\s*(\d{1,4})(?!\s*[/\d])")
NUMBER_IN_TEXT: Final = re.compile(r"(?<![\d/])-?\d{1,4}(?![\d/])")


@dataclass(frozen=True)
class CounterPlace:
    """The place of a counter: ``box`` counts from the grid's corner.

    ``kind`` is ``text`` or ``seven-segment``.
    """

    kind: str
    box: PixelBox


@dataclass(frozen=True)
class Counter:
    """What a counter shows: ``mines_left`` is the mine total minus the flags."""

    mines_left: int
    total: int
    place: CounterPlace


@dataclass(frozen=True)
class _Number:
    """A number around the board: the totals that it may mean, and where it stands.

    ``said`` is what words beside it say: ``mines``, ``other``, or nothing. ``box`` is that of its
    line, in pixels of the frame. ``padded`` numbers begin with a nought, before ``pictured`` ones
    stands a small picture.
    """

    shown: int
    totals: frozenset[int]
    said: str
    kind: str
    box: PixelBox
    padded: bool = False
    pictured: bool = False


def find_counter(
    frame: Frame, grid: Grid, board: Board, *, mines: int | None = None, side: str = ""
) -> Counter | None:
    """Search the surroundings of the board for a counter; None if no counter can be trusted.

    ``mines`` is the mine total if it is already known; a counter that contradicts it is not
    trusted. ``side`` is the side of the board with the program's counter, as in
    `ProgramProfile.counter_side`: it is searched first, and decides between two displays.
    """
    areas = _areas(frame, grid)
    named = {name: area for name, area in areas.items() if side.startswith(name)}
    if side and (found := _find_in(named, frame, grid, board, mines, side)):
        return found
    return _find_in(areas, frame, grid, board, mines, side)


def _find_in(
    areas: Mapping[str, PixelBox],
    frame: Frame,
    grid: Grid,
    board: Board,
    mines: int | None,
    side: str,
) -> Counter | None:
    """Search some areas for a counter, as `find_counter` does."""
    numbers: list[_Number] = []
    for name, area in areas.items():
        over = name in ("above", "below")
        numbers += _numbers(frame, grid, board, area, displays=over)
    possible = _possible_totals(board, known_program=bool(side)) if numbers else frozenset()
    possible = possible if mines is None else possible & {mines}
    numbers = [replace(one, totals=one.totals & possible) for one in numbers]
    worded = _agreed([one for one in numbers if one.said == "mines"], board)
    bare = _bare(
        [one for one in numbers if not one.said and _is_near(one, grid)], board, mines, side
    )
    if worded and bare and worded[1] != bare[1]:
        return None
    chosen = worded or bare
    if chosen is None:
        return None
    number, total = chosen
    place = CounterPlace(number.kind, _moved(number.box, -round(grid.x0), -round(grid.y0)))
    return Counter(total - flags_set(board), total, place)


class CounterReader:
    """Reads one counter in frame after frame.

    If neither its picture nor the number of flags changes, the last result is returned: that
    saves 10 to 20 ms a frame.
    """

    def __init__(self, grid: Grid, place: CounterPlace) -> None:
        self._grid, self._place = grid, place
        self._last: tuple[bytes, int, Counter | None] | None = None

    def read(self, frame: Frame, board: Board) -> Counter | None:
        """Read the counter beside ``board``; None if it cannot be read now."""
        flags = flags_set(board)
        area = _area_of(frame, self._grid, self._place)
        picture = _without_board(frame, self._grid, area).tobytes()
        if self._last is None or self._last[:2] != (picture, flags):
            counter = read_counter(frame, self._grid, board, self._place)
            self._last = (picture, flags, counter)
        return self._last[2]


def read_counter(frame: Frame, grid: Grid, board: Board, place: CounterPlace) -> Counter | None:
    """Read a counter at a known place; None if it cannot be read now.

    A text may name the total or what is left of it: the mine total of ``board`` decides, if known.
    """
    area = _area_of(frame, grid, place)
    if area.x1 - area.x0 < LEAST_BAND_PX or area.y1 - area.y0 < LEAST_BAND_PX:
        return None
    flags, cells = flags_set(board), board.rows * board.cols
    if place.kind == "seven-segment":
        shown = list(find_displays(_without_board(frame, grid, area)).values())
        if len(shown) == 1:
            return Counter(int(shown[0]), int(shown[0]) + flags, place)
        area = _area_of(frame, grid, replace(place, kind="text"))  # one digit, or another font
    numbers = [one for one in _numbers(frame, grid, board, area) if one.said != "other"]
    numbers = [one for one in numbers if one.said] or numbers
    totals = {total for one in numbers for total in one.totals if total < cells}
    if board.mines in totals:
        totals = {board.mines}
    if len(totals) != 1:
        return None
    return Counter(min(totals) - flags, min(totals), place)


def flags_set(board: Board) -> int:
    """Count the flags as a program does: the right ones and, after a loss, the wrong ones."""
    return int(np.isin(board.tiles, (Tile.FLAG, Tile.WRONG_FLAG)).sum())


# ---- which number it is --------------------------------------------------------------------------


def _possible_totals(board: Board, *, known_program: bool) -> frozenset[int]:
    """Return the mine totals that the board allows, wherever the flags stand.

    Flags may be wrong. If the numbers contradict each other, a tile is misread, and only the usual
    total of this size is possible.
    """
    cells = board.rows * board.cols
    likely = range(max(1, round(LEAST_MINES_SHARE * cells)), round(MOST_SHARE * cells) + 1)
    likely = range(1, cells) if known_program else likely
    hidden = np.where(np.isin(board.tiles, (Tile.FLAG, Tile.WRONG_FLAG)), Tile.HIDDEN, board.tiles)
    try:
        fitting = np.isfinite(layouts_by_total(Board(hidden.astype(np.int8))))
    except SolverError:
        if known_program:
            return frozenset(likely)
        return frozenset({USUAL_TOTALS.get((board.rows, board.cols), 0)}) - {0}
    return frozenset(total for total in likely if fitting[total])


def _agreed(numbers: Sequence[_Number], board: Board) -> tuple[_Number, int] | None:
    """Return the total on which all numbers with words agree, and the one that says it best."""
    numbers = [one for one in numbers if one.totals]
    if not numbers:
        return None
    common = frozenset.intersection(*(one.totals for one in numbers))
    usual = common & {USUAL_TOTALS.get((board.rows, board.cols), 0)}
    common = common if len(common) == 1 else usual
    return (min(numbers, key=lambda one: len(one.totals)), min(common)) if common else None


def _bare(
    numbers: Sequence[_Number], board: Board, mines: int | None, side: str
) -> tuple[_Number, int] | None:
    """Return the total that one of the numbers without words shows."""
    displays = sorted((one for one in numbers if one.kind != "text"), key=lambda one: one.box.x0)
    if side in SIDES_OF_DISPLAYS and len(displays) == 2:
        numbers = [displays[SIDES_OF_DISPLAYS[side]]]
    elif len(displays) == 2 and _is_beside(*displays):
        numbers = displays  # a counter and a clock: other numbers belong to another window
    fitting = [one for one in numbers if one.totals]
    usual = USUAL_TOTALS.get((board.rows, board.cols)) if mines is None else mines
    likely = [replace(one, totals=frozenset({usual})) for one in fitting if usual in one.totals]
    fitting = likely if len(likely) == 1 else fitting
    if not fitting or len(frozenset.union(*(one.totals for one in fitting))) != 1:
        return None
    chosen = fitting[0]
    if len(fitting) > 1 and not (numbers is displays and len(fitting) == 2):
        return None
    clear = likely or side in SIDES_OF_DISPLAYS or any(_is_beside(one, chosen) for one in numbers)
    is_fresh = bool((board.tiles == Tile.HIDDEN).all())
    clear = clear or (is_fresh and (chosen.padded or chosen.pictured))
    return (chosen, min(chosen.totals)) if clear else None


def _is_beside(one: _Number, another: _Number) -> bool:
    """Whether two numbers are about as high and stand on one line, as a counter and a clock do."""
    box, other = one.box, another.box
    high, other_high = box.y1 - box.y0, other.y1 - other.y0
    level = abs(box.y0 + box.y1 - other.y0 - other.y1) < min(high, other_high)
    apart = box.x1 <= other.x0 or other.x1 <= box.x0
    return level and apart and 0.6 <= high / other_high <= 1 / 0.6


SIDES_OF_DISPLAYS: Final = {"above-left": 0, "above-right": 1}
"""Which of two displays above the board is the counter, by the side that a theme names."""


def _is_near(number: _Number, grid: Grid) -> bool:
    """Whether a number is so near above or below the board that it may count without words."""
    x0, y0, x1, y1 = grid.bounds
    box, reach = number.box, max(120, round(NEAR_TILES * grid.tile_h))
    over = x0 - 2 * grid.tile_w <= (box.x0 + box.x1) / 2 <= x1 + 2 * grid.tile_w
    return over and (y0 - reach <= box.y0 <= y0 or y1 <= box.y1 <= y1 + reach)


# ---- the numbers in a part of a frame ------------------------------------------------------------


def _numbers(
    frame: Frame, grid: Grid, board: Board, area: PixelBox, *, displays: bool = False
) -> list[_Number]:
    """Return the numbers in an area that may be a counter, or say which of them is one."""
    pixels = _without_board(frame, grid, area)
    inked = _inked(pixels)
    if inked is None:
        return []
    dx, dy = area.x0 + inked.x0, area.y0 + inked.y0
    pixels = pixels[inked.y0 : inked.y1, inked.x0 : inked.x1]
    scale = min(1.0, max(0.5, LARGE_TILE_PX / grid.tile_h))
    lines = [read_line(pixels, box) for box in find_lines(pixels, scale)]
    shown = {}
    for box, text in find_displays(pixels).items() if displays else ():
        over = [line for line in lines if 2 * shared_area(box, line.box) > shared_area(box, box)]
        usual = int(text) + flags_set(board) == USUAL_TOTALS.get((board.rows, board.cols))
        if usual or not any(
            line.text.isdigit() and min(line.sure) >= SURE_LETTER and line.text != text
            for line in over
        ):
            shown[box] = text  # and not a font that resembles segments
    lines = [line for line in lines if not any(shared_area(line.box, box) for box in shown)]
    numbers = [
        _Number(
            int(text),
            frozenset({int(text) + flags_set(board)}),
            "",
            "seven-segment",
            box,
            padded=True,
        )
        for box, text in shown.items()
    ]
    labels = [
        line
        for line in lines
        if re.search(r"[^\W\d_]{2}|雷|旗", line.text) and not re.search(r"\d", line.text)
    ]
    for line in lines:
        room = (line.box.y1 - line.box.y0) / 2  # one more digit may be cut off there
        left = -dx + area.x0 + room if area.x0 > 0 else -np.inf
        right = -dx + area.x1 - room if area.x1 < frame.width else np.inf
        numbers += _in_line(pixels, line, labels, flags_set(board), (left, right))
    return [replace(one, box=_moved(one.box, dx, dy)) for one in numbers]


def _inked(pixels: Pixels) -> PixelBox | None:
    """Return the part of a picture that is not even, with some room around; None if all is."""
    grey = cv2.cvtColor(np.ascontiguousarray(pixels), cv2.COLOR_RGB2GRAY)
    edges = np.abs(cv2.Sobel(grey, cv2.CV_16S, 1, 0)) > LEAST_EDGE
    rows = np.flatnonzero(edges.sum(axis=1) >= LEAST_TEXT_EDGES)
    cols = np.flatnonzero(edges.any(axis=0))
    if not len(rows) or not len(cols):
        return None
    height, width = grey.shape
    x0, y0 = max(0, int(cols[0]) - ROOM_PX), max(0, int(rows[0]) - ROOM_PX)
    return PixelBox(
        x0, y0, min(width, int(cols[-1]) + ROOM_PX), min(height, int(rows[-1]) + ROOM_PX)
    )


def _in_line(
    pixels: Pixels,
    line: Line,
    labels: Sequence[Line],
    flags: int,
    within: tuple[float, float],
) -> Iterator[_Number]:
    """Yield the numbers in a line of text that lie ``within`` two columns."""
    # A picture beside a number is read as some character, but not a sure one.
    known = [
        char if sure >= MEANT or char.isdigit() else " "
        for char, sure in zip(line.text, line.sure, strict=True)
    ]
    line = replace(line, text=ALONE.sub(_unless_known, "".join(known)))
    if CLOCK.search(line.text):
        yield _Number(0, frozenset(), "", "text", line.box)
    text = TIMES_OF_DAY.sub(lambda found: "~" * len(found[0]), line.text)
    begins = bool(re.match(r"\W*\d", text))
    numbers = [(one, [int(one[1]), int(one[2])]) for one in FRACTION.finditer(text)]
    bare = FRACTION.sub(lambda found: "~" * len(found[0]), text)
    numbers += [(one, [int(one[0])]) for one in NUMBER_IN_TEXT.finditer(bare)]
    numbers.sort(key=lambda one: one[0].start())
    ends = [0, *(found.end() for found, _ in numbers)]
    for index, (found, values) in enumerate(numbers):
        digits = [at for at in range(*found.span()) if line.text[at].isdigit()]
        # The flags on the board confirm the first number of a fraction.
        doubtful = [at for at in digits if len(values) == 1 or at >= found.start(2)]
        if min(line.sure[at] for at in doubtful) < SURE_LETTER:
            continue
        if line.at[digits[0]] < within[0] or line.at[digits[-1]] > within[1]:
            continue
        after = numbers[index + 1][0].start() if index + 1 < len(numbers) else len(text)
        sides = [line.text[ends[index] : found.start()], line.text[found.end() : after]]
        words = next(filter(_has_words, sides[::-1] if begins else sides), "")
        own = bool(words)
        if not words:
            words = _nearest(line.box, labels)
        said = _said(words, own=own)
        if len(values) == 2:
            totals = {values[1]} if values[0] in (flags, values[1] - flags) else set()
            said = (
                "other"
                if said == "other" and own and _said(words, own=False) == "other"
                else "mines"
            )
        elif said == "mines":
            totals = {values[0] + flags, *([] if "left" in _kinds(words) else values)}
        elif said == "flags":
            said = "mines"
            totals = {values[0] + flags} if values[0] != flags or not flags else set()
        else:
            totals = {values[0] + flags, values[0]}
        yield _Number(
            values[-1],
            frozenset(totals),
            said,
            "text",
            line.box,
            padded=found[0][0] == "0",
            pictured=not sides[0].strip() and _has_picture(pixels, line.box, line.at[digits[0]]),
        )


def _has_picture(pixels: Pixels, box: PixelBox, digit: float) -> bool:
    """Whether one small picture stands before a number with the middle of its first ``digit``."""
    high = box.y1 - box.y0
    left = max(0, round(digit - 4 * high))
    strip = pixels[box.y0 : box.y1, left : round(digit)].astype(np.int32)
    if not strip.size:
        return False
    ground = np.median(strip.reshape(-1, 3), axis=0)
    inked = np.flatnonzero((np.abs(strip - ground).sum(axis=2) >= PICTURE_STEP).any(axis=0))
    if not len(inked):
        return False
    runs = np.split(inked, np.flatnonzero(np.diff(inked) > 1) + 1)
    runs = runs[:-1] if runs[-1][-1] + 1 == strip.shape[1] else runs  # without the digit itself
    if not runs:
        return False
    first = last = len(runs) - 1
    while first and runs[first][0] - runs[first - 1][-1] <= PICTURE_GAP * high:
        first -= 1
    wide = runs[last][-1] + 1 - runs[first][0]
    near = strip.shape[1] - runs[last][-1] <= 1.5 * high
    return bool(near and high / 2 <= wide <= PICTURE_WIDE * high)


def _unless_known(found: re.Match[str]) -> str:
    """Return one ideograph that stands alone: a picture, unless it is a word for mines or flags."""
    return found[0] if _kinds(found[0]) else " "


def _has_words(text: str) -> bool:
    return bool(re.search(r"[^\W\d_]{2}|[雷旗]", text))


def _said(words: str, *, own: bool) -> str:
    """Return what words say of a number: ``mines``, ``flags``, ``other`` or nothing.

    Words in its ``own`` line that are not known say that it is something else.
    """
    kinds = _kinds(words)
    if "other" in kinds:
        return "other"
    for kind in ("mines", "flags"):
        if kind in kinds:
            return kind
    return "other" if own else ""


def _kinds(words: str) -> set[str]:
    plain = words.casefold()
    whole = set(re.findall(r"[^\W\d_]+", plain))
    return {
        kind
        for kind in MEANINGS
        if any(_stands(one, plain, whole) for one in phrases(f"counter-{kind}"))
    }


def _stands(word: str, text: str, whole: Iterable[str]) -> bool:
    return word in whole or (ord(word[0]) >= 0x2E80 and word in text)


def _nearest(box: PixelBox, labels: Sequence[Line]) -> str:
    """Return the words of the label nearest to a number: left, right, above or below it."""
    high = box.y1 - box.y0
    near: list[tuple[float, str]] = []
    for label in labels:
        other = label.box
        down = max(other.y0 - box.y1, box.y0 - other.y1)
        across = max(other.x0 - box.x1, box.x0 - other.x1)
        gap = max(down, across)
        if min(down, across) < -0.2 * high and gap < (2.5 if across > down else 1.2) * high:
            near.append((gap, label.text))
    return min(near, default=(0.0, ""))[1]


# ---- parts of a frame ----------------------------------------------------------------------------


def _areas(frame: Frame, grid: Grid) -> dict[str, PixelBox]:
    """Return the areas around the board in which counters are searched, by side."""
    x0, y0, x1, y1 = grid.bounds
    reach = max(TEXT_REACH_PX, round(4 * grid.tile_h))
    areas = {
        "above": PixelBox(x0 - reach, y0 - reach, x1 + reach, y0),
        "below": PixelBox(x0 - reach, y1, x1 + reach, y1 + reach),
        "left": PixelBox(x0 - reach, y0, x0, y1),
        "right": PixelBox(x1, y0, x1 + reach, y1),
    }
    clipped = {side: _clip(frame, area) for side, area in areas.items()}
    return {
        side: area
        for side, area in clipped.items()
        if area.x1 - area.x0 >= LEAST_BAND_PX <= area.y1 - area.y0
    }


def _area_of(frame: Frame, grid: Grid, place: CounterPlace) -> PixelBox:
    """Return the part of the frame that a counter is read from."""
    x0, y0, x1, y1 = _moved(place.box, round(grid.x0), round(grid.y0))
    # A display keeps its place; text may get more digits, and needs background around it.
    high, wide = (6, 6) if place.kind == "seven-segment" else (16, 64)
    return _clip(frame, PixelBox(x0 - wide, y0 - high, x1 + wide, y1 + high))


def _clip(frame: Frame, box: PixelBox) -> PixelBox:
    return PixelBox(
        max(0, box.x0), max(0, box.y0), min(frame.width, box.x1), min(frame.height, box.y1)
    )


def _without_board(frame: Frame, grid: Grid, area: PixelBox) -> Pixels:
    """Return the pixels of an area, with the board in it painted grey."""
    pixels = _crop(frame, area).copy()
    inside = _moved(grid.bounds, -area.x0, -area.y0)
    pixels[max(0, inside.y0) : max(0, inside.y1), max(0, inside.x0) : max(0, inside.x1)] = 128
    return pixels


def _crop(frame: Frame, box: PixelBox) -> Pixels:
    return np.ascontiguousarray(frame.pixels[box.y0 : box.y1, box.x0 : box.x1])


def _moved(box: PixelBox, dx: int, dy: int) -> PixelBox:
    return PixelBox(box.x0 + dx, box.y0 + dy, box.x1 + dx, box.y1 + dy)
