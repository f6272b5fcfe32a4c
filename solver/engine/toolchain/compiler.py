"""Find and run a C compiler.

    python -m solver.engine.toolchain.compiler [LIBRARY [FLAG...]]

compiles LIBRARY with more flags, such as those of a sanitizer; without arguments, the library of
the checkout.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from .sources import ENGINE, c_sources, checksum, library_name, suffix

ZIG = "ziglang>=0.13,<1"
"""A C compiler as a package of pip, for all platforms."""

COMPILER_OPTIONS = [
    "-std=c11",
    "-O3",
    "-ffp-contract=off",
    "-fvisibility=hidden",
    "-fPIC",
    "-shared",
]
"""Multiply and add must not be fused, so that every platform computes the same risks."""

X86_64 = ("x86_64", "amd64")
X86_64_V2 = ["-msse4.2", "-mpopcnt"]
"""What every x86-64 processor since 2009 supports, with flags that old compilers know too."""


class CannotCompile(Exception):
    """There is no C compiler, or it failed; the message is a clause without a full stop.

    ``output`` is the whole output of the compiler.
    """

    def __init__(self, reason: str, output: str = "") -> None:
        super().__init__(reason)
        self.output = output


def find_compiler() -> list[str]:
    """Return the command of a C compiler that works on this machine. Raises `CannotCompile`."""
    compiler = system_compiler()
    if compiler is None and find_spec("ziglang") is None:
        raise CannotCompile("no C compiler was found")
    return compiler or zig_compiler()


def system_compiler() -> list[str] | None:
    """Return the command of the system's compiler, or that of the variable CC."""
    options = X86_64_V2 if platform.machine().lower() in X86_64 else []
    chosen = shlex.split(os.environ.get("CC", ""), posix=os.name == "posix")
    if chosen and Path(chosen[0]).stem != "cl":  # Microsoft's compiler knows other flags
        return [*chosen, *options]
    if sys.platform == "win32":  # gcc there may be Cygwin's, whose libraries Python cannot load
        return None
    if sys.platform == "darwin":
        if not succeeds(["xcode-select", "-p"]):
            return None  # cc is there, but opens a window that offers to install a compiler
        options = [*options, "-arch", platform.machine()]  # Python's, which may be an emulated one
    return next(([name, *options] for name in ("cc", "gcc", "clang") if works(name)), None)


def zig_compiler(target: str = "") -> list[str]:
    """Return the command of the compiler of the package ziglang.

    ``target`` is a platform by zig's name; empty for this machine.
    """
    machine = target.partition("-")[0] or platform.machine().lower()
    # Without a model, zig uses everything that this machine's processor supports.
    model = "x86_64_v2" if machine in X86_64 else "baseline"
    if not target and sys.platform == "win32":
        target = "native-windows-gnu"
    command = [sys.executable, "-m", "ziglang", "cc", "-target", target or "native"]
    return [*command, f"-mcpu={model}"]


def works(name: str) -> bool:
    """Whether a compiler exists and builds a library; its headers may be missing."""
    if shutil.which(name) is None:
        return False
    with TemporaryDirectory() as folder:
        source = Path(folder, "trial.c")
        source.write_text("#include <math.h>\n#include <stdlib.h>\nint trial(void) { return 0; }\n")
        library = source.with_suffix(suffix())
        return succeeds([name, "-shared", "-fPIC", str(source), "-o", str(library), "-lm"])


def succeeds(command: Sequence[str]) -> bool:
    """Run a command silently; return whether it succeeded."""
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def compile_library(compiler: Sequence[str], library: Path, flags: Sequence[str] = ()) -> None:
    """Compile the engine into ``library``, atomically. Raises `CannotCompile`, `OSError`."""
    # A folder of its own, because linkers write more files; on the same disk, for `replace`.
    with TemporaryDirectory(prefix="_engine-", dir=library.parent) as folder:
        options = [*COMPILER_OPTIONS, *flags, f'-DSOURCES="{checksum()}"']
        sources = [str(source) for source in c_sources()]
        run_compiler([*compiler, *options, *sources, "-lm", "-o", library.name], folder)
        try:
            Path(folder, library.name).replace(library)
        except PermissionError:
            if not library.exists():  # else another process made it, and Windows has it loaded
                raise


def run_compiler(command: Sequence[str], folder: str) -> None:
    """Run a compiler in a folder. Raises `CannotCompile`."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except OSError as error:
        raise CannotCompile(f"the C compiler {command[0]} cannot be started ({error})") from None
    if done.returncode:
        reason = f"the C compiler {command[0]} failed ({first_error(done.stderr)})"
        raise CannotCompile(reason, done.stderr)


def first_error(output: str) -> str:
    """Return the most informative line of a compiler's output."""
    lines = output.strip().splitlines() or ["without a message"]
    return next((line for line in lines if "error:" in line), lines[-1])


def compile_checkout() -> Path:
    """Compile the library of a checkout, and remove older ones.

    Raises `CannotCompile`, `OSError`.
    """
    library = ENGINE / library_name()
    compile_library(find_compiler(), library)
    for older in ENGINE.glob(f"_engine-*{suffix()}"):
        if older != library:
            with suppress(OSError):  # Windows does not delete a loaded library
                older.unlink()
    return library


def main(library: str = "", *flags: str) -> None:
    """Compile the library of the checkout, or another one with more flags."""
    try:
        if library:
            compile_library(find_compiler(), Path(library).resolve(), flags)
        else:
            compile_checkout()
    except CannotCompile as error:
        raise SystemExit(error.output or str(error)) from None


if __name__ == "__main__":
    main(*sys.argv[1:])
