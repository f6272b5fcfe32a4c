"""Errors of the solver.

SolverError
├── BadBoardText        the text or array is no board
├── BadMineTotal        the total cannot be on a board of this size
├── BadCell             the cell is not on the board, or not covered
├── CannotAnalyse       the board makes sense as text, but has no analysis
│   ├── InconsistentBoard   no layout of mines fits the numbers
│   └── TooManyPlacements   the board is too large to count
├── UnknownAgent        no agent of that name
├── AgentFailed         an agent raised, hung or answered nonsense
├── BadBoards           no boards can be laid out from what was given
├── BadResults          a results file belongs to another run
├── NoCluster           no Dask scheduler answers
├── BadRecipe           the settings of a training run cannot be used
├── BadWeights          a file holds no weights that fit the agent
├── CannotSave          what a training run learned cannot be written
├── NoEngine            the compiled engine is missing, or does not fit
├── WrongSize           the agent plays boards of another size only
└── MissingExtra        an optional package is not installed
"""

from __future__ import annotations

from solver.extras import install_command


class SolverError(Exception):
    """Base of every error the solver raises."""


class BadBoardText(SolverError):
    """The text or array given is no board."""


class BadMineTotal(SolverError):
    """The mine total cannot be on a board of this size."""


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
    """The numbers of the board are joined in so many ways that they cannot be counted."""


class UnknownAgent(SolverError):
    """No agent is registered under that name."""


class AgentFailed(SolverError):
    """An agent raised an error, did not answer in time, or answered what makes no sense."""


class BadBoards(SolverError):
    """No boards can be laid out: the size is impossible, or the file holds no boards."""


class BadResults(SolverError):
    """The file given holds results of other settings, is no results file or cannot be written."""


class NoCluster(SolverError):
    """No Dask scheduler answers at the address given."""


class BadRecipe(SolverError):
    """The settings of a training run cannot be read, or make no sense."""


class BadWeights(SolverError):
    """A file holds no weights, or weights of another network."""


class CannotSave(SolverError):
    """What a training run learned cannot be written: the disk is full or gone."""


class NoEngine(SolverError):
    """The compiled engine is missing, of another version, or cannot be loaded."""


class WrongSize(SolverError):
    """The agent plays boards of one size, and this board has another."""


class MissingExtra(SolverError):
    """A feature was asked for whose optional packages, those of ``extra``, are not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} the extra '{extra}': run {install_command(extra)}.")
