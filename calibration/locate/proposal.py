"""A grid that a finder proposes, and the sides at which its board seems to go on."""

from __future__ import annotations

from typing import NamedTuple

from calibration.grid import Grid


class Proposal(NamedTuple):
    """A grid on which a board may lie.

    ``cut_at`` names the sides (left, top, right, bottom) at which the edge of the frame may cut it
    off, ``hidden_at`` those inside of the frame where its tiles seem to go on. ``is_crop`` says
    that it nearly fills the frame, as in a picture cropped to a board. ``is_edged`` says that edges
    were seen around its tiles; else it is known only by what repeats.
    """

    grid: Grid
    cut_at: tuple[str, ...] = ()
    hidden_at: tuple[str, ...] = ()
    is_crop: bool = False
    is_edged: bool = True

    @property
    def is_whole(self) -> bool:
        """Whether all of the board is in sight."""
        return not (self.cut_at or self.hidden_at)
