"""The eyes: from pixels to a board. Knows no mouse, no windows, no sleeping.

errors.py      the error tree
frame.py       PixelPoint, ScreenPoint, Frame and ``load_image``
grid.py        Grid: sub-pixel geometry, Cell <-> PixelPoint
calibrate.py   from a screenshot to a Calibration: grid, theme, mine total
crosses.py     find boards by line crosses; squares.py counts them (bits.py packs them)
lattice.py     fit a lattice of lines (comb.py) and find where it ends (extent.py, strokes.py)
repeats.py     the exact pitch of a board, from what repeats on it
tilings.py     find boards without lines, by cells that look alike (echoes.py: what repeats)
margins.py     whether the edge of the picture cuts a board off
counter.py     the mine counter (seven_segment.py, counter_text.py)
learn.py       recognise a look: match a theme, or learn one from the frame
naming.py      the steps of learning; works on a Draft (draft.py)
digits.py      digits by shape, colour and place
papers.py      empty tiles: hidden or open, by the rules
symbols.py     flags, question marks, mines, crosses by their shape
places.py      mines and flags of any shape, by where they stand and what the numbers say
theme.py       Theme, Look, Handling and the theme files (themes/*.toml)
theming.py     looks on a board against a theme's
tiles.py       the board cut into tile pictures of one size
looks.py       colour, variance and edge features of tile pictures
glyphs.py      which digit a drawing shows, whatever its font (letterings.py draws references)
face.py        the face above the board, the second sign of how a game stands
rules.py       which open cells cannot be right, and how the game stands
changes.py     what changed from one frame to the next
evidence.py    the errors of a board in doubt, with pictures
reader.py      Reader, Reading and ``read``: a board that can be trusted
memory.py      looks a reader has named, found again by their pictures

Imports only ``solver``, never ``bot``.
"""
