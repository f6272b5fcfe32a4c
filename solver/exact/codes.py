"""The board as the kernels see it: a *field*.

A field is a flat int8 array of ``(rows + 2) * (cols + 2)`` cells: the board with a border of FREE
cells, so that every real cell has eight neighbours at fixed offsets. 0-8 are open numbers.
"""

from typing import Final

HIDDEN: Final = -1
"""Not opened, nothing known."""

MINE: Final = -2
"""A known mine."""

FREE: Final = -3
"""Known free, its number not seen; also the border."""
