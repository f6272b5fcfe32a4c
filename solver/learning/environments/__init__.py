"""What can other programs train on? Gymnasium environments, in compiled code.

environment.py   ``minebot/Minesweeper-v0``, one board or many; importing it registers both
observations.py  what an environment shows: tile codes or planes
rewards.py       the rewards of the DQN report and of the thesis

Needs the extra ``learn``.
"""
