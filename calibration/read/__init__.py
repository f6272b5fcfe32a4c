"""What does each tile show? One network names the tiles; the rules of the game decide with it.

recognise.py   a board's labels: from the network, the rules and the clicks; and of which program
clicks.py      what clicks opened, and how far tiles look as before the first one
decode.py      equal tiles share a label, and numbers must agree; how sure each label is
network.py     runs the network (``network.onnx.gz``)
clusters.py    tiles that look the same, with features by which programs are known
features.py    colours of ground and ink, bevel, shape of the glyph
labels.py      what a tile can show
tile_cache.py  labels given before, found again by the picture of a tile
changes.py     what changed since the last frame, and what cannot be right
refusals.py    the errors of boards that cannot be read
explain.py     why a tile was read so
by_theme/      which known program draws this board? colours and shapes of its tiles

Nothing here imports `locate` or `indicators`.
"""
