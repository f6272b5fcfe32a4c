"""Errors of the solver.

SolverError
├── BadBoardText        the text or array is not a board
├── BadMineTotal        the total is impossible on a board of this size
├── BadCell             the cell is not on the board, or not covered
├── CannotAnalyse       the board is valid, but cannot be analysed
│   ├── InconsistentBoard   no layout of mines fits the numbers
│   └── TooManyPlacements   the board is too large to count
├── UnknownAgent        there is no agent of that name
├── AgentFailed         an agent raised an error or returned an invalid decision
├── BadBoards           the size or the file of boards is invalid
├── BadResults          a results file belongs to another run
├── NoCluster           no Dask scheduler answers
├── BadRecipe           the settings of a training run are invalid
├── BadWeights          a file has no weights that fit the agent
├── CannotSave          the result of a training run cannot be written
├── NoEngine            the compiled engine is missing or out of date
├── WrongSize           the agent plays boards of another size only
└── MissingExtra        an optional package is not installed

Interrupted             the caller stops an agent while it thinks; no error of the solver
"""

from __future__ import annotations

from solver.extras import install_command


class SolverError(Exception):
    """Base of every error the solver raises."""


class Interrupted(Exception):
    """The base of what a caller raises, as in a signal handler, to stop an agent that thinks.

    It passes through the code that turns exceptions of a plug-in into `AgentFailed`.
    """


class BadBoardText(SolverError):
    """The text or array given is not a board."""


class BadMineTotal(SolverError):
    """The mine total is impossible on a board of this size."""


class BadCell(SolverError, IndexError):
    """The cell asked about is not on the board, or is no longer covered."""

    @classmethod
    def outside(cls, row: int, col: int, shape: tuple[int, ...]) -> BadCell:
        """Say that a cell is not on a board of this shape."""
        return cls(
            f"({row}, {col}) is not on this board: rows are 0 to {shape[0] - 1}, columns 0 to "
            f"{shape[1] - 1}."
        )


class CannotAnalyse(SolverError):
    """The probabilities of this board cannot be computed."""


class InconsistentBoard(CannotAnalyse):
    """No layout of mines fits the numbers shown and the mine total."""


class TooManyPlacements(CannotAnalyse):
    """The layouts of the board take too much work or memory to count."""


class UnknownAgent(SolverError):
    """No agent is registered under that name."""


class AgentFailed(SolverError):
    """An agent raised an error, or returned an invalid decision."""


class BadBoards(SolverError):
    """The size of a board is impossible, or a file has no valid boards."""


class BadResults(SolverError):
    """The file has results of other settings, is not a results file, or cannot be written."""


class NoCluster(SolverError):
    """No Dask scheduler answers at the address given."""


class BadRecipe(SolverError):
    """The settings of a training run cannot be read, or are invalid."""


class BadWeights(SolverError):
    """A file has no weights, or weights of another network."""


class CannotSave(SolverError):
    """The result of a training run cannot be written: the disk is full or gone."""


class NoEngine(SolverError):
    """The compiled engine is missing, of another version, or cannot be loaded."""


class WrongSize(SolverError):
    """The agent plays boards of one size, and this board has another."""


class MissingExtra(SolverError):
    """A feature needs the optional packages of ``extra``, which are not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} the extra '{extra}': run {install_command(extra)}.")
