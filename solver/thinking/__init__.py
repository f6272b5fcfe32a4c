"""How much thought does a guess deserve? Roll-outs: a guess tried in many worlds, and played on.

levels.py       the levels of thought, by name, and what each costs
playouts.py     kernels: a guess tried in drawn worlds, each played on to the next guesses
race.py         which candidates are still in the race after some worlds, and who leads
workers.py      the worlds shared among the processor's cores, with the same result on any number
think.py        choose a guess: the search first, then the race of the candidates

A *world* is a layout drawn at random among those that fit the board. Work is counted in worlds,
never in seconds. Imports ``solver.search`` and ``solver.exact`` only; the kernels compile when a
level that needs them is asked for.
"""
