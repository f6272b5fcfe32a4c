"""How the reader's network is made: boards drawn by chance, and training on them.

Only `minebot train reader` imports this package. A new theme that is read badly is a new sampler
here, or a tile set to train on, never a rule in `calibration.read`.

train.py          trains the network; can be stopped, and goes on where it stopped
boards.py         boards by indexing, and painted ones with what lies over them, or wrong grids
sheets.py         every label of a theme, drawn once: published tile sets, drawn themes, mixtures
tiles.py          draws tiles, and trains the network that names them, a cue of `classify`

happenings.py     games as screenshots show them, and what lies on a board: cursors, cards, words
painter.py        whole boards in one theme, as screens and files show them
drawn_theme.py  one theme drawn by chance: style of backgrounds, font and colours, flags and mines
shapes.py         gradients, bevels, gaps of tiles; drawn flags, mines, crosses, and plates below
glyphs.py         characters, icons and emoji of installed fonts
packages.txt      Debian 12's font packages from which shipped weights were made

A module imports only from lines below its own. On what the shipped weights were trained, and how to
train others: ``docs/reader.md``.
"""
