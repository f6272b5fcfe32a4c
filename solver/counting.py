"""Write a number with its noun, in the singular or the plural."""

from __future__ import annotations


def counted(count: int, one: str, many: str | None = None) -> str:
    """Write a number with its noun; ``many`` is the plural if it is not ``one`` with an s.

    >>> counted(1, "cell"), counted(2, "cell"), counted(2, "guess", "guesses")
    ('1 cell', '2 cells', '2 guesses')
    """
    return f"{count} {one if count == 1 else many or one + 's'}"
