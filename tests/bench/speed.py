"""Time the parts of the program, in milliseconds: `docs/figures.md` names the figures.

    python -m tests.bench.speed find FOLDER [--rounds 5] [--scale 1]
    python -m tests.bench.speed read [LABEL.json...]
    python -m tests.bench.speed turn [--games 10] [--agent tank] [--program xdemineur]
    python -m tests.bench.speed desktop [--here] [--repeats 50]
    python -m tests.bench.speed environment [--boards 4096]

``find`` calibrates on the screenshots of 1920x1080 below a folder, enlarged ``--scale`` times:
processor time. ``read`` reads a board of 16x30 again, of which all tiles changed but no kind of
tile is new, or one tile in twenty changed. ``turn`` plays a program on an X server of its own; the
wait for the program's repaint is counted apart. ``desktop`` grabs and clicks on an X server and on
sway at three scales, without a window; with ``--here`` on this desktop, in the middle of the
screen. ``environment`` counts steps a second of boards of 10x10 with 10 mines, beside Jumanji's if
it is installed; run it with ``OMP_NUM_THREADS=1 taskset -c 0``.
"""

import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

from calibration.calibration import Calibration, calibrate
from calibration.classify.recognise import recognise
from calibration.errors import CalibrationError
from calibration.frame import Frame
from calibration.grid import PixelBox, ScreenPoint
from calibration.images import load_image
from tests.bench.series import parser, spread, time_ms
from tests.calibration.reading import Frames
from tests.calibration.screens import FIXTURES, PICTURES, Screen, labelled
from tests.live.command import ROOT
from tests.live.desk import Desk
from tests.live.match import play
from tests.live.programs import PROGRAMS, start
from tests.live.sway import SCREENS, SwayDesk

ROUNDS, STEPS = 30, 60
OWN = ("grab", "read", "decide", "send")
REGION = PixelBox(400, 300, 1000, 700)


def find(options):
    pictures = sorted(p for p in options.folder.rglob("*") if p.suffix in PICTURES)
    loaded = [load_image(picture).pixels for picture in pictures]
    frames = [
        Frame(pixels.repeat(options.scale, axis=0).repeat(options.scale, axis=1))
        for pixels in loaded
        if pixels.shape[:2] == (1080, 1920)
    ]

    def step(frame):
        with suppress(CalibrationError):
            calibrate(frame)

    step(frames[0])
    times = [time_ms(lambda: step(one)) for _ in range(options.rounds) for one in frames]  # noqa: B023
    spread(f"find and read, {len(frames)} screenshots", times)


def read(options):
    screens = [Screen.load(label) for label in options.labels] or [
        screen for screen in labelled(FIXTURES) if screen.board.tiles.size == 480
    ]
    whole, few = list[float](), list[float]()
    for screen in screens:
        frame = screen.frame()
        theme = recognise(frame, screen.grid).theme
        frames = Frames(Calibration(screen.grid, theme, screen.board.mines))
        for times, every in ((whole, 1), (few, 20)):
            other = changed(frame, screen, every)
            for one in (frame, other):
                frames.read(one)
            for at in range(ROUNDS):
                one = (frame, other)[at % 2]
                times.append(time_ms(lambda: frames.read(one), time.perf_counter))  # noqa: B023
    spread(f"whole frames of {len(screens)} screenshots", whole)
    spread("the same, one tile in twenty changed", few)


def changed(frame, screen, every):
    """Make every n-th tile a little brighter: new pixels, the same kinds of tiles."""
    pixels = frame.pixels.copy()
    for cell in [*screen.board.cells()][::every]:
        box = screen.grid.box(cell)
        inside = pixels[box.y0 + 2 : box.y1 - 2, box.x0 + 2 : box.x1 - 2]
        inside[inside < 255] += 1
    return Frame(pixels)


