"""Name empty tiles: which are hidden and which are open.

Empty looks of nearly one face and border are one paper. A board has one hidden paper and one
open one, or two of each where fields alternate like a chessboard's. Which is which the rules
tell: the choice that breaks fewest of them is taken, and doubted where another is as good.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from calibration.draft import Draft, Ints, Mask
from calibration.rules import UNREAD, Tiles, broken, count_around
from calibration.tiles import SIDE
from solver.board import Tile

MOST_PAPERS = 6
FACE_STEP = 5.0
RIM_SLACKS = (30.0, 12.0, 5.0)

_BORDER = np.ones((SIDE, SIDE), dtype=np.bool_)
_BORDER[4:-4, 4:-4] = False

LINE = 8.0
"""Colour steps between a tile's face and its border that make a visible line."""


def find_papers(draft: Draft, rim_slack: float) -> None:
    """Group empty looks to papers, and lay under each drawing the paper that fits it."""
    features = draft.features
    empties = np.flatnonzero(features.empty)
    draft.grounds[:] = -1
    fresh = 0
    for start in empties:
        if draft.grounds[start] >= 0:
            continue
        stack = [start]
        draft.grounds[start] = fresh
        while stack:
            one = stack.pop()
            near = empties[
                (draft.grounds[empties] < 0)
                & (np.abs(features.face[empties] - features.face[one]).max(axis=1) <= FACE_STEP)
                & (np.abs(features.rim[empties] - features.rim[one]).max(axis=1) <= rim_slack)
            ]
            draft.grounds[near] = fresh
            stack.extend(near.tolist())
        fresh += 1
    if not empties.size:
        return
    borders = draft.pictures[:, _BORDER].astype(np.float32)
    for look in np.flatnonzero(~features.empty):
        face = np.abs(features.face[empties] - features.face[look]).max(axis=1)
        border = np.abs(borders[empties] - borders[look]).mean(axis=(1, 2))
        best = int((face + 2 * border).argmin())
        if face[best] <= 14 and border[best] <= 20:
            draft.grounds[look] = draft.grounds[empties[best]]


def name_papers(draft: Draft) -> None:
    """Find and name the papers. The digits and mines must have names already.

    How much the borders of one paper's tiles differ depends on how the window was scaled:
    the widest slack that leaves no rule broken is taken.
    """
    if not draft.features.empty.any():
        return
    costs: list[float] = []
    for rim_slack in RIM_SLACKS:
        find_papers(draft, rim_slack)
        costs.append(_name(draft))
        if costs[-1] == 0:
            return
    best = int(np.argmin(costs))
    if best != len(RIM_SLACKS) - 1:
        find_papers(draft, RIM_SLACKS[best])
        _name(draft)


def _name(draft: Draft) -> float:
    """Name the papers as grouped now; returns what still speaks against it."""
    empty = draft.features.empty
    draft.name(empty & ~draft.fixed, UNREAD, 0.0)
    papers = np.unique(draft.grounds[empty])
    papers = papers[~np.array([_is_foreign(draft, int(paper)) for paper in papers])]
    weight = [int(draft.counts[empty & (draft.grounds == paper)].sum()) for paper in papers]
    major = papers[np.argsort(weight)[::-1][:MOST_PAPERS]]
    if not major.size:
        return float(draft.counts[empty].sum())
    choices = product(*(_names_open_to(draft, int(paper)) for paper in major))
    results = sorted((_cost(draft, major, choice), choice) for choice in choices)
    best_cost, best = results[0]
    for place, paper in enumerate(major):
        other = min((cost for cost, choice in results if choice[place] != best[place]), default=99)
        looks_of = empty & (draft.grounds == paper) & ~draft.fixed
        draft.name(looks_of, best[place], 1 - float(np.exp(best_cost - other)))
    return best_cost + 0.5 * float(draft.counts[empty & (draft.names == UNREAD)].sum())


