"""Pictures of a PipeWire stream, read by GStreamer in a process of its own.

A compositor sends a picture only when something on the screen changes, so the newest one is kept.
GStreamer's ``gst-launch-1.0`` writes raw pictures into a pipe, and their size to its standard
output before the first one of that size.
"""

from __future__ import annotations

import os
import re
import select
import subprocess
import threading
import time
from dataclasses import dataclass
from typing import IO

import numpy as np
from numpy.typing import NDArray

from bot.errors import NoDesktop, ScreenGone

FIRST_PICTURE_S = 10.0
"""How long the first picture may take; it took 0.3 s on GNOME 43."""

STALL_S = 2.0
"""How long a picture may take after a movement of the pointer, which is in the picture. It took at
most 80 ms on GNOME 43 without a graphics card."""

SETTLE_S = 0.8
"""A picture that arrives after a movement may have been drawn before it: 63 ms passed from a
movement to its picture on GNOME 43, more on a busy machine. The pointer in such a picture covers a
tile. So pictures are awaited until none has come for ``QUIET_S``, for ``SETTLE_S`` at most."""

QUIET_S = 0.2
"""A picture is returned a second time only if no other has come for so long. Else a comparison of
two frames, which shows whether the screen is at rest, could compare a picture with itself. While
something moved, pictures came 17 to 80 ms apart on GNOME 43."""

SIZE = re.compile(r"fdsink.*caps = video/x-raw.*width=\(int\)(\d+), height=\(int\)(\d+)")


@dataclass(frozen=True)
class Picture:
    """RGB pixels and when they arrived."""

    pixels: NDArray[np.uint8]
    at: float


class Stream:
    """A stream of pictures. ``remote`` is PipeWire's socket; it is closed here.

    Raises `NoDesktop` if GStreamer does not start or no first picture comes.
    """

    def __init__(self, remote: int, node: int) -> None:
        self._newest: Picture | None = None
        self._returned: Picture | None = None
        self._end_reason = ""
        self._moved_at = 0.0
        self._arrived = threading.Condition()
        source, sink = os.pipe()
        try:
            self._process = subprocess.Popen(
                _command(remote, node, sink),
                pass_fds=(remote, sink),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            os.close(source)
            raise NoDesktop(f"GStreamer does not start ({error}): run 'minebot doctor'.") from error
        finally:
            os.close(sink)
            os.close(remote)
        self._pictures = os.fdopen(source, "rb", 0)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        with self._arrived:
            self._arrived.wait_for(lambda: self._newest or self._end_reason, FIRST_PICTURE_S)
            if self._newest is None:
                self.close()
                reason = self._end_reason or "and no error"
                raise NoDesktop(
                    f"PipeWire sends no picture of the screen ({reason}): "
                    "log in again and start anew."
                )

    def pointer_moved(self) -> None:
        """Store that the pointer, which is in the picture, moves now."""
        self._moved_at = time.monotonic()

    def newest(self) -> NDArray[np.uint8]:
        """Return the newest picture, no older than the last movement of the pointer.

        Raises `ScreenGone` if the stream has ended, stalled or changed its size.
        """
        moved = self._moved_at
        with self._arrived:
            self._arrived.wait_for(
                lambda: self._end_reason or self._time() > moved,
                max(0.0, moved + STALL_S - time.monotonic()),
            )
            self._wait_quiet(moved)
            if self._newest is self._returned:
                self._arrived.wait_for(
                    lambda: self._end_reason or self._newest is not self._returned,
                    max(0.0, self._time() + QUIET_S - time.monotonic()),
                )
            if self._end_reason:
                raise ScreenGone(f"{self._end_reason}: start again.")
            if self._newest is None or self._time() <= moved:
                raise ScreenGone(
                    f"PipeWire has sent no picture for {STALL_S:g} s although the pointer moved: "
                    "see whether the desktop still works, then start again."
                )
            self._returned = self._newest
            return self._newest.pixels

    def _wait_quiet(self, moved: float) -> None:
        """Wait until no further picture comes after a movement."""
        while not self._end_reason and self._time() > moved:
            left = min(self._time() + QUIET_S, moved + SETTLE_S) - time.monotonic()
            if left <= 0:
                return
            self._arrived.wait(left)

    def _time(self) -> float:
        return 0.0 if self._newest is None else self._newest.at

    def _read(self) -> None:
        """Keep the newest picture until the stream ends. Runs in a thread of its own."""
        assert self._process.stdout is not None
        output = _GStreamerOutput(self._process.stdout.fileno())
        while output.size is None and not output.ended:
            output.read(None)
        if output.size is None:
            self._end(output.error or "GStreamer ended")
            return
        first = output.size
        while (pixels := _picture(self._pictures, *first)) is not None:
            # GStreamer writes a new size before the first picture of that size.
            output.read(0)
            if output.size != first:
                self._end("The shared screen changed its size")
                return
            with self._arrived:
                self._newest = Picture(pixels, time.monotonic())
                self._arrived.notify_all()
        self._end("The sharing of the screen has ended")

    def _end(self, reason: str) -> None:
        with self._arrived:
            self._end_reason = reason
            self._arrived.notify_all()

    def close(self) -> None:
        """End GStreamer."""
        self._process.terminate()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(2)
        self._pictures.close()
        if self._process.stdout is not None:
            self._process.stdout.close()


class _GStreamerOutput:
    """What GStreamer has written so far: the size of the pictures, an error, its end."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._rest = b""
        self.size: tuple[int, int] | None = None
        self.error = ""
        self.ended = False

    def read(self, limit_s: float | None) -> None:
        """Read what GStreamer has written; if that is nothing, wait for ``limit_s``."""
        while not self.ended and select.select([self._file], [], [], limit_s)[0]:
            chunk = os.read(self._file, 65536)
            self.ended = not chunk
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            for line in lines:
                self._read_line(line.decode("utf-8", "replace"))
            limit_s = 0

    def _read_line(self, line: str) -> None:
        if line.startswith("ERROR"):
            self.error = line
        elif (match := SIZE.search(line)) is not None:
            self.size = (int(match[1]), int(match[2]))


def _picture(pipe: IO[bytes], width: int, height: int) -> NDArray[np.uint8] | None:
    """Read one picture, None at the end. GStreamer pads rows to multiples of four bytes."""
    stride = -(-3 * width // 4) * 4
    buffer = bytearray(stride * height)
    rest = memoryview(buffer)
    while rest:
        count = pipe.readinto(rest)  # type: ignore[attr-defined]
        if not count:
            return None
        rest = rest[count:]
    rows = np.frombuffer(buffer, np.uint8).reshape(height, stride)
    return rows[:, : 3 * width].reshape(height, width, 3)


def _command(remote: int, node: int, sink: int) -> list[str]:
    """Return the command that writes a stream's pictures to ``sink``; it may skip older ones."""
    return [
        *("gst-launch-1.0", "-v", "pipewiresrc", f"fd={remote}", f"path={node}"),
        *("always-copy=true", "do-timestamp=true"),
        *("!", "queue", "leaky=downstream", "max-size-buffers=1"),
        *("!", "videoconvert", "!", "video/x-raw,format=RGB"),
        *("!", "fdsink", f"fd={sink}", "sync=false"),
    ]
