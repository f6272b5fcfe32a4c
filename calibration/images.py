"""Load pictures from files; refuse files that are damaged or not pictures.

A picture of few colours, such as a GIF, may show other colours as a pattern of its own colours: it
is dithered. Dithering is smoothed away, because on a small tile it looks like a drawing.
"""

from __future__ import annotations

import io
import logging
import os
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import BadImage
from calibration.frame import Frame
from calibration.jpeg import BLENDED_PX, Jpeg
from solver.bounds import PICTURE_BYTES, PICTURE_PIXELS
from solver.files import read_file

Pixels: TypeAlias = NDArray[np.uint8]

FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF", "PPM")
"""Pictures that are read, as Pillow names them: what programs save screenshots as."""

PART_BYTES = 1_000_000
"""Bytes of a picture's data that are unpacked at once, to check that they are there."""

PALETTE, DITHERED = 256, 0.1
"""Most colours of a dithered picture, and least share of its pixels that differ from all four
neighbours. Of 23 dithered pictures of boards two have less; no screenshot has more than 0.06."""

SAMPLED = 64
"""Rows in which colours are counted first: most pictures have too many colours there already."""

SMOOTHED_PX, SMOOTHED_STEP, SMOOTHED_REACH = 7, 100.0, 2.0
"""Side of the windows in which a dithered picture is smoothed, in pixels, and the two deviations of
the filter: in colour steps, red, green and blue added, and in pixels."""

_ADAM7 = (
    *((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4)),
    *((0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)),
)
"""The passes of an interlaced PNG: where each begins, and its steps."""

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8\xff"
_TIFF = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")

ORIENTATION = 0x0112
"""The entry of Exif that says how the camera was held."""

STDERR = 2


def load_image(path: str | Path, *, links: bool = True) -> Frame:
    """Read a picture file as a frame; grey, 16-bit and transparent pictures become 8-bit RGB.

    A dithered picture is smoothed. The size is checked before decoding. Raises `BadImage` if the
    file is missing, not a picture, cut off, damaged or too large, and without ``links`` if it is a
    link.
    """
    path = Path(path)
    try:
        data = read_file(path, PICTURE_BYTES, links=links)
    except OSError as error:
        raise BadImage(f"{path} cannot be read: {error.strerror}.") from error
    if not data:
        raise BadImage(f"{path} is empty: save the screenshot again.")
    if data.startswith(_JPEG):
        pixels = _decode_jpeg(path, data)
    else:
        if data.startswith(_PNG):
            _check_png(path, data)
        _, pixels = _decode(path, data)
    return Frame(smoothed(pixels) if is_dithered(pixels) else pixels)


