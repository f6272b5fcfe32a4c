"""Errors of the solver.

SolverError
├── BadBoardText        the text or array is no board
├── BadMineTotal        the total cannot be on a board of this size
├── BadCell             the cell is not on the board, or not covered
├── InconsistentBoard   no layout of mines fits the numbers
├── UnknownAgent        no agent of that name
├── BadBoards           no boards can be laid out from what was given
├── BadResults          a results file belongs to another run
├── NoCluster           no Dask scheduler answers
└── MissingExtra        an optional package is not installed
"""


class SolverError(Exception):
    """Base of every error the solver raises."""


class BadBoardText(SolverError):
    """The text or array given is no board."""


class BadMineTotal(SolverError):
    """The mine total cannot be on a board of this size."""


class BadCell(SolverError):
    """The cell asked about is not on the board, or is no longer covered."""


class InconsistentBoard(SolverError):
    """No layout of mines fits the numbers shown and the mine total."""


class UnknownAgent(SolverError):
    """No agent is registered under that name."""


class BadBoards(SolverError):
    """No boards can be laid out: the size is none, or the file holds none."""


class BadResults(SolverError):
    """The results file given belongs to a run with other settings, or is none."""


class NoCluster(SolverError):
    """No Dask scheduler answers at the address given."""


class MissingExtra(SolverError):
    """Something optional was asked for whose package is not installed."""
