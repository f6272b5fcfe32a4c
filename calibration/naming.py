"""Give names to looks nobody described: learn a theme from one board.

Empty tiles are named first: hidden or open, by which choice breaks no rule of the game. Then
drawings: digits by shape, helped by colour where the same board shows the digit more clearly;
flags, mines and the rest by symmetry, crosses and the ground they stand on.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from calibration import glyphs, looks
from calibration.looks import Features, Floats
from calibration.rules import UNREAD, broken, count_around
from solver.board import Tile

Ints = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Named:
    """Tiles int8 ``(rows, cols)`` with their confidence float64, and the name of each look."""

    tiles: NDArray[np.int8]
    confidence: NDArray[np.float64]
    names: NDArray[np.int8]
    certainty: NDArray[np.float64]
    features: Features


def name_looks(pictures: NDArray[np.uint8], groups: Ints) -> Named:
    """Name looks: ``pictures`` one a look, ``groups`` ``(rows, cols)`` which look each tile has."""
    features = looks.describe(pictures)
    counts = np.bincount(groups.ravel(), minlength=len(pictures))
    drawn = np.flatnonzero(~features.empty)
    scores = glyphs.match_digits(features.form[drawn]) if drawn.size else np.zeros((0, 9))
    names = np.full(len(pictures), UNREAD, dtype=np.int8)
    certainty = np.zeros(len(pictures))
    digits = _name_digits(features, drawn, scores.astype(np.float32), counts)
    names[drawn], certainty[drawn] = digits
    papers = _papers(features)
    grounds = _grounds(features, papers)
    _name_papers(features, papers, grounds, groups, names, certainty, counts)
    _name_symbols(features, pictures, papers, grounds, scores, drawn, names, certainty, counts)
    return Named(names[groups], certainty[groups], names, certainty, features)


# Digits


def _name_digits(
    features: Features, drawn: Ints, scores: Floats, counts: Ints
) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """Name digits by shape, the unclear ones also by the colour of the clear ones."""
    names = np.full(len(drawn), UNREAD, dtype=np.int8)
    certainty = np.zeros(len(drawn))
    if not drawn.size:
        return names, certainty
    plain = features.spread[drawn] <= 45
    shape = scores[:, :8]
    order = np.sort(scores, axis=1)
    margin = order[:, -1] - order[:, -2]
    best = scores.argmax(axis=1)
    clear = plain & (order[:, -1] >= 0.86) & (margin >= 0.08) & (best < 8)
    colour = _colour_evidence(features, drawn, best, clear)
    logit = 40.0 * shape + colour
    ranked = np.sort(logit, axis=1)
    gap = ranked[:, -1] - ranked[:, -2]
    choice = logit.argmax(axis=1)
    chosen = shape[np.arange(len(drawn)), choice]
    digit = plain & (chosen >= 0.8) & (scores[:, 8] < chosen + 0.03)
    names[digit] = choice[digit] + 1
    certainty[digit] = (1 - np.exp(-gap / 1.5))[digit]
    return names, certainty


def _colour_evidence(
    features: Features, drawn: Ints, best: Ints, clear: NDArray[np.bool_]
) -> Floats:
    """Log-evidence ``(n, 8)``: how well each drawing's colour fits the clear digits' colours."""
    evidence = np.full((len(drawn), 8), -3.0, dtype=np.float32)
    keys = _colour_keys(features)[drawn]
    for digit in range(8):
        anchors = keys[clear & (best == digit)]
        if len(anchors):
            off = np.abs(keys[:, None] - anchors[None]).max(axis=2).min(axis=1)
            evidence[:, digit] = -np.minimum(6.0, (off / 30) ** 2)
    return evidence


def _colour_keys(features: Features) -> Floats:
    """Ink and ground colour, with the ink's direction from the ground: it outlives blurring."""
    towards = features.colour - features.face
    length = np.linalg.norm(towards, axis=1, keepdims=True)
    return np.hstack([90 * towards / np.maximum(length, 1), 0.3 * features.colour, features.face])


