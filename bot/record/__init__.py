"""What happened? Sessions are recorded, replayed, reviewed and summed up.

session.py          Recorder and Session: frames as PNG, and a checked JSON line for each step
lines.py            every event as JSON, and what a line of a session may hold
games.py            the games of a session; every move compared with the best one
game_files.py       games that other programs saved, read as sessions without frames
game_file_child.py  reads such a file with `ms_toollib`, an extra, in a process of its own
replay.py           runs a session again and reports every difference
pages.py            a game as one HTML page, and an index of several; templates/
statistics.py       sums of games, and their chart
trouble.py          keeps what led to a failure when a run fails, and makes one file of it to send

Imports ``bot.play`` and what lies below it.
"""
