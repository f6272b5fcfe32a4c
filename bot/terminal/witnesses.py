"""Explanations of tiles as text and as JSON: what each witness says, and the rival."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from calibration.classify.explain import Explanation, Influence
from calibration.classify.refusals import TILE_NAMES
from solver.board import TEXT_OF_TILE


def explanation_lines(explanations: Iterable[Explanation]) -> list[str]:
    """Describe each appearance in a few lines."""
    lines = []
    for one in explanations:
        first = f"Row {one.cells[0].row + 1}, column {one.cells[0].col + 1}" if one.cells else "-"
        more = f" and {len(one.cells) - 1} like it" if len(one.cells) > 1 else ""
        chance, rival = one.chances.get(one.label, 0.0), one.chances.get(one.rival, 0.0)
        doubted = "" if one.confidence else "; not believed"
        lines.append(
            f"{first}{more}: {TILE_NAMES[one.label]} ({chance:.3f}{doubted}), "
            f"else {TILE_NAMES[one.rival]} ({rival:.3f})"
        )
        for name, said in one.witnesses.items():
            words = ", ".join(f"{TILE_NAMES[tile]} {value:+.1f}" for tile, value in said.items())
            lines.append(f"    {name}: {words}")
        if one.influence is not None:
            lines += [f"    {line}" for line in _influence_lines(one.influence, one.label)]
    return lines


def _influence_lines(influence: Influence, label: int) -> list[str]:
    """Say what the rules exclude, what the tile looks like alone, and which witness decides."""
    excluded = ", ".join(TILE_NAMES[tile] for tile in influence.excluded)
    lines = [f"the numbers around exclude: {excluded or 'nothing'}"]
    if influence.alone != label:
        lines.append(f"by its look alone: {TILE_NAMES[influence.alone]}; the board decides")
    lines += [f"without '{name}': {TILE_NAMES[other]}" for name, other in influence.without.items()]
    if not influence.without:
        lines.append("no single witness decides: without any one of them it is read alike")
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
            "witnesses": {name: _rounded(said) for name, said in one.witnesses.items()},
            **_influence_json(one.influence),
        }
        for one in explanations
    ]
    return {"explain": found} if found else {}


def _influence_json(influence: Influence | None) -> dict[str, Any]:
    """Describe what made a tile be read so; empty where nobody asked for a single tile."""
    if influence is None:
        return {}
    return {
        "excluded": [TEXT_OF_TILE[tile] for tile in influence.excluded],
        "alone": TEXT_OF_TILE[influence.alone],
        "without": {name: TEXT_OF_TILE[tile] for name, tile in influence.without.items()},
    }


def _rounded(values: Mapping[int, float]) -> dict[str, float]:
    return {TEXT_OF_TILE[tile]: round(value, 3) for tile, value in values.items()}
