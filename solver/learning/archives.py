"""Files of a training run, written whole or not at all; arrays as npz archives."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solver.errors import BadWeights, CannotSave

Arrays: TypeAlias = dict[str, NDArray[Any]]


def write_archive(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays to a file that replaces the old one only when it is whole.

    Raises `CannotSave`.
    """
    write_whole(path, lambda file: np.savez_compressed(file, allow_pickle=False, **arrays))


def write_whole(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let ``write`` fill a file that replaces the old one only when it is whole.

    Raises `CannotSave`.
    """
    partial = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise CannotSave(
            f"{path} cannot be written ({error.strerror}); make room or give another folder, and "
            "start again: training goes on from the last checkpoint."
        ) from error
    finally:  # Ctrl-C leaves no part of a file behind, either
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def read_archive(path: Path) -> Arrays:
    """Read an archive of arrays. Raises `BadWeights` for a file that is missing or broken."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except FileNotFoundError as error:
        raise BadWeights(f"There is no file {path}.") from error
    except (OSError, ValueError, EOFError, AttributeError, zipfile.BadZipFile, zlib.error) as error:
        raise BadWeights(f"{path} is broken, or holds no weights.") from error
