"""Which guess wins most? Exact search at the end, before it a look-ahead with a value net.

guess.py         choose a guess: endgame search, independent guesses, look-ahead
first_click.py   the first click of a small board, searched whole
limit.py         how much work a decision may take
game_state.py    one position as the search sees it
layouts.py       all layouts that fit, where there are few
endgame.py       the endgame search: the best line of play over all layouts
layout_sets.py   what a cell says of a set of layouts
small_sets.py    the same search over at most 64 layouts, a bit for each
memo.py          what the search remembers of sets it has met
lookahead.py     the value of a guess, averaged over the numbers it may show
value_net.py     the value net (value_net.npz: see tests/bench/train_value.py)
whole_games.py   whole games of `tank` inside the kernels, for benches and training

Imports ``solver.exact`` only. What runs once a guess is Python; what runs often is a kernel. A
kernel compiles again all that it calls, so kernels seldom call large kernels.
"""
