"""How does a network learn? Rounds, checkpoints, and one learner per kind of network.

loop.py        rounds, checkpoints, resuming, the learning curve
networks.py    the networks in Flax
fitting.py     one network and its optimiser
memory.py      the replay memory of a learner
q_learning.py  the DQN report's learner, and its section 5.3 as switches
stuck.py       the thesis's learner
risk.py        our own: exact risks as targets

All but ``loop`` and ``memory`` need the extra ``learn``.
"""
