"""What the scripts of this folder share: options, tables that grow line by line, and spreads."""

import argparse
import time

import numpy as np


def parser(doc, **options):
    """Make a parser whose help is a script's docstring.

    An option is given as its default, or as its type where it has none; False makes a switch.
    """
    made = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in options.items():
        flag = f"--{name.replace('_', '-')}"
        if default is False:
            made.add_argument(flag, action="store_true")
        elif isinstance(default, type):
            made.add_argument(flag, type=default)
        else:
            made.add_argument(flag, type=type(default), default=default)
    return made


class Table:
    """Prints the names of its columns, and then each line at once."""

    def __init__(self, first, *others, width=16):
        self._widths = [len(name) + 2 for name in others]
        self._first = width
        self.line(first, *others)

    def line(self, first, *others):
        cells = (f"{_text(one):>{wide}}" for one, wide in zip(others, self._widths, strict=True))
        print(f"{first!s:{self._first}}" + "".join(cells), flush=True)

    def note(self, notes):
        """Print sentences below the last line."""
        for one in notes:
            print(f"    {one}", flush=True)


def _text(value):
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def time_ms(act, clock=time.process_time):
    """Return the milliseconds that a call takes, by default of this process's processor time."""
    begun = clock()
    act()
    return 1e3 * (clock() - begun)


def spread(name, values, unit="ms"):
    """Print the median of some figures, their 5 and 95 %, and the largest."""
    low, middle, high = np.percentile(values, (5, 50, 95))
    print(
        f"{name}: median {middle:.4g} {unit}, 5-95 % {low:.4g}-{high:.4g}, "
        f"worst {max(values):.4g}, n = {len(values)}",
        flush=True,
    )
