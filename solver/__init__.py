"""How likely is a mine, and which move is best? Boards, probabilities, games and agents.

board.py     Cell, Tile, Board and its text form
notation.py  boards as text, in every form that people write
game.py      Game, Rule, Status: a headless game of Minesweeper
analysis.py  ``analyse(board)``: exact mine probabilities, also without a mine counter; layouts
proof.py     the smallest set of numbers that proves a cell
guesses.py   compares the guesses of a position, and says why one is made
difficulty.py  3BV, openings, islands, ZiNi
errors.py    the error tree
extras.py    the commands that install packages, quoted for every shell
files.py     untrusted files are read up to limits, parsed and written here
counting.py  numbers for people: with a noun, in percent
lazy.py      public names of a package that load on first use
levels.py    how much work a guess gets, by name

engine/      how is it counted?      in C: counting, drawing, the guesses, whole games
learning/    how does one learn?     environments, networks, training, shipped weights
agents/      who plays?              one file per agent, one registry, plug-ins
arena/       who is better?          boards, matches, statistics, charts

Imports nothing from ``calibration`` or ``bot``.

>>> from solver import Board, analyse, make_agent
>>> board = Board.from_text('''
...     ###
...     121
...     000
... ''', mines=2)
>>> analyse(board).probabilities[0].tolist()
[1.0, 0.0, 1.0]
>>> make_agent("tank").decide(board).moves[0].cell
Cell(row=0, col=1)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.lazy import lazy_names

if TYPE_CHECKING:
    from solver.agents import (
        Action,
        Agent,
        Decision,
        Move,
        agent_names,
        give_up,
        make_agent,
    )
    from solver.analysis import Analysis, analyse, number_chances, sample_layouts
    from solver.board import Board, Cell, Tile
    from solver.errors import InconsistentBoard, SolverError
    from solver.game import Game, Rule, Status

__all__ = [
    "Action",
    "Agent",
    "Analysis",
    "Board",
    "Cell",
    "Decision",
    "Game",
    "InconsistentBoard",
    "Move",
    "Rule",
    "SolverError",
    "Status",
    "Tile",
    "agent_names",
    "analyse",
    "give_up",
    "make_agent",
    "number_chances",
    "sample_layouts",
]

_NAMES = {
    "solver.agents": "Action Agent Decision Move agent_names give_up make_agent",
    "solver.analysis": "Analysis analyse number_chances sample_layouts",
    "solver.board": "Board Cell Tile",
    "solver.errors": "InconsistentBoard SolverError",
    "solver.game": "Game Rule Status",
}
__getattr__, __dir__ = lazy_names(__name__, _NAMES)
