"""The arena: agents against each other on the same boards.

boards.py      Size, BoardSet: boards from a seed or a file, any first click
play.py        one game of one agent: turn by turn, or inside the kernels
statistics.py  intervals and paired tests, in plain arithmetic
engine.py      run: tasks over processes or a Dask cluster, resumable from its results file
tournament.py  Match: many agents on the same boards, summed up and compared
sweep.py       the CSP report's sweep over mine densities, played on after a mine
table.py       every agent on every board of the papers, beside the papers' own figures
plots.py       charts (the only matplotlib import)

Imports the solver and joblib; dask and matplotlib only when asked for.
"""
