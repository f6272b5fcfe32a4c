"""How does a player learn? Environments, networks, training, and weights for play.

For play, without the training stack:

boards.py          thousands of boards played at once, in compiled code
windows.py         what a dense network sees of a board, and its values, in compiled code
values.py          the values that a dense network gives all covered cells
convolutions.py    the two convolutional networks in numpy
stuck_position.py  a position in which the thesis's methods are stuck
recipe.py          the hyperparameters of one run, in TOML
archives.py        arrays on disk, written atomically
weights.py         weights on disk: small, and read without the training stack
weights/           the shipped weights, each with the recipe it was trained with

For training, with the extra ``learn``:

training/          the loop, the networks in Flax, one learner per kind of network
environments/      Gymnasium environments

Imports ``solver.engine``, ``solver.analysis`` and layers below; never agents or the arena. A
learner that needs them (for stuck positions) gets them as an argument.
"""
