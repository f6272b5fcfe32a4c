"""The observations of an environment as arrays: tile codes, or planes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.errors import BadRecipe
from solver.learning.boards import Boards
from solver.learning.windows import COVERED, OUTSIDE, codes_of

FORMS = ("codes", "planes")


@dataclass(frozen=True)
class ObservationForm:
    """The form of an observation: "codes" ``(rows, cols)`` of int8, or "planes" ``(planes, ...)``.

    Codes: 0-8 a number, 9 covered, 10 outside. The planes are 0-8, covered, outside, each 0 or 1,
    then optionally the exact ``risk`` of covered cells, and the mines left as a share of the
    covered cells (``mines_left``). ``edge`` adds a border of one outside cell.
    Raises `BadRecipe`.
    """

    form: str = "codes"
    risk: bool = False
    mines_left: bool = False
    edge: bool = False

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise BadRecipe(f"An observation is one of {', '.join(FORMS)}, not {self.form!r}.")
        if self.form == "codes" and (self.risk or self.mines_left):
            raise BadRecipe("Risks and mines left are planes; use the form 'planes'.")

    def shape(self, rows: int, cols: int) -> tuple[int, ...]:
        """Return the shape of the observation of one board."""
        around = 2 * self.edge
        flat = (rows + around, cols + around)
        if self.form == "codes":
            return flat
        return (OUTSIDE + 1 + self.risk + self.mines_left, *flat)

    def of(self, boards: Boards) -> NDArray[np.generic]:
        """Return the observations of all boards; the first axis is the board."""
        around = ((0, 0), (1, 1), (1, 1)) if self.edge else 0
        codes = np.pad(codes_of(boards.tiles), around, constant_values=OUTSIDE)
        if self.form == "codes":
            return codes
        planes = [codes == code for code in range(OUTSIDE + 1)]
        if self.risk:
            planes.append(np.pad(boards.exact_risks(), around))
        if self.mines_left:
            covered = np.maximum((codes == COVERED).sum((1, 2)), 1)
            planes.append(np.broadcast_to((boards.mines / covered)[:, None, None], codes.shape))
        return np.stack(planes, 1).astype(np.float32)
