"""What does each tile show? From the tiles of a grid to labels.

recognise.py       the facade: choose a theme or learn one, and label every tile
agreement.py       witnesses and network: which of both readings counts
explain.py         why a tile was read so: what each witness said, and the rival
decoding/          the labels of all clusters together, by witnesses and rules
by_theme/          match clusters with the appearances of a theme, and make themes
witnesses.py       what each witness says of each cluster: a table of log-likelihoods
fresh_likeness.py  how far each tile looks as it did before the first click
checks/            after the decoding: openings without a number, labels in doubt, marked tiles
board_digits.py    witness: digits by the colours and the height of clearer ones
tile_network/      witness: how likely each label is for a single tile, by its picture
clusters.py        the clusters of one board: features, and labels that are given
features.py        colours, contrast, bevel and glyph of tile pictures
tile_cache.py      labels given before, found again by the picture of a tile
changes.py         what changed since the previous frame, and what of it cannot be right
refusals.py        the errors of a board that cannot be read, with pictures of the tiles

The labels of all clusters are found at once. Clusters with the same appearance form a look.
Witnesses say how likely each look is for every label; the rules say how likely the board is. The
labelling with the best sum is taken, and what the sum loses if a look means something else is its
margin.

Imports `calibration.glyphs`, ``theme``, ``tiles``, ``rules`` and what lies below them; neither
`calibration.locate` nor `calibration.indicators`.
"""
