"""Which guess wins most? Exact search at the end, before it a look-ahead.

guess.py         choose a guess: endgame search, independent guesses, look-ahead
first_click.py   the first click of a small board, searched whole
limit.py         how much work a decision may take
game_state.py    one position as the search sees it
endgame/         the best line of play where few layouts are left
lookahead.py     the value of a guess, averaged over the numbers it may show
cell_net.py      how good a guess looks at a glance (cell_net.npz: see tests/bench/fit_cells.py)
value_net.py     the value net (value_net.npz: see tests/bench/train_value.py)
whole_games.py   whole games of `tank` inside the kernels, for benches and training

Imports ``solver.exact`` only. What runs once a guess is Python; what runs often is a kernel. A
kernel compiles again all that it calls, so kernels seldom call large kernels.
"""
