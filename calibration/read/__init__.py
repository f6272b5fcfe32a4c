"""What does each tile show? One network rates the labels of the tiles; the rules help to decide.

It reads boards in unknown themes, together with the cues of `calibration.classify`
(`calibration.classify.recognise`); ``docs/reader.md`` has the figures.

place.py       where a board lies on a part of the frame that repeats
board.py       entry point: labels equal tiles together, by network and rules, with confidences
network.py     what the network sees of each tile; runs it (``network.onnx.gz``)

Each module imports only those listed below it, and nothing from `classify`, `locate` and
`indicators`.
"""
