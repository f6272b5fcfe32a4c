"""How is a click made? It is planned, paced and guarded.

plan.py     from a decision to planned clicks: cells, buttons, flags and chords; few clicks
pace.py     how long to pause between clicks
parking.py  where to leave the pointer
guard.py    MouseGuard: the only way to the mouse; kill switch, Ctrl-C, a person at the mouse,
            clicks that go round in circles

Imports ``bot.desktop``, ``bot.errors``, ``calibration`` and ``solver``.
"""
