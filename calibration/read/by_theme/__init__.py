"""Which tiles a theme knows, and how a theme is made.

matching.py     match clusters with the appearances of a theme
differences.py  how far clusters differ from the appearances of a theme
making.py       make a theme of clusters, or of tiles that are known
"""
