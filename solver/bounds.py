"""Limits on the size of what is read from a file or a pipe.

Files are untrusted. Anything larger is rejected with one sentence, so that no file can fill the
memory or block a command. The longest side of a board is `solver.board.MAX_SIDE`.
"""

PICTURE_PIXELS = 25_000_000
"""Three 4K screens. Finding a board in a picture of this size takes up to 11 s and 1.3 GB; one that
is full of grid lines, which no screen shows, takes 6 s and 0.7 GB."""

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
