"""The route to sway, Hyprland, labwc and other compositors of the wlroots family.

client.py    the connection: protocols, outputs, which window has the keyboard
surfaces.py  transparent surfaces above all windows: a person at the mouse, marks
desktop.py   the desktop: pictures of the screen, a virtual pointer and keyboard

Needs the extra ``wayland``.
"""
