"""Tell whether a JPEG holds its whole picture, and nothing else.

A decoder fills the rest of a picture that breaks off with grey, without a word to its caller. So a
filler that means nothing is put at each end of the coded data: a decoder that has all it needs does
not read it, and one that lacks something takes it for the rest. The picture is whole if it is the
same with the filler. And where a bit is wrong, the decoder goes on in the midst of other codes, so
that it often ends before the data does: a picture is in order if its last bytes make a difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

FILLER = bytes((37 * number + 11) % 255 for number in range(64))
"""Bytes that are no marker: they differ, and none is 255."""

OTHER_BYTES = 8
"""Bytes at the end of the data that must matter. Of 500 good pictures, parts of the screens in
`fixtures/`, none was the same with others; with 4 bytes six were, whose corner is plain white."""

_SCAN, _END, _PROGRESSIVE = 0xDA, 0xD9, 0xC2
_RESTARTS = range(0xD0, 0xD8)
_INTERVAL, _FRAMES = 0xDD, (0xC0, 0xC1, _PROGRESSIVE)
_ALONE = {0x01, *_RESTARTS}
"""Markers without a length: restarts stand within the coded data."""

_MARKER = re.compile(rb"\xff+[^\x00\xff]")


def with_filler(data: bytes) -> bytes:
    """Return a JPEG with `FILLER` before every marker that ends coded data.

    What stands behind the end of the picture is left out. Raises `ValueError` if there is no end.
    """
    parts, at, in_scan = [], 0, False
    for marker, start, _ in _segments(data):
        parts += [data[at:start], FILLER] if in_scan else [data[at:start]]
        at = start
        in_scan = marker == _SCAN or (in_scan and marker in _ALONE)
        if marker == _END:
            return b"".join([*parts, bytes((255, _END))])
    raise ValueError("the JPEG has no end")


def with_other_ends(data: bytes) -> tuple[bytes, ...]:
    """Return a JPEG with other last bytes of coded data, in several ways.

    Only one that is coded as one piece, without restarts; of another, none is returned.
    """
    segments = list(_segments(data))
    if [marker for marker, _, _ in segments if marker in (_SCAN, *_RESTARTS)] != [_SCAN]:
        return ()
    (_, _, header), (_, end, _) = segments[-2:]
    kept = data[: end - OTHER_BYTES].rstrip(b"\xff")
    if segments[-1][0] != _END or len(kept) <= header.stop:
        return ()
    ends = (FILLER[at : at + OTHER_BYTES] for at in range(0, 3 * OTHER_BYTES, OTHER_BYTES))
    return tuple(kept + other + bytes((255, _END)) for other in ends)


def count_scans(data: bytes) -> int:
    """Return how many times the coded data goes over the picture."""
    return sum(marker == _SCAN for marker, _, _ in _segments(data))


def lacks_scans(data: bytes) -> bool:
    """Whether a progressive JPEG breaks off between two scans: some bits never come."""
    missing: dict[tuple[int, int], int] = {}
    for marker, _, place in _segments(data):
        body = data[place]
        if marker == _PROGRESSIVE:
            missing = {(one, k): 1 for one in body[6 : 6 + 3 * body[5] : 3] for k in range(64)}
        elif marker == _SCAN and missing:
            count = body[0]
            first, last, bits = body[1 + 2 * count : 4 + 2 * count]
            for one in body[1 : 1 + 2 * count : 2]:
                missing |= {(one, k): bits & 15 for k in range(first, min(last, 63) + 1)}
    return any(missing.values())


def lacks_restarts(data: bytes) -> bool:
    """Whether a JPEG has not the restarts that its size asks for, in their order.

    A decoder fills up what lies between those that are missing.
    """
    interval = found = wanted = 0
    frame = b""
    for marker, _, place in _segments(data):
        if marker in _RESTARTS:
            if marker != _RESTARTS[found % len(_RESTARTS)]:
                return True
            found += 1
            continue
        if found != wanted:
            return True
        if marker == _INTERVAL:
            interval = int.from_bytes(data[place][:2])
        elif marker in _FRAMES:
            frame = data[place]
        elif marker == _SCAN:
            units = _units(frame, data[place]) if interval else 0
            found, wanted = 0, max(0, -(-units // interval) - 1) if interval else 0
    return False


def _units(frame: bytes, scan: bytes) -> int:
    """Return how many units a scan codes; a unit is a block of 8 pixels, or one of each colour."""
    high, wide = int.from_bytes(frame[1:3]), int.from_bytes(frame[3:5])
    factors = {one: divmod(both, 16) for one, both in zip(frame[6::3], frame[7::3], strict=False)}
    most_x, most_y = (max(side) for side in zip(*factors.values(), strict=True))
    x, y = (most_x, most_y) if scan[0] > 1 else factors[scan[1]]
    # The sides of what is coded, in units: one colour has fewer blocks where it is coarser.
    unit_x, unit_y = (8, 8) if scan[0] == 1 else (8 * most_x, 8 * most_y)
    across, down = -(-wide * x // most_x), -(-high * y // most_y)
    return int(-(-across // unit_x) * -(-down // unit_y))


def _segments(data: bytes) -> Iterator[tuple[int, int, slice]]:
    """Yield each marker up to the end of the picture, where it begins, and what its segment holds.

    Coded data stands between the end of a scan's segment and the next marker.
    """
    at = 2
    while found := _MARKER.search(data, at):
        marker, start = found[0][-1], found.end()
        alone = marker in _ALONE or marker == _END
        at = start if alone else max(start + 2, start + int.from_bytes(data[start : start + 2]))
        yield marker, found.start(), slice(min(start + 2, at), at)
        if marker == _END:
            return
