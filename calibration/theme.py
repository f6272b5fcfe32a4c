"""What a program's tiles look like, and how it wants to be handled."""

from __future__ import annotations
