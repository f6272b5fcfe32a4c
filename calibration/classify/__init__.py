"""What does each tile show? From the tiles of a grid to labels.

explain.py       why each tile was read as it was
recognise.py     entry point: by a theme, by cues, and by the network; which of them counts
by_theme.py      match clusters with the appearances of a theme, and make themes
checks.py        after the decoding: what clicks opened, labels in doubt, marked tiles
decode.py        the labels that together explain pictures and board best; their margins
scores.py        the score of a labelling: cues, backgrounds, the rules and habits of the game
kinds.py         clusters that mean the same: the variables of the decoding
cues.py          each cue rates the labels of each cluster: a table of log-likelihoods
clusters.py      the clusters of one board: features, and labels that are known already
tile_network.py  how likely each label is for a single tile, by its picture
features.py      colours, contrast, bevel and glyph of tile pictures
refusals.py      why a board is refused: tiles in doubt, or what cannot follow the previous frame

The labels of all clusters are found together. Clusters that mean the same are one kind of tile.
Cues rate how likely each label is for each kind; the rules rate how likely the board is. The
labelling with the best sum wins. The margin of a kind is how much worse the sum becomes if the kind
means something else.

Each module imports only those listed below it; from the rest of the package `calibration.theme`,
``tiles``, ``rules`` and what lies below them; neither `calibration.locate` nor
`calibration.indicators`.
"""
