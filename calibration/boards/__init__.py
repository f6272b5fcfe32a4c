"""Which grids of a frame are boards.

Candidates come from lines, boxes and what repeats; each is read and judged.

search.py      the entry, `find_boards`: the candidates in the order of their finders
candidate.py   FoundBoard: a grid, what was read on it, and whether that makes a board
patterns.py    whether a grid is a pattern of the page, and no board
beside.py      whether a board goes on beside a grid
"""
