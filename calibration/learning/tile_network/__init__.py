"""How the weights of the tile network (`calibration.classify.tile_network`) are made.

generate.py     draws tiles in random looks, spoils them as screens do, and labels them
train.py        trains the network and fits its temperature
layers.py       writes the network's file, and reads its weights again
``tests/bench/score_pages.py`` measures the reader that uses it on folders of labelled screenshots.

To make the weights again, with the packages of ``../packages.txt`` installed (processor time: a
millisecond a tile to generate, 0.25 to 0.4 ms a tile and epoch to train; one thread, below 4 GiB):

    generate HELD.npz --tiles 12000 --held-out
    generate T1.npz --tiles 75000 --seed 1        (and the same for seeds 2, 3, ...)
    train network.onnx.gz T1.npz T2.npz T3.npz T4.npz T5.npz --held-out HELD.npz --epochs 5

Each is started as ``python -m calibration.learning.tile_network.NAME``. It needs JAX, Flax and
optax (the extra ``learn``), and onnx.

The shipped weights come from eight stages, each with ``--start``, 95 minutes of one core in all:

    5 epochs of 150,000 tiles       generator of commit fd4f312, seeds 1 to 3
    2.5 epochs of 100,000 tiles     that of commit 352187b, seeds 1 and 2, --rate 1.2e-3
    3 epochs of 1,200,000 tiles     that of commit 68f06f4, seeds 11 to 18 and 21 to 28
    4 epochs of 600,000 tiles       seeds 31 to 38, --rate 1.6e-3
    2 epochs of 600,000 tiles       seeds 41 to 46, 31 and 35, --rate 8e-4, from the mean of the
                                    weights after the third and the fourth stage
    2.5 epochs of 600,000 tiles     that of commit 2fd4b50, seeds 61, 62, 71 and 72, --rate 9e-4
    2.5 epochs of 480,000 tiles     that of commit 2c453bb, seeds 81 to 84, --rate 9e-4
    2 epochs of 720,000 tiles       the same, seeds 81 to 86, --rate 5e-4

Between the third and the fifth stage the generator changed a little: invisible glyphs are
labelled empty, and mines may have four thick spikes. The sixth adds digits on discs, balls and
badges, stripes, leaning flags and coarse scan lines. (Tiles of wood or stone were tried, too: then
photographs beside a board passed for its tiles.) The last two add cogwheels, skulls, dynamite,
pins, shaded, hollow, glowing and coarse drawings; shipped is the mean of the weights after the last
three stages, which names digits better than the last ones.

Tried as well, on a GPU: 2,400,000 tiles (seeds 201 to 216), learned by a large network, of which
the small one learned what the large one said, 40 epochs. It names 85.8 % of 12,000 tiles held out
right, and 87.1 % with twice the weights in 8 bits, where the shipped one names 83.8 %. But of
14,251 different tiles of pages and programs it names 90.8 and 90.9 %, the shipped one 90.7 %, and
boards are read no better: most tiles that are missed lie under words, are plain colours, or are
mines on red, of which the board shows whether one exploded.
"""
