"""What does each tile show? One network names the tiles; the rules of the game decide with it.

It reads boards in unknown looks, together with the witnesses of `calibration.classify`
(`calibration.classify.recognise`); ``docs/reader.md`` has the figures.

board.py       facade: a label for each tile, and how sure it is
decode.py      equal tiles share a label, and numbers must agree; how sure each label is
network.py     runs the network (``network.onnx.gz``)
views.py       what the network sees of each tile: with a margin, and a close-up

A module imports only from lines below its own, and nothing of `classify`, `locate` and
`indicators`.
"""
