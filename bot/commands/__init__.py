"""What can the command line do? One file a command: its options, and ``run(options) -> exit code``.

The files of commands have their names: play, read, advise, solve, watch, review, stats, replay,
report, bench, arena, train, manual, themes, teach, agents, doctor, completion. The others:

declaring.py   how the options of a command are declared
parsing.py     the parser of all commands: what was typed, and what is wrong with it
config.py      the configuration file: defaults for the options of every command
shared.py      the options that several commands share
resolve.py     the values of shared options: agents, cells, workers, folders of recordings
pictures.py    the boards that options name: themes, calibrations, screenshots

A help or a mistyped word is answered in milliseconds: a command imports what needs numpy or rich
inside its functions. Imports every other folder; only ``bot.cli`` imports it.
"""
