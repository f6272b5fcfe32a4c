"""The real Minesweeper programs that Debian packages, and how each is started."""

import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from tests.live.session import Session

Size = tuple[int, int, int]
"""Rows, columns and mines."""

STANDARD: dict[str, Size] = {
    "beginner": (9, 9, 10),
    "intermediate": (16, 16, 40),
    "expert": (16, 30, 99),
}


@dataclass(frozen=True)
class Launch:
    """A command line, with variables for its environment and files for its home.

    ``keys`` are pressed when the window is open.
    """

    command: list[str]
    env: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class Program:
    """A packaged program; ``sizes`` are the levels that are played."""

    name: str
    package: str
    window_class: str
    launch: Callable[[Size, str | None], Launch]
    sizes: Mapping[str, Size]


@dataclass(frozen=True)
class Running:
    """A program on a desk, with its window open and at rest."""

    program: Program
    desk: Session
    process: subprocess.Popen[bytes]
    window: int
    size: Size


def with_environment(program, **variables):
    """Return a program that is started with more variables in its environment."""

    def launch(size, theme):
        plain = program.launch(size, theme)
        return replace(plain, env=plain.env | variables)

    return replace(program, launch=launch)


def start(desk, program, size, theme=None, *, at=None):
    """Start a program, move its window to ``at`` if given, and wait until it is at rest."""
    launch = program.launch(size, theme)
    for name, text in launch.files.items():
        path = desk.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    process = desk.start(launch.command, launch.env)
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
    return Launch(
        ["dbus-run-session", "--", "gnome-mines", flag],
        {"GSETTINGS_BACKEND": "keyfile"} | ({"GTK_THEME": "Adwaita:dark"} if dark else {}),
        {".config/glib-2.0/settings/keyfile": settings},
    )


def _kmines(size, theme):
    level = {(9, 9, 10): "Easy", (16, 16, 40): "Medium", (16, 30, 99): "Hard"}[size]
    settings = (
        f"[KgDifficulty]\nLevel={level}\n[KgTheme]\nTheme=themes/{theme or 'classic'}.desktop\n"
    )
    return Launch(["dbus-run-session", "--", "kmines"], {}, {".config/kminesrc": settings})


def _sgt_mines(size, theme):
    rows, cols, mines = size
    return Launch(["sgt-mines", f"{cols}x{rows}n{mines}"])


def _winemine(size, theme):
    key = {9: "b", 16: "i", 30: "e"}[size[1]]
    quiet = {"WINEDLLOVERRIDES": "mscoree=;mshtml=", "WINEDEBUG": "-all"}
    return Launch(["wine", "winemine"], quiet, keys=("alt+g", key))


PROGRAMS = {
    name: Program(name, package, window_class, launch, STANDARD | smallest)
    for name, package, window_class, launch, smallest in (
        # xdemineur has no board with fewer than 12 columns.
        ("xdemineur", "xdemineur", "xdemineur", _xdemineur, {"beginner": (9, 12, 10)}),
        ("gnome-mines", "gnome-mines", "gnome-mines", _gnome_mines, {"beginner": (8, 8, 10)}),
        ("kmines", "kmines", "kmines", _kmines, {}),
        ("sgt-mines", "sgt-puzzles", "sgt-mines", _sgt_mines, {}),
        ("winemine", "wine", "winemine.exe", _winemine, {}),
    )
}
