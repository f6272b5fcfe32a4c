"""How the learned parts of reading are made: boards drawn by chance, and training on them.

No command of the product imports this package. A new look that is read badly is a new sampler
here, never a rule in `calibration.classify`.

train_board.py    trains the board model by a recipe, ``board_model.toml``; can be stopped
board_network.py  its layers
examples.py       what it learns from: drawn boards as a reader meets them
tile_network/     trains the network that names single tiles

happenings.py     what lies on a board at one moment: cursors, lit tiles, cards, words
screens.py        what screens and files do: sizes, palettes, dithering, JPEG, noise
painter.py        whole boards in one look; every label is drawn once, then placed
moments.py        games as screenshots show them: fresh, part-open, won, lost
papers.py         kinds of grounds: relief, flat, chessboards, nearly one grey
looks.py          one look of a program: its grounds, font and colours, flags and mines
plates.py         discs, balls and badges below a glyph
finishes.py       shading, rims, glow and coarse pixels of flags and mines
shapes.py         drawn flags, mines and crosses
glyphs.py         characters, icons and emoji of fonts
backgrounds.py    tiles before anything is drawn on them: gradients, bevels, gaps
fonts.py          the installed fonts that draw ordinary digits
packages.txt      Debian 12's font packages from which shipped weights were made

A module imports only from lines below its own. No picture of a real program is used.
"""
