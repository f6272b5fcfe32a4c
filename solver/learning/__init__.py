"""How does a player learn? Environments, networks, training, and weights for play.

boards.py        thousands of boards played at once, in compiled code; stuck positions
nets.py          the networks as play needs them, without the training stack
weights.py       recipes (TOML), arrays and weights on disk, written atomically
weights/         the shipped weights, each with the recipe it was trained with
environments.py  Gymnasium environments (extra ``learn``)
q_learning.py    a learner: the report's networks by deep Q-learning (extra ``learn``)
supervised.py    learners from known answers: stuck cells, exact risks (extra ``learn``)
networks.py      the networks in Flax (extra ``learn``)
training.py      the training loop: checkpoints, and the replay memory

Imports ``solver.engine``, ``solver.analysis`` and layers below; never agents or the arena. A
learner that needs them (for stuck positions) gets them as an argument.
"""
