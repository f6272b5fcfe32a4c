"""Decide which grids of a frame are boards.

Finders propose grids; each grid is read and scored here.

search.py    the entry, `find_boards`: asks the finders one after another
ranking.py   the score of a grid: the evidence for and against a board, weighed and summed
"""
