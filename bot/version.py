"""The version, and the libraries whose versions matter."""

from __future__ import annotations

import sys

__version__ = "0.2.0"
"""The version of this code; the built distribution reads it from here."""

LIBRARIES = (
    "numpy",
    "opencv-python-headless",
    "pillow",
    "mss",
    "pyautogui" if sys.platform in ("win32", "darwin") else "python-xlib",
    "onnxruntime",
    "rapidocr",
    "rich",
)
"""The libraries that play needs."""
