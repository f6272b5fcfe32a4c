"""Load pictures from files; refuse files that are damaged or are no screenshots."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import cv2
import numpy as np

from calibration.errors import BadImage
from calibration.frame import Frame

MAX_PIXELS = 64_000_000
"""Most pixels of a picture: two 8K screens. A larger one is a wrong file and fills the memory."""

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8\xff"


def load_image(path: str | Path) -> Frame:
    """Read a picture file as a frame; grey, 16-bit and transparent pictures become 8-bit RGB.

    Raises `BadImage` if the file is missing, no picture, cut off, damaged or too large.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadImage(f"{path} cannot be read: {error.strerror}.") from error
    if not data:
        raise BadImage(f"{path} is empty: save the screenshot again.")
    if data.startswith(_PNG):
        _check_png(path, data)
    elif data.startswith(_JPEG) and b"\xff\xd9" not in data[-64:]:
        raise BadImage(f"{path} is cut off: save the screenshot again.")
    try:
        pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        pixels = None
    if pixels is None:
        raise BadImage(f"{path} is not a picture that can be read: save a screenshot as PNG.")
    _check_size(path, pixels.shape[1], pixels.shape[0])
    return Frame(np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2RGB), dtype=np.uint8))


def _check_png(path: Path, data: bytes) -> None:
    """Check every chunk of a PNG: the decoder would fill missing parts with black."""
    at, kind = len(_PNG), b""
    while kind != b"IEND":
        header = data[at : at + 8]
        if len(header) < 8:
            raise BadImage(f"{path} is cut off: save the screenshot again.")
        length, kind = struct.unpack(">I4s", header)
        body, end = data[at + 8 : at + 8 + length], at + 12 + length
        if len(data) < end:
            raise BadImage(f"{path} is cut off: save the screenshot again.")
        if zlib.crc32(kind + body) != struct.unpack(">I", data[end - 4 : end])[0]:
            raise BadImage(f"{path} is damaged: save the screenshot again.")
        if kind == b"IHDR" and length >= 8:
            _check_size(path, *struct.unpack(">II", body[:8]))
        at = end


def _check_size(path: Path, width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        raise BadImage(
            f"{path} has {width} x {height} pixels, more than a screenshot can have: cut out the "
            "part with the board."
        )
