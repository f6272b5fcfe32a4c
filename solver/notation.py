"""Boards as text, in the forms that people and minebot write: their signs, and where the rows are.

minebot's own letters are ``#`` hidden, ``0``-``8`` open (``.`` also reads as 0), ``F`` flag, ``?``
question mark, ``*`` shown mine, ``X`` exploded mine, ``W`` wrong flag, ``~`` unknown. `board_rows`
converts other forms: tiles separated by blanks, tabs, commas or frames, signs such as ``⚑`` and
emoji, labels of rows and columns, and sentences before and after the board.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from solver.counting import counted
from solver.errors import BadBoardText

OWN = frozenset("#012345678.F?*XW~")
"""The letters of minebot's own form."""

BLANK_ZERO = "\u00a0"
"""An open 0 on a terminal: it looks empty, but is not a separator when the board is copied."""

SAFE_SIGNS, MINE_SIGNS, GUESS_SIGN = ("✓", "v"), ("⚐", "!"), "@"
"""What minebot draws over hidden tiles: certainly safe, certainly a mine, and the guess. The second
sign of a pair is for terminals that know only ASCII."""

_OVER_HIDDEN = "".join((*SAFE_SIGNS, *MINE_SIGNS, GUESS_SIGN))
_HIDDEN = "#-_·■□▢▣▪▫◻◼◽◾⬛⬜▒▓█🔲🔳🟦🟪🟩🟫"
"""Signs of hidden tiles. If a board has two of them, one may be an open 0."""

_SIGNS = {
    "#": _HIDDEN + _OVER_HIDDEN,
    "F": "f⚑🚩⛳🏴🏳",
    "?": "❓❔",
    "*": "✱✲✳💣🧨",
    "X": "💥",
    "W": "✗✘❌",
    "0": BLANK_ZERO,
}
_LETTER_OF = {sign: letter for letter, signs in _SIGNS.items() for sign in signs}
_LETTER_OF |= {letter: letter for letter in OWN}

UNCLEAR = {
    "x": "an exploded mine (write X) or a wrong flag (write W)",
    **dict.fromkeys("oO", "an open 0 (write 0) or a mine (write *)"),
    **dict.fromkeys("MmBb", "a mine (write *) or a flag (write F)"),
    **dict.fromkeys("+Hh", "a hidden tile (write #) or a mine (write *)"),
}
"""Signs that mean different things to different people, and what they may mean."""

_MODIFIERS = dict.fromkeys((0xFE0E, 0xFE0F, 0x20E3, 0x200D, 0xFEFF))
"""Code points that only say how a sign is drawn, such as emoji style, and byte order marks."""

_COLOURS = re.compile("\x1b\\[[0-9;]*m")
"""What a terminal is sent for colours: it stays in a text that was kept with them."""

_SEPARATORS = re.compile('[ \t,;"|\u2502\u2503\u2551\u2506\u250a\u3000]+')
_FRAME = re.compile("[\u2500-\u257f|+=-]+")
_WORD = re.compile(r"\b[A-Za-z]{4,}\b")
_EDGE_MOST = 5
"""The largest number that a tile at the left edge can show."""


def board_rows(text: str) -> list[str]:
    """Return the rows of a board in minebot's own letters, all of one length.

    Raises `BadBoardText` for no rows, ragged rows, several boards, and a sign that is unknown or
    may mean several things.
    """
    text = _COLOURS.sub("", text)
    rows = [line.strip() for line in text.splitlines() if line.strip()]
    if len(rows) == 1 and OWN.issuperset(rows[0].replace("/", "")):  # as `repr` writes a board
        rows = rows[0].strip("/").split("/")
    if BLANK_ZERO in text or not OWN.issuperset("".join(rows)):
        rows = _rows_of_any_form(text)
    if not rows:
        raise BadBoardText("The board text is empty.")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise BadBoardText(
                f"Row {number} has {counted(len(row), 'cell')} where row 1 has {len(rows[0])}; an "
                "open tile without a number is 0, not a blank."
            )
    if any("." in row for row in rows):
        _check_points(rows)
    return rows


def _rows_of_any_form(text: str) -> list[str]:
    lines = [line.translate(_MODIFIERS).strip(" \t\r") for line in text.splitlines()]
    first, *others = _blocks([line for line in lines if line]) or [[]]
    rows = _rows_of_lines(first)
    for other in others:
        try:
            _rows_of_lines(other)
        except BadBoardText:
            continue  # a table, or figures between two sentences
        raise BadBoardText("The text holds several boards: give one at a time.")
    return rows