def is_dithered(pixels: NDArray[np.uint8]) -> bool:
    """Whether a picture of few colours has a pattern of single pixels."""
    codes = cv2.cvtColor(pixels, cv2.COLOR_RGB2RGBA).view(np.uint32)[..., 0]
    if len(np.unique(codes[:: max(1, len(codes) // SAMPLED)])) > PALETTE:
        return False
    middle = codes[1:-1, 1:-1]
    around = codes[:-2, 1:-1], codes[2:, 1:-1], codes[1:-1, :-2], codes[1:-1, 2:]
    single = np.logical_and.reduce([middle != other for other in around])
    if not single.size or single.mean() < DITHERED or not np.ptp(pixels, axis=2).any():
        return False  # a grey one has no more colours, whatever it shows
    return len(np.unique(codes)) <= PALETTE


def smoothed(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Smooth a picture except its edges, by a bilateral filter (Tomasi and Manduchi, 1998)."""
    even = cv2.bilateralFilter(pixels, SMOOTHED_PX, SMOOTHED_STEP, SMOOTHED_REACH)
    return np.asarray(even, np.uint8)


def _decode(path: Path, data: bytes, most: int = PICTURE_PIXELS) -> tuple[Pixels, Pixels]:
    """Decode a picture to RGB: as stored, and turned by its camera's entry. Raises `BadImage`.

    By Pillow, not OpenCV: it reports pictures that are cut off instead of filling them up, and
    reads the size before it decodes.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError  # noqa: PLC0415  not for commands that read no picture

    try:
        with _silent_codecs(data), Image.open(io.BytesIO(data), formats=FORMATS) as picture:
            _check_size(path, *picture.size, most)
            picture.load()
            stored = _rgb(picture)
            if picture.getexif().get(ORIENTATION, 1) == 1:
                return stored, stored
            return stored, _rgb(ImageOps.exif_transpose(picture))
    except BadImage:
        raise
    except Image.DecompressionBombError as error:
        raise BadImage(f"{path} has more pixels than a screenshot can have.") from error
    except Exception as error:  # a decoder raises dozens of kinds for damaged data
        reason = "cut off" if "truncated" in str(error) else "damaged"
        if isinstance(error, UnidentifiedImageError):
            raise BadImage(
                f"{path} is not a picture that can be read: save a screenshot as PNG."
            ) from error
        raise BadImage(f"{path} is {reason}: save the screenshot again.") from error


@contextmanager
def _silent_codecs(data: bytes) -> Iterator[None]:
    """Keep codecs from writing to standard error; damage is reported in a sentence.

    libtiff writes there from C, past Python's own stream. Output of other threads to standard error
    while a TIFF is decoded is lost, too.
    """
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        logger = logging.getLogger("PIL")
        stack.callback(logger.setLevel, logger.level)
        logger.setLevel(logging.CRITICAL)
        if data.startswith(_TIFF):
            kept, nowhere = os.dup(STDERR), os.open(os.devnull, os.O_WRONLY)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, STDERR)
            os.dup2(nowhere, STDERR)
            os.close(nowhere)
        yield


def _rgb(picture: Any) -> NDArray[np.uint8]:
    if picture.mode.startswith("I"):  # 16 bits of grey
        grey = (np.asarray(picture).astype(np.int64) >> 8).clip(0, 255).astype(np.uint8)
        return np.repeat(grey[..., None], 3, axis=2)
    return np.array(picture.convert("RGB"), dtype=np.uint8)


def _decode_jpeg(path: Path, data: bytes) -> Pixels:
    """Decode a JPEG twice, to check that it is whole; see `calibration.jpeg`. Raises `BadImage`."""
    try:
        jpeg = Jpeg.parse(data)
        damaged, cut_off = jpeg.is_damaged, jpeg.is_cut_off
        filled = jpeg.with_filler()
        plain, taller = jpeg.taller()
    except (ValueError, LookupError):  # its segments break off
        damaged, cut_off = False, True
    if damaged:
        raise BadImage(f"{path} is damaged: save the screenshot again.")
    if cut_off:
        raise BadImage(f"{path} is cut off: save the screenshot again.")
    stored, pixels = _decode(path, filled)
    other, _ = _decode(path, plain, 2 * PICTURE_PIXELS)
    high = len(stored) if taller is None else len(stored) - BLENDED_PX
    if not np.array_equal(stored[:high], other[:high]):
        raise BadImage(f"{path} is cut off: save the screenshot again.")
    if taller is not None and taller.hold_data(other):
        raise BadImage(f"{path} is damaged: save the screenshot again.")
    return pixels


def _check_png(path: Path, data: bytes) -> None:
    """Check every chunk of a PNG and that no line is missing: decoders fill them with black."""
    at, kind = len(_PNG), b""
    missing, inflating = 0, zlib.decompressobj()
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
        if kind == b"IHDR" and length == 13:
            _check_size(path, *struct.unpack(">II", body[:8]))
            missing = _png_bytes(body)
        if kind == b"IDAT":
            missing -= _inflated(path, inflating, body, missing)
        at = end
    if missing > 0:
        raise BadImage(f"{path} is cut off: save the screenshot again.")


def _inflated(path: Path, inflating: zlib._Decompress, body: bytes, most: int) -> int:
    """Return how many bytes a part of a picture's data unpacks to, ``most`` at most."""
    found = 0
    try:
        while body and found < most:
            part = inflating.decompress(body, min(PART_BYTES, most - found))
            found, body = found + len(part), inflating.unconsumed_tail
    except zlib.error as error:
        raise BadImage(f"{path} is damaged: save the screenshot again.") from error
    return found


def _png_bytes(header: bytes) -> int:
    """Return how many bytes the lines of a PNG have, each with its filter byte."""
    wide, high, depth, colours, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    bits = depth * {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}.get(colours, 0)
    size = 0
    for x, y, step_x, step_y in _ADAM7 if interlaced else ((0, 0, 1, 1),):
        across, down = -(-(wide - x) // step_x), -(-(high - y) // step_y)
        if across > 0 and down > 0:
            size += down * (1 + -(-across * bits // 8))
    return size


def _check_size(path: Path, width: int, height: int, most: int = PICTURE_PIXELS) -> None:
    if width * height > most:
        raise BadImage(
            f"{path} has {width} x {height} pixels, more than a screenshot can have: cut out the "
            "part with the board."
        )
