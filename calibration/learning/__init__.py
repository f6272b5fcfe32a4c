"""How the reader's network is made: boards drawn by chance, and training on them.

No command of the product imports this package. A new look that is read badly is a new sampler
here, or a tile set to train on, never a rule in `calibration.read`.

train.py          trains the network; can be stopped, and goes on where it stopped
network.py        its layers
scenes.py         painted boards, with what lies over them, and grids that do not fit
atlas.py          boards by indexing: a hundred times as many
sheets.py         every label of a look, drawn once: published tile sets, drawn looks, mixtures
tile_network/     trains the network that names single tiles, a witness of `calibration.classify`

happenings.py     games as screenshots show them, and what lies on a board: cursors, cards, words
screens.py        what screens and files do: sizes, palettes, dithering, JPEG, noise
painter.py        whole boards in one look; every label is drawn once, then placed
papers.py         kinds of grounds: relief, flat, chessboards, nearly one grey
looks.py          one look of a program: its grounds, font and colours, flags and mines
shapes.py         drawn flags, mines and crosses, their shading, and plates below glyphs
glyphs.py         characters, icons and emoji of fonts
backgrounds.py    tiles before anything is drawn on them: gradients, bevels, gaps
fonts.py          the installed fonts that draw ordinary digits
packages.txt      Debian 12's font packages from which shipped weights were made

A module imports only from lines below its own. On what the shipped weights were trained, and how to
train others: ``docs/reader.md``.
"""
