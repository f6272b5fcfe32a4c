"""The eyes: from pixels to a board. Knows no mouse, no windows, no sleeping.

errors.py      the error tree
frame.py       PixelPoint, ScreenPoint, Frame and ``load_image``
grid.py        Grid: sub-pixel geometry, Cell <-> PixelPoint

Imports only ``solver``, never ``bot``.
"""
