"""Boards without lines, by what repeats from tile to tile.

borderless.py        the entry, `find_borderless_grids`: cells that look alike
autocorrelation.py   regions of the frame that repeat, and their pitches
cell_likeness.py     which cells of a region look alike, and which of them make a board
"""
