"""Label the clusters of a board whose program has no theme: the steps, in order.

1. Find the digits and label them by their shape.
2. Label the mines, which are round.
3. Label the backgrounds (empty tiles) as hidden or open, by the rules of the game.
4. Label the digits again, now that the number of mines around each is bounded. What looked like a
   digit but stands on a hidden background is none.
5. Doubt mines that stand where a shown mine cannot stand.
6. Label flags and question marks by the background they stand on.
7. Label what shape leaves open by context: where it stands and what the numbers say.
8. Doubt flags unlike the others, and boards that can hardly be Minesweeper.
"""

from __future__ import annotations

import numpy as np

from calibration.classify.backgrounds import label_backgrounds
from calibration.classify.clusters import Clusters
from calibration.classify.context import label_by_context
from calibration.classify.digits import find_digits, label_digits
from calibration.classify.symbols import (
    doubt_implausible_boards,
    doubt_mines,
    doubt_odd_flags,
    label_flags_and_questions,
    label_mines,
)
from calibration.rules import UNREAD
from solver.board import Tile


def label_clusters(clusters: Clusters) -> None:
    """Label the clusters that are not fixed yet, each with its certainty."""
    digits = find_digits(clusters)
    label_digits(clusters, digits)
    label_mines(clusters, digits)
    label_backgrounds(clusters)
    hidden = list(clusters.backgrounds_labelled(Tile.HIDDEN))
    misplaced = digits & np.isin(clusters.background_of, hidden) & ~clusters.fixed
    clusters.assign(misplaced, UNREAD, 0.0)
    label_digits(clusters, digits & ~misplaced)
    doubt_mines(clusters)
    label_flags_and_questions(clusters)
    label_by_context(clusters)
    doubt_odd_flags(clusters)
    doubt_implausible_boards(clusters)
