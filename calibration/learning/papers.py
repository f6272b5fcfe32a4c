"""Grounds of open and covered tiles as whole programs have them: kinds that are drawn by chance.

Each kind is a function of a generator of chance. It returns the colour of the page and the
grounds of open and of covered tiles, as `backgrounds.Background`. `choose` draws one of them; the
kind ``anything`` is what `looks.any_papers` draws.
"""

from __future__ import annotations

import colorsys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from calibration.learning.backgrounds import (
    ALL_SIDES,
    LOWER_RIGHT,
    UPPER_LEFT,
    Background,
    colour,
)
from calibration.learning.looks import any_papers


@dataclass(frozen=True)
class Papers:
    """A kind of grounds; ``classic`` is the share of its looks whose digits have usual colours."""

    name: str
    weight: float
    classic: float
    draw: Callable

    def __call__(self, rng):
        return self.draw(rng)


def choose(rng):
    """Return a kind, the likelier the larger its weight."""
    weights = np.array([kind.weight for kind in KINDS])
    return KINDS[int(rng.choice(len(KINDS), p=weights / weights.sum()))]


def plain(rng, base, **drawn):
    """Return a ground of one colour with nothing on it but what is named."""
    ground = Background(rng, np.clip(base, 0, 1))
    ground.checked = ground.rainbow = False
    ground.gradient, ground.stripes, ground.dashes = "", None, 0
    for name in ("gap", "rounded", "bevel", "outline", "texture", "shadow", "cap"):
        setattr(ground, name, 0.0)
    for name, value in drawn.items():
        setattr(ground, name, value)
    return ground


def grey(rng, low=0.55, high=0.95):
    """Return a grey that may have a breath of colour."""
    base = np.full(3, rng.uniform(low, high))
    return base + rng.normal(0, 0.02, 3) * (rng.random() < 0.4)


def tone(rng):
    """Return a colour of a page in one tone: a light, strong or dark one."""
    kind = rng.random()
    if kind < 0.45:
        return grey(rng)
    if kind < 0.6:
        return grey(rng, 0.02, 0.3)
    return np.array(colorsys.hsv_to_rgb(rng.random(), rng.uniform(0.05, 0.9), rng.uniform(0.3, 1)))


def line(rng, base):
    """Return how a thin line around a tile is drawn: its width, colour and sides."""
    ink = base * rng.uniform(0.45, 0.95) if rng.random() < 0.8 else colour(rng)
    sides = [ALL_SIDES, UPPER_LEFT, LOWER_RIGHT][int(rng.integers(3))]
    return {"outline": rng.uniform(0.01, 0.07), "outline_ink": ink, "outlined": sides}


def relief(rng):
    """Covered tiles stand out of a board of nearly one grey; open ones have a line or none."""
    base = grey(rng, 0.6, 0.92) if rng.random() < 0.7 else tone(rng)
    covered = plain(rng, base + rng.uniform(-0.04, 0.06) * (rng.random() < 0.6),
                    bevel=rng.uniform(0.04, 0.17), relief=rng.uniform(0.25, 1.3),
                    gradient=str(rng.choice(["", "", "slant", "down"])))  # fmt: skip
    covered.depth = rng.uniform(-0.15, 0.15)
    if rng.random() < 0.3:
        for name, value in line(rng, base).items():
            setattr(covered, name, value)
    lines = line(rng, base) if rng.random() < 0.65 else {}
    ground = plain(rng, base - rng.uniform(-0.03, 0.08) * (rng.random() < 0.5), **lines)
    if rng.random() < 0.08:
        ground, covered = covered, ground
    return (base if rng.random() < 0.6 else colour(rng)), ground, covered


