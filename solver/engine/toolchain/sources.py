"""Which sources the library is made of, their checksum, and the library's name.

Every start in a checkout imports this module: keep it light.
"""

from __future__ import annotations

import sys
from pathlib import Path
from zlib import crc32

ENGINE = Path(__file__).parents[1]
"""The folder of the sources, and of the library in a checkout."""


def c_sources() -> list[Path]:
    """Return the C files to compile."""
    return sorted(ENGINE.glob("*.c"))


def checksum() -> str:
    """Return eight hexadecimal digits that change with the sources, and with how they are compiled.

    It tells a checkout that has moved on from one that has not: no cryptographic hash is needed.
    """
    made_of = [*c_sources(), *sorted(ENGINE.glob("*.h")), Path(__file__).with_name("compiler.py")]
    found = 0
    for source in made_of:
        found = crc32(source.read_bytes(), crc32(source.name.encode(), found))
    return f"{found:08x}"


def suffix(platform: str = sys.platform) -> str:
    """Return how the name of a library ends on a platform, in Python's words or in zig's."""
    if "darwin" in platform or "macos" in platform:
        return ".dylib"
    return ".dll" if "win" in platform else ".so"


def library_name(platform: str = sys.platform) -> str:
    """Return the name of the library of these very sources.

    It holds the checksum. So a new library never replaces one that is loaded, which Windows would
    not allow.
    """
    return f"_engine-{checksum()}{suffix(platform)}"
