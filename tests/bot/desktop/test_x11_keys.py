"""Which key types a symbol, in which group and with which modifiers."""

from __future__ import annotations

import sys

import pytest

if sys.platform != "linux":
    pytest.skip("python-xlib comes with Linux", allow_module_level=True)
else:
    from bot.desktop.x11_display import COOKIE, INTERNET, LOCAL, WILD, Entry, cookie_for
    from bot.desktop.x11_keys import LOCK, SHIFT, KeyGroups, Keymap, KeyType, Stroke

LEVEL_3 = 0x80
ONE = KeyType(0, {})
TWO = KeyType(SHIFT, {SHIFT: 1})
LETTER = KeyType(SHIFT | LOCK, {SHIFT: 1, LOCK: 1})
FOUR = KeyType(SHIFT | LEVEL_3, {SHIFT: 1, LEVEL_3: 2, SHIFT | LEVEL_3: 3})


def symbols(text: str) -> tuple[int, ...]:
    return tuple(0 if sign == "-" else ord(sign) for sign in text)


def keyboard(group: int = 0, locked: int = 0) -> Keymap:
    """An American and a Cyrillic group, a French digit, and a key that types nothing."""
    keys = {
        11: KeyGroups(((FOUR, symbols("é2~-")),)),
        57: KeyGroups(((LETTER, symbols("nN")), (LETTER, symbols("тТ")))),
        68: KeyGroups(((ONE, (0xFFBF,)),)),
        248: KeyGroups(()),
    }
    return Keymap(keys, group, locked)


@pytest.mark.parametrize("group", [0, 1])
def test_a_letter_is_typed_in_the_group_that_has_it(group: int) -> None:
    assert keyboard(group).stroke(ord("n")) == Stroke(57, 0, 0)
    assert keyboard(group).stroke(ord("т")) == Stroke(57, 1, 0)


def test_a_digit_may_need_a_modifier() -> None:
    assert keyboard().stroke(ord("2")) == Stroke(11, 0, SHIFT)
    assert keyboard().stroke(ord("~")) is None
    assert keyboard().stroke(ord("~"), SHIFT | LEVEL_3) == Stroke(11, 0, LEVEL_3)


def test_caps_lock_is_undone_by_shift() -> None:
    assert keyboard(locked=LOCK).stroke(ord("n")) == Stroke(57, 0, SHIFT)
    assert keyboard(locked=LOCK).stroke(ord("N")) == Stroke(57, 0, 0)


def test_a_symbol_that_no_key_has_goes_to_a_key_that_types_nothing() -> None:
    assert keyboard().stroke(ord("ß")) is None
    assert keyboard().unused() == 248
    assert Keymap({11: KeyGroups(((FOUR, symbols("é2~-")),))}).unused() is None


def test_a_cookie_fits_as_in_libxau() -> None:
    """Entries without a number fit every display of a machine; the wild ones, every machine."""
    own, other = Entry(LOCAL, b"here", b"1", COOKIE, b"own"), b"there"
    entries = [own, Entry(LOCAL, b"here", b"", COOKIE, b"any")]
    assert cookie_for(entries, LOCAL, b"here", 1) == (COOKIE, b"own")
    assert cookie_for(entries, LOCAL, b"here", 10) == (COOKIE, b"any")
    assert cookie_for(entries, LOCAL, other, 1) == (b"", b"")
    wild = Entry(WILD, b"", b"", COOKIE, b"wild")
    assert cookie_for([wild, own], INTERNET, b"\x0a\0\0\1", 3) == (COOKIE, b"wild")
    unknown = wild._replace(name=b"XDM-AUTHORIZATION-1")
    assert cookie_for([unknown], LOCAL, b"here", 1) == (b"", b"")
