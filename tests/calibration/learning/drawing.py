"""Characters for drawn boards that are the same on every machine: the fonts of matplotlib."""

from functools import cache
from pathlib import Path

import matplotlib

from calibration.learning import glyphs

GROUND_STYLES = {"DejaVuSans": "Book", "DejaVuSans-Bold": "Bold", "DejaVuSerif": "Book"}


@cache
def characters():
    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    faces = [glyphs.Font(str(folder / f"{name}.ttf"), 0, "DejaVu Sans", style)
             for name, style in GROUND_STYLES.items()]  # fmt: skip
    return glyphs.Characters(faces, faces, glyphs.having)
