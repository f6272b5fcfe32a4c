"""What can be typed after ``minebot``? One module a command, with one class: its options.

declaring.py  how the options of a command are declared, and read from the command line
shared.py     the options that several commands share, and how their words are read
config.py     the configuration file: defaults for the options of every command
parsing.py    the parser of all commands: what was typed, what is wrong with it

The others (play.py, read.py, advise.py, solve.py, watch.py, review.py, stats.py, replay.py,
report.py, bench.py, arena.py, train.py, manual.py, themes.py, teach.py, agents.py, doctor.py,
completion.py) have the name of their command, and so has the module of `bot.commands` that does
what is asked for.

All of it loads in milliseconds, so that a help or a mistyped word is answered at once: nothing here
imports numpy or what needs it, and rich only to colour a help.
"""
