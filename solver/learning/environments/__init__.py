"""How do other programs train on minebot? With Gymnasium environments, in compiled code.

environment.py   ``minebot/Minesweeper-v0``, one board or many; importing it registers both
observations.py  the observations: tile codes or planes
rewards.py       the rewards of the DQN report and of the thesis

Needs the extra ``learn``.
"""