def flat(rng):
    """Two colours of one tone, with gaps, lines or nothing between tiles."""
    base = tone(rng)
    other = np.clip(base + rng.choice([-1, 1]) * rng.uniform(0.04, 0.35), 0, 1)
    if rng.random() < 0.3:
        other = tone(rng)
    way = rng.random()
    shared = {}
    if way < 0.35:
        shared = {"gap": rng.uniform(0.02, 0.14), "rounded": rng.uniform(0, 0.4) * (way < 0.2)}
    elif way < 0.7:
        shared = line(rng, base)
    ground = plain(rng, base, **shared)
    covered = plain(rng, other, **(shared if rng.random() < 0.7 else {}))
    if rng.random() < 0.25:
        covered.gradient = str(rng.choice(["down", "slant", "gloss", "radial"]))
    return (base if rng.random() < 0.3 else colour(rng)), ground, covered


def checkered(rng):
    """Tints that change from tile to tile as on a chessboard, without lines."""
    ground, covered = plain(rng, tone(rng), checked=True), plain(rng, tone(rng), checked=True)
    for paper in (ground, covered):
        paper.second = np.clip(paper.base + rng.choice([-1, 1]) * rng.uniform(0.015, 0.1), 0, 1)
    if rng.random() < 0.2:
        ground.checked = False
    return colour(rng), ground, covered


def shy(rng):
    """Open and covered tiles differ by a few steps of grey, or by faint lines."""
    base = grey(rng, 0.03, 0.97) if rng.random() < 0.8 else tone(rng)
    step = rng.choice([-1, 1]) * rng.uniform(0.012, 0.06)
    ground = plain(rng, base, **(line(rng, base) if rng.random() < 0.5 else {}))
    covered = plain(rng, base + step, **(line(rng, base) if rng.random() < 0.4 else {}))
    if rng.random() < 0.4:
        covered.bevel, covered.relief = rng.uniform(0.03, 0.1), rng.uniform(0.1, 0.4)
    if rng.random() < 0.3:
        ground.gap = covered.gap = rng.uniform(0.02, 0.1)
    return (base if rng.random() < 0.5 else colour(rng)), ground, covered


def ruled(rng):
    """Black or white ground with strong lines, whole or dotted; covered tiles in a strong tone."""
    base = np.full(3, float(rng.random() < 0.5))
    ink = 1 - base if rng.random() < 0.6 else colour(rng)
    drawn = {"outline": rng.uniform(0.02, 0.07), "outline_ink": ink}
    ground = plain(rng, base, **drawn, dashes=int(rng.choice([0, 0, 3, 6, 9])))
    ground.outlined = [ALL_SIDES, UPPER_LEFT][int(rng.integers(2))]
    covered = plain(rng, tone(rng) if rng.random() < 0.7 else base, **drawn)
    if rng.random() < 0.4:
        covered.bevel, covered.relief = rng.uniform(0.04, 0.14), rng.uniform(0.4, 1.0)
    if np.abs(covered.base - base).max() < 0.03 and not covered.bevel:
        covered.base = np.abs(base - rng.uniform(0.1, 0.6))
    return base, ground, covered


def framed(rng):
    """Open tiles without anything, covered ones rounded or glossy, as on phones."""
    page = tone(rng)
    ground = plain(rng, page)
    covered = plain(rng, tone(rng), gap=rng.uniform(0.0, 0.16), rounded=rng.uniform(0.05, 0.5),
                    gradient=str(rng.choice(["", "", "gloss", "down", "slant"])),
                    shadow=rng.uniform(0.1, 0.4) * (rng.random() < 0.3))  # fmt: skip
    if np.abs(covered.base - page).max() < 0.05:
        covered.base = np.clip(page + (0.15 if page.mean() < 0.5 else -0.15), 0, 1)
    if rng.random() < 0.4:
        ground = plain(rng, page + rng.uniform(-0.12, 0.12), gap=covered.gap,
                       rounded=covered.rounded)  # fmt: skip
        # Every second open tile is as bare as the page.
        ground.checked, ground.second = bool(rng.random() < 0.3), page
    return page, ground, covered


KINDS = (
    Papers("relief", 0.3, 0.75, relief),
    Papers("flat", 0.2, 0.5, flat),
    Papers("checkered", 0.07, 0.35, checkered),
    Papers("shy", 0.1, 0.5, shy),
    Papers("ruled", 0.06, 0.3, ruled),
    Papers("framed", 0.07, 0.35, framed),
    Papers("anything", 0.2, 0.3, any_papers),
)
