"""Inputs for `tests.bench.fuzz`: good ones of every kind, and what chance makes of them.

`Seeds` writes the good inputs; `mutated` spoils one by its kind: bytes of any file, values of JSON
and TOML at any depth, the ends of pictures.
"""

from __future__ import annotations

import io
import json
import shutil
import tomllib
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import tomli_w
from PIL import Image

from bot.cli import main
from bot.commands.themes import theme_text
from bot.options import PlayOptions
from bot.play.player import Player
from bot.record.session import LINES_FILE, Recorder
from calibration.theme import builtin_themes
from solver.agents import make_agent
from solver.board import Cell
from solver.learning.weights import SHIPPED
from tests.simulated import FaultyDesktop

ENCODINGS: dict[str, list[dict[str, Any]]] = {
    "PNG": [{}],
    "JPEG": [
        {"quality": 90},
        {"quality": 80, "progressive": True},
        {"quality": 80, "restart_marker_rows": 1},
    ],
    "WEBP": [{"lossless": True}, {"quality": 90}],
    "BMP": [{}],
    "GIF": [{}],
    "TIFF": [{}, {"compression": "tiff_lzw"}, {"compression": "tiff_deflate"}],
    "PPM": [{}],
}
ROOM_PX = 120
"""What a picture shows around its board: a whole screen would take ten times as long to read."""

PLAIN = ("BMP", "PPM", "TIFF")
"""Without compression any bytes are a picture, and a spoiled one may truly show another board."""

MODES = ("RGB", "L", "P", "RGBA", "CMYK")

NASTY: tuple[Any, ...] = (
    *(None, True, [], {}, "", -1, 0, 1.5, -1e300, 1e308, 2**63, 10**309, [[[[]]]]),
    *(
        "\x1b]0;PWN\x07\x1b[2J",
        "[/x][red]",
        "\u202e\u2028",
        "\ud800",
        "x" * 5000,
        "\x00",
        "{{7*7}}",
    ),
    *("../../../etc/passwd", "/dev/zero", "/tmp", "gift.py:A", "alt+f4", "ctrl+w", "<script>"),
    *("=cmd|'/c calc'!A1", "$\\frac", "NaN", "deep:think=high", "risk-net:weights=/dev/zero"),
)

PIECES = (
    *(b"\x00", b"\xff\xd9", b"\xff\xda", b"\x1b[2J", b"[" * 2000, b"{" * 50, b'"', b"\\ud800"),
    *(b"9" * 400, b"-1", b"1e999", b"NaN", b"\r\n", b"\xed\xa0\x80", b"a." * 300, b"[[", b"#"),
)


@dataclass(frozen=True)
class Seed:
    """A good input: its kind, the file to spoil inside ``folder``, and the board it shows.

    ``board`` is empty where a spoiled file may show another one.
    """

    kind: str
    folder: Path
    file: str
    board: tuple[str, ...] = ()


