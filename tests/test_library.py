"""The public names, and every example in docs/library.md and in docstrings."""

from __future__ import annotations

import ast
import doctest
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from importlib import import_module
from itertools import chain, pairwise
from pathlib import Path
from pkgutil import walk_packages

import pytest

import bot
import calibration
import solver
from bot.cli import main
from bot.record.session import Session
from bot.terminal.pictures import save_picture
from solver.arena.boards import read_boards
from solver.arena.matches import Match, play_match
from solver.board import Cell
from tests.simulated import FaultyDesktop

PAGE = Path(__file__).parents[1] / "docs" / "library.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def examples() -> dict[str, list[tuple[str, str | None]]]:
    """The Python blocks of each section of the page, each with the output shown below it."""
    found = {}
    for section in re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.M)[1:]:
        blocks = [*BLOCK.findall(section), ("", "")]
        found[section.splitlines()[0]] = [
            (text, after if kind_after == "text" else None)
            for (kind, text), (kind_after, after) in pairwise(blocks)
            if kind == "python"
        ]
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder that holds ``screenshot.png``: a half-played board."""
    desk = FaultyDesktop(rows=9, cols=9, mines=10, seed=5)
    desk.click(desk.cell_point(Cell(4, 4)))
    desk.clock.sleep(1)
    save_picture(desk.grab().pixels, str(tmp_path / "screenshot.png"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("section", examples())
@pytest.mark.usefixtures("folder")
def test_the_examples_of_the_page_run(section: str, capsys: pytest.CaptureFixture[str]) -> None:
    namespace = {"__name__": "__main__"}
    printed = ""
    for code, output in examples()[section]:
        exec(compile(code, f"{PAGE.name}, {section}", "exec"), namespace)
        shown = capsys.readouterr().out
        assert output in (None, shown)
        printed += shown
    assert printed, "an example shows what it found"


def test_the_page_shows_the_four_uses_in_short_examples() -> None:
    blocks = examples()
    assert [name for name in blocks if blocks[name]][:4] == [
        "Probabilities of a board",
        "Reading a screenshot",
        "Playing a window",
        "An agent of your own",
    ]
    for code, _ in chain.from_iterable(blocks.values()):
        assert len([line for line in code.splitlines() if line.strip()]) <= 13


@pytest.mark.slow
def test_the_agent_of_the_page_plays_from_its_file(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "careful.py").write_text(examples()["An agent of your own"][0][0], "utf-8")
    for words in (
        "bench --agent careful.py:Careful --against tank --games 3 --size beginner",
        "play --screen sim --size beginner --agent careful.py:Careful",
        "arena table --agents tank,careful.py:Careful --boards beginner --games 2 --first safe",
    ):
        assert main([*words.split(), "--json"]) == 0
    assert '"agent": "careful.py:Careful"' in capsys.readouterr().out


@pytest.mark.slow
def test_the_theme_of_the_page_is_played_with(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for code, _ in examples()["A theme of your own"]:
        exec(code, {})
    assert main(["read", "screenshot.png", "--theme", "my-mines.toml"]) == 0
    assert "theme my-mines/light" in " ".join(capsys.readouterr().out.split())
    words = "play --screen sim --size beginner --seed 5 --theme my-mines.toml --record session"
    assert main([*words.split(), "--json"]) == 0
    assert main(["replay", "session"]) == 0
    steps = (folder / "session" / "session.jsonl").read_text("utf-8")
    assert "my-mines/light" in steps


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (None, "cannot be read"),
        ("program = ", "not TOML"),
        ('program = "mine"', r"no \[\[theme\]\]"),
        ('program = "mine"\n[profile]\nkeys = 3\n[[theme]]\nname = "a"', "unknown entry"),
        ('program = "mine"\n[[theme]]\nname = "a"\n[[theme.appearance]]\ntile = "9"', "cannot be"),
        ('skin = "red"', "unknown entry 'skin'"),
    ],
)
def test_a_file_that_is_no_theme_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str | None, complaint: str
) -> None:
    if text is not None:
        (folder / "mine.toml").write_text(text, "utf-8")
    assert main(["play", "--screen", "sim", "--theme", "mine.toml"]) == 2
    sentence = capsys.readouterr().err
    assert sentence.count("\n") == 1
    assert "mine.toml" in sentence
    assert re.search(complaint, sentence)


@pytest.mark.parametrize("package", [solver, calibration, bot])
def test_public_names_are_there(package: object) -> None:
    names = package.__all__  # type: ignore[attr-defined]
    assert len(names) <= 20
    for name in names:
        assert getattr(package, name) is not None
    assert set(names) <= set(dir(package))


def test_an_unknown_public_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        _ = bot.nothing_of_that_name
    assert not hasattr(bot, "__wrapped__")


@pytest.mark.parametrize(
    ("package", "heavy"),
    [
        ("bot", {"numpy", "cv2", "rich"}),
        ("solver", {"numpy", "cv2", "rich"}),
        ("calibration", {"numpy", "cv2", "rich"}),
    ],
)
def test_importing_a_package_loads_no_more_than_it_needs(package: str, heavy: set[str]) -> None:
    code = f"import sys, {package}; sys.exit(' '.join({heavy!r} & sys.modules.keys()) or 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def modules_with_examples() -> list[str]:
    names = []
    for package in (solver, calibration, bot):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            path = Path(str(module.module_finder.path)) / f"{module.name.rpartition('.')[2]}"  # type: ignore[union-attr]
            source = path / "__init__.py" if module.ispkg else path.with_suffix(".py")
            # The engine's compiled library looks like a module, too, but is none.
            if source.exists() and ">>> " in source.read_text("utf-8"):
                names.append(module.name)
        names.append(package.__name__)
    return names


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_in_docstrings_are_true(name: str) -> None:
    module = import_module(name)
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


@pytest.mark.slow
def test_paths_may_be_strings(folder: Path) -> None:
    calibration.calibrate(calibration.load_image("screenshot.png")).save("found.toml")
    assert calibration.Calibration.load("found.toml").grid.rows == 9
    with closing(bot.Recorder("session", {"agent": {}})) as recorder:
        desk = bot.SimulatedDesktop(rows=9, cols=9, mines=10, seed=5)
        bot.Player(desk.ports, solver.make_agent("tank"), observer=recorder).play()
    assert Session.load("session").has_turns
    boards = read_boards(str(PAGE.parents[1] / "fixtures" / "boards" / "9x9x10_safe.json"))
    games = play_match(Match(boards, ("gac",), 2), path="results.jsonl")
    assert len(games["gac"]) == 2
    assert (folder / "results.jsonl").exists()


OF_EACH_PACKAGE = {"_NAMES"}
"""The public names of each package, and the modules in which they are defined."""

STILL_SEVERAL = {
    "BROKEN", "CHANNELS", "CURVE", "DARK", "FINE", "GONE_S",
    "HIGHEST_PX", "HINTS", "INPUTS", "LEAST_CONTRAST", "LEAST_DEVIATION", "LIBRARIES", "LIKELY",
    "MARGIN", "MOST_EVENTS", "MOST_MARKED", "NAMES", "NO_WINDOW", "NUMBERS",
    "ON_SCREEN", "ROOM", "SAME_MOST", "SETTLE_S", "SHIFT", "SIDE", "SIZES", "SMALL", "TEMPERATURE",
    "TILES", "WEIGHTS",
    "WIDEST_PX",
}  # fmt: skip
"""Names with several values: most of them where two readers stand beside each other. No more."""


def constants_of(path: Path) -> Iterator[tuple[str, str]]:
    """Name each constant of a module, and its value as text."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=True))
            for one, value in pairs:
                if isinstance(one, ast.Name) and one.id.isupper():
                    yield one.id, ast.unparse(value)


@pytest.mark.slow
def test_a_constant_of_one_name_has_one_value() -> None:
    values = defaultdict[str, dict[str, Path]](dict)
    for package in ("bot", "calibration", "solver"):
        for path in sorted((PAGE.parents[1] / package).rglob("*.py")):
            for name, value in constants_of(path):
                values[name][value] = path
    assert len(values) > 1000
    several = {name for name in values if len(values[name]) > 1}
    assert several - OF_EACH_PACKAGE == STILL_SEVERAL
