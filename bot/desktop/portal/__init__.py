"""The route to GNOME, KDE and others: through the desktop portals.

calls.py      requests and answers over D-Bus (the only jeepney imports)
pipewire.py   pictures of a PipeWire stream, read by GStreamer
sharing.py    a session with the portals: consent, the restore token, the end of the session
desktop.py    screen, pointer and keyboard of one session

`bot.desktop.routes` imports this folder when it needs it.
"""
