"""What does each tile show? From the tiles of a grid to labels.

recognise.py       the facade: choose a theme or learn one, and label every tile
clusters.py        the clusters of one board: features, and labels given so far
features.py        colours, contrast, bevel and glyph of tile pictures
theme_matching.py  match clusters with the appearances of a theme; make a theme of clusters
labelling.py       label clusters without a theme, step by step
digits.py          step: digits, by shape, colours and height
symbols.py         step: flags, question marks and mines, by shape
backgrounds.py     step: empty tiles, hidden or open, by the rules of the game
context.py         step: mines and flags of any shape, by where they stand
tile_cache.py      labels given before, found again by the picture of a tile
changes.py         what changed since the previous frame, and what of it cannot be right
evidence.py        the errors of a board that cannot be read, with pictures of the tiles

Imports `calibration.glyphs`, ``theme``, ``tiles``, ``rules`` and what lies below them; neither
`calibration.locate` nor `calibration.indicators`.
"""
