"""Load pictures from files; refuse files that are damaged or not pictures.

A picture of few colours, such as a GIF, may show other colours as a pattern of its own colours: it
is dithered. Dithering is smoothed away, because on a small tile it looks like a drawing.

A decoder of JPEGs fills the rest of a truncated picture with grey and reports no error. Therefore a
meaningless filler is put at each end of the coded data: a decoder that has all it needs does not
read it, and one that lacks data reads it as the rest. The picture is complete if it is the same
without the filler.

After a wrong bit, the decoder continues in the middle of other codes, so that it often ends before
the data does. The picture decoded without the filler is therefore made taller: a decoder that has
used all data leaves the added rows grey, any other one draws the rest of the data there.
"""

from __future__ import annotations

import io
import logging
import os
import re
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import BadImage
from calibration.frame import Frame
from solver.files import PICTURE_BYTES, PICTURE_MARKERS, PICTURE_PIXELS, PICTURE_SCANS, read_file

FILLER = bytes((37 * number + 11) % 255 for number in range(64))
"""Bytes without a marker: they all differ, and none is 255."""

NEUTRAL = 128
"""The grey of a block without data; in a CMYK picture it becomes another grey."""

BLENDED_PX = 2
"""Rows and columns into which a decoder may smooth the colours of a neighbouring block."""

_SCAN, _END, _PROGRESSIVE = 0xDA, 0xD9, 0xC2
_RESTARTS = range(0xD0, 0xD8)
_INTERVAL, _FRAMES = 0xDD, (0xC0, 0xC1, _PROGRESSIVE)
_ALONE = {0x01, *_RESTARTS}
"""Markers without a length; restarts are within the coded data."""

_NOTES = {*range(0xE0, 0xF0), 0xFE}
"""Markers of applications and comments."""

_KEPT = {0xE0: b"JFIF\0", 0xE1: b"Exif\0\0", 0xEE: b"Adobe"}
"""The kept ones, once each: the colours, and how the camera was held."""

_MARKER = re.compile(rb"(?:[^\xff]++|\xff++\x00)*+(\xff++[^\x00\xff])")
"""The next marker and the coded data before it, in which a 0 follows each 255."""

_TALLEST = 65_000
"""Greatest height that decoders accept, minus the rows that are added."""


@dataclass(frozen=True)
class Segment:
    """A marker, where it begins, and what its segment holds.

    Coded data comes between the end of a scan's segment and the next marker.
    """

    marker: int
    start: int
    body: slice


