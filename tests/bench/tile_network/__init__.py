"""How the weights of the tile network are made and measured. Not part of the tests.

evaluate.py     scores the network on folders of labelled screenshots
train.py        trains it, fits its temperature, writes the weights
generate.py     draws boards, spoils them as screens do, cuts them into labelled tiles
looks.py        one look of a program: its colours, font, flags and mines
backgrounds.py  tiles before anything is drawn on them: gradients, bevels, gaps
shapes.py       drawn flags, mines and crosses
glyphs.py       characters, icons and emoji of fonts
fonts.py        the installed fonts that draw ordinary digits

packages.txt    Debian 12's font packages from which the shipped weights were made

To make the weights again, with the packages installed (processor time: about a millisecond a tile
to generate, 0.4 ms a tile and epoch to train; one thread, below 2 GiB):

    generate HELD.npz --tiles 12000 --held-out
    generate T1.npz --tiles 50000 --seed 1        (and the same for seeds 2, 3, ...)
    train network.npz T1.npz T2.npz T3.npz T4.npz T5.npz --held-out HELD.npz --epochs 5

Each is started as ``python -m tests.bench.tile_network.NAME``. It needs JAX, Flax and optax (the
extra ``learn``), and Pillow (which comes with ``plots``).

The shipped weights come from two stages, eleven minutes of one core in all: five epochs on 150,000
tiles of the generator as of commit fd4f312 (seeds 1 to 3), then 2.5 epochs on 100,000 tiles of the
present one (seeds 1 and 2, with ``--start`` and ``--rate 1.2e-3``).
"""
