"""What can the command line do? One module a command: ``run(options) -> exit code``.

play.py        play the window on the screen, or a simulated one
read.py        find and read the board on screenshots
advise.py      give the best move for a screenshot
solve.py       give the best move for boards in text form; answer other programs line by line
watch.py       look on while a person plays
review.py      make a page of recorded games
stats.py       sum up all recorded games
replay.py      run a recorded session again
report.py      make a file of the last failure, to send
bench.py       measure the win rate of agents on numbered boards
arena.py       compare the agents of the papers: sweep, table, charts
train.py       train a learned agent
manual.py      play by hand on the terminal, with agents' help
themes.py      list, show, forget, export learned themes
teach.py       name the tiles that the bot doubts
agents.py      list the agents
doctor.py      check this machine
completion.py  print a script that completes commands in a shell

options.py     what the options ask for that name agents and cells
pictures.py    what the options ask for that help to find and read a board
advice.py      the advice of `solve` and `advise`, with ``--candidates`` and ``--why``
screenshots.py a screenshot that was read: what was found on it, and why its tiles were read so
expecting.py   what `read` reads beside the labels of ``--expect``
recording.py   where a session is recorded, and which one is meant without a name
live_hints.py  hints and warnings while a person plays
observers.py   the observers of play that belong to the command line
play_setup.py  the desktop of play, and its observers that write files
long_runs.py   processes and progress bars of the commands that run for long

The options of a command are in the module of the same name in `bot.usage`.
Imports every other folder; only ``bot.cli`` imports it.
"""
