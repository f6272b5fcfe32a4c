"""``minebot solve``: boards in text, from files or line by line on standard input."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from bot.commands.options import add_agent, add_json, add_mines, agent_of
from bot.errors import UsageError
from bot.exit_codes import exit_code_of
from bot.say import analysis_json, board_text, decision_line, emit, error_json, note, out
from bot.warm import warm_up
from solver.agents import Agent, Decision
from solver.analysis import Analysis, analyse
from solver.board import Board
from solver.errors import BadBoardText, SolverError

ABOUT = """\
Count the mine probabilities of boards in text and say the best move.

A board is one row a line: # hidden, 0-8 open (. also reads as 0), F flag, ? question mark,
* shown mine, X exploded mine, W wrong flag. Without --mines the total counts as unknown.

With --lines it is an engine for other programs: each line of FILE (- for standard input) is
{"board": ["##1", ...], "mines": 10 or null}, and each is answered by one JSON line, in order."""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "solve",
        help="mine probabilities and the best move for boards in text",
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "boards", nargs="*", metavar="BOARD.txt", help="a board in text; - is standard input"
    )
    parser.add_argument("--lines", metavar="FILE", help="answer boards line by line, in JSON")
    add_mines(parser)
    add_agent(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Solve what was given; the exit code is that of the first error."""
    if bool(args.boards) == bool(args.lines):
        raise UsageError("Name boards to solve, or --lines FILE; see 'minebot solve --help'.")
    agent = agent_of(args)
    warm_up(note)
    codes = _lines(args.lines, agent) if args.lines else _files(args, agent)
    return next((code for code in codes if code), 0)


def solve(board: Board, agent: Agent) -> tuple[Analysis, Decision, float]:
    """Analyse a board and decide on it; also the time of both in milliseconds."""
    start = time.perf_counter()
    analysis = analyse(board)
    decision = agent.decide(board)
    return analysis, decision, 1e3 * (time.perf_counter() - start)


def _files(args: argparse.Namespace, agent: Agent) -> list[int]:
    return [_file(name, args.mines, agent, as_json=args.json) for name in args.boards]


def _file(name: str, mines: int | None, agent: Agent, *, as_json: bool) -> int:
    with open_text(name) as file:
        text = file.read()
    try:
        board = Board.from_text(text, mines)
        analysis, decision, ms = solve(board, agent)
    except SolverError as error:
        emit(error_json(error)) if as_json else note(f"{name}: {error}")
        return exit_code_of(error) or 1
    if as_json:
        emit(analysis_json(analysis, decision, ms))
    else:
        marked = decision.moves[0].cell if decision.moves else None
        out().print(board_text(board, marked), decision_line(decision), sep="")
        out().print(
            f"{len(analysis.safe)} certainly safe, {len(analysis.mines)} certain mines, "
            f"{_count(analysis.solutions_log10)} layouts fit, {ms:.1f} ms"
        )
    return 0


def _count(log10: float) -> str:
    """Write a number given by its logarithm, large ones as a power."""
    return f"{round(10**log10):,}" if log10 < 6 else f"10^{log10:.1f}"


def _lines(name: str, agent: Agent) -> list[int]:
    codes = [0]
    with open_text(name) as file:
        for line in file:
            if not line.strip():
                continue
            try:
                emit(analysis_json(*solve(board_of_json(line), agent)))
            except SolverError as error:
                emit(error_json(error))
                codes.append(exit_code_of(error) or 1)
    return codes


def board_of_json(line: str) -> Board:
    """Read ``{"board": [rows], "mines": M or null}``. Raises `BadBoardText`, `BadMineTotal`."""
    try:
        data = json.loads(line)
        rows, mines = data["board"], data.get("mines")
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadBoardText('A line must be {"board": [rows], "mines": M or null}.') from error
    if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
        raise BadBoardText('"board" must be a list of rows of text.')
    if mines is not None and (not isinstance(mines, int) or isinstance(mines, bool)):
        raise BadBoardText('"mines" must be a whole number or null.')
    return Board.from_text("\n".join(rows), mines)


@contextmanager
def open_text(name: str) -> Iterator[TextIO]:
    """Open a text file, or standard input for ``-``. Raises `UsageError`."""
    if name == "-":
        yield sys.stdin
        return
    try:
        with Path(name).open(encoding="utf-8", errors="replace") as file:
            yield file
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}.") from error