# Empty tiles


def _papers(features: Features) -> Ints:
    """Group empty looks of one paper, linked by small steps of face and rim; -1 where drawn."""
    paper = np.full(len(features.face), -1, dtype=np.intp)
    empties = np.flatnonzero(features.empty)
    fresh = 0
    for start in empties:
        if paper[start] >= 0:
            continue
        stack = [start]
        paper[start] = fresh
        while stack:
            one = stack.pop()
            near = empties[
                (paper[empties] < 0)
                & (np.abs(features.face[empties] - features.face[one]).max(axis=1) <= 5)
                & (np.abs(features.rim[empties] - features.rim[one]).max(axis=1) <= 30)
            ]
            paper[near] = fresh
            stack.extend(near.tolist())
        fresh += 1
    return paper


def _grounds(features: Features, papers: Ints) -> Ints:
    """Find the paper under each drawing, -1 where none fits."""
    grounds = papers.copy()
    empties = np.flatnonzero(features.empty)
    if not empties.size:
        return grounds
    for look in np.flatnonzero(~features.empty):
        face = np.abs(features.face[empties] - features.face[look]).max(axis=1)
        rim = np.abs(features.rim[empties] - features.rim[look]).max(axis=1)
        off = face + 0.5 * rim
        best = int(off.argmin())
        if face[best] <= 14 and rim[best] <= 40:
            grounds[look] = papers[empties[best]]
    return grounds


def _name_papers(
    features: Features,
    papers: Ints,
    grounds: Ints,
    groups: Ints,
    names: NDArray[np.int8],
    certainty: NDArray[np.float64],
    counts: Ints,
) -> None:
    """Choose which papers are hidden and which open: the choice that breaks the fewest rules."""
    total = int(papers.max()) + 1 if papers.size else 0
    if total <= 0:
        return
    weight = np.array([counts[papers == paper].sum() for paper in range(total)])
    major = np.argsort(-weight)[:6]
    has_numbers = bool((names > 0).any())
    paper_of = papers[groups]
    base = names[groups]
    on_paper = np.array([counts[(grounds == p) & (names > 0)].sum() for p in range(total)])
    drawn_on = np.array(
        [counts[(grounds == p) & ~features.empty & (names <= 0)].sum() for p in range(total)]
    )
    results: list[tuple[float, tuple[int, ...]]] = []
    for choice in product((0, int(Tile.HIDDEN)), repeat=len(major)):
        if not has_numbers and 0 in choice:
            continue
        tiles = base.copy()
        for paper, name in zip(major, choice, strict=True):
            tiles[paper_of == paper] = name
        cost = float(broken(tiles).sum())
        cost += 0.3 * float(((tiles == 0) & (count_around(tiles == Tile.HIDDEN) > 0)).sum())
        for paper, name in zip(major, choice, strict=True):
            cost += 0.7 * on_paper[paper] if name else 0.2 * drawn_on[paper]
        for name in (0, int(Tile.HIDDEN)):
            same = [paper for paper, one in zip(major, choice, strict=True) if one == name]
            cost += 2.0 * max(0, len(same) - 1 - _is_checkered(paper_of, same))
        cost += 0.1 * sum(name != 0 for name in choice)
        results.append((cost, choice))
    results.sort()
    best_cost, best = results[0]
    for place, paper in enumerate(major):
        other = min(
            (cost for cost, choice in results if choice[place] != best[place]), default=99.0
        )
        looks_of = papers == paper
        names[looks_of] = best[place]
        certainty[looks_of] = 1 - np.exp(-(other - best_cost) / 1.0)


def _is_checkered(paper_of: Ints, papers: list[int]) -> int:
    """Return 1 where the two most frequent of ``papers`` lie on fields of different colour."""
    if len(papers) < 2:
        return 0
    parity = np.indices(paper_of.shape).sum(axis=0) % 2
    first = parity[paper_of == papers[0]]
    second = parity[paper_of == papers[1]]
    split = len(np.unique(first)) == 1 and len(np.unique(second)) == 1
    return int(split and first[0] != second[0] and min(len(first), len(second)) > 3)


