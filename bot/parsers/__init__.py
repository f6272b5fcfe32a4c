"""What can be typed after ``minebot``? One module a command: ABOUT, EXAMPLES and `add_options`.

options.py   the options that several commands share, and how the words of all are read

The others (play.py, read.py, advise.py, solve.py, watch.py, review.py, stats.py, replay.py,
report.py, bench.py, arena.py, train.py, manual.py, themes.py, teach.py, agents.py, doctor.py,
completion.py) have the name of their command, and so has the module of `bot.commands` that does
what is asked for.

A parser loads in milliseconds, so that a help or a mistyped word is answered at once: nothing here
imports numpy, rich or what needs them.
"""
