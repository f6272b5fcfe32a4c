"""Let pip compile the library, for a wheel or for a checkout (``pip install -e .``)."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

# hatchling runs this file by its path, before minebot can be imported.
sys.path.insert(0, str(Path(__file__).parents[1]))
from toolchain import compiler, sources  # type: ignore[import-not-found]


class EngineHook(BuildHookInterface[Any]):  # type: ignore[misc]
    """Adds the compiled library to a wheel, or places it beside the sources of a checkout."""

    def dependencies(self) -> list[str]:
        """Require a C compiler from the package index if the system has none."""
        return [] if compiler.system_compiler() else [compiler.ZIG]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile."""
        try:
            if version == "editable":
                compiler.compile_checkout()
            else:
                self.add_library(build_data)
        except (compiler.CannotCompile, OSError) as error:
            self.app.abort(str(error))

    def add_library(self, build_data: dict[str, Any]) -> None:
        """Compile for this platform, or for the one that `wheels.py` asks for."""
        target = os.environ.get("MINEBOT_TARGET", "")
        command = compiler.zig_compiler(target) if target else compiler.find_compiler()
        self.folder = TemporaryDirectory()
        library = Path(self.folder.name, sources.library_name(target or sys.platform))
        compiler.compile_library(command, library, ["-s"])  # stripped of local names
        build_data["force_include"][str(library)] = f"solver/engine/{library.name}"
        build_data["tag"] = f"py3-none-{os.environ.get('MINEBOT_PLATFORM') or own_platform()}"
        build_data["pure_python"] = False

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the library, which is in the wheel now."""
        if version != "editable":
            self.folder.cleanup()


def own_platform() -> str:
    """Return pip's tag for this machine, without promising an older C library than it has."""
    promising = ("manylinux", "musllinux")
    return next(str(tag) for tag in platform_tags() if not tag.startswith(promising))
