"""The mind: boards, probabilities, games and agents. Knows no pixels and no screens.

errors.py      the error tree
board.py       Cell, Tile, Board and its text form
analysis.py    ``analyse(board)``: exact mine probabilities; layouts drawn, numbers foretold
codes.py       the board as the kernels see it: a bordered flat array
kernels.py     the only import of numba, and the cache of compiled code
arrays.py      copying and growing        (kernels, as all down to rollouts.py)
constraints.py single-number rules, super-cells
components.py  the order of counting: few numbers open at once
lattice.py     one pass forward: every way through the frontier, merged
shares.py      the mine total shared between components and the rest
probability.py one pass back: counts and chances of any position
worlds.py      whole layouts drawn at random
play.py        whole games inside the kernels
layouts.py     all layouts that fit, where they are few
memo.py        what a search knows of the sets it has met
few.py         exact search over 64 layouts or fewer, a bit each
endgame.py     exact search over the layouts left
value.py       a learned guess at the chance to win (value.npz: see tests/bench/*_value.py)
lookahead.py   what a guess is worth, over the numbers it may show
guess.py       choosing a guess: search, what stands apart, else look-ahead
rollouts.py    choosing a guess by worlds played on, where a limit allows some
limit.py       how much work a decision may take
game.py        Rule, Status, Layout, Game: a headless game of Minesweeper
agents/        Decision, the Agent seam and one file an agent, one registry
arena/         agents against each other: paired boards, statistics, resumable runs, charts

Imports nothing from ``calibration`` or ``bot``.
"""
