"""How the weights of `calibration.classify.network` are made and measured. Not part of the tests.

evaluate.py     scores the network on folders of labelled screenshots
train.py        trains it, fits its temperature, writes the weights
generate.py     draws boards, spoils them as screens do, cuts them into labelled tiles
looks.py        one look of a program: its colours, font, flags and mines
backgrounds.py  tiles before anything is drawn on them: gradients, bevels, gaps
shapes.py       drawn flags, mines and crosses
glyphs.py       characters, icons and emoji of fonts
fonts.py        the installed fonts that draw ordinary digits
"""
