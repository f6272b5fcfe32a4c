"""Read untrusted files, up to limits of their size, and write files atomically.

Only plain files are read. Files are untrusted: anything larger than the limits below is rejected
with one sentence, so that no file can fill the memory or block a command. The longest side of a
board is `solver.board.MAX_SIDE`. A file is written under a temporary name and then renamed; it
replaces an old one only if the caller says so. Nothing is written through a link.
"""

from __future__ import annotations

import codecs
import errno
import json
import os
import re
import secrets
import stat
import tomllib
import zipfile
from collections.abc import Callable
from contextlib import suppress
from math import isfinite
from pathlib import Path
from typing import IO, Any

PICTURE_PIXELS = 25_000_000
"""Three 4K screens. Of 22 pictures of this size, full of lines, boards or noise, one took 13 s of
processor time on a busy machine, the others up to 9 s; one needed 1.2 GB, the others 0.7."""

PICTURE_BYTES = 128_000_000
"""A picture of `PICTURE_PIXELS` without compression, with transparency, and some room."""

PICTURE_SCANS = 100
"""Scans of a JPEG: each goes over the whole picture. Encoders write one to twelve."""

PICTURE_MARKERS = 500_000
"""Markers of a JPEG, its restarts included: a restart after each unit of the largest picture has
400,000."""

SESSION_BYTES = 64_000_000
"""The lines of a recorded session: about 800 games of expert."""

RESULTS_BYTES = 128_000_000
"""A results file, or a file of boards: more than a million games, or 200,000 boards of expert."""

TEXT_BYTES = 1_000_000
"""A board as text, and one line for the engine: six times the largest board."""

TOML_BYTES = 1_000_000
"""A theme, calibration, configuration or recipe; the largest built-in theme has 40 KB."""

ARCHIVE_BYTES = 512_000_000
"""The arrays of a checkpoint, unpacked: boards and moves to learn from, beside the weights."""

WEIGHTS_BYTES = 32_000_000
"""The arrays of weights, unpacked; the largest that ship have 3 MB. Numbers of four bits become
floats of 32, so that they take eight times as much in memory."""

NESTED = 32
"""Brackets that may be open at once in JSON or TOML; no format of this program has ten."""

KEY_PARTS = 16
"""Parts of a TOML key such as ``a.b.c``: the parser's work grows with their square."""

LARGEST_NUMBER = 2**63 - 1
"""The largest whole number of JSON or TOML, and the largest that TOML itself allows."""


NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
NO_WAIT = getattr(os, "O_NONBLOCK", 0)
BINARY = getattr(os, "O_BINARY", 0)
"""Flags of `os.open` that not every system has."""

LONGEST_NAME = 255
"""Characters in the name of a file."""

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of a disk that is full or gone."""


def read_file(path: str | Path, most: int, *, links: bool = True) -> bytes:
    """Read a plain file of at most ``most`` bytes, opened as `open_file` does. Raises `OSError`."""
    with open_file(path, links=links) as file:
        size = os.fstat(file.fileno()).st_size  # 0 for files of /proc, whatever they hold
        data = file.read(1 + (min(size, most) or most))
    if len(data) > most or size > most:
        raise OSError(errno.EFBIG, f"it is larger than {most / 1e6:g} MB", str(path))
    return data


def open_file(path: str | Path, *, links: bool = True) -> IO[bytes]:
    """Open a plain file to read.

    Pipes and devices are rejected without waiting for them; links too, unless ``links``. Raises
    `OSError` with one plain reason as its ``strerror``.
    """
    path = Path(path)
    if not links and path.is_symlink():
        raise OSError(errno.ELOOP, "it is a link, not a file", str(path))
    try:
        opened = os.open(path, os.O_RDONLY | BINARY | NO_WAIT | (0 if links else NO_FOLLOW))
    except PermissionError as error:
        if path.is_dir():  # which Windows does not open
            raise OSError(errno.EISDIR, "it is a folder", str(path)) from error
        raise
    except ValueError as error:  # a zero byte in the name
        raise OSError(errno.EINVAL, "its name has a zero byte", str(path)) from error
    mode = os.fstat(opened).st_mode
    if stat.S_ISREG(mode):
        return open(opened, "rb")
    os.close(opened)
    if stat.S_ISDIR(mode):
        raise OSError(errno.EISDIR, "it is a folder", str(path))
    raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))


def read_text(path: str | Path, most: int) -> str:
    """Read a plain file of UTF-8 or UTF-16 text, as `read_file` does. Raises `OSError`."""
    data = read_file(path, most)
    try:
        return data.decode(encoding_of(data)).replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise OSError(errno.EILSEQ, "it is not UTF-8 text", str(path)) from error


def unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Unpack a file of an archive, and no more than the size that the archive gives it.

    Only what is stored, or packed by deflate, which is unpacked in parts: `ZipFile.read` and other
    methods unpack all there is. Raises `ValueError`, and what `zipfile` raises.
    """
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{member.filename} is packed in another way")
    with archive.open(member) as file:
        data = file.read(member.file_size)
    if len(data) != member.file_size:
        raise ValueError(f"the size of {member.filename} is wrong")
    return data


