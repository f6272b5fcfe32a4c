"""``minebot solve``: give the best move for boards in text form; answer other programs."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BufferedReader, TextIOBase, TextIOWrapper
from pathlib import Path
from typing import IO, TYPE_CHECKING, TextIO

from bot.commands.advise import AdviceReport, advice_on
from bot.commands.parsing import argument, option
from bot.commands.shared import AgentChoice, Explanations, Shown
from bot.errors import UsageError
from bot.streams import emit, note
from solver.errors import BadBoardText, SolverError
from solver.files import RESULTS_BYTES, TEXT_BYTES, encoding_of, open_file, parse_json

if TYPE_CHECKING:
    from solver import Agent, Board, Cell


@dataclass(frozen=True, kw_only=True)
class Solve(Explanations, AgentChoice, Shown):
    """Compute the mine probabilities of boards in text form and print the best move.

    Each line is one row of the board: # hidden, 0-8 open (. is read as 0), F flag, ? question mark,
    * shown mine, X exploded mine, W wrong flag. Other common forms are read, too: blanks, tabs or
    commas between the tiles, - for hidden, ⚑ and emoji, row and column numbers. Without --mines the
    mine total is unknown: risks are then averages over the likely totals.

    With --lines, other programs can use this command as an engine. Each line of FILE is {"board":
    ["##1", ...], "mines": 10 or null}; each is answered with one JSON line, in order. A line may
    also have "candidates": N and "why": [row, col], counted from 0 as everywhere in JSON. FILE may
    be - for standard input.

    examples:
      minebot solve board.txt --mines 10
      minebot solve board.txt --mines 10 --why 1,2        why row 1, column 2 is certain
      minebot solve board.txt --mines 10 --candidates 5   the five best cells to open
      echo '{"board": ["##", "11"], "mines": 1}' | minebot solve --lines -
    """

    boards: Sequence[str] = argument(
        "file with a board; - is standard input", "BOARD.txt", count="*"
    )
    lines: str | None = option("read one board per line and answer each in JSON", "FILE")
    mines: int | None = option("mines on the whole board (default: unknown)", "M")


PICTURE_ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff")

PICTURE_STARTS = re.compile(r".PNG|GIF8|RIFF.{4}WEBP|BM|II\*\0|MM\0\*|\ufffd+\0\x10JFIF", re.DOTALL)
"""How pictures begin when they are read as text: bytes that are not UTF-8 become U+FFFD."""


def run(args: Solve) -> int:
    """Solve the boards; return the exit code of the first error."""
    from bot.commands.resolve import agent_of

    if bool(args.boards) == bool(args.lines):
        raise UsageError(
            "Give either files with boards or --lines FILE; see 'minebot solve --help'."
        )
    agent = agent_of(args)
    files = (_solve_file(name, args, agent) for name in args.boards)
    codes = _solve_lines(args.lines, agent) if args.lines else list(files)
    return next((code for code in codes if code), 0)


def _solve_file(name: str, args: Solve, agent: Agent) -> int:
    from bot.failures import exit_code_of
    from bot.terminal.console import print_answer
    from bot.terminal.words import error_json, fitting_text
    from solver.board import Board

    try:
        board = Board.from_text(read_text(name), args.mines)
        advice = advice_on(board, agent, count=args.candidates, cell=args.why)
    except (SolverError, UsageError) as error:
        emit(error_json(error)) if args.json else note(_named(name, error))
        return exit_code_of(error) or 1
    figures = f"{fitting_text(advice.analysis.solutions_log10)}, {advice.ms:.1f} ms."
    labels = args.why is not None or args.candidates is not None
    print_answer(
        replace(advice, figures=figures, labels=labels), as_json=args.json, colours=args.colours
    )
    return 0


def _named(name: str, error: Exception) -> str:
    """Return the message of an error, preceded by the name of the file."""
    return str(error) if str(error).startswith(name) else f"{name}: {error}"


def _solve_lines(name: str, agent: Agent) -> list[int]:
    from bot.failures import exit_code_of
    from bot.terminal.console import print_answer
    from bot.terminal.words import error_json

    codes = [0]
    with open_text(name) as file:
        for line in bounded_lines(file):
            if not line.strip():
                continue
            try:
                print_answer(_answer(line, agent), as_json=True)
            except (SolverError, UsageError) as error:
                emit(error_json(error))
                codes.append(exit_code_of(error) or 1)
    return codes


def bounded_lines(file: TextIO) -> Iterator[str]:
    """Yield the lines of a stream. A line that is too long is cut and gets its own error.

    Raises `UsageError` for a stream that has no lines, such as ``/dev/zero``.
    """
    if not isinstance(file, TextIOBase):  # lines that a program passes
        yield from file
        return
    while line := file.readline(TEXT_BYTES):
        part, skipped = line, 0
        while not part.endswith("\n") and (part := file.readline(TEXT_BYTES)):
            skipped += len(part)
            if skipped > RESULTS_BYTES:
                raise UsageError(f"A line has more than {RESULTS_BYTES / 1e6:g} MB.")
        yield line


def _answer(line: str, agent: Agent) -> AdviceReport:
    """Return the answer to one line. Raises a `SolverError` or `UsageError`."""
    board = board_of_json(line)
    count, cell = questions_of_json(line)
    return advice_on(board, agent, count=count, cell=cell, start=0)


def questions_of_json(line: str) -> tuple[int | None, Cell | None]:
    """Read the optional keys ``candidates`` and ``why`` of a line. Raises `BadBoardText`."""
    from solver.board import Cell

    data = parse_json(line)
    count, cell = data.get("candidates"), data.get("why")
    if count is not None and (type(count) is not int or count < 1):
        raise BadBoardText('"candidates" must be a whole number of 1 or more.')
    if cell is None:
        return count, None
    if not (isinstance(cell, list) and len(cell) == 2 and all(type(n) is int for n in cell)):
        raise BadBoardText('"why" must be [row, col], counted from 0.')
    if min(cell) < 0:
        raise BadBoardText('"why" must be a cell of the board, counted from 0.')
    return count, Cell(*cell)


def board_of_json(line: str) -> Board:
    """Read ``{"board": [rows], "mines": M or null}``. Raises `BadBoardText` or `BadMineTotal`."""
    from solver.board import Board

    try:
        data = parse_json(line)
        rows, mines = data["board"], data.get("mines")
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadBoardText('A line must be {"board": [rows], "mines": M or null}.') from error
    if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
        raise BadBoardText('"board" must be a list of rows of text.')
    if mines is not None and (not isinstance(mines, int) or isinstance(mines, bool)):
        raise BadBoardText('"mines" must be a whole number or null.')
    return Board.from_text("\n".join(rows), mines)


def read_text(name: str) -> str:
    """Read a text file. Raises `UsageError` if that fails, `BadBoardText` if it is not text."""
    with open_text(name) as file:
        try:
            text = file.read(TEXT_BYTES + 1)
        except OSError as error:
            raise UsageError(f"{name} cannot be read: {error.strerror}.") from error
    if len(text) > TEXT_BYTES:
        raise BadBoardText(f"This is not a board: it is larger than {TEXT_BYTES / 1e6:g} MB.")
    if "\0" not in text and "\ufffd" not in text:
        return text
    hint = "; 'minebot advise' takes a screenshot" if _is_picture(name, text) else ""
    raise BadBoardText(f"This is neither UTF-8 nor UTF-16 text{hint}.")


def _is_picture(name: str, text: str) -> bool:
    """Whether a file that is not text is a picture, by its suffix or its first characters."""
    return Path(name).suffix.lower() in PICTURE_ENDINGS or PICTURE_STARTS.match(text) is not None


@contextmanager
def open_text(name: str) -> Iterator[TextIO]:
    """Open a text file; ``-`` is standard input. Raises `UsageError` if it cannot be opened."""
    if name == "-":
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(encoding=_encoding(sys.stdin.buffer), errors="replace")
        yield sys.stdin
        return
    try:
        data = open_file(name)
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}.") from error
    with TextIOWrapper(data, encoding=_encoding(data), errors="replace") as file:
        yield file


def _encoding(data: IO[bytes]) -> str:
    """Return the encoding of a text, by its first bytes; they stay unread."""
    return encoding_of(data.peek(4)) if isinstance(data, BufferedReader) else "utf-8-sig"