# Flags, mines and the rest


def _name_symbols(
    features: Features,
    pictures: NDArray[np.uint8],
    papers: Ints,
    grounds: Ints,
    scores: Floats,
    drawn: Ints,
    names: NDArray[np.int8],
    certainty: NDArray[np.float64],
    counts: Ints,
) -> None:
    hidden = {int(p) for p in np.unique(papers[(papers >= 0) & (names == Tile.HIDDEN)])}
    opened = {int(p) for p in np.unique(papers[(papers >= 0) & (names == 0)])}
    mines: list[int] = []
    for place, look in enumerate(drawn):
        ground = int(grounds[look])
        if names[look] > 0 and ground not in hidden:
            continue
        names[look], certainty[look] = UNREAD, 0.0
        symmetry = _symmetry(features.form[look])
        if _cross(pictures[look]) >= 0.8:
            names[look], certainty[look] = Tile.WRONG_FLAG, 0.9
        elif symmetry >= 0.5 and features.share[look] > 0.06:
            mines.append(int(look))
        elif (scores[place].argmax() == 8 and scores[place][8] >= 0.8) or _has_question(
            features.ink[look]
        ):
            names[look], certainty[look] = Tile.QUESTION, 0.9
        elif symmetry < 0.4 and ground not in opened and features.share[look] > 0.03:
            red = features.face[look][0] - features.face[look][1:].max() > 80
            names[look] = Tile.WRONG_FLAG if red else Tile.FLAG
            certainty[look] = 0.85
    _name_mines(features, mines, names, certainty, counts)


def _name_mines(
    features: Features,
    mines: list[int],
    names: NDArray[np.int8],
    certainty: NDArray[np.float64],
    counts: Ints,
) -> None:
    """The mine that looks unlike the others, or stands alone, is the exploded one."""
    if not mines:
        return
    kinds: list[list[int]] = []
    for look in sorted(mines, key=lambda one: -counts[one]):
        for kind in kinds:
            same_face = np.abs(features.face[look] - features.face[kind[0]]).max() <= 40
            same_ink = np.abs(features.colour[look] - features.colour[kind[0]]).max() <= 60
            if same_face and same_ink:
                kind.append(look)
                break
        else:
            kinds.append([look])
    weight = [int(counts[kind].sum()) for kind in kinds]
    for kind, tiles in zip(kinds, weight, strict=True):
        rare = tiles < max(weight) or (len(kinds) == 1 and tiles == 1) or max(weight) == 1
        names[kind] = Tile.EXPLODED if rare else Tile.MINE
        certainty[kind] = 0.9


def _symmetry(form: Floats) -> float:
    """Smallest correlation of a glyph with its mirror images and its transpose."""
    flat = (form - form.mean()).ravel()
    power = float(flat @ flat) or 1.0
    images = (form[:, ::-1], form[::-1], form.T)
    return min(float(flat @ (image - form.mean()).ravel()) / power for image in images)


def _cross(picture: NDArray[np.uint8]) -> float:
    """Share of the diagonals drawn in one strong red, which mines and flags never have."""
    side = len(picture)
    index = np.arange(side // 4, side - side // 4)
    pixels = np.concatenate([picture[index, index], picture[index, side - 1 - index]]).astype(int)
    return float((pixels[:, 0] - pixels[:, 1:].max(axis=1) > 60).mean())


def _has_question(ink: Floats) -> bool:
    """Whether a part of the drawing, beside its main blot, is a question mark."""
    import cv2

    count, labels, stats, _ = cv2.connectedComponentsWithStats(
        (ink > 0.4).astype(np.uint8), connectivity=8
    )
    if count < 3:
        return False
    main = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
    rest = np.where((labels != main) & (labels > 0), ink, 0).astype(np.float32)
    form = glyphs.normal_form(rest)
    if form is None or rest.sum() < 4:
        return False
    score = glyphs.match_digits(form[None])[0]
    return bool(score.argmax() == 8 and score[8] > 0.7)
