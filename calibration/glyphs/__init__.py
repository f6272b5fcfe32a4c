"""Which digit is this? Glyphs compared with reference glyphs, whatever their font and size.

matching.py    normal form, features and correlation of glyphs
references.py  the reference glyphs: 1 to 8 and ``?``, drawn by strokes and by coarse pixels

Imports nothing of the other folders; `classify` and `indicators` use it.
"""
