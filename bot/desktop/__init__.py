"""How does the bot see the screen and move the mouse? Through ports, one route a desktop.

ports.py        the ports: screen, pointer, keyboard, clock, overlay
routes.py       chooses the route to the desktop of this session, and opens it
native.py       X11, Windows and macOS (the only mss and pyautogui imports)
x11.py          mouse and keyboard under X11: no window comes between question and press
x11_windows.py  whose window lies where under X11, and who gets the keys
x11_guardian.py releases the button of a bot that was killed
x11_overlay.py  marks over the windows of an X display, through which clicks go
system.py       what Windows and macOS tell besides: windows, held keys, swapped buttons
keys.py         numbers of keys and mouse buttons, for Wayland
wlroots/        the route to sway, Hyprland, labwc and other compositors of the wlroots family
portal/         the route to GNOME, KDE and others, through the desktop portals

Imports only `bot.errors` and the points and frames of `calibration`. `routes` imports the two
folders only when it needs them: their libraries come with the extra ``wayland``.
"""
