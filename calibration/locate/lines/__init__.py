"""Boards with lines between their tiles.

crosses.py      the entry, `find_lattices`: line masks, crosses, the best lattices
candidates.py   tile sizes and regions where four crosses often form a square
lattice.py      fit a lattice to a region, follow uneven lines, refine the pitch
line_fit.py     equally spaced lines fitted to a profile of edges
extent.py       where the board ends: the rows and columns that are drawn
growth.py       rows of open tiles without lines, added by what they look like
pitch.py        the exact pitch, from harmonics of the lines and from tiles that repeat
"""
