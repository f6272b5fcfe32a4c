"""How does a player learn? Environments, networks, training, and weights for play.

boards.py        thousands of boards played at once, in compiled code; stuck positions
nets.py          the networks as play needs them, without the training stack
weights.py       recipes (TOML), arrays and weights on disk, written atomically
weights/         the shipped weights, each with the recipe it was trained with
environments.py  Gymnasium environments (extra ``learn``)
training/        the loop, the networks in Flax, one learner per way of learning (extra ``learn``)

Imports ``solver.engine``, ``solver.analysis`` and layers below; never agents or the arena. A
learner that needs them (for stuck positions) gets them as an argument.
"""
