"""Files of a training run, written atomically; arrays as npz archives."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from math import prod
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from solver.bounds import ARCHIVE_BYTES
from solver.errors import BadWeights, CannotSave
from solver.files import fill_file, read_file

Arrays: TypeAlias = dict[str, NDArray[Any]]


def write_archive(path: Path, arrays: Mapping[str, NDArray[Any]], *, replace: bool = False) -> None:
    """Write arrays to a file atomically, as `write_whole` does. Raises `CannotSave`."""
    write_whole(
        path,
        lambda file: np.savez_compressed(file, allow_pickle=False, **arrays),
        replace=replace,
    )


def write_whole(path: Path, write: Callable[[IO[bytes]], object], *, replace: bool = False) -> None:
    """Let ``write`` fill a file atomically; an old one needs ``replace``. Raises `CannotSave`."""
    try:
        fill_file(path, write, replace=replace)
    except OSError as error:
        raise CannotSave(
            f"{path} cannot be written ({error.strerror}); free some space or give another folder, "
            "and start again: training continues from the last checkpoint."
        ) from error


def read_archive(path: Path) -> Arrays:
    """Read an archive of arrays without unpickling; sizes are checked before unpacking.

    Raises `BadWeights` for a file that is missing, broken or too large.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(read_file(path, ARCHIVE_BYTES))) as archive:
            if sum(member.file_size for member in archive.infolist()) > ARCHIVE_BYTES:
                raise ValueError
            return {
                name.removesuffix(".npy"): _array_of(archive.read(name))
                for name in archive.namelist()
            }
    except FileNotFoundError as error:
        raise BadWeights(f"There is no file {path}.") from error
    except Exception as error:  # zip, zlib, tokenize and numpy raise dozens of kinds
        raise BadWeights(f"{path} is broken, or has no weights.") from error


def _array_of(data: bytes) -> NDArray[Any]:
    """Read one array. Raises `ValueError` if its size differs from the one in its header."""
    file = io.BytesIO(data)
    read_header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    shape, _, dtype = read_header[npy.read_magic(file)](file)
    if prod(shape) * dtype.itemsize != len(data) - file.tell():
        raise ValueError("the header of an array is wrong")
    return np.asarray(npy.read_array(io.BytesIO(data), allow_pickle=False))
