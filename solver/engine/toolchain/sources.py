"""The sources of the library, their checksum, and the library's name.

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
    """Return eight hexadecimal digits that change with the sources and the way they are compiled.

    They only show whether a checkout has changed: a cryptographic hash is not needed.
    """
    made_of = [*c_sources(), *sorted(ENGINE.glob("*.h")), Path(__file__).with_name("compiler.py")]
    found = 0
    for source in made_of:
        found = crc32(source.read_bytes(), crc32(source.name.encode(), found))
    return f"{found:08x}"


def suffix(platform: str = sys.platform) -> str:
    """Return the suffix of libraries on a platform, by Python's or zig's name."""
    if "darwin" in platform or "macos" in platform:
        return ".dylib"
    return ".dll" if "win" in platform else ".so"


def library_name(platform: str = sys.platform) -> str:
    """Return the name of the library of these sources.

    It includes the checksum, so that a new library never replaces a loaded one, which Windows does
    not allow.
    """
    return f"_engine-{checksum()}{suffix(platform)}"
