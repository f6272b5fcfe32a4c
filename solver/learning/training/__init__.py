"""How does a network learn? Rounds, checkpoints, and one learner per way of learning.

loop.py        rounds, checkpoints, resuming, the learning curve; the replay memory
networks.py    the networks in Flax, and their optimiser
q_learning.py  the DQN report's learner, and its section 5.3 as switches
supervised.py  known answers: the thesis's learner, and our own with exact risks

All but ``loop`` need the extra ``learn``.
"""
