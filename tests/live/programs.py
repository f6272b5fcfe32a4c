"""The real Minesweeper programs that Debian packages, and how each is started."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tests.live.session import NOTHING, Session

STANDARD = {"beginner": (9, 9, 10), "intermediate": (16, 16, 40), "expert": (16, 30, 99)}
"""Rows, columns and mines of each level."""


class Launch(NamedTuple):
    """A command line, with variables for its environment and files for its home.

    ``keys`` are pressed when the window is open.
    """

    command: list[str]
    env: Mapping[str, str] = NOTHING
    files: Mapping[str, str] = NOTHING
    keys: tuple[str, ...] = ()


class Program(NamedTuple):
    """A packaged program; ``sizes`` are the levels that are played, ``env`` more variables."""

    name: str
    package: str
    launch: Callable[..., Launch]
    sizes: Mapping[str, tuple[int, int, int]] = STANDARD
    env: Mapping[str, str] = NOTHING

    @property
    def window_class(self):
        return self.name.split()[0] + ".exe" * (self.name == "winemine")


class Running(NamedTuple):
    """A program on a desk, with its window open and at rest."""

    program: Program
    desk: Session
    process: Any
    window: int
    size: tuple[int, int, int]


def start(desk, program, size, theme=None, *, at=None):
    """Start a program, move its window to ``at`` if given, and wait until it is at rest."""
    launch = program.launch(size, theme)
    for name, text in launch.files.items():
        path = desk.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    process = desk.start(launch.command, {**launch.env, **program.env})
    window = desk.wait_window(program.window_class, limit_s=90)
    for key in launch.keys:
        desk.xdotool("windowfocus", "--sync", window, "key", key)
        desk.wait_stable()
    if at is not None:
        desk.move_window(window, *at)
    desk.wait_stable()
    return Running(program, desk, process, window, size)


def _xdemineur(size, theme):
    rows, cols, mines = size
    return Launch(["xdemineur", "-geometry", f"{cols}x{rows}", "-m", str(mines)])


def _gnome_mines(size, theme):
    flag = {(8, 8, 10): "--small", (16, 16, 40): "--medium", (16, 30, 99): "--big"}[size]
    # The window opens too small for a big board and would cut it off.
    width, height = (1060, 640) if size[1] > 16 else (620, 470)
    name, _, dark = (theme or "bgcolors").partition("-")
    settings = f"[org/gnome/Mines]\ntheme='{name}'\nwindow-width={width}\nwindow-height={height}\n"
    env = {"GSETTINGS_BACKEND": "keyfile"} | ({"GTK_THEME": "Adwaita:dark"} if dark else {})
    files = {".config/glib-2.0/settings/keyfile": settings}
    return Launch(["dbus-run-session", "--", "gnome-mines", flag], env, files)


def _kmines(size, theme):
    level, theme = {9: "Easy", 16: "Medium", 30: "Hard"}[size[1]], theme or "classic"
    settings = f"[KgDifficulty]\nLevel={level}\n[KgTheme]\nTheme=themes/{theme}.desktop\n"
    return Launch(["dbus-run-session", "--", "kmines"], {}, {".config/kminesrc": settings})


def _sgt_mines(size, theme):
    rows, cols, mines = size
    return Launch(["sgt-mines", f"{cols}x{rows}n{mines}"])


def _winemine(size, theme):
    key = {9: "b", 16: "i", 30: "e"}[size[1]]
    quiet = {"WINEDLLOVERRIDES": "mscoree=;mshtml=", "WINEDEBUG": "-all"}
    return Launch(["wine", "winemine"], quiet, keys=("alt+g", key))


PROGRAMS = {
    program.name: program
    for program in (
        # xdemineur has no board with fewer than 12 columns.
        Program("xdemineur", "xdemineur", _xdemineur, STANDARD | {"beginner": (9, 12, 10)}),
        Program("gnome-mines", "gnome-mines", _gnome_mines, STANDARD | {"beginner": (8, 8, 10)}),
        Program("kmines", "kmines", _kmines),
        Program("sgt-mines", "sgt-puzzles", _sgt_mines),
        Program("winemine", "wine", _winemine),
    )
}
