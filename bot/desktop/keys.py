"""Keys and mouse buttons by the names that pyautogui uses, and their numbers; movements."""

from __future__ import annotations

from typing import NamedTuple

from bot.desktop.ports import Button
from bot.errors import UsageError

BUTTON_CODES = {Button.LEFT: 0x110, Button.RIGHT: 0x111, Button.MIDDLE: 0x112}
"""The Linux kernel's number of each button."""

APPROACH = (0.25, 0.5)
"""Two movements lead to a point: to the first quarter of its mouse unit, then to the middle.

The first movement into a window of Xwayland 22.1 misses its point, because Xwayland adds the
movement by which the pointer left the last X11 window. The next one, however small, is exact."""


class KeyCode(NamedTuple):
    """A key: its number in the Linux kernel, and the X name of its symbol."""

    code: int
    symbol: str


def _row(first: int, symbols: str) -> dict[str, KeyCode]:
    """Return the keys of a row of a US keyboard, numbered from the left."""
    return {symbol: KeyCode(first + place, symbol) for place, symbol in enumerate(symbols)}


KEYS: dict[str, KeyCode] = {
    **_row(2, "1234567890"),
    **_row(16, "qwertyuiop"),
    **_row(30, "asdfghjkl"),
    **_row(44, "zxcvbnm"),
    **{f"f{n}": KeyCode(58 + n, f"F{n}") for n in range(1, 11)},
    "f11": KeyCode(87, "F11"),
    "f12": KeyCode(88, "F12"),
    "ctrl": KeyCode(29, "Control_L"),
    "shift": KeyCode(42, "Shift_L"),
    "alt": KeyCode(56, "Alt_L"),
    "win": KeyCode(125, "Super_L"),
    "escape": KeyCode(1, "Escape"),
    "enter": KeyCode(28, "Return"),
    "tab": KeyCode(15, "Tab"),
    "space": KeyCode(57, "space"),
    "backspace": KeyCode(14, "BackSpace"),
    "delete": KeyCode(111, "Delete"),
    "insert": KeyCode(110, "Insert"),
    "home": KeyCode(102, "Home"),
    "end": KeyCode(107, "End"),
    "pageup": KeyCode(104, "Prior"),
    "pagedown": KeyCode(109, "Next"),
    "up": KeyCode(103, "Up"),
    "down": KeyCode(108, "Down"),
    "left": KeyCode(105, "Left"),
    "right": KeyCode(106, "Right"),
    "-": KeyCode(12, "minus"),
    "=": KeyCode(13, "equal"),
    ",": KeyCode(51, "comma"),
    ".": KeyCode(52, "period"),
    "/": KeyCode(53, "slash"),
}

OTHER_NAMES = {
    "esc": "escape",
    "return": "enter",
    "del": "delete",
    "control": "ctrl",
    "ctrlleft": "ctrl",
    "shiftleft": "shift",
    "altleft": "alt",
    "winleft": "win",
    "super": "win",
    " ": "space",
    "pgup": "pageup",
    "pgdn": "pagedown",
}

MODIFIERS = {"shift": 1, "ctrl": 4, "alt": 8, "win": 64}
"""The bit of each modifier in a keymap's mask."""


def check_keys(keys: str) -> None:
    """Raise `UsageError` for keys such as ``ctrl+n`` if one of them does not exist."""
    split_keys(keys, characters=True)


def split_keys(keys: str, *, characters: bool = False) -> tuple[str, ...]:
    """Split keys such as ``ctrl+n`` into names of `KEYS`, or single ``characters``.

    Raises `UsageError` for a key that does not exist.
    """
    names = tuple(OTHER_NAMES.get(name, name) for name in map(_named, keys.split("+")))
    for name in names:
        if name not in KEYS and not (characters and len(name) == 1):
            raise UsageError(f"There is no key named {name!r}: try f2, n, ctrl+n, escape.")
    return names


def _named(key: str) -> str:
    return key.strip().lower()


def symbols_of(keys: str) -> tuple[int, ...]:
    """Return the X keysyms of keys such as ``ctrl+n``; any character may be one of them.

    Raises `UsageError` for a key that does not exist.
    """
    return tuple(map(_symbol_of, split_keys(keys, characters=True)))


def _symbol_of(name: str) -> int:
    if name in KEYS:
        return keysym(name)
    # The keysyms of Latin-1 are its code points, those of all other characters have a bit more.
    return ord(name) if ord(name) < 0x100 else 0x1000000 | ord(name)


def keysym(name: str) -> int:
    """Return the X keysym that a key of `KEYS` types."""
    from Xlib import XK  # noqa: PLC0415

    return int(XK.string_to_keysym(KEYS[name].symbol))
