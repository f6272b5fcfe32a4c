"""Keys by name."""

import sys

import pytest

from bot.desktop.keys import KEYS, OTHER_NAMES, keysym, split_keys
from bot.errors import UsageError


def test_chords_are_split_and_named_alike() -> None:
    assert split_keys("Ctrl+N") == ("ctrl", "n")
    assert split_keys("esc") == ("escape",)
    assert set(OTHER_NAMES.values()) <= set(KEYS)


def test_an_unknown_key_is_an_error() -> None:
    with pytest.raises(UsageError, match="hyper"):
        split_keys("hyper+n")


def test_no_two_keys_share_a_number() -> None:
    assert len({key.code for key in KEYS.values()}) == len(KEYS)


@pytest.mark.skipif(sys.platform != "linux", reason="python-xlib comes with Linux")
def test_every_key_types_something() -> None:
    assert all(keysym(name) for name in KEYS)
    assert (keysym("n"), keysym("f2"), keysym("-")) == (0x6E, 0xFFBF, 0x2D)
