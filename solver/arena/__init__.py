"""Who is better? Agents play the same boards, and their results are compared.

boards.py      Size, BoardSet: boards from a seed or a file, for any first click
statistics.py  intervals and paired tests, in plain arithmetic
runs.py        tasks in several processes or on a Dask cluster, resumable from a file
matches.py     one game of one agent; Match: agents on the same boards, and two compared
sweep.py       the CSP report's sweep over mine densities, where a mine does not end a game
table.py       every agent on every board of the papers, beside the papers' own figures
charts.py      charts of sweeps, tables, matches and training (the only import of matplotlib)
training.py    the parts of training that use agents: learners and stuck positions
judge.py       records what whole roll-outs find, and fits the judge of the engine to it

Imports the rest of the solver; dask and matplotlib only if they are needed.
"""
