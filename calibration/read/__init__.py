"""What does each tile show? One network names the tiles; the rules of the game decide with it.

It reads in the shadow of `calibration.classify`: no command uses it yet. Swapped in alone it
reads unseen looks better and known programs not faultlessly; ``docs/reader.md`` has the figures.

decode.py      equal tiles share a label, and numbers must agree; how sure each label is
network.py     runs the network (``network.onnx.gz``)
views.py       what the network sees of each tile: with a margin, and a close-up

A module imports only from lines below its own, and nothing of `classify`, `locate` and
`indicators`.
"""
