"""What a training run keeps on disk: its recipe in TOML, and arrays and weights as npz archives.

Weights are small enough to ship, and are read without JAX: each array is stored as 16-bit floats,
or as integers of 8 or 4 bits with one scale per unit of its layer. The text ``about`` describes the
network as JSON. All files are written atomically.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from math import prod
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
import tomli_w
from numpy.lib import format as npy
from numpy.typing import NDArray

from solver.errors import BadRecipe, BadWeights, CannotSave
from solver.files import (
    ARCHIVE_BYTES,
    TOML_BYTES,
    WEIGHTS_BYTES,
    fill_file,
    parse_json,
    parse_toml,
    read_file,
    read_text,
    unpacked,
)
from solver.game import Rule
from solver.learning.nets import DenseWeights

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


def read_archive(path: Path, most: int = ARCHIVE_BYTES) -> Arrays:
    """Read an archive of arrays of at most ``most`` bytes, unpacked; nothing is unpickled.

    Raises `BadWeights` for a file that is missing, broken or too large.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(read_file(path, most))) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > most:
                raise ValueError
            return {
                member.filename.removesuffix(".npy"): _array_of(unpacked(archive, member))
                for member in members
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


# ---- recipes -------------------------------------------------------------------------------------


NETWORKS = ("board", "window", "stuck", "risk")
REWARDS = ("tiles", "safe")

_KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "str": ((str,), "a text"),
    "int": ((int,), "a whole number"),
    "float": ((float, int), "a number"),
    "bool": ((bool,), "true or false"),
}
_ABOVE_0 = "hidden, radius, passes, tries and layers are above 0"


@dataclass(frozen=True)
class Recipe:
    """What to train, on which boards, and how. Raises `BadRecipe` for invalid settings.

    ``network``: "board" and "window" are the report's, "stuck" the thesis's, "risk" our own.
    ``rounds`` is the number of updates; before each, one move is made on ``boards`` boards.
    The weights for play are a running mean of those in training, which keeps the share
    ``averaging`` at each update. ``rate`` is the learning rate of Adam; it falls linearly to 0 over
    the last share ``cooling`` of the rounds. ``reward`` is "tiles" (100 for each opened tile) or
    "safe" (100 for a safe move). The switches ``edge`` to ``latest`` belong to "window" and
    "board", see `solver.learning.q_learning`; those from ``epsilon_factor`` on to "stuck",
    see `solver.learning.supervised`. ``bits`` is the precision of stored weights.
    """

    agent: str
    network: str
    rows: int
    cols: int
    mines: int
    first: str = "safe"
    seed: int = 1
    rounds: int = 1000
    boards: int = 32
    batch: int = 512
    memory: int = 50_000
    rate: float = 1e-3
    cooling: float = 0.0
    averaging: float = 0.998
    hidden: int = 1280
    gamma: float = 0.9
    reward: str = "safe"
    random_moves: int = 200
    radius: int = 2
    edge: bool = False
    passes: int = 1
    flag_above: float = 0.0
    diverse: bool = False
    tries: int = 1
    symmetries: bool = False
    masked: bool = True
    report_game: bool = False
    latest: bool = False
    layers: int = 8
    epsilon_factor: float = 0.9985
    taught: int = 0
    one_hot: bool = False
    less_mines: bool = False
    all_cells: bool = False
    bits: int = 16

    def __post_init__(self) -> None:
        self._check_kinds()
        checks = (
            (self.network in NETWORKS, f"network is one of {', '.join(NETWORKS)}"),
            (self.reward in REWARDS, f"reward is one of {', '.join(REWARDS)}"),
            (self.first in {rule.value for rule in Rule}, "first is none, safe or zero"),
            (0 < self.mines < self.rows * self.cols - 9, "mines leave at least ten safe cells"),
            (min(self.rounds, self.boards, self.batch, self.memory) > 0, "sizes are above 0"),
            (min(self.hidden, self.radius, self.passes, self.tries, self.layers) > 0, _ABOVE_0),
            (self.rate > 0, "rate is above 0"),
            (0 <= self.cooling <= 1, "cooling lasts a share of the rounds, 0 to 1"),
            (0 <= self.averaging < 1, "averaging lies in 0..1, 1 excluded"),
            (0 <= self.gamma < 1, "gamma lies in 0..1, 1 excluded"),
            (self.tries == 1 or self.gamma == 0, "several tries need gamma = 0"),
            (self.passes == 1 or self.gamma == 0, "several passes need gamma = 0"),
            (self.passes == 1 or self.network == "window", "several passes need a window"),
            (
                self.network != "board" or not self.symmetries or self.rows == self.cols,
                "a board that is rotated has as many rows as columns",
            ),
            (
                not self.latest or self.batch >= self.boards,
                "with latest, a batch is at least as large as boards",
            ),
            (self.bits in (4, 8, 16), "bits are 4, 8 or 16"),
        )
        for holds, rule in checks:
            if not holds:
                raise BadRecipe(f"The recipe of {self.agent} cannot be used: {rule}.")

    def _check_kinds(self) -> None:
        """Raise `BadRecipe` for a value of the wrong type."""
        for field in fields(self):
            value = getattr(self, field.name)
            types, words = _KINDS[str(field.type)]
            if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
                raise BadRecipe(
                    f"The recipe cannot be used: {field.name} is {words}, not {value!r}."
                )

    @property
    def rule(self) -> Rule:
        """The first-click rule."""
        return Rule(self.first)

    @property
    def plane(self) -> bool:
        """Whether the network has a plane of its own earlier output: risks, or flags."""
        return self.passes > 1

    def rate_at(self, round_number: int) -> float:
        """Return the learning rate of a round, counted from 0."""
        left = 1 - round_number / self.rounds
        return self.rate * min(1.0, left / self.cooling) if self.cooling else self.rate

    def changed(self, **values: Any) -> Recipe:
        """Return a copy with other values. Raises `BadRecipe`."""
        try:
            return replace(self, **values)
        except TypeError as error:
            raise BadRecipe(f"The recipe of {self.agent} cannot be changed: {error}.") from None

    @classmethod
    def load(cls, path: str | Path) -> Recipe:
        """Read a recipe. Raises `BadRecipe` for an invalid file."""
        try:
            data = parse_toml(read_text(path, TOML_BYTES))
            known = {field.name: field.type for field in fields(cls)}
            unknown = sorted(set(data) - set(known))
            if unknown:
                raise BadRecipe(f"{path} has an unknown setting: {unknown[0]}.")
            return cls(**data)
        except OSError as error:
            raise BadRecipe(f"Cannot read {path}: {error.strerror}.") from error
        except (TypeError, ValueError) as error:
            raise BadRecipe(f"{path} is not a recipe: {error}.") from error

    def save(self, path: str | Path, *, replace: bool = False) -> None:
        """Write the recipe; an old file needs ``replace``. Raises `CannotSave`."""
        text = tomli_w.dumps(asdict(self)).encode()
        write_whole(Path(path), lambda file: file.write(text), replace=replace)


# ---- weights -------------------------------------------------------------------------------------


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
    arrays = read_archive(path, WEIGHTS_BYTES)
    try:
        about = parse_json(str(arrays.pop("about")))
        if any(array.dtype.kind not in "fiu" for array in arrays.values()):
            raise ValueError
        names = {name.partition("/")[0] for name in arrays}
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused below
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
