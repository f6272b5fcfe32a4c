"""What is checked after a decoding: labels in doubt, and labels that the board settles.

openings.py     what clicks opened, and zeros that no number shows to be open
hidden.py       hidden tiles that may be open, or are drawn on before the first click
marks.py        flags, mines and wrong flags
"""
