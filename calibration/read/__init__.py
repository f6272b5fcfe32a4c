"""What does each tile show? One network names the tiles; the rules of the game decide with it.

It reads boards in unknown themes, together with the cues of `calibration.classify`
(`calibration.classify.recognise`); ``docs/reader.md`` has the figures.

place.py       where a board lies on a part of the frame that repeats
board.py       facade: equal tiles share a label, and numbers must agree; how sure each is
network.py     what the network sees of each tile; runs it (``network.onnx.gz``)

A module imports only from lines below its own, and nothing of `classify`, `locate` and
`indicators`.
"""
