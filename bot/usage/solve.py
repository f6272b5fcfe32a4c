"""``minebot solve``: give mine probabilities and the best move for boards in text form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.usage.declaring import argument, option
from bot.usage.shared import AgentChoice, Explanations, Shown


@dataclass(frozen=True, kw_only=True)
class Solve(Explanations, AgentChoice, Shown):
    """Compute the mine probabilities of boards in text form and print the best move.

    A board is written one row a line: # hidden, 0-8 open (. is read as 0), F flag, ? question mark,
    * shown mine, X exploded mine, W wrong flag. Other common forms are read, too: blanks, tabs or
    commas between the tiles, - for hidden, ⚑ and emoji, row and column numbers. Without --mines the
    mine total counts as unknown: risks are then means over the totals that are likely.

    With --lines, other programs can use this command as an engine. Each line of FILE is
    {"board": ["##1", ...], "mines": 10 or null}; each gets one JSON line as its answer, in order.
    A line may also have "candidates": N and "why": [row, col], counted from 0 as everywhere in
    JSON. FILE may be - for standard input.

    examples:
      minebot solve board.txt --mines 10
      minebot solve board.txt --mines 10 --why 1,2        why row 1, column 2 is certain
      minebot solve board.txt --mines 10 --candidates 5   the five best cells to open
      echo '{"board": ["##", "11"], "mines": 1}' | minebot solve --lines -
    """

    boards: Sequence[str] = argument(
        "file with a board; - is standard input", "BOARD.txt", count="*"
    )
    lines: str | None = option("read one board a line and answer each in JSON", "FILE")
    mines: int | None = option("mines on the whole board (default: unknown)", "M")