def _blocks(lines: Sequence[str]) -> list[list[str]]:
    """Split lines into blocks at the sentences between them; the frames of tables are left out."""
    blocks: list[list[str]] = [[]]
    for line in lines:
        if any(not _LETTER_OF.keys() | UNCLEAR.keys() >= set(word) for word in _WORD.findall(line)):
            blocks.append([])
        elif not _is_frame(line):
            blocks[-1].append(line)
    return [block for block in blocks if block]


def _is_frame(line: str) -> bool:
    """Whether a line is part of a table's frame; one of dashes alone is a row of hidden tiles."""
    return (
        _FRAME.fullmatch(line) is not None
        and ("---" in line or "=" in line or "─" in line)
        and (bool(set(line) - {"-"}))
    )


def _rows_of_lines(lines: Sequence[str]) -> list[str]:
    """Read the lines of one board. Raises `BadBoardText`."""
    split, labelled = _unlabelled([*filter(None, map(_split, lines))])
    signs = set[str]().union(*split)
    hidden = sorted(signs & set(_HIDDEN))
    if len(hidden) > 1:
        one, other = hidden[:2]
        raise BadBoardText(
            f"{one!r} and {other!r} in one board: either may be a hidden tile (write #) or an open "
            "0 (write 0)."
        )
    return [
        "".join(_letter(sign, row, col, labelled=labelled) for col, sign in enumerate(signs, 1))
        for row, signs in enumerate(split, 1)
    ]


def _split(line: str) -> list[str]:
    """Split a line into signs. A number of several digits between blanks stays one, as in labels.

    Raises `BadBoardText` for nothing between two commas.
    """
    fields = re.split("[,;\t]", line.rstrip(",;\t"))
    if len(fields) > 1 and not all(field.strip(" ") for field in fields):
        raise BadBoardText(
            "There is nothing between two separators: write 0 for an open tile without a number, "
            "# for a hidden one."
        )
    parts = [part for part in _SEPARATORS.split(line) if part]
    signs: list[str] = []
    for part in parts:
        if len(parts) > 1 and part.isascii() and part.isdigit():
            signs.append(part)
        else:
            signs += part if part == BLANK_ZERO else part.replace(BLANK_ZERO, "")
    return signs


def _unlabelled(rows: list[list[str]]) -> tuple[list[list[str]], bool]:
    """Return the rows without the labels that minebot prints, and whether they had any.

    The line above names columns, all or some of them. Without that line, rows are taken to be
    numbered where they are more than a tile at the edge could count.
    """
    rest = rows[1:]
    first = rest[0][0] if rest else ""
    if first.isdecimal() and all(sign.isdecimal() for sign in rows[0]):
        named, width = [int(sign) for sign in rows[0]], len(rest[0]) - 1
        labels = [str(int(first) + number) for number in range(len(rest))]
        fits = len(named) <= width and named[-1] - named[0] < width
        if fits and named == sorted(set(named)) and [row[0] for row in rest] == labels:
            return [row[1:] for row in rest], True
    labels = [str(number) for number in range(1, len(rows) + 1)]
    if len(rows) > _EDGE_MOST and [row[0] for row in rows] == labels:
        return [row[1:] for row in rows], True
    return rows, False


def _letter(sign: str, row: int, col: int, *, labelled: bool) -> str:
    """Convert a sign to minebot's own letters; on a labelled board two digits are a risk.

    Raises `BadBoardText`.
    """
    if labelled and re.fullmatch("[0-9]{2}", sign):
        return "#"
    if sign in UNCLEAR:
        raise BadBoardText(f"Row {row}, column {col} holds {sign!r}: {UNCLEAR[sign]}.")
    digit = unicodedata.digit(sign, 9) if len(sign) == 1 else 9
    letter = _LETTER_OF.get(sign, str(digit) if digit <= 8 else None)
    if letter is None:
        raise BadBoardText(f"Row {row} holds {sign!r}, which is not a tile.")
    return letter


def _check_points(rows: Sequence[str]) -> None:
    """Raise `BadBoardText` if points, read as open tiles, contradict the rest of the board."""
    if any("#" in row for row in rows):
        return
    if any("0" in row for row in rows) or not all(_can_hold(rows)):
        raise BadBoardText("'.' may be a hidden tile (write #) or an open 0 (write 0).")


def _can_hold(rows: Sequence[str]) -> list[bool]:
    """Return for each number whether enough tiles beside it may be mines."""
    empty = "0" * len(rows[0])
    padded = [f"0{row}0" for row in (empty, *rows, empty)]
    return [
        sum(
            sign not in "012345678.W"
            for near in padded[row : row + 3]
            for sign in near[col : col + 3]
        )
        >= int(sign)
        for row, signs in enumerate(rows)
        for col, sign in enumerate(signs)
        if sign.isdecimal()
    ]
