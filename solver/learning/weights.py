"""Weights on disk: an npz archive of plain arrays, small enough to ship, read without JAX.

Each array is stored as 16-bit floats, or as integers of 8 or 4 bits with one scale per unit of its
layer. The text ``about`` describes the network as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.errors import BadRecipe, BadWeights
from solver.files import parse_json
from solver.learning.archives import Arrays, read_archive, write_archive
from solver.learning.recipe import Recipe
from solver.learning.windows import DenseWeights

SHIPPED = Path(__file__).parent / "weights"
"""The shipped weights, each with the recipe it was trained with."""


def save_weights(
    path: Path,
    arrays: Mapping[str, NDArray[Any]],
    about: Any,
    bits: int,
    *,
    replace: bool = False,
) -> None:
    """Write weights with their description; an old file needs ``replace``.

    Raises `CannotSave`, and then keeps the old file.
    """
    stored: Arrays = {"about": np.array(json.dumps(about))}
    for name, array in arrays.items():
        if bits == 16 or array.ndim < 2:
            stored[name] = array.astype(np.float16)
        else:
            stored |= _whole_numbers(name, array, bits)
    write_archive(path, stored, replace=replace)


def load_weights(path: Path) -> tuple[dict[str, Any], Arrays]:
    """Read weights: their description, and float32 arrays. Raises `BadWeights`."""
    arrays = read_archive(path)
    try:
        about = parse_json(str(arrays.pop("about")))
        if any(array.dtype.kind not in "fiu" for array in arrays.values()):
            raise ValueError
        names = {name.partition("/")[0] for name in arrays}
        found = {name: _floats(name, arrays) for name in names}
        if not all(np.isfinite(array).all() for array in found.values()):
            raise ValueError
        return about, found
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise BadWeights(f"{path} has no weights of minebot.") from error


def weights_file(agent: str, chosen: str = "") -> Path:
    """Return the file of an agent's weights: the chosen or the shipped one."""
    return Path(chosen) if chosen else SHIPPED / f"{agent}.npz"


@cache
def agent_weights(path: Path, network: str) -> tuple[Recipe, Arrays]:
    """Read weights and the recipe they were trained with, once per process.

    Raises `BadWeights`, also for weights of another network.
    """
    about, arrays = load_weights(path)
    try:
        recipe = Recipe(**about)
    except (TypeError, BadRecipe) as error:
        raise BadWeights(f"{path} has no weights of an agent.") from error
    if recipe.network != network:
        raise BadWeights(f"{path} has weights of another network than {network!r}.")
    return recipe, arrays


def dense_weights(arrays: Mapping[str, NDArray[Any]], slots: int, codes: int) -> DenseWeights:
    """Arrange the arrays of a dense network for the engine; it sees ``slots`` tiles.

    Raises `BadWeights` if the arrays have other shapes.
    """
    try:
        inner = np.asarray(arrays["inner.kernel"], np.float32)
        units = inner.shape[1]
        plane = inner[slots * codes :]
        out = np.asarray(arrays["out.kernel"], np.float32)
        if plane.shape[0] not in (0, slots) or out.shape[0] != units:
            raise ValueError
        return DenseWeights(
            np.ascontiguousarray(inner[: slots * codes]).reshape(slots, codes, units),
            np.ascontiguousarray(plane),
            np.asarray(arrays["inner.bias"], np.float32).reshape(units),
            np.ascontiguousarray(out.T),
            np.asarray(arrays["out.bias"], np.float32).reshape(out.shape[1]),
        )
    except (KeyError, ValueError, IndexError) as error:
        raise BadWeights("The weights do not fit their network.") from error


def _whole_numbers(name: str, array: NDArray[Any], bits: int) -> Arrays:
    """Return an array as integers of few bits, with a scale for each entry of its last axis.

    Two integers of four bits share a byte.
    """
    most = 2 ** (bits - 1) - 1
    flat = array.reshape(-1, array.shape[-1]).astype(np.float32)
    scale = np.maximum(np.abs(flat).max(0), 1e-12) / most
    numbers = np.clip(np.rint(flat / scale), -most, most).astype(np.int8).ravel()
    if bits == 4:
        numbers = np.append(numbers, np.zeros(numbers.size % 2, np.int8)) + 8
        numbers = (numbers[::2] * 16 + numbers[1::2]).astype(np.uint8)
    return {
        f"{name}/numbers": numbers,
        f"{name}/scale": scale,
        f"{name}/shape": np.array(array.shape),
    }


def _floats(name: str, stored: Arrays) -> NDArray[Any]:
    if name in stored:
        return stored[name].astype(np.float32)
    numbers, shape = stored[f"{name}/numbers"], stored[f"{name}/shape"]
    if numbers.dtype == np.uint8:
        pairs = np.stack([numbers // 16, numbers % 16], -1).astype(np.int8) - 8
        numbers = pairs.ravel()[: int(np.prod(shape))]
    scale = stored[f"{name}/scale"]
    if scale.shape != shape[-1:]:
        raise ValueError
    flat = numbers.reshape(-1, shape[-1]).astype(np.float32) * scale
    return np.ascontiguousarray(flat.reshape(shape), np.float32)
