"""Find the version of the installed package, and name the libraries of which others matter."""

from __future__ import annotations

LIBRARIES = (
    "numpy",
    "opencv-python-headless",
    "pillow",
    "mss",
    "pyautogui",
    "onnxruntime",
    "rapidocr",
    "rich",
)
"""The libraries that play needs."""


def program_version() -> str:
    """Return the installed version; ``unknown`` if the package is not installed."""
    # Loading this takes as long as all else that a help needs.
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    try:
        return version("minebot")
    except PackageNotFoundError:
        return "unknown"
