"""The route to compositors of the wlroots family: sway, Hyprland, labwc and others.

connection.py      a connection to the compositor; every wait has a limit
protocols.py       the requests of wlroots, described with pywayland's classes
outputs.py         where each output lies, its rotation and its scale
screen.py          pictures of the outputs, by wlr-screencopy
input.py           a virtual pointer and a virtual keyboard
toplevels.py       which window has the keyboard
pointer_watch.py   notices a person at the mouse: corner surfaces, parking surface
desktop.py         joins them to one desktop
overlay.py         marks over all windows

The only pywayland imports; `bot.desktop.routes` imports this folder when it needs it.
"""
