"""Write numbers for people: with a noun, in percent, with a useful number of digits."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def counted(count: int, one: str, many: str | None = None) -> str:
    """Write a number with its noun; ``many`` is the plural if it is not ``one`` with an s.

    >>> counted(1, "cell"), counted(2, "cell"), counted(2, "guess", "guesses")
    ('1 cell', '2 cells', '2 guesses')
    """
    return f"{count} {one if count == 1 else many or one + 's'}"


def percent(chance: float) -> str:
    """Write a chance in percent; only certainty reads 100 % and only impossibility 0 %.

    Near these it has two significant digits, down to a ten-thousandth of a percent.

    >>> percent(0.794), percent(0.000109), percent(0.9999), percent(1.0)
    ('79.4 %', '0.011 %', '99.990 %', '100 %')
    """
    if chance in (0.0, 1.0):
        return f"{100 * chance:.0f} %"
    part = 100 * chance
    if part < 0.0001:
        return "under 0.0001 %"
    digits = 1
    while digits < 6 and min(part, 100 - part) * 10**digits < 9.5:
        digits += 1
    text = f"{part:.{min(digits, 6)}f}"
    return f"{text if float(text) < 100 else '99.9999'} %"


def rounded(value: float) -> str:
    """Write a figure with one decimal, a small one with two significant digits.

    >>> rounded(3.52), rounded(0.0204), rounded(0.0)
    ('3.5', '0.02', '0')
    """
    return f"{value:.1f}" if value >= 1.0 else f"{value:.2g}"


def meant(word: str, known: Iterable[str]) -> str:
    """Return a sentence with the known word that is most like ``word``, '' if none is."""
    bare = {name.lstrip("-"): name for name in known}  # dashes would make all options alike
    close = difflib.get_close_matches(word.partition("=")[0].lstrip("-"), bare, n=1)
    return f" Did you mean {bare[close[0]]}?" if close else ""


def no_such(kind: str, name: str, known: Iterable[str], more: Iterable[str] = ()) -> str:
    """Return the sentences for an unknown name, with the known ones.

    >>> no_such("skin", "clasic", ["classic", "flat"])
    "There is no skin 'clasic'. Did you mean classic? Known: classic, flat."
    """
    names = list(known)
    return f"There is no {kind} {name!r}.{meant(name, names)} Known: {', '.join([*names, *more])}."
