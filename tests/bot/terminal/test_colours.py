"""Which signs a terminal shows; every palette can be read, also in sixteen colours."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pytest
from rich.color import Color, ColorSystem
from rich.console import Console
from rich.style import Style

from bot.terminal.console import ANY, DARK, LIGHT, shows_symbols

XTERM = (
    *("000000", "cd0000", "00cd00", "cdcd00", "0000ee", "cd00cd", "00cdcd", "e5e5e5"),
    *("7f7f7f", "ff0000", "00ff00", "ffff00", "5c5cff", "ff00ff", "00ffff", "ffffff"),
)
"""The sixteen colours of xterm."""

BLACK, WHITE = "000000", "ffffff"

LEAST_CONTRAST = 1.95
"""The green and cyan of xterm on white; its bright ones have 1.4 and 1.3, its yellow 1.7."""


@pytest.mark.parametrize("system", [ColorSystem.EIGHT_BIT, ColorSystem.STANDARD])
@pytest.mark.parametrize(
    ("palette", "backgrounds"),
    [(DARK, [BLACK]), (LIGHT, [WHITE]), (ANY, [BLACK, WHITE])],
    ids=["dark", "light", "any"],
)
def test_every_part_can_be_read(
    palette: Mapping[str, str], backgrounds: list[str], system: ColorSystem
) -> None:
    for part, text in palette.items():
        style = Style.parse(text)
        behind = backgrounds if style.bgcolor is None else [_shown(style.bgcolor, system)]
        if style.color is not None and not style.color.is_default:
            ink = _shown(style.color, system, bold=bool(style.bold))
            assert min(_contrast(ink, one) for one in behind) >= LEAST_CONTRAST, part


def _shown(color: Color, system: ColorSystem, *, bold: bool = False) -> str:
    """Return the colour as hexadecimal digits; bold makes one of the first eight brighter."""
    if system is not ColorSystem.STANDARD:
        return color.get_truecolor().hex[1:]
    number = color.downgrade(system).number
    assert number is not None
    return XTERM[number + 8 * (bold and number < 8)]


def _contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21 (WCAG 2)."""
    dark, light = sorted(map(_luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: str) -> float:
    parts = (int(color[at : at + 2], 16) / 255 for at in (0, 2, 4))
    red, green, blue = (x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


# ---- signs ---------------------------------------------------------------------------------------

UTF_8, CP_437 = (
    Console(file=io.TextIOWrapper(io.BytesIO(), encoding=encoding), force_terminal=True)
    for encoding in ("utf-8", "cp437")
)


@pytest.mark.parametrize(
    ("platform", "console", "environ", "shown"),
    [
        ("linux", UTF_8, {}, True),
        ("linux", CP_437, {}, False),
        ("win32", UTF_8, {}, False),
        ("win32", UTF_8, {"WT_SESSION": "1"}, True),
        ("win32", UTF_8, {"TERM_PROGRAM": "vscode"}, True),
        ("win32", CP_437, {"WT_SESSION": "1"}, False),
        ("darwin", None, {}, True),
    ],
)
def test_signs_are_shown_where_encoding_and_font_have_them(
    monkeypatch: pytest.MonkeyPatch,
    platform: str,
    console: Console | None,
    environ: dict[str, str],
    shown: bool,
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    assert shows_symbols(console, environ) == shown
