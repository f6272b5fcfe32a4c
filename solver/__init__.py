"""The mind: boards, probabilities, games and agents. Knows no pixels and no screens.

errors.py      the error tree
board.py       Cell, Tile, Board and its text form
analysis.py    Analysis and ``analyse(board)``: exact mine probabilities
game.py        Rule, Status, Layout, Game: a headless game of Minesweeper
agents/        Decision, the Agent seam and one file an agent, one registry
arena/         agents against each other: paired boards, statistics, resumable runs, charts

Imports nothing from ``calibration`` or ``bot``.
"""
