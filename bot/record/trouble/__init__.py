"""What led to a failure? The last frames of every run are kept in memory, and saved if it fails.

ring.py     the last frames of the board's region, stored as what changes from one to the next
watcher.py  fills the ring, notes what happens, and saves both when a run stops in trouble
moments.py  when a frame was grabbed, and what of it is the board's
covers.py   what lay over the board
saving.py   the file that keeps them
report.py   one file of it to send: what lies around the board is painted over

Nothing is written in a run that ends well, or that a person ends; a game that is lost by a fault of
the program does not end well.
"""