@dataclass(frozen=True)
class Jpeg:
    """A JPEG up to the end of its picture, without notes of applications."""

    data: bytes
    segments: tuple[Segment, ...]

    @classmethod
    def parse(cls, data: bytes) -> Jpeg:
        """Split a JPEG into its segments.

        Raises `ValueError` for one without an end, or with more markers than `solver.files`
        allows.
        """
        parts, kept, wanted = [data[:2]], set[int](), False
        at = count = 0
        for count, one in enumerate(_segments(data), start=1):
            if count > PICTURE_MARKERS:
                raise ValueError("the JPEG has too many markers")
            parts += [data[at : one.start]] if wanted else []
            at, wanted = one.start, _is_wanted(one, data, kept)
            if one.marker == _END:
                break
        if not count or one.marker != _END:
            raise ValueError("the JPEG has no end")
        bare = b"".join([*parts, bytes((255, _END))])
        return cls(bare, tuple(_segments(bare)))

    @property
    def is_damaged(self) -> bool:
        """Whether it has more scans than any encoder writes."""
        return sum(one.marker == _SCAN for one in self.segments) > PICTURE_SCANS

    @property
    def is_cut_off(self) -> bool:
        """Whether scans or restarts are missing. Raises `LookupError` or `ValueError`."""
        return self._lacks_scans() or self._lacks_restarts()

    def with_filler(self) -> bytes:
        """Return the JPEG with `FILLER` before every marker that ends coded data."""
        parts, at, in_scan = list[bytes](), 0, False
        for one in self.segments:
            parts += [self.data[at : one.start], FILLER] if in_scan else [self.data[at : one.start]]
            at = one.start
            in_scan = one.marker == _SCAN or (in_scan and one.marker in _ALONE)
        return b"".join([*parts, self.data[at:]])

    def taller(self) -> tuple[bytes, Taller | None]:
        """Return the JPEG with rows added below, and where they are.

        Only if it is coded in one piece, without restarts; otherwise it is returned unchanged.
        """
        marks = [one.marker for one in self.segments if one.marker in (_SCAN, *_RESTARTS)]
        frames = [one for one in self.segments if one.marker in _FRAMES]
        if marks != [_SCAN] or len(frames) != 1:
            return self.data, None
        frame = self.data[frames[0].body]
        scan = next(self.data[one.body] for one in self.segments if one.marker == _SCAN)
        if scan[0] != frame[5]:
            return self.data, None
        most_x, most_y = _most_samples(_factors(frame))
        unit_x, unit_y = (8, 8) if scan[0] == 1 else (8 * most_x, 8 * most_y)
        end = -(-int.from_bytes(frame[1:3]) // unit_y) * unit_y
        if end > _TALLEST or frame[0] != 8:
            return self.data, None
        at = frames[0].body.start + 1
        height = (end + 2 * unit_y).to_bytes(2)
        return self.data[:at] + height + self.data[at + 2 :], Taller(
            end, unit_x, unit_y, frame[5] == 4
        )

    def _lacks_scans(self) -> bool:
        """Whether a progressive JPEG ends between two scans, so that some bits are missing."""
        missing: dict[tuple[int, int], int] = {}
        for one in self.segments:
            body = self.data[one.body]
            if one.marker == _PROGRESSIVE:
                missing = {(one, k): 1 for one in body[6 : 6 + 3 * body[5] : 3] for k in range(64)}
            elif one.marker == _SCAN and missing:
                count = body[0]
                first, last, bits = body[1 + 2 * count : 4 + 2 * count]
                for part in body[1 : 1 + 2 * count : 2]:
                    missing |= {(part, k): bits & 15 for k in range(first, min(last, 63) + 1)}
        return any(missing.values())

    def _lacks_restarts(self) -> bool:
        """Whether restarts that its size requires are missing, or in a wrong order.

        A decoder fills up what lies between missing restarts.
        """
        interval = found = wanted = 0
        frame = b""
        for one in self.segments:
            if one.marker in _RESTARTS:
                if one.marker != _RESTARTS[found % len(_RESTARTS)]:
                    return True
                found += 1
                continue
            if found != wanted:
                return True
            body = self.data[one.body]
            if one.marker == _INTERVAL:
                interval = int.from_bytes(body[:2])
            elif one.marker in _FRAMES:
                frame = body
            elif one.marker == _SCAN:
                units = _units(frame, body) if interval else 0
                found, wanted = 0, max(0, -(-units // interval) - 1) if interval else 0
        return False


@dataclass(frozen=True)
class Taller:
    """Rows that were added to a JPEG: the first one, and the size of a unit of its code."""

    first: int
    unit_x: int
    unit_y: int
    is_cmyk: bool

    def hold_data(self, pixels: NDArray[np.uint8]) -> bool:
        """Whether these rows of the decoded picture show more than the last bits of the data.

        The bits that fill up the last byte may make a unit of their own.
        """
        rows = pixels[self.first + BLENDED_PX :]
        left = self.unit_x + BLENDED_PX
        upper, lower = rows[: self.unit_y - BLENDED_PX, left:], rows[self.unit_y :]
        neutral = pixels[-1, -1] if self.is_cmyk else NEUTRAL
        return bool((upper != neutral).any() or (lower != neutral).any())


def _is_wanted(one: Segment, data: bytes, kept: set[int]) -> bool:
    """Whether a segment belongs to the picture; notes that are ``kept`` count once."""
    if one.marker not in _NOTES:
        return True
    start = _KEPT.get(one.marker)
    if start is None or one.marker in kept or not data[one.body].startswith(start):
        return False
    kept.add(one.marker)
    return True


def _units(frame: bytes, scan: bytes) -> int:
    """Return how many units a scan codes: blocks of 8 pixels, or one block of each colour."""
    high, wide = int.from_bytes(frame[1:3]), int.from_bytes(frame[3:5])
    factors = _factors(frame)
    most_x, most_y = _most_samples(factors)
    x, y = (most_x, most_y) if scan[0] > 1 else factors[scan[1]]
    # The sides of what is coded, in units: one colour has fewer blocks where it is coarser.
    unit_x, unit_y = (8, 8) if scan[0] == 1 else (8 * most_x, 8 * most_y)
    across, down = -(-wide * x // most_x), -(-high * y // most_y)
    return int(-(-across // unit_x) * -(-down // unit_y))


def _factors(frame: bytes) -> dict[int, tuple[int, int]]:
    """Return how many samples of each colour a unit has, across and down."""
    return {one: divmod(both, 16) for one, both in zip(frame[6::3], frame[7::3], strict=False)}


def _most_samples(factors: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Return the most samples across and down. Raises `ValueError` where there are none."""
    most_x, most_y = (max(side) for side in zip(*factors.values(), strict=True))
    if min(most_x, most_y) < 1:
        raise ValueError("the colours of the JPEG have no samples")
    return most_x, most_y


def _segments(data: bytes) -> Iterator[Segment]:
    """Yield each segment up to the end of the picture."""
    at = 2
    while found := _MARKER.match(data, at):
        marker, start = found[1][-1], found.end()
        alone = marker in _ALONE or marker == _END
        at = start if alone else max(start + 2, start + int.from_bytes(data[start : start + 2]))
        yield Segment(marker, found.start(1), slice(min(start + 2, at), at))
        if marker == _END:
            return


Pixels: TypeAlias = NDArray[np.uint8]

FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF", "PPM")
"""Pictures that are read, as Pillow names them: what programs save screenshots as."""

PART_BYTES = 1_000_000
"""Bytes of a picture's data that are unpacked at once, to check that they are there."""

PALETTE = 256
"""Most colours of a dithered picture."""

DITHERED = 0.1
"""Least share of its pixels that differ from all four neighbours. Of 23 dithered pictures of boards
two have less; no screenshot has more than 0.06."""

SAMPLED = 64
"""Rows in which colours are counted first: most pictures have too many colours there already."""

SMOOTHED_PX = 7
"""Side of the windows in which a dithered picture is smoothed, in pixels."""

SMOOTHED_STEP, SMOOTHED_REACH = 100.0, 2.0
"""Deviations of the filter that smooths it: in colour steps, red, green and blue added, and in
pixels."""

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
    """Decode a JPEG twice, to check that it is whole (see above). Raises `BadImage`."""
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
