"""What happened? Sessions are recorded, replayed, reviewed and summed up.

session.py     Recorder and Session: frames as PNG, and one JSON line a step
entries.py     the lines of a session as JSON, and how damage is reported
storage.py     where sessions are kept by default
replaying/     runs a session again and reports what comes out differently
places.py      where the board of a recording lies in a frame of it
game_files/    games that other programs saved: .avf, .evf, .rmv, .mvf
games.py       the games of a session, turn by turn
mistakes.py    every move compared with the best one; why a game was lost
pages/         a game as one HTML page, and an index of several
themes.py      themes learned in play, kept among the user's data
theme_keeper.py  keeps the look of a program that no theme describes
trouble/       what led to a failure: kept in memory, saved when a run fails, a file to send
summary.py     wins of several games, with an interval
statistics.py  all recorded games by program, size and agent
chart.py       their chart

Imports ``bot.play`` and what lies below it.
"""
