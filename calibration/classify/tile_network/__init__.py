"""What does a single tile look like? A small network that knows no neighbours and no rules.

network.py   how likely each label is for a tile
close_up.py  enlarge what is drawn on a tile, for the network
network.onnx.gz  the weights; `calibration/learning` makes them
"""