def turn(options):
    program = PROGRAMS[options.program]
    with tempfile.TemporaryDirectory() as folder, Desk() as desk:
        running = start(desk, program, program.sizes["expert"], at=(160, 90))
        match = play(running, options.games, Path(folder) / "session", "--agent", options.agent)
    turns = [step for step in match.steps if step["kind"] == "turn"]
    for share, parts in (*((one, [one]) for one in (*OWN, "wait")), ("all but wait", OWN)):
        spread(share, [sum(step["ms"][part] for part in parts) for step in turns])
    clicks = sum(len(step["clicks"]) for step in turns)
    print(f"{clicks / len(turns):.1f} clicks a turn, {len(turns)} turns")
    for end in ("won", "lost"):
        if games := [one["seconds"] for one in match.results if one["result"] == end]:
            spread(f"a game {end}", games, "s")


def desktop(options):
    if options.here:
        desktop_here(options.repeats)
        return
    for opened in (Desk(), *(SwayDesk(screen) for screen in SCREENS.values())):
        print(type(opened).__name__, getattr(opened, "screens", ""), flush=True)
        with opened as desk:
            words = ["-m", "tests.bench.speed", "desktop", "--here"]
            env = {key: value for key, value in desk.env.items() if key != "PYTHONPATH"}
            command = [sys.executable, *words, "--repeats", str(options.repeats)]
            subprocess.run(command, env=env, cwd=ROOT, check=True)


def desktop_here(repeats):
    os.environ.setdefault("NO_AT_BRIDGE", "1")
    from bot.desktop.routes import open_desktop

    desk = open_desktop()
    first = desk.screen.monitors()[0]
    x, y = (first.left + first.right) // 2, (first.top + first.bottom) // 2
    places = [ScreenPoint(x, y), ScreenPoint(x + 1, y)] * repeats
    acts = {
        "whole picture": desk.screen.grab,
        "600x400 of it": lambda: desk.screen.grab(REGION),
        "click": lambda: desk.pointer.click(places.pop()),
        "where the pointer is": desk.pointer.position,
    }
    for name, act in acts.items():
        act()
        spread(f"  {name}", [time_ms(act, time.perf_counter) for _ in range(repeats)])


def environment(options):
    for name, made in (("minebot", own_steps), ("jumanji", jumanji_steps)):
        try:
            step = made(options.boards)
        except ImportError:
            print(f"{name} is not installed")
            continue
        step()
        seconds = [sum(time_ms(step) for _ in range(STEPS)) / 1e3 for _ in range(5)]
        spread(name, [STEPS * options.boards / one for one in seconds], "steps a second")


def own_steps(boards):
    from solver.learning.environments import VectorMinesweeper

    env = VectorMinesweeper(boards, rows=10, cols=10, mines=10)
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    return lambda: env.step(rng.integers(0, 100, boards))


def jumanji_steps(boards):
    import jax
    from jumanji import make
    from jumanji.wrappers import VmapAutoResetWrapper

    env = VmapAutoResetWrapper(make("Minesweeper-v0"))
    state, _ = jax.jit(env.reset)(jax.random.split(jax.random.key(0), boards))
    one = jax.jit(
        lambda state, key: env.step(state, jax.random.randint(key, (boards, 2), 0, 10))[0]
    )
    held = [state, jax.random.key(1)]

    def step():
        held[1], key = jax.random.split(held[1])
        held[0] = jax.block_until_ready(one(held[0], key))

    return step


def main():
    made = parser(__doc__)
    what = made.add_subparsers(dest="what", required=True)
    for act, defaults in (
        (find, {"rounds": 5, "scale": 1}),
        (read, {}),
        (turn, {"games": 10, "agent": "tank", "program": "xdemineur"}),
        (desktop, {"here": False, "repeats": 50}),
        (environment, {"boards": 4096}),
    ):
        one = what.add_parser(act.__name__, parents=[parser(None, **defaults)], add_help=False)
        one.set_defaults(act=act)
        if act is find:
            one.add_argument("folder", type=Path)
        if act is read:
            one.add_argument("labels", type=Path, nargs="*")
    options = made.parse_args()
    options.act(options)


if __name__ == "__main__":
    main()
