"""The commands of the command line, one module each: ``add_parser(commands)`` and ``run(args)``.

play.py      play the window on the screen, or a simulated one
read.py      read screenshots
advise.py    the best move for a screenshot
solve.py     the best move for boards in text; an engine on standard input
replay.py    run a recorded session again
bench.py     win rates of agents on numbered boards
arena.py     the papers' players side by side: sweep, table, charts
manual.py    play in the terminal with the agents at hand
agents.py    list the agents
doctor.py    what would keep the bot from playing
work.py      workers, results files and progress of the long commands
watchers.py  who listens while play plays
options.py   the options several of them share, and how their values are read
"""
