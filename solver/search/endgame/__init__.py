"""Which line of play wins most where few layouts are left? All are listed, and searched exactly.

best_play.py     the endgame search: the best line of play over all layouts left
layouts.py       all layouts that fit a position
layout_sets.py   what a cell says of a set of layouts
small_sets.py    the same search over at most 64 layouts, a bit for each
memo.py          what the search remembers of sets it has met
"""
