"""How is a click made? It is planned and guarded.

plan.py   from a decision to planned clicks: cells, buttons, flags and chords; few clicks
guard.py  MouseGuard: the only way to the mouse; kill switch, Ctrl-C, a person at the mouse,
          clicks that repeat in a circle

Imports ``bot.desktop``, ``bot.errors``, ``calibration`` and ``solver``.
"""
