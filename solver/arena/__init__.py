"""Who is better? Agents play the same boards, and their results are compared.

boards.py          Size, BoardSet: boards from a seed or a file, for any first click
games.py           one game of one agent: turn by turn, or inside the engine
random_layouts.py  draw one of the layouts that fit a board
statistics.py      intervals and paired tests, in plain arithmetic
engine.py          run: tasks in several processes or on a Dask cluster, resumable from a file
tournament.py      Match: agents on the same boards, their standings, two of them compared
sweep.py           the CSP report's sweep over mine densities, where a mine does not end a game
table.py           every agent on every board of the papers, beside the papers' own figures
paper_figures.py   those figures
plots.py           charts of a sweep (the only import of matplotlib)
bar_charts.py      win rates as sorted bars: the table, one page per rule, and one match
training/          the parts of training that use agents: learners, stuck positions, charts

Imports the rest of the solver; dask and matplotlib only if they are needed.
"""