def _names_open_to(draft: Draft, paper: int) -> tuple[int, ...]:
    """Return the names that a paper can have: that of its looks where they are all fixed."""
    mine = draft.features.empty & (draft.grounds == paper)
    given = set(draft.names[mine].tolist())
    return tuple(given) if draft.fixed[mine].all() and len(given) == 1 else (0, int(Tile.HIDDEN))


def _is_foreign(draft: Draft, paper: int) -> bool:
    """Whether a paper has no lines on a board whose tiles all have them, and bears no digit."""
    features = draft.features
    mine = features.empty & (draft.grounds == paper)
    numbered = (draft.names > 0) & ~features.empty
    if (
        (draft.fixed & mine).any()
        or features.line[mine].max() >= LINE
        or (numbered & (draft.grounds == paper)).any()
    ):
        return False
    others = ~mine & (features.empty | numbered)
    if not others.any():
        return False
    ruled = draft.counts[others & (features.line >= LINE)].sum()
    return bool(ruled > 0.9 * draft.counts[others].sum())


def _cost(draft: Draft, papers: Ints, choice: tuple[int, ...]) -> float:
    """Count what speaks against a choice: broken rules, digits on hidden paper, odd papers."""
    numbered = (draft.names > 0) & (draft.certainty > 0.4)
    tiles = np.where((draft.names > 0) & ~numbered, UNREAD, draft.names).astype(np.int8)
    tiles = tiles[draft.groups]
    paper_of = np.where(draft.features.empty[draft.groups], draft.grounds[draft.groups], -1)
    numbers = tiles > 0
    if not numbers.any() and 0 in choice:
        return 99.0
    cost = 0.0
    given = draft.fixed & draft.features.empty
    for paper, name in zip(papers, choice, strict=True):
        against = given & (draft.grounds == paper) & (draft.names != name)
        cost += 2.0 * float(draft.counts[against].sum())
    for paper, name in zip(papers, choice, strict=True):
        tiles[paper_of == paper] = name
    for paper, name in zip(papers, choice, strict=True):
        here = (draft.grounds == paper) & ~draft.features.empty
        if name == Tile.HIDDEN:
            cost += 0.7 * float(draft.counts[here & numbered].sum())
            cost += 0.4 * _needless(tiles, paper_of == paper)
    wrong = broken(tiles)
    cost += float(wrong.sum())
    cost += 0.3 * float(((tiles == 0) & (count_around(tiles == Tile.HIDDEN) > 0)).sum())
    for name in (0, int(Tile.HIDDEN)):
        same = [int(paper) for paper, one in zip(papers, choice, strict=True) if one == name]
        cost += 2.0 * max(0, len(same) - 1 - _is_checkered(paper_of, same))
    return cost


def _needless(tiles: Tiles, paper: Mask) -> float:
    """Count, up to 10, the numbers at a hidden paper that need none of its mines.

    Only where no covered tile touches the paper, as is true of every open area.
    """
    others = (tiles <= Tile.HIDDEN) & (tiles >= Tile.QUESTION) & ~paper
    unknown = (tiles < Tile.QUESTION) & ~paper
    if (paper & (count_around(others | unknown) > 0)).any():
        return 0.0
    near = (tiles > 0) & (count_around(paper) > 0)
    needing = tiles > count_around(others | unknown)
    return 0.0 if (near & needing).any() else float(min(10, near.sum()))


def _is_checkered(paper_of: Ints, papers: list[int]) -> int:
    """Return 1 where the two most frequent of ``papers`` lie on fields of different colour."""
    if len(papers) < 2:
        return 0
    parity = np.indices(paper_of.shape).sum(axis=0) % 2
    first = parity[paper_of == papers[0]]
    second = parity[paper_of == papers[1]]
    split = len(np.unique(first)) == 1 and len(np.unique(second)) == 1
    return int(split and first[0] != second[0])
