"""The keyboard under X11, through XTest: every key in its group, with its modifiers.

A keyboard has up to four *groups* (layouts). In each of them a key types different symbols, at
*levels* that modifiers choose. The X server reports all of them; the symbol is searched in the
group in use, then in the others, which are locked for the length of one press. If no key types a
symbol, an unused key gets it for a moment, as in xdotool.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from Xlib import XK, X
from Xlib.display import Display
from Xlib.ext.xtest import fake_input
from Xlib.protocol import rq

from bot.desktop.keys import symbols_of
from bot.desktop.x11_display import XWindows, open_display
from bot.errors import UsageError

EXTENSION = "XKEYBOARD"
CORE_KEYBOARD = 0x100

SHIFT, LOCK = 1, 2
"""Bits of modifiers with a fixed meaning; the keys of the others determine what they do."""

CHOOSERS = (XK.XK_Shift_L, XK.XK_Shift_R, 0xFE03, 0xFF7E)
"""Keys that choose a level or a group while they are held: Shift, ISO_Level3_Shift, Mode_switch."""

SETTLE_S = 0.2
"""How long an unused key keeps its symbol: a program must be able to look it up."""


class KeyType(NamedTuple):
    """How modifiers choose the level of a key: the relevant ones, and the level for each set."""

    mask: int
    levels: dict[int, int]

    def level(self, modifiers: int) -> int:
        """Return the level that these modifiers choose."""
        return self.levels.get(modifiers & self.mask, 0)


class KeyGroups(NamedTuple):
    """A key: for each group its type, and the symbols of its levels."""

    groups: tuple[tuple[KeyType, tuple[int, ...]], ...]


class Stroke(NamedTuple):
    """How a symbol is typed: on which key, in which group, with which modifiers held."""

    keycode: int
    group: int
    modifiers: int


@dataclass(frozen=True)
class Keymap:
    """All keys by keycode, the group in use, and the modifiers that are locked (Caps Lock)."""

    keys: dict[int, KeyGroups]
    group: int = 0
    locked: int = 0

    def stroke(self, symbol: int, usable: int = SHIFT) -> Stroke | None:
        """Find how a symbol is typed, best in the group in use and with few modifiers.

        ``usable`` are the modifiers that may be held. None if no key types the symbol.
        """
        return min(
            self._strokes(symbol, usable),
            key=lambda one: (one.group != self.group, one.modifiers.bit_count(), one),
            default=None,
        )

    def _strokes(self, symbol: int, usable: int) -> Iterator[Stroke]:
        for keycode, key in self.keys.items():
            for group, (kind, symbols) in enumerate(key.groups):
                for modifiers in {0, SHIFT, *kind.levels}:
                    level = kind.level(modifiers | self.locked)
                    if not modifiers & ~usable and symbols[level : level + 1] == (symbol,):
                        yield Stroke(keycode, group, modifiers)

    def unused(self) -> int | None:
        """Return a keycode that types nothing; None if there is none."""
        free = (
            keycode
            for keycode, key in self.keys.items()
            if not any(any(symbols) for _, symbols in key.groups)
        )
        return max(free, default=None)


def opcode_of(display: Display) -> int | None:
    """Begin to use the keyboard extension; return the code of its requests, None without it."""
    extension = display.query_extension(EXTENSION)
    if not extension.present:
        return None
    UseExtension(display=display.display, opcode=extension.major_opcode, major=1, minor=0)
    return int(extension.major_opcode)


class XKeyboard:
    """The keyboard of an X display."""

    def __init__(self) -> None:
        self._display = open_display()
        self._windows = XWindows(self._display)
        self._opcode = opcode_of(self._display)

    def press(self, keys: str, into: int | None = None) -> bool:
        """Press a key or a chord such as ``ctrl+n``; see `bot.desktop.ports`.

        Raises `UsageError`.
        """
        if self._opcode is None:
            raise UsageError(
                "This X server does not say what its keys type: name a point with --new-game X,Y."
            )
        *held, symbol = symbols_of(keys)
        # For a shortcut, Caps Lock does not count: compensating it with Shift would change the
        # shortcut.
        keymap, spare = self._keymap(ignore_lock=bool(held)), None
        carriers = self._carriers(keymap)
        usable = sum(carriers)
        stroke = keymap.stroke(symbol, usable)
        if stroke is None and (spare := keymap.unused()):
            self._type_with(spare, [symbol])
            stroke = self._keymap(ignore_lock=bool(held)).stroke(symbol, usable)
        holds = [keymap.stroke(one, 0) for one in held]
        if stroke is None or None in holds:
            raise UsageError(
                f"No key of this keyboard types {keys!r}: name another key, or a point with "
                "--new-game X,Y."
            )
        codes = [one.keycode for one in holds if one]
        codes += [carriers[bit] for bit in carriers if stroke.modifiers & bit]
        try:
            return self._strike([*codes, stroke.keycode], stroke.group, into)
        finally:
            if spare is not None:
                time.sleep(SETTLE_S)
                self._type_with(spare, [0])

    def dialog_of(self, number: int) -> int | None:
        """Return the dialog of the window of this number that has the focus, None without it."""
        return self._windows.dialog_of(number)

    def _strike(self, codes: Sequence[int], group: int, into: int | None) -> bool:
        """Press keys one after another, in a group, and release them in reverse order.

        The server is grabbed meanwhile, so that no key goes to another window. Returns False, and
        presses nothing, if the window ``into`` would not get them.
        """
        with self._windows.held_still():
            if into is not None and not self._windows.gets_keys(into):
                return False
            before = self._state()
            other = group != before.group
            if other:
                # The group in use is the sum of the locked, held and latched ones.
                self._lock_group((group - before.group + before.locked_group) % 4)
            for kind, order in ((X.KeyPress, codes), (X.KeyRelease, codes[::-1])):
                for code in order:
                    fake_input(self._display, kind, code)
            if other:
                self._lock_group(before.locked_group)
        self._display.sync()
        return True

    def _type_with(self, keycode: int, symbols: list[int]) -> None:
        """Assign these symbols to a key."""
        self._display.change_keyboard_mapping(keycode, [symbols])
        self._display.sync()

    def _carriers(self, keymap: Keymap) -> dict[int, int]:
        """Return a key for each modifier that chooses a level, by the bit of the modifier."""
        mapping = self._display.get_modifier_mapping()
        carriers: dict[int, int] = {}
        for bit, keycodes in enumerate(mapping):
            for keycode in keycodes:
                key = keymap.keys.get(int(keycode))
                if key and any(symbols[:1] and symbols[0] in CHOOSERS for _, symbols in key.groups):
                    carriers.setdefault(1 << bit, int(keycode))
        return carriers

    def _keymap(self, *, ignore_lock: bool) -> Keymap:
        """Ask for the keymap as it is now: a person may choose another layout at any time."""
        state = self._state()
        reply = GetMap(
            display=self._display.display,
            opcode=self._opcode,
            device=CORE_KEYBOARD,
            full=TYPES_AND_SYMBOLS,
        )
        locked = state.locked_mods & ~(LOCK if ignore_lock else 0)
        return Keymap(keys_of(bytes(reply.rest), reply), state.group, locked)

    def _state(self) -> Any:
        return GetState(display=self._display.display, opcode=self._opcode, device=CORE_KEYBOARD)

    def _lock_group(self, group: int) -> None:
        LockGroup(
            display=self._display.display, opcode=self._opcode, device=CORE_KEYBOARD, group=group
        )


class UnusedModifier:
    """A modifier without a key, which no program uses."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._opcode = opcode_of(display)
        self._free: int | None = None

    def forget(self) -> None:
        """Find the modifier again, because the modifier keys changed."""
        self._free = None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the modifier within the block, if there is one; no key is pressed for that."""
        if self._free is None:
            self._free = self._look() if self._opcode is not None else 0
        if self._free:
            self._lock(self._free, self._free)
        try:
            yield
        finally:
            if self._free:
                self._lock(self._free, 0)

    def _look(self) -> int:
        """Return the first modifier that no key carries, 0 if there is none."""
        for bit, keycodes in enumerate(self._display.get_modifier_mapping()):
            if 1 << bit > LOCK and not any(keycodes):
                return 1 << bit
        return 0

    def _lock(self, modifier: int, locked: int) -> None:
        LockModifiers(
            display=self._display.display, opcode=self._opcode, device=CORE_KEYBOARD,
            affected=modifier, locked=locked,
        )  # fmt: skip


def keys_of(rest: bytes, reply: Any) -> dict[int, KeyGroups]:
    """Read the types and symbols of keys in the tail of a reply to `GetMap`."""
    at, types = 0, []
    for _ in range(reply.types):
        mask, entries, preserve = struct.unpack_from("=B4xBB", rest, at)
        at += 8
        levels = {}
        for _ in range(entries):
            active, modifiers, level = struct.unpack_from("=BBB", rest, at)
            at += 8
            if active:
                levels[modifiers] = level
        at += 4 * entries * preserve
        types.append(KeyType(mask, levels))
    keys = {}
    for number in range(reply.symbol_keys):
        *kinds, info, width, count = struct.unpack_from("=4BBBH", rest, at)
        symbols = struct.unpack_from(f"={count}I", rest, at + 8)
        at += 8 + 4 * count
        groups = tuple(
            (types[kinds[group]], symbols[group * width : (group + 1) * width])
            for group in range(info & 0x0F)
        )
        keys[reply.first_symbol_key + number] = KeyGroups(groups)
    return keys


# ---- requests of the keyboard extension, which python-xlib does not know ---------------------

TYPES_AND_SYMBOLS = 3


class UseExtension(rq.ReplyRequest):  # type: ignore[misc]
    """A program must send it before any other of these requests."""

    _request = rq.Struct(
        rq.Card8("opcode"), rq.Opcode(0), rq.RequestLength(), rq.Card16("major"), rq.Card16("minor")
    )
    _reply = rq.Struct(
        rq.ReplyCode(), rq.Card8("supported"), rq.Card16("sequence_number"), rq.ReplyLength(),
        rq.Card16("major"), rq.Card16("minor"), rq.Pad(20),
    )  # fmt: skip


class GetState(rq.ReplyRequest):  # type: ignore[misc]
    """Ask for the group and the modifiers in use."""

    _request = rq.Struct(
        rq.Card8("opcode"), rq.Opcode(4), rq.RequestLength(), rq.Card16("device"), rq.Pad(2)
    )
    _reply = rq.Struct(
        rq.ReplyCode(), rq.Card8("device"), rq.Card16("sequence_number"), rq.ReplyLength(),
        rq.Card8("mods"), rq.Card8("base_mods"), rq.Card8("latched_mods"), rq.Card8("locked_mods"),
        rq.Card8("group"), rq.Card8("locked_group"), rq.Pad(18),
    )  # fmt: skip


class LockGroup(rq.Request):  # type: ignore[misc]
    """Lock a group (the request XkbLatchLockState)."""

    _request = rq.Struct(
        rq.Card8("opcode"), rq.Opcode(5), rq.RequestLength(), rq.Card16("device"),
        rq.Pad(2), rq.Bool("lock", 1), rq.Card8("group"), rq.Pad(6),
    )  # fmt: skip


class LockModifiers(rq.Request):  # type: ignore[misc]
    """Lock or unlock modifiers (the request XkbLatchLockState, too)."""

    _request = rq.Struct(
        rq.Card8("opcode"), rq.Opcode(5), rq.RequestLength(), rq.Card16("device"),
        rq.Card8("affected"), rq.Card8("locked"), rq.Pad(8),
    )  # fmt: skip


class GetMap(rq.ReplyRequest):  # type: ignore[misc]
    """Ask for the types and the symbols of all keys."""

    _request = rq.Struct(
        rq.Card8("opcode"), rq.Opcode(8), rq.RequestLength(), rq.Card16("device"),
        rq.Card16("full"), rq.Pad(20),
    )  # fmt: skip
    _reply = rq.Struct(
        rq.ReplyCode(), rq.Card8("device"), rq.Card16("sequence_number"), rq.ReplyLength(),
        rq.Pad(2), rq.Card8("low"), rq.Card8("high"), rq.Card16("present"),
        rq.Card8("first_type"), rq.Card8("types"), rq.Card8("all_types"),
        rq.Card8("first_symbol_key"), rq.Card16("all_symbols"), rq.Card8("symbol_keys"),
        rq.Pad(19), rq.List("rest", rq.Card8Obj),
    )  # fmt: skip