def encoding_of(start: bytes) -> str:
    """Return the encoding of a text by its first four bytes: UTF-8, or UTF-16 as on Windows.

    >>> encoding_of("1#".encode("utf-16-le")), encoding_of(b"1##")
    ('utf-16-le', 'utf-8-sig')
    """
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    zeros = [byte == 0 for byte in start[:4]]
    if zeros == [False, True, False, True]:
        return "utf-16-le"
    return "utf-16-be" if zeros == [True, False, True, False] else "utf-8-sig"


def write_file(
    path: str | Path, data: bytes | str, *, replace: bool = False, mode: int = 0o666
) -> None:
    """Write a file atomically, as `fill_file` does."""
    content = data.encode("utf-8", "replace") if isinstance(data, str) else data
    fill_file(path, lambda file: file.write(content), replace=replace, mode=mode)


def fill_file(
    path: str | Path,
    write: Callable[[IO[bytes]], object],
    *,
    replace: bool = False,
    mode: int = 0o666,
) -> None:
    """Write atomically: let ``write`` fill a temporary file, then rename it.

    The temporary file has a random name in the same folder, which is created if missing. An old
    file is replaced only with ``replace``; ``mode`` is narrowed by the umask. Raises `OSError`.
    """
    path = Path(path)
    check_place(path, replace=replace)
    if path.is_char_device():  # such as /dev/null
        with path.open("wb") as device:
            write(device)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with open(create(part, mode), "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:  # Ctrl-C leaves no temporary file behind, either
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def create(path: Path, mode: int = 0o666) -> int:
    """Create a file and open it to write. Raises `OSError` if a file or link exists."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, mode)


def append_file(path: str | Path, text: str) -> None:
    """Write text at the end of a plain file, made if it is missing. Raises `OSError`."""
    path = Path(path)
    check_place(path, replace=True)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | NO_FOLLOW | BINARY
    with open(os.open(path, flags, 0o666), "ab") as file:
        file.write(text.encode("utf-8"))


def check_place(path: Path, *, replace: bool = False) -> None:
    """Raise `OSError` unless the file ``path`` may be created or, with ``replace``, replaced.

    Links are not followed. Raises `FileExistsError` if there is a file that is not empty, so that
    a mistyped name does not destroy it.
    """
    try:
        found = path.lstat()
    except FileNotFoundError:
        # On Windows, both look like a file that is not there.
        if len(path.name) > LONGEST_NAME:
            raise OSError(errno.ENAMETOOLONG, "its name is too long", str(path)) from None
        if any(parent.is_file() for parent in path.parents):
            raise OSError(errno.ENOTDIR, "its folder is a file", str(path)) from None
        return
    mode = found.st_mode
    if stat.S_ISLNK(mode):
        raise OSError(errno.ELOOP, "it is a link, which is not followed", str(path))
    if stat.S_ISCHR(mode):
        return
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is not a plain file", str(path))
    if found.st_size and not replace:
        raise FileExistsError(errno.EEXIST, "a file is there already", str(path))


def parse_json(text: str | bytes) -> Any:
    """Read JSON with finite numbers of at most 64 bits, and text without lone surrogates.

    Raises `ValueError` with one plain reason, also for deep nesting.
    """
    try:
        text = text.decode("utf-8") if isinstance(text, bytes) else text
        _check_nesting(text, _JSON_TOKENS)
        data = json.loads(text, parse_int=_whole, parse_float=_finite, parse_constant=_no_number)
        if _HALF.search(text):
            json.dumps(data, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        raise ValueError("it is not JSON") from error
    except UnicodeError as error:
        raise ValueError("it is not text, or holds half a character") from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    return data


def parse_toml(text: str) -> dict[str, Any]:
    """Read TOML within the bounds. Raises `ValueError` with one plain reason."""
    _check_nesting(text, _TOML_TOKENS)
    if _LONG_KEY.search(text):
        raise ValueError(f"a key has more than {KEY_PARTS} parts")
    try:
        data = tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    _check_numbers(data)
    return data


_JSON_TOKENS = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_TOML_TOKENS = re.compile(r"""\"(?:[^"\\\n]++|\\.)*+"?|'[^'\n]*+'?|#[^\n]*+|[\[{]|[\]}]""")
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_KEY = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+"""
_LONG_KEY = re.compile(rf"(?<![\w-])(?:{_KEY}\.[ \t]*+){{{KEY_PARTS}}}")


def _check_nesting(text: str, tokens: re.Pattern[str]) -> None:
    """Raise `ValueError` if too many brackets are open at once; those within text do not count."""
    if text.count("[") + text.count("{") <= NESTED:
        return
    depth = 0
    for token in tokens.finditer(text):
        first = token[0][0]
        if first in "[{":
            depth += 1
            if depth > NESTED:
                raise ValueError("it is nested too deeply")
        elif first in "]}":
            depth -= 1


def _whole(digits: str) -> int:
    if len(digits) > 20 or not _fits(number := int(digits)):
        raise ValueError("a number has too many digits")
    return number


def _fits(number: int) -> bool:
    return -LARGEST_NUMBER - 1 <= number <= LARGEST_NUMBER


def _finite(digits: str) -> float:
    if not isfinite(number := float(digits)):
        raise ValueError("a number is too large")
    return number


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def _check_numbers(data: Any) -> None:
    """Raise `ValueError` for a whole number beyond 64 bits, at any depth."""
    left = [data]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            left.extend(value.values())
        elif isinstance(value, list):
            left.extend(value)
        elif isinstance(value, int) and not _fits(value):
            raise ValueError("a number has too many digits")
