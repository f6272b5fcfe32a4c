"""What can the command line do? Each command has a file with its options and ``run(options)``.

play.py        play the window on the screen, or a simulated one
read.py        find and read the board on screenshots, or on the screen
advise.py      give the best move for a screenshot
solve.py       give the best move for boards in text form
watch.py       watch while a person plays
review.py      make a page of recorded games
stats.py       sum up all recorded games
replay.py      run a recorded session again
report.py      make a file of the last failure, to send
bench.py       measure the win rate of agents
arena.py       compare the agents of the papers
train.py       train a learned agent
manual.py      play by hand, with agents' help
themes.py      list, show, export the themes of known programs
agents.py      list the agents
doctor.py      check this machine
completion.py  complete commands in a shell

parsing.py     how options are declared, typed and configured
shared.py      the options that several commands share
resolve.py     the values of shared options: agents, cells, workers, folders of recordings
pictures.py    the boards that options name: themes, calibrations, screenshots

A help or a mistyped word is answered in milliseconds: commands import modules that need numpy or
rich inside their functions. This package imports every other folder; only ``bot.cli`` imports it.
"""
