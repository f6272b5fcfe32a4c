"""What a command loads: helps load almost nothing, and no command what another needs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bot.commands.arena import SIZES
from bot.commands.parsing import COMMANDS
from bot.commands.play import SCREENS, SKIN_NAMES
from bot.commands.shared import FIRST_CLICK_RULES
from bot.commands.train import LEARNERS
from bot.desktop.routes import Route
from bot.simulated import SKINS
from solver.arena import boards
from solver.game import Rule
from solver.learning.weights import SHIPPED
from tests.bot.command_line import ROOT

PICTURE = str(ROOT / "fixtures" / "screens" / "sgt-mines" / "sg_beg_won.webp")

WORDS = {"rapidocr"}
SCREEN = {"mss", "pyautogui", "Xlib"}
PAGES = {"jinja2", "matplotlib", "textual", "shtab"}
TRAINING = {"jax", "flax", "gymnasium", "distributed"}
NO_PICTURE = {"cv2", "onnxruntime", *WORDS, *SCREEN, *PAGES, *TRAINING}
NOTHING = {"numpy", "rich", "calibration", "importlib.metadata", *NO_PICTURE}

FORBIDDEN = {
    "--version": NOTHING - {"importlib.metadata"},
    "--help": NOTHING | {"bot.commands.play"},
    "nonsense": NOTHING | {"bot.commands.play"},
    **{f"{command} --help": NOTHING for command in COMMANDS},
    "play --games many": NOTHING,
    "agents": NO_PICTURE,
    "solve BOARD --mines 3": NO_PICTURE,
    "bench --games 1 --size 4x4x2 --agent tank": NO_PICTURE,
    "arena sweep --games 1 --dim 4 --density 0.1 --agents basic": NO_PICTURE,
    f"read {PICTURE}": {*WORDS, *SCREEN, *PAGES, *TRAINING},
    f"advise {PICTURE}": {*WORDS, *SCREEN, *PAGES, *TRAINING},
    "play --screen sim --size beginner --json": {*WORDS, *SCREEN, *PAGES, *TRAINING},
    "stats": {*WORDS, *SCREEN, *PAGES, *TRAINING},
}
"""The modules that must not be loaded once a command has ended."""

LIGHT = [words for words in FORBIDDEN if FORBIDDEN[words] >= NOTHING]

LOADED = """
import json, sys
from bot.cli import main
for words in json.loads(sys.argv[1]):
    main(words.split())
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize("commands", [LIGHT, *([one] for one in FORBIDDEN if one not in LIGHT)])
def test_a_command_loads_only_what_it_needs(commands: list[str], tmp_path: Path) -> None:
    """Those that load almost nothing follow each other in one process."""
    (tmp_path / "BOARD").write_text("1##\n###\n###\n")
    done = subprocess.run(
        [sys.executable, "-c", LOADED, json.dumps(commands)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    after = [json.loads(line) for line in done.stderr.splitlines() if line.startswith('["')]
    for words, loaded in zip(commands, after, strict=True):
        assert FORBIDDEN[words] & set(loaded) == set(), words


def test_options_name_what_the_program_knows() -> None:
    """They load none of it, so they have lists of their own."""
    assert set(FIRST_CLICK_RULES) == {rule.value for rule in Rule}
    assert set(SCREENS) == {"auto", "real", "sim", *(route.value for route in Route)}
    assert set(SKIN_NAMES) == set(SKINS)
    assert set(LEARNERS) == {path.stem for path in SHIPPED.glob("*.toml")}
    assert SIZES.split(",") == list(boards.NAMED_SIZES)
