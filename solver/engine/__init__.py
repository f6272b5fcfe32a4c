"""How is it counted, fast? The core of the solver, in C.

engine.h        the interface, and its manual
inside.h        declarations shared by the files
work.c          memory: the arena of a work space; how an entry begins and ends
field.c         the board as the engine sees it, and the two single-number rules
constraints.c   super-cells, and the order in which they are counted
forward.c       a forward pass: the weight of all placements on the frontier
totals.c        the mine total, split between the frontier and the rest; how likely each total is
count.c         exact risks: both of these, and a backward pass
draw.c          whole layouts drawn at random
game.c          opening cells, and all that is certain
layouts.c       all layouts left, listed
endgame.c       the best line of play where few layouts are left
search.h        declarations shared by the files of this search
search_few.c    the search among at most 64 layouts, the bits of a word
search_many.c   the search among more
lookahead.c     what a guess may show, and what that is worth
glance.c        how good a guess looks: the cell net (cell_net.npz), the judge (judge.npz)
world.c         one drawn world, played to the end after a guess
rollout.c       the best guesses race through the same worlds
decide.c        choosing a guess; whole games
learning.c      thousands of games side by side, and dense nets, for training

calls.py        the entries of engine.h as functions over arrays; the work space of each thread
library.py      finds, checks and loads the compiled library
toolchain/      compiles the C files: by pip, in a checkout, for all platforms

Imports only `solver.levels`, `solver.errors` and `solver.extras` of this project.
"""
