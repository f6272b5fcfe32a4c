"""How does the bot see the screen and move the mouse? Through ports, one route a desktop.

ports.py        the ports: screen, pointer, keyboard, clock, overlay
routes.py       chooses the route to the desktop of this session, and opens it
native.py           X11, Windows and macOS (the only mss and pyautogui imports)
x11.py              the mouse under X11: no window can come between check and press
x11_display.py      reaches the X server; whose window lies where, and who gets the keys
x11_guardian.py     releases the button of a bot that was killed
x11_keys.py         the keyboard under X11: every key in its group, with its modifiers
x11_overlay.py      marks over the windows of an X display, through which clicks go
system.py           Windows and macOS: windows, held keys and swapped buttons
windows.py          the DPI awareness, scales and rights of Windows
keys.py             keys and mouse buttons by name
wlroots/            the route to sway, Hyprland, labwc and other compositors of the wlroots family
portal.py           the route to GNOME, KDE and others, through the desktop portals

Imports only `bot.errors` and the points and frames of `calibration`. `routes` imports the
last two only when it needs them: their libraries come with the extra ``wayland``.
"""
