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

Drawing a board of 12 by 14 tiles with its look, its moment, screen and cut takes 7 ms of processor
time where two boards share a look, 10 ms where each has its own; 9 by 9 tiles 6 and 8 ms, 16 by 30
tiles 14 ms.

The board model, a first trial that no reader uses yet, was trained for 21 minutes of one core on
52,000 boards of 26,000 looks: 6,200 steps of ``board_model.toml``, seed 1, with the fonts of
``packages.txt`` but a tenth of their families. ``board_model.csv`` is the curve. The painter grew
on the way, so that the steps cannot be repeated exactly: from step 300 on there were tinted
numbers and mines on covered tiles, from 2,700 marks that are plain colours and denser games, from
3,400 rings of mines, from 3,700 hidden tiles that run together, from 4,500 flags with a question
mark and crosses as flags, from 4,600 flying pieces; each time the held-out boards became harder
ones, too. Of 138 labelled pictures of games
in play on their true grids, read one at a time, it names every tile of 132 right; the present
reader tells 126 exactly, 9 in part and 3 wrong. Told where the least sure tile has 0.9: 124 exactly
and one wrong, from 0.98 on 102 and none. Of 64 finished ones it reads 56, at 0.7 and more 49 with
none wrong; the present reader 57, 7 in part. Some kinds of looks were added after a glance at what
it missed there; on 18 drawn pages that it was not fitted to it reads 17. A board of 480 tiles takes
24 ms. To train again:

    pip install torch onnx onnxscript
    python -m calibration.learning.train_board FOLDER
    python -m tests.bench.score_board_model FOLDER/board.onnx LABELLED_PICTURES...

To go on from a state, keep its folder, add a stage to the recipe and start the same command.
"""
