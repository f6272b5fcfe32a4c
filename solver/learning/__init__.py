"""How does a player learn? Environments, networks, training, and weights for play.

For play, without the training stack:

boards.py          thousands of boards played at once, in compiled code
windows.py         what a dense network sees of a board, and its values, in compiled code
values.py          values of all covered cells by a dense network
convolutions.py    the two convolutional networks in numpy
stuck_position.py  a position on which the thesis's methods are stuck
recipe.py          the hyperparameters of one run, in TOML
archives.py        arrays on disk, written whole or not at all
weights.py         weights on disk: small, and read without the training stack
weights/           the weights that ship, each beside the recipe it was trained with

For training, with the extra ``learn``:

training/          the loop, the networks in Flax, one learner a kind of network
environments/      Gymnasium environments

Imports ``solver.engine``, ``solver.analysis`` and what lies below; never agents or the arena. What
a learner needs of them (stuck positions) is handed to it.
"""
