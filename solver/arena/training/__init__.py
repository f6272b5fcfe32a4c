"""The parts of training that use the agents and the arena.

learners.py         the learner of a recipe
stuck_positions.py  positions in which the thesis's methods are stuck
curves.py           charts of a training run

Importing these needs no extra; making a learner needs ``learn``, a chart needs ``plots``.
"""
