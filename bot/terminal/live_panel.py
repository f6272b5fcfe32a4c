"""Lay the live view of play out: what fits into the terminal, and a word on what does not."""

from __future__ import annotations

from dataclasses import dataclass

from rich.align import Align
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from bot.terminal.board_text import Window, around, board_text, cell_width_for, label_width
from bot.terminal.live_parts import (
    NUMBER_COLS,
    LiveState,
    colour_of,
    decision_text,
    fold,
    guesses_text,
    keys_text,
    legend_text,
    line_text,
    score_text,
)
from bot.terminal.play_keys import KeyControl
from solver.board import Board, Cell
from solver.counting import counted

MIN_WIDTH = 92
"""Least width of the panel where the terminal has it, so that small boards have room for words."""

FRAME_COLS, FRAME_ROWS = 4, 2
"""What the border of the panel takes, its padding included."""

LOW_HEIGHT = 20
"""Height of a terminal below which the score gives way to the board."""

KEYS_PART = "keys"
"""Name of the list of keys among the parts; the key that shows it is named where it is left out."""

GUESSES_PART = "the guesses"
"""Name of the line of guesses, which stands beside what has no room where that is short."""

LEAST_GUESSES_COLS = 50
"""Columns in which a guess or two are named."""

MOST_NOTE_ROWS = 4
"""Rows at the most that say what finds no room."""


@dataclass(frozen=True)
class Layout:
    """What is drawn: the part of the board, the texts below it, and what finds no room.

    ``rows_left`` are those that nothing takes, below 0 where the terminal is too low.
    """

    window: Window
    texts: list[Text]
    hidden: list[str]
    rows_left: int


def draw_panel(
    state: LiveState, width: int, height: int, *, letters: bool, control: KeyControl | None
) -> Panel:
    """Draw the panel for a terminal of this size. ``state.board`` must be there.

    The board comes first, then the decision and the score; what finds no room is named in the
    last lines. Where the list of keys, once asked for, finds none, it stands in place of the board.
    """
    board = state.board
    assert board is not None
    inner = width - FRAME_COLS
    cell_width = cell_width_for(board, inner)
    panel_width = min(width, max(MIN_WIDTH, label_width(board) + cell_width * board.cols + 4))
    text_width = panel_width - FRAME_COLS
    parts: list[RenderableType]
    for note_rows in range(1, MOST_NOTE_ROWS + 1):
        layout = _lay_out(
            state, board, (text_width, height - FRAME_ROWS), cell_width, control, note_rows
        )
        note = _notes(state, layout.hidden, text_width)
        if len(note) <= note_rows:
            break
    if control is not None and control.help and KEYS_PART in layout.hidden:
        parts = _key_page(state, text_width, height - FRAME_ROWS, control)
    else:
        text = board_text(
            board,
            state.analysis,
            targets=_targets(state),
            last=() if state.last is None else (state.last,),
            cell_width=cell_width,
            letters=letters,
            labels=True,
            window=layout.window,
        )
        parts = [Align.center(text)]
        if layout.rows_left > 0:
            parts.append(Text())
        parts += [*layout.texts, *(line_text(row, "muted") for row in note if row)]
    return Panel(
        Group(*parts),
        title=_title(state, board, control),
        subtitle=legend_text(panel_width - FRAME_COLS - 4, letters=letters),
        border_style=colour_of(state),
        width=panel_width,
    )


def _lay_out(
    state: LiveState,
    board: Board,
    room: tuple[int, int],
    cell_width: int,
    control: KeyControl | None,
    note_rows: int,
) -> Layout:
    """Choose what fits into ``room``, columns and rows, beside ``note_rows`` for the rest."""
    text_width, rows = room
    low = rows + FRAME_ROWS < LOW_HEIGHT
    required = [decision_text(state, text_width, most=2 if low else 5)]
    score = score_text(state, text_width)
    spare_score = low or text_width < 2 * NUMBER_COLS
    if not spare_score:
        required.append(score)
    rows_left = rows - note_rows - sum(map(_height, required))
    window, hidden = _window(state, board, text_width, rows_left, cell_width)
    rows_left += note_rows - len(window.rows) - 1
    optional = _optional_parts(state, text_width, control)
    if spare_score:
        optional.insert(0, ("the score", score))
    shown, left_out = _choose(optional, rows_left, note_rows, noted=bool(hidden))
    if hidden or left_out:
        rows_left -= note_rows
    rows_left -= sum(map(_height, shown))
    return Layout(window, [*required, *shown], [*hidden, *left_out], rows_left)


