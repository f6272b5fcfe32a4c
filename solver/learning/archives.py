"""Arrays on disk, as npz archives that are written whole or not at all."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solver.errors import BadWeights, CannotSave

Arrays: TypeAlias = dict[str, NDArray[Any]]


def write_archive(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays to a file that replaces the old one only when it is whole.

    Raises `CannotSave`.
    """
    partial = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **arrays)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise CannotSave(
            f"{path} cannot be written ({error.strerror}); make room or give another folder, and "
            "start again: training goes on from the last checkpoint."
        ) from error


def read_archive(path: Path) -> Arrays:
    """Read an archive of arrays. Raises `BadWeights` for a file that is missing or broken."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except FileNotFoundError as error:
        raise BadWeights(f"There is no file {path}.") from error
    except (OSError, ValueError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise BadWeights(f"{path} is broken, or holds no weights.") from error
