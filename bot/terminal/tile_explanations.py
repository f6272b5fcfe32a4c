"""Explanations of tiles as text and as JSON: what they may show, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from calibration.read.explain import Explanation
from calibration.read.refusals import TILE_NAMES
from solver.board import TEXT_OF_TILE


def explanation_lines(explanations: Iterable[Explanation]) -> list[str]:
    """Describe each look of tiles in a few lines."""
    lines = []
    for one in explanations:
        first = f"Row {one.cells[0].row + 1}, column {one.cells[0].col + 1}" if one.cells else "-"
        more = f" and {len(one.cells) - 1} like it" if len(one.cells) > 1 else ""
        chance, rival = one.chances.get(one.label, 0.0), one.chances.get(one.rival, 0.0)
        lines.append(
            f"{first}{more}: {TILE_NAMES[one.label]} ({chance:.3f}), "
            f"else {TILE_NAMES[one.rival]} ({rival:.3f})"
        )
        words = ", ".join(f"{TILE_NAMES[tile]} {value:.3f}" for tile, value in one.alone.items())
        lines.append(f"    by its look: {words}")
        excluded = ", ".join(TILE_NAMES[tile] for tile in one.excluded)
        lines.append(f"    the numbers around exclude: {excluded or 'nothing'}")
    return lines


def explanation_json(explanations: Iterable[Explanation]) -> dict[str, Any]:
    """Describe the explanations under the key ``explain``; empty without any."""
    found = [
        {
            "cells": [list(cell) for cell in one.cells],
            "tile": TEXT_OF_TILE[one.label],
            "rival": TEXT_OF_TILE[one.rival],
            "confidence": round(one.confidence, 4),
            "chances": _rounded(one.chances),
            "alone": _rounded(one.alone),
            "excluded": [TEXT_OF_TILE[tile] for tile in one.excluded],
        }
        for one in explanations
    ]
    return {"explain": found} if found else {}


def _rounded(values: Mapping[int, float]) -> dict[str, float]:
    return {TEXT_OF_TILE[tile]: round(value, 3) for tile, value in values.items()}
