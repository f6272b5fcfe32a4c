"""Build the wheels of all platforms on one Linux machine, with zig.

pip install hatchling ziglang && python solver/engine/toolchain/wheels.py [DIRECTORY]
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TARGETS = {
    "manylinux_2_17_x86_64.manylinux2014_x86_64": "x86_64-linux-gnu.2.17",
    "manylinux_2_17_aarch64.manylinux2014_aarch64": "aarch64-linux-gnu.2.17",
    "musllinux_1_2_x86_64": "x86_64-linux-musl",
    "musllinux_1_2_aarch64": "aarch64-linux-musl",
    "win_amd64": "x86_64-windows-gnu",
    "win_arm64": "aarch64-windows-gnu",
    "macosx_11_0_x86_64": "x86_64-macos.11.0",
    "macosx_11_0_arm64": "aarch64-macos.11.0",
}
"""Platforms by pip's names, and by zig's."""


def build(kind: str, directory: Path, **variables: str) -> None:
    """Build the source distribution or a wheel; ``variables`` are for the build hook."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(directory)]
    subprocess.run(command, cwd=Path(__file__).parents[3], env=os.environ | variables, check=True)


def main(directory: str = "dist") -> None:
    """Build all files of a release."""
    place = Path(directory).resolve()
    build("sdist", place)
    for platform, target in TARGETS.items():
        build("wheel", place, MINEBOT_PLATFORM=platform, MINEBOT_TARGET=target)


if __name__ == "__main__":
    main(*sys.argv[1:])
