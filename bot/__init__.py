"""The hands: screen, pointer, clock, recording, the loop and the command line.

errors.py      the error tree, each leaf with its exit code
ports.py       Screen, Pointer, Keyboard, Clock: all the bot knows of the outer world
desktop.py     the real desktop behind the ports (the only mss and pyautogui imports)
turn.py        what happens in play: Turn, GameResult, and the Watcher who is told
options.py     what a person may choose, and every limit of patience
pace.py        how fast to click

loop.py        Player: look, decide, click, wait; turn by turn, game by game
progress.py    what the loop remembers of the game under way
eye.py         finds the board on the screen, watches its border, reads it
boxes.py       boxes of pixels
sight.py       the waits: at rest, answered, readable, over, anew
signs.py       what a board that was read says of the game
decider.py     what to do: the agent asked, the mine total doubted
ending.py      whether a game is over, and how it ended
plan.py        from a decision to clicks, flags and chords
clicker.py     sends a batch, each click only on a cell that still looks as read
hand.py        the guarded mouse: kill switch, Ctrl-C, a person at the mouse
park.py        where to leave the pointer
manners.py     new games and dialogs, as the program wants them
rules.py       what the first click is spared, by the program
blame.py       why a game was lost

session.py    recording: frames and a JSON line a step
replay.py      a recording run again, and what comes out otherwise
doctor.py      what would keep the bot from playing
warm.py        the solver's kernels made ready before play
summary.py     wins with an interval

cli.py         the parser, the table of commands, errors as sentences
exit_codes.py  which error ends with which exit code
commands/      one module a command
say.py         JSON lines, boards and decisions as every command prints them
view.py        what a person sees of play in the terminal: live board, risks, reasons, score
manual.py      a game by hand with any agent at one's side
manual_board.py, manual_app.py   its terminal screen (the only textual imports)
simulated/     a rendered desktop with a Minesweeper window, behind the same ports

Imports ``calibration`` and ``solver``; nothing imports ``bot``.
"""
