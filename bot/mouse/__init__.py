"""How is a click made? It is planned, paced and guarded.

few.py      planned clicks that are as few as may be
plan.py     from a decision to planned clicks: cells, buttons, flags and chords
pace.py     how long to pause between clicks
parking.py  where to leave the pointer
loops.py    clicks that go round in circles are stopped
guard.py    MouseGuard: the only way to the mouse; kill switch, Ctrl-C, a person at the mouse

Imports ``bot.desktop``, ``bot.errors``, ``calibration`` and ``solver``.
"""
