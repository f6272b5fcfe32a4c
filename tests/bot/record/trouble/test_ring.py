"""The last frames in little memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.record.trouble import MOST_VIEWS, FrameRing
from calibration.frame import Frame
from calibration.points import ScreenPoint


def frame(value: int, *, at: tuple[int, int] = (0, 0), size: int = 6, x: int = 0) -> Frame:
    """A dark frame with one pixel of a value."""
    pixels = np.zeros((size, size, 3), np.uint8)
    pixels[at] = value
    return Frame(pixels, ScreenPoint(x, 0))


places = st.tuples(st.integers(0, 5), st.integers(0, 5))
drawn = st.lists(st.tuples(st.integers(0, 255), places, st.sampled_from([6, 7])), max_size=20)


@given(drawn, st.integers(1, 8))
def test_the_last_frames_come_back_as_they_were(
    shown: list[tuple[int, tuple[int, int], int]], most: int
) -> None:
    ring: FrameRing[int] = FrameRing(most)
    expected: list[tuple[Frame, int]] = []
    last: dict[int, Frame] = {}
    for number, (value, at, size) in enumerate(shown):
        one = frame(value, at=at, size=size)
        if size not in last or last[size] != one:
            expected.append((one, number))
        last[size] = one
        ring.add(one, number)
    assert [(kept.frame, kept.note) for kept in ring.frames()] == expected[-most:]


def test_a_frame_that_is_changed_later_is_kept_as_it_was() -> None:
    pixels = np.zeros((4, 4, 3), np.uint8)
    ring: FrameRing[None] = FrameRing()
    ring.add(Frame(pixels), None)
    pixels[:] = 9
    ring.add(Frame(pixels), None)
    pixels[:] = 200
    assert [int(kept.frame.pixels.max()) for kept in ring.frames()] == [0, 9]


@pytest.mark.parametrize("places", [MOST_VIEWS, MOST_VIEWS + 1, 50])
def test_a_window_that_keeps_moving_fills_no_memory(places: int) -> None:
    ring: FrameRing[int] = FrameRing()
    for x in range(places):
        ring.add(frame(1, x=x), x)
    kept = list(ring.frames())
    assert len(kept) <= MOST_VIEWS
    assert kept[-1].note == places - 1