class Seeds:
    """Good inputs of every kind, written below a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.picture = self._screenshot()
        self.kinds: dict[str, list[Seed]] = {}
        for kind, write in self._writers().items():
            self.kinds[kind] = list(write())

    def _writers(self) -> dict[str, Callable[[], Any]]:
        return {
            "picture": self._pictures,
            "session": self._sessions,
            "theme": self._themes,
            "calibration": self._calibrations,
            "configuration": lambda: self._texts(
                "configuration", '[common]\nagent = "tank"\nseed = 1\n[solve]\nmines = 3\n'
            ),
            "board": lambda: self._texts("board", "##1\n###\n121\n", "#F?\n11*\n.8X\n"),
            "lines": lambda: self._texts("lines", *LINES),
            "boards": self._boards,
            "results": self._results,
            "weights": self._weights,
            "recipe": lambda: [
                self._copy("recipe", SHIPPED / f"{name}.toml") for name in ("risk-net", "csp-dqn")
            ],
        }

    def _screenshot(self) -> tuple[Image.Image, tuple[str, ...]]:
        desk = FaultyDesktop(rows=9, cols=9, mines=10, seed=5, windows=())
        desk.click(desk.cell_point(Cell(4, 4)))
        desk.clock.sleep(1)
        path = self._place("shown") / "shown.png"
        (left, top), (right, bottom) = (desk.cell_point(Cell(*at)) for at in ((0, 0), (8, 8)))
        around = (left - ROOM_PX, top - ROOM_PX, right + ROOM_PX, bottom + ROOM_PX)
        Image.fromarray(desk.grab().pixels).crop(around).save(path)
        return Image.open(path).copy(), board_on(path)

    def _place(self, name: str) -> Path:
        place = self.folder / name
        place.mkdir(parents=True, exist_ok=True)
        return place

    def _pictures(self) -> list[Seed]:
        picture, board = self.picture
        seeds = []
        for name, ways in ENCODINGS.items():
            for number, way in enumerate(ways):
                for mode in MODES:
                    place = self._place(f"picture/{name}-{number}-{mode}")
                    try:
                        picture.convert(mode).save(place / "input", name, **way)
                    except (OSError, ValueError, KeyError):
                        shutil.rmtree(place)
                        continue
                    plain = name in PLAIN and not way
                    seeds.append(Seed("picture", place, "input", () if plain else board))
        return seeds

    def _sessions(self) -> list[Seed]:
        seeds = []
        for number in range(3):
            place = self._place("session") / f"s{number}"
            header = {
                "agent": {"name": "tank", "seed": 0, "rule": "safe"},
                "options": {"mines": 10, "theme": None},
            }
            desk = FaultyDesktop(rows=9, cols=9, mines=10, seed=number, windows=())
            options = PlayOptions(games=1, mines=10, new_game="f2")
            with closing(Recorder(place, header)) as recorder:
                Player(desk.ports, make_agent("tank"), options=options, observer=recorder).play()
            seeds.append(Seed("session", place, LINES_FILE))
            frame = next(iter(sorted(place.glob("*.png"))))
            seeds.append(Seed("session", place, frame.name))
        return seeds

    def _themes(self) -> list[Seed]:
        seeds = []
        for theme in builtin_themes()[:6]:
            place = self._place(f"theme/{theme.name.replace('/', '-')}")
            (place / "input.toml").write_text(theme_text(theme), encoding="utf-8")
            seeds.append(Seed("theme", place, "input.toml"))
        return seeds

    def _calibrations(self) -> list[Seed]:
        place = self._place("calibration/one")
        shown = self.folder / "shown" / "shown.png"
        run_quietly(["read", str(shown), "--save-calibration", str(place / "input.toml")])
        return [Seed("calibration", place, "input.toml")]

    def _boards(self) -> list[Seed]:
        order = list(range(81))
        data = {"rows": 9, "cols": 9, "mines": 10, "rule": "safe", "first": [0, 0]}
        text = json.dumps({**data, "boards": [{"order": order}, {"order": order[::-1]}]})
        return self._texts("boards", text)

    def _results(self) -> list[Seed]:
        place = self._place("results/one")
        words = "bench --games 2 --size 9x9x10 --agent basic --no-estimate --results"
        run_quietly([*words.split(), str(place / "input")])
        return [Seed("results", place, "input")]

    def _weights(self) -> list[Seed]:
        return [self._copy("weights", SHIPPED / f"{name}.npz") for name in ("risk-net", "csp-dqn")]

    def _copy(self, kind: str, file: Path) -> Seed:
        place = self._place(f"{kind}/{file.stem}")
        shutil.copyfile(file, place / f"{file.stem}{file.suffix}")
        return Seed(kind, place, f"{file.stem}{file.suffix}")

    def _texts(self, kind: str, *texts: str) -> list[Seed]:
        seeds = []
        for number, text in enumerate(texts):
            place = self._place(f"{kind}/{number}")
            (place / "input").write_text(text, encoding="utf-8")
            seeds.append(Seed(kind, place, "input"))
        return seeds


LINES = (
    '{"board": ["##1", "###"], "mines": 3}\n{"board": ["1#", "11"], "why": [0, 1]}\n'
    '{"board": ["####", "1221"], "mines": null, "candidates": 2}\n',
    '{"board": ["##########", "1112211111"], "mines": 4, "candidates": 3}\n',
)


def run_quietly(words: list[str]) -> str:
    """Run a command in this process; return what it prints."""
    import contextlib

    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        main(words)
    return out.getvalue()


def board_on(picture: Path) -> tuple[str, ...]:
    """Return the rows of the board that a good picture shows."""
    return tuple(json.loads(run_quietly(["read", str(picture), "--json"]))["board"])


def mutated(data: bytes, name: str, rng: Random) -> bytes:
    """Spoil a file once or a few times."""
    if rng.random() < 0.5:
        if name.endswith(".toml"):
            return _spoil_toml(data, rng)
        if name == LINES_FILE or data[:1] == b"{":
            return _spoil_lines(data, rng)
        if name.endswith(".npz"):
            return data[: rng.randrange(len(data))] if rng.random() < 0.3 else _spoil(data, rng)
    for _ in range(rng.choice((1, 1, 1, 2, 5, 20))):
        data = _spoil(data, rng)
    return data


def _spoil(data: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    end = min(len(data), at + rng.choice((1, 2, 16, 300)))
    way = rng.randrange(8)
    if way == 0:
        return data[:at]
    if way == 1:
        return data[:at] + b"\xff\xd9"
    if way == 2:
        return data[:at] + data[end:]
    if way == 3:
        return data[:end] + data[at:]
    if way == 4:
        return data[:at] + rng.choice(PIECES) + data[at:]
    if way == 5:
        return data[:at] + rng.randbytes(end - at) + data[end:]
    spoiled = bytearray(data)
    if spoiled:
        # Headers are short, and most of what a decoder trusts stands there.
        spot = rng.randrange(min(len(data), 64) if way == 6 else len(data))
        spoiled[spot] ^= 1 << rng.randrange(8)
    return bytes(spoiled)


def _spoil_lines(data: bytes, rng: Random) -> bytes:
    lines = data.decode("utf-8").splitlines()
    at = rng.randrange(len(lines))
    lines[at] = json.dumps(_spoil_value(json.loads(lines[at]), rng))
    return "\n".join([*lines, ""]).encode("utf-8", "replace")


def _spoil_toml(data: bytes, rng: Random) -> bytes:
    spoiled = _spoil_value(tomllib.loads(data.decode("utf-8")), rng)
    try:
        return tomli_w.dumps(spoiled).encode("utf-8", "replace")
    except (TypeError, AttributeError):  # TOML has no null
        return _spoil(data, rng)


def _spoil_value(value: Any, rng: Random) -> Any:
    """Change, drop or repeat something at any depth."""
    inner: list[Any] = list(value) if isinstance(value, dict | list) else []
    if not inner or rng.random() < 0.15:
        return rng.choice(NASTY)
    key = rng.choice(inner) if isinstance(value, dict) else rng.randrange(len(value))
    changed = dict(value) if isinstance(value, dict) else list(value)
    if rng.random() < 0.15:
        del changed[key]
    else:
        changed[key] = _spoil_value(value[key], rng)
    return changed