def _key_page(state: LiveState, width: int, rows: int, control: KeyControl) -> list[RenderableType]:
    """Return what stands in place of the board: the keys, and of the other parts what fits."""
    back = line_text("? shows the board again.", "muted")
    parts = _optional_parts(state, width, control)
    return [*_choose(parts, rows - 1, 0, noted=False)[0], back]


def _notes(state: LiveState, hidden: list[str], width: int) -> list[str]:
    """Return the last rows: what finds no room, and the guesses beside it if they fit there."""
    note = _note([name for name in hidden if name != GUESSES_PART])
    if GUESSES_PART in hidden and width - len(note) >= LEAST_GUESSES_COLS:
        link = " · " if note else ""
        return [f"{note}{link}{guesses_text(state, width - len(note) - len(link)).plain}"]
    return fold(_note(hidden).split(), width)[:MOST_NOTE_ROWS]


def _note(hidden: list[str]) -> str:
    """Name what finds no room, and the key that lists the keys; empty if all finds room."""
    others = [name for name in hidden if name != KEYS_PART]
    missing = [f"No room for {', '.join(others)}."] if others else []
    return " · ".join(([f"? {KEYS_PART}"] if KEYS_PART in hidden else []) + missing)


def _height(part: Text) -> int:
    return part.plain.count("\n") + 1


def _targets(state: LiveState) -> set[Cell]:
    if state.decision is None or state.result is not None:
        return set()
    return {move.cell for move in state.decision.moves}


def _window(
    state: LiveState, board: Board, cols_room: int, rows_room: int, cell_width: int
) -> tuple[Window, list[str]]:
    """Return the part of the board that fits, around the next move, and the names of the rest."""
    moves = state.decision.moves if state.decision else ()
    focus = moves[0].cell if moves else state.last or Cell(0, 0)
    cols_shown = min(board.cols, max(1, (cols_room - label_width(board)) // cell_width))
    rows_shown = min(board.rows, max(1, rows_room - 1))
    window = Window(
        around(focus.row, rows_shown, board.rows), around(focus.col, cols_shown, board.cols)
    )
    hidden = []
    for name, shown, total in (
        ("row", len(window.rows), board.rows),
        ("column", len(window.cols), board.cols),
    ):
        if shown < total:
            hidden.append(counted(total - shown, name))
    return window, hidden


def _choose(
    parts: list[tuple[str, Text]], rows: int, note_rows: int, *, noted: bool
) -> tuple[list[Text], list[str]]:
    """Choose the parts that fit into ``rows``, in their order; return the others' names too.

    If a part is left out, or something is ``noted`` already, ``note_rows`` are needed to say so.
    """
    if sum(_height(part) for _, part in parts) <= rows - (note_rows if noted else 0):
        return [part for _, part in parts], []
    shown, left_out, room = [], [], rows - note_rows
    for name, part in parts:
        if _height(part) <= room:
            shown.append(part)
            room -= _height(part)
        else:
            left_out.append(name)
    return shown, list(dict.fromkeys(left_out))


def _optional_parts(
    state: LiveState, width: int, control: KeyControl | None
) -> list[tuple[str, Text]]:
    """Return the parts that may be left out, with their names, the most useful first."""
    parts = []
    if control is not None:
        parts.append((KEYS_PART, keys_text(control, width, as_list=control.help)))
    parts += [("a note", line_text(note, "warn")) for note in state.notes]
    parts.append((GUESSES_PART, guesses_text(state, width)))
    return parts


def _title(state: LiveState, board: Board, control: KeyControl | None) -> str:
    mines = "mines unknown" if board.mines is None else counted(board.mines, "mine")
    agent = f" · {state.agent}" if state.agent else ""
    # First, because a narrow terminal cuts the end off, and may have no room for the keys.
    steered = f"{control.state} · " if control and control.state else ""
    games = "" if state.games is None else f" of {state.games}"
    return (
        f"{steered}minebot · game {max(1, state.game)}{games} · "
        f"{board.rows}×{board.cols}, {mines}{agent}"
    )
