"""How likely is a mine? Exact probabilities, counted in compiled kernels.

kernels.py            `kernel` compiles a function; the only module that imports numba
cache.py              where compiled code lies, what is complete, which process compiles
arrays.py             copying and growing arrays
codes.py              the board as the kernels see it: a flat array with a border
constraints.py        the single-number rules, super-cells, constraints
elimination_order.py  the order of counting: few constraints open at once
forward_pass.py       the forward pass along that order
mine_totals.py        the mine total, split between components and unconstrained cells
probability.py        all counts of a position together; the backward pass gives the risks
sampling.py           whole layouts drawn at random

Imports nothing else of this project.
"""
